"""What a seat or a spectator sees. Nothing is secret; `me` is only there for whom it is of use."""

from functools import lru_cache
from typing import Any

from services.backgammon import ids
from services.backgammon.board import Half, Step, pips
from services.backgammon.state import (
    DOUBLED,
    FINISHED,
    KINDS,
    MOVE,
    OPENING,
    RESIGNED,
    ROLL,
    State,
    acting,
    may_beaver,
    may_double,
    next_steps,
    points_of,
    resignable,
    this_throw,
)
from stamtafel.backgammon.v1 import backgammon_pb2 as pb

COLORS = ("black", "white")
DIRECTIONS = ("clockwise", "counterclockwise")
_pips = lru_cache(maxsize=4096)(pips)


def actions(state: State, seat: int) -> tuple[str, ...]:
    """Names of the commands that would be accepted from that seat now, in the rules file's order."""
    return _can(state, seat, next_steps(state) if state.phase == MOVE and state.turn == seat else [])


def _can(state: State, seat: int, steps: list[Step]) -> tuple[str, ...]:
    phase = state.phase
    if phase == FINISHED:
        return ()
    can: list[str] = []
    if seat in acting(state):
        if phase in (OPENING, ROLL):
            can.append("roll")
            if may_double(state, seat):
                can.append("double")
        elif phase == MOVE:
            if steps:
                can.append("move")
            if not state.moved:  # without any legal step the empty turn (R9.3)
                can.append("play")
            if state.moved:
                can.append("undo")
            if not steps:
                can.append("confirm")
        elif phase == DOUBLED:
            can += ["take", "drop", "beaver"] if may_beaver(state) else ["take", "drop"]
        else:
            can += ["accept_resign", "reject_resign"]
    if resignable(state, seat):
        can.append("resign")
    return tuple(can)


@lru_cache(maxsize=4096)
def _half(row: Half) -> pb.Half:
    return pb.Half(items=row)


def view(state: State, audience: int | None) -> pb.View:
    """The view of a seat; None is the public."""
    board = state.board
    phase = state.phase
    shown = pb.View(
        game=state.game,
        phase=phase,
        to_act=acting(state),
        turn=state.turn,
        board=(_half(board[0]), _half(board[1])),
        pips=(_pips(board[0]), _pips(board[1])),
        score=state.score,
        colors=COLORS,
        directions=DIRECTIONS,
        cube=_cube(state),
        match=_match(state),
        clocks=_clocks(state),
    )
    if state.dice is not None:
        shown.dice.items.extend(state.dice)
        shown.dice_left.extend(this_throw(state).left(state.moved))
        for step in state.moved:
            shown.moved.append(_step(step))
    if state.resign is not None:
        seat, kind = state.resign
        points = points_of(kind, state.cube, state.owner, state.setup.jacoby)
        shown.resign.CopyFrom(pb.ResignState(seat=seat, kind=KINDS[kind - 1], points=points))
    if phase == OPENING:
        shown.ready.items.extend(state.ready)
    if (turn := state.last_turn) is not None:
        shown.last_turn.CopyFrom(pb.LastTurn(seat=turn.seat, dice=turn.dice, notation=turn.notation))
    if (game := state.result) is not None:
        shown.result.CopyFrom(
            pb.GameResult(winner=game.winner, kind=game.kind, reason=game.reason, points=game.points, cube=game.cube)
        )
    if (match := state.match_result) is not None:
        shown.match_result.CopyFrom(pb.MatchResult(winner=match.winner, reason=match.reason, score=match.score))
    if state.turn is not None:
        shown.ids.CopyFrom(_ids(state, state.turn))
    if audience is not None:
        _me(state, audience, shown.me)
    return shown


def _step(step: Step) -> pb.Step:
    return pb.Step(from_point=step.start, to=step.to, die=step.die, hit=step.hit)


def _cube(state: State) -> pb.Cube:
    cube = pb.Cube(
        value=state.cube,
        owner=state.owner,
        enabled=state.setup.cube,
        limit=state.setup.limit,
        beaver=state.beaver,
        may_double=(may_double(state, 0), may_double(state, 1)),
    )
    if state.offer:
        cube.offer.seat = state.offered_by
        cube.offer.value = state.offer
    return cube


def _match(state: State) -> pb.MatchState:
    return pb.MatchState(
        play="match" if state.setup.length else "money",
        length=state.setup.length,
        games=state.setup.games or None,
        crawford_game=state.crawford_game,
        post_crawford=state.post_crawford,
    )


def _clocks(state: State) -> pb.ClockState:
    setup = state.setup
    shown = pb.ClockState(mode=setup.clock)
    if setup.clock == "none":
        return shown
    shown.running.extend(acting(state))
    if setup.clock == "move":
        shown.move_seconds = setup.move_ms // 1000
    else:
        shown.delay_seconds = setup.delay_ms // 1000
        shown.bank_seconds.items.extend(-(-left // 1000) for left in state.bank)
    return shown


def _ids(state: State, turn: int) -> pb.Ids:
    decider = acting(state)
    deciding = decider[0] if decider else turn
    offered = state.phase == DOUBLED
    match = ids.MatchState(
        cube=state.cube,
        owner=state.owner,
        roller=turn,
        turn=deciding,
        crawford=state.crawford_game,
        doubled=offered,
        resign=state.resign[1] if state.phase == RESIGNED and state.resign else 0,
        dice=state.dice,
        length=state.setup.length,
        score=state.score,
        jacoby=state.setup.jacoby,
    )
    xg = ids.XgPosition(
        board=state.start,
        cube=state.cube,
        owner=state.owner,
        turn=turn,
        dice=state.dice,
        doubled=offered,
        score=state.score,
        crawford=state.crawford_game,
        jacoby=state.setup.jacoby,
        beavers=state.setup.beavers,
        length=state.setup.length,
        cube_limit=state.setup.limit,
    )
    return pb.Ids(
        position_id=ids.position_id(state.start[turn], state.start[1 - turn]),
        match_id=ids.match_id(match),
        xgid=ids.xgid(xg, state.beaver),
    )


def _me(state: State, seat: int, me: Any) -> None:
    steps: list[Step] = []
    me.seat = seat
    if state.phase == MOVE and state.turn == seat:
        steps = next_steps(state)
        me.legal_moves.extend(map(_step, steps))
        me.movable.extend(sorted({step.start for step in steps}, reverse=True))
        me.forced = len(this_throw(state).finals) == 1
    me.can.extend(_can(state, seat, steps))
    me.resignable.extend(resignable(state, seat))
