"""What each event does to the state. Never refuses, never draws."""

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from services.backgammon.board import START, Step, advance, retreat
from services.backgammon.state import (
    DOUBLED,
    FINISHED,
    KINDS,
    MOVE,
    OPENING,
    RESIGNED,
    ROLL,
    GameResult,
    MatchResult,
    State,
    Turn,
    acting,
)
from stamtafel.backgammon.v1 import backgammon_pb2 as pb

Pair = tuple[int, int]


def _pair(items: Any) -> Pair:
    first, second = items
    return first, second


def _banked(state: State, event: Any) -> Pair:
    left = event.bank_left_ms
    return (left[0], left[1]) if left else state.bank


def opening_readied(state: State, event: pb.OpeningReadied) -> State:
    """R2.1."""
    ready = (True, state.ready[1]) if event.seat == 0 else (state.ready[0], True)
    return replace(state, ready=ready, bank=_banked(state, event))


def opening_rolled(state: State, event: pb.OpeningRolled) -> State:
    """R2.2-R2.4."""
    if not event.HasField("winner"):
        return state
    play = event.play.items if event.HasField("play") else None
    return replace(
        state,
        ready=(False, False),
        turn=event.winner,
        phase=MOVE if play else ROLL,
        dice=_pair(play) if play else None,
        refused=(0, 0),
        decision=state.decision + 1,
        passing=state.passing + 1,
    )


def automatic_doubled(state: State, event: pb.AutomaticDoubled) -> State:
    """R2.5."""
    return replace(state, cube=event.value)


def dice_rolled(state: State, event: pb.DiceRolled) -> State:
    """R3.1."""
    return replace(state, dice=_pair(event.dice), phase=MOVE, refused=(0, 0), decision=state.decision + 1)


def checker_moved(state: State, event: pb.CheckerMoved) -> State:
    """R4, R7.1."""
    seat = event.seat
    start, to = event.from_point, event.to
    mine, other, hit = advance(state.board[seat], state.board[1 - seat], start, to)
    return replace(
        state,
        board=(other, mine) if seat else (mine, other),
        moved=(*state.moved, Step(start, to, event.die, hit)),
    )


def move_undone(state: State, event: pb.MoveUndone) -> State:
    """R10.3."""
    seat = event.seat
    step = Step(event.from_point, event.to, event.die, event.hit)
    mine, other = retreat(state.board[seat], state.board[1 - seat], step)
    return replace(state, board=(other, mine) if seat else (mine, other), moved=state.moved[:-1])


def _over(state: State, turn: Turn, event: Any) -> State:
    return replace(
        state,
        start=state.board,
        phase=ROLL,
        turn=1 - turn.seat,
        dice=None,
        moved=(),
        last_turn=turn,
        bank=_banked(state, event),
        decision=state.decision + 1,
        passing=state.passing + 1,
    )


def turn_passed(state: State, event: pb.TurnPassed) -> State:
    """R3.3."""
    return _over(state, Turn(event.seat, _pair(event.dice), ""), event)


def turn_ended(state: State, event: pb.TurnEnded) -> State:
    """R10.4."""
    return _over(state, Turn(event.seat, _pair(event.dice), event.notation), event)


def _passed(state: State, event: Any, **changes: Any) -> State:
    """The state after a decision: the clocks' keys go on, the bank's only when another seat must act."""
    after = replace(state, bank=_banked(state, event), decision=state.decision + 1, **changes)
    return after if acting(after) == acting(state) else replace(after, passing=after.passing + 1)


def double_offered(state: State, event: pb.DoubleOffered) -> State:
    """R11.2."""
    return _passed(state, event, phase=DOUBLED, offer=event.value, offered_by=event.seat, beaver=False)


def beaver_offered(state: State, event: pb.BeaverOffered) -> State:
    """R11.7: the double stands, the beavering seat owns the cube and offers the next value."""
    changes = {"cube": state.offer, "owner": event.seat, "offer": event.value, "offered_by": event.seat, "beaver": True}
    return _passed(state, event, **changes)


def double_taken(state: State, event: pb.DoubleTaken) -> State:
    """R11.4."""
    return _passed(state, event, phase=ROLL, cube=event.value, owner=event.owner, offer=0, beaver=False)


def double_dropped(state: State, event: pb.DoubleDropped) -> State:
    """R11.3."""
    return replace(state, bank=_banked(state, event))


def resign_offered(state: State, event: pb.ResignOffered) -> State:
    """R14.1."""
    resign = (event.seat, KINDS.index(event.kind) + 1)
    return _passed(state, event, phase=RESIGNED, resign=resign, resume=state.phase)


def resign_rejected(state: State, event: pb.ResignRejected) -> State:
    """R14.2, R14.4."""
    seat, kind = state.resign or (1 - event.seat, 0)
    refused = (kind, state.refused[1]) if seat == 0 else (state.refused[0], kind)
    return _passed(state, event, phase=state.resume, resign=None, refused=refused)


def resign_accepted(state: State, event: pb.ResignAccepted) -> State:
    """R14.1."""
    return replace(state, bank=_banked(state, event))


def clock_expired(state: State, event: pb.ClockExpired) -> State:
    """R15: what comes next has a clock of its own; in the opening the other seat's clock goes on."""
    if state.phase == OPENING:
        return replace(state, bank=_banked(state, event))
    return replace(state, bank=_banked(state, event), decision=state.decision + 1, passing=state.passing + 1)


def game_ended(state: State, event: pb.GameEnded) -> State:
    """R12, R13: the open offer, resignation and throw are gone; board and cube stay as they stood."""
    return replace(
        state,
        score=_pair(event.score),
        result=GameResult(event.winner, event.kind, event.reason, event.points, event.cube),
        offer=0,
        beaver=False,
        resign=None,
        dice=None,
        moved=(),
    )


def game_started(state: State, event: pb.GameStarted) -> State:
    """R13.3-R13.5."""
    return replace(
        state,
        start=(START, START),
        board=(START, START),
        phase=OPENING,
        turn=None,
        dice=None,
        moved=(),
        cube=1,
        owner=None,
        refused=(0, 0),
        game=event.game,
        crawford_game=event.crawford_game,
        post_crawford=state.post_crawford or state.crawford_game,
        ready=(False, False),
        last_turn=None,
        decision=state.decision + 1,
        passing=state.passing + 1,
    )


def match_ended(state: State, event: pb.MatchEnded) -> State:
    """R13.1, R13.2, R15.5."""
    winner = event.winner if event.HasField("winner") else None
    return replace(
        state,
        phase=FINISHED,
        turn=None,
        dice=None,
        moved=(),
        offer=0,
        beaver=False,
        resign=None,
        match_result=MatchResult(winner, event.reason, _pair(event.score)),
    )


_BY_TYPE: dict[type[Message], Callable[[State, Any], State]] = {
    pb.OpeningReadied: opening_readied,
    pb.OpeningRolled: opening_rolled,
    pb.AutomaticDoubled: automatic_doubled,
    pb.DiceRolled: dice_rolled,
    pb.TurnPassed: turn_passed,
    pb.CheckerMoved: checker_moved,
    pb.MoveUndone: move_undone,
    pb.TurnEnded: turn_ended,
    pb.DoubleOffered: double_offered,
    pb.BeaverOffered: beaver_offered,
    pb.DoubleTaken: double_taken,
    pb.DoubleDropped: double_dropped,
    pb.ResignOffered: resign_offered,
    pb.ResignRejected: resign_rejected,
    pb.ResignAccepted: resign_accepted,
    pb.ClockExpired: clock_expired,
    pb.GameEnded: game_ended,
    pb.GameStarted: game_started,
    pb.MatchEnded: match_ended,
}
EVENTS: tuple[type[Message], ...] = tuple(_BY_TYPE)


def evolve(state: State, event: Message) -> State:
    """The next state."""
    return _BY_TYPE[type(event)](state, event)
