"""What a command leads to: the events, or the refusal. Checks stand in the order of R17."""

from collections.abc import Callable, Sequence
from typing import Any

from google.protobuf.message import Message

from libs.table.rules import Ctx, Refused
from services.backgammon import notation
from services.backgammon.board import BAR, OFF, Step
from services.backgammon.evolve import evolve
from services.backgammon.setup import Setup
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
    kind_of,
    may_beaver,
    next_steps,
    points_of,
    this_throw,
)
from stamtafel.backgammon.v1 import backgammon_pb2 as pb

TOLD = 20
"""At most so many legal turns are told beside an illegal one."""
Events = list[Message]


class Draft:
    """Events of one decision, folded as they come."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.events: Events = []

    def add(self, *events: Message) -> None:
        """Appends events and moves on."""
        for event in events:
            self.events.append(event)
            self.state = evolve(self.state, event)

    def bank(self) -> Sequence[int]:
        """What an event that stops a clock carries; the kit writes the time used into it."""
        return self.state.bank if self.state.setup.clock == "bank" else ()


def early(state: State, seat: int) -> Refused | None:
    """What comes before any look at a command's arguments (R17.1)."""
    if seat not in (0, 1):
        return Refused("unknown_seat", f"Seat must be 0 or 1, not {seat}.", "seat")
    return Refused("game_over", "The match is over.") if state.phase == FINISHED else None


def decide(state: State, seat: int, command: Message, ctx: Ctx) -> Events:
    """Events of an accepted command. Raises Refused."""
    if refusal := early(state, seat):
        raise refusal
    kind = type(command)
    _check_arguments(kind, command)
    if kind is pb.Resign and state.phase in (ROLL, MOVE):
        return _resign(state, seat, command)
    phase, act = _COMMANDS[kind]
    if seat not in acting(state):
        if state.phase == OPENING:
            if kind is pb.Roll:
                raise Refused("already_rolled", "You have thrown for the opening already.")
            raise Refused("wrong_phase", "Only the opening throw is possible now: roll.")
        raise Refused("not_your_turn", f"Seat {acting(state)[0]} must act now.")
    if state.phase != phase and not (kind is pb.Roll and state.phase == OPENING):
        raise Refused("wrong_phase", f"This is not possible in phase {state.phase}.", phase=state.phase)
    draft = Draft(state)
    act(draft, seat, command, ctx)
    return draft.events


def _check_arguments(kind: type[Message], command: Any) -> None:
    if kind is pb.Move:
        _check_range(command, "from_point", "from", 1, BAR, needed=True)
        _check_range(command, "to", "to", 0, 24)
        _check_range(command, "die", "die", 1, 6)
    elif kind is pb.Play:
        if not command.HasField("moves"):
            raise Refused("bad_argument", "A turn in notation is needed, like 8/5 6/5.", "moves")
        try:
            notation.read(command.moves)
        except notation.NotNotation as error:
            raise Refused("bad_argument", f"{str(error)!r} is no notation; write like 8/5 6/5.", "moves") from None
    elif kind is pb.Resign and command.kind not in KINDS:
        raise Refused("bad_argument", "kind must be one of " + ", ".join(KINDS) + ".", "kind")


def _check_range(command: Any, field: str, name: str, low: int, high: int, needed: bool = False) -> None:
    if command.HasField(field):
        if not low <= getattr(command, field) <= high:
            raise Refused("bad_argument", f"{name} must be {low}..{high}, not {getattr(command, field)}.", name)
    elif needed:
        raise Refused("bad_argument", f"{name} is needed: a point {low}..{high}.", name)


def _resign(state: State, seat: int, command: Any) -> Events:
    kind = KINDS.index(command.kind) + 1
    if kind > 1 and state.board[seat][OFF]:
        raise Refused("resign_too_high", "You have borne off a checker: only a single game can be lost.", "kind")
    if kind <= state.refused[seat]:
        raise Refused("resign_repeated", "That was refused; offer more, or wait for the next throw.", "kind")
    draft = Draft(state)
    points = points_of(kind, state.cube, state.owner, state.setup.jacoby)
    draft.add(pb.ResignOffered(seat=seat, kind=command.kind, points=points, bank_left_ms=draft.bank()))
    return draft.events


def roll(draft: Draft, seat: int, _command: Any, ctx: Ctx) -> None:
    """R2.1-R2.5 in the opening, else R3.1."""
    if draft.state.phase == OPENING:
        draft.add(pb.OpeningReadied(seat=seat, bank_left_ms=draft.bank()))
        if all(draft.state.ready):
            _open(draft, ctx)
    else:
        _throw(draft, seat, ctx)


def _open(draft: Draft, ctx: Ctx) -> None:
    setup = draft.state.setup
    doubled = 0
    while True:
        dice = ctx.draws.dice(2)
        event = opening(dice[0], dice[1], setup)
        draft.add(event)
        if event.HasField("winner"):
            break
        if doubled < setup.automatic and setup.cube and draft.state.cube * 2 <= setup.limit:
            doubled += 1
            draft.add(pb.AutomaticDoubled(value=draft.state.cube * 2))
    if setup.reroll:
        _throw(draft, event.winner, ctx)
    else:
        _pass_if_stuck(draft)


def opening(first: int, second: int, setup: Setup) -> pb.OpeningRolled:
    """The event of one opening draw (R2.2-R2.4)."""
    event = pb.OpeningRolled(dice=(first, second), length=setup.length)
    if first != second:
        event.winner = 0 if first > second else 1
        if not setup.reroll:
            event.play.items.extend((max(first, second), min(first, second)))
    return event


def _throw(draft: Draft, seat: int, ctx: Ctx) -> None:
    draft.add(pb.DiceRolled(seat=seat, dice=ctx.draws.dice(2)))
    _pass_if_stuck(draft)


def _pass_if_stuck(draft: Draft) -> None:
    state = draft.state
    if not this_throw(state).longest:
        draft.add(pb.TurnPassed(seat=state.turn or 0, dice=state.dice, bank_left_ms=draft.bank()))


def double(draft: Draft, seat: int, _command: Any, _ctx: Ctx) -> None:
    """R11.2, R11.5-R11.9."""
    state = draft.state
    if not state.setup.cube:
        raise Refused("cube_disabled", "This game is played without the doubling cube.")
    if state.crawford_game:
        raise Refused("crawford_game", "No doubling in the Crawford game.")
    if state.owner not in (None, seat):
        raise Refused("not_cube_owner", "The other seat owns the cube.")
    if state.cube * 2 > state.setup.limit:
        raise Refused("cube_at_limit", f"The cube ends at {state.setup.limit}.")
    draft.add(pb.DoubleOffered(seat=seat, value=state.cube * 2, bank_left_ms=draft.bank()))


def take(draft: Draft, seat: int, _command: Any, _ctx: Ctx) -> None:
    """R11.4; of a beaver R11.7."""
    state = draft.state
    owner = state.offered_by if state.beaver else seat
    draft.add(pb.DoubleTaken(seat=seat, value=state.offer, owner=owner, bank_left_ms=draft.bank()))


def drop(draft: Draft, seat: int, _command: Any, _ctx: Ctx) -> None:
    """R11.3; of a beaver R11.7."""
    cube = draft.state.cube
    draft.add(pb.DoubleDropped(seat=seat, value=cube, bank_left_ms=draft.bank()))
    _end_game(draft, 1 - seat, 1, "drop", cube)


def beaver(draft: Draft, seat: int, _command: Any, _ctx: Ctx) -> None:
    """R11.7."""
    if not may_beaver(draft.state):
        raise Refused(
            "beaver_not_allowed", "No beaver: not agreed, not for money, a beaver already, or beyond the cube."
        )
    draft.add(pb.BeaverOffered(seat=seat, value=draft.state.offer * 2, bank_left_ms=draft.bank()))


def move(draft: Draft, seat: int, command: Any, _ctx: Ctx) -> None:
    """One step (R10.1, R10.2, R6.4)."""
    steps = next_steps(draft.state)
    if not steps:
        raise Refused("turn_complete", "No die can be played any more: confirm or undo.")
    step = pick_step(
        draft.state,
        steps,
        command.from_point,
        command.to if command.HasField("to") else None,
        command.die if command.HasField("die") else None,
    )
    if step is None:
        allowed = " ".join(f"{s.start}/{s.to}" for s in steps)
        raise Refused("illegal_move", f"Not legal now; legal steps: {allowed}.", "from", legal=allowed)
    _step(draft, seat, step)
    if draft.state.board[seat][OFF] == 15 or (draft.state.setup.auto_confirm and not next_steps(draft.state)):
        _end_turn(draft, seat)


def pick_step(state: State, steps: list[Step], start: int, to: int | None, die: int | None) -> Step | None:
    """The step that from, to and die name, or None (R10.1, R10.2)."""
    fitting = [step for step in steps if step.start == start and to in (None, step.to) and die in (None, step.die)]
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    if to is not None:
        exact = [step for step in fitting if step.die == step.start - step.to]
        if exact:
            return exact[0]
    return min(fitting, key=lambda step: (state.dice or ()).index(step.die))


def _step(draft: Draft, seat: int, step: Step) -> None:
    draft.add(pb.CheckerMoved(seat=seat, from_point=step.start, to=step.to, die=step.die, hit=step.hit))


def play(draft: Draft, seat: int, command: Any, _ctx: Ctx) -> None:
    """A whole turn (R10.5, R9.3)."""
    if draft.state.moved:
        raise Refused("turn_in_progress", "Undo the single moves first.")
    thrown = this_throw(draft.state)
    final = notation.resolve(thrown, command.moves)
    if final is None:
        legal = sorted(notation.canonical(thrown, one) for one in thrown.finals[:TOLD]) if thrown.longest else []
        more = len(thrown.finals) - len(legal) if legal else 0
        allowed = (", ".join(legal) or "no move") + (f" and {more} more" if more else "")
        dice = "-".join(map(str, thrown.dice))
        raise Refused(
            "illegal_move",
            f"{command.moves!r} is no complete legal turn with {dice}; legal: {allowed}.",
            "moves",
            legal=allowed,
        )
    for step in notation.play_order(thrown, final):
        _step(draft, seat, step)
    _end_turn(draft, seat)


def undo(draft: Draft, seat: int, command: Any, _ctx: Ctx) -> None:
    """R10.3."""
    moved = draft.state.moved
    if not moved:
        raise Refused("nothing_to_undo", "No unconfirmed move.")
    for step in reversed(moved) if command.all else moved[-1:]:
        draft.add(pb.MoveUndone(seat=seat, from_point=step.start, to=step.to, die=step.die, hit=step.hit))


def confirm(draft: Draft, seat: int, _command: Any, _ctx: Ctx) -> None:
    """R10.4."""
    steps = next_steps(draft.state)
    if steps:
        raise Refused("turn_incomplete", f"A die can still be played, for instance {steps[0].start}/{steps[0].to}.")
    _end_turn(draft, seat)


def _end_turn(draft: Draft, seat: int) -> None:
    state = draft.state
    thrown = this_throw(state)
    text = notation.canonical(thrown, (state.board[seat], state.board[1 - seat]))
    draft.add(pb.TurnEnded(seat=seat, dice=thrown.dice, notation=text, bank_left_ms=draft.bank()))
    if state.board[seat][OFF] == 15:
        kind = kind_of(state.board[1 - seat])
        _end_game(draft, seat, kind, "bearoff", points_of(kind, state.cube, state.owner, state.setup.jacoby))


def accept_resign(draft: Draft, seat: int, _command: Any, _ctx: Ctx) -> None:
    """R14.1."""
    state = draft.state
    kind = state.resign[1] if state.resign else 1
    draft.add(pb.ResignAccepted(seat=seat, bank_left_ms=draft.bank()))
    _end_game(draft, seat, kind, "resign", points_of(kind, state.cube, state.owner, state.setup.jacoby))


def reject_resign(draft: Draft, seat: int, _command: Any, _ctx: Ctx) -> None:
    """R14.2."""
    draft.add(pb.ResignRejected(seat=seat, bank_left_ms=draft.bank()))


def _end_game(draft: Draft, winner: int, kind: int, reason: str, points: int) -> None:
    """R12, R13.1-R13.5; a game lost on time ends the session (R15.5)."""
    state = draft.state
    score = [*state.score]
    score[winner] += points
    draft.add(
        pb.GameEnded(
            game=state.game,
            winner=winner,
            kind=KINDS[kind - 1],
            reason=reason,
            cube=state.cube,
            points=points,
            score=score,
        )
    )
    setup = state.setup
    if reason == "timeout":
        draft.add(pb.MatchEnded(winner=winner, reason="timeout", score=score))
        return
    if score[winner] >= setup.length if setup.length else state.game >= setup.games:
        ended = pb.MatchEnded(reason="score", score=score)
        if score[0] != score[1]:
            ended.winner = 0 if score[0] > score[1] else 1
        draft.add(ended)
        return
    crawford = setup.crawford and not state.crawford_game and not state.post_crawford and max(score) == setup.length - 1
    draft.add(pb.GameStarted(game=state.game + 1, score=score, crawford_game=crawford))


def expire(state: State, seat: int, ctx: Ctx) -> Events:
    """R15.4, R15.5; [] when no clock of that seat runs."""
    if state.setup.clock == "none" or seat not in acting(state):
        return []
    draft = Draft(state)
    action = "forfeit" if state.setup.forfeit else "auto"
    draft.add(pb.ClockExpired(seat=seat, phase=state.phase, action=action, bank_left_ms=draft.bank()))
    if state.setup.forfeit:
        _forfeit(draft, seat)
    elif state.phase == DOUBLED:
        drop(draft, seat, None, ctx)
    elif state.phase == RESIGNED:
        reject_resign(draft, seat, None, ctx)
    elif state.phase == MOVE:
        while steps := next_steps(draft.state):
            _step(draft, seat, steps[0])
        _end_turn(draft, seat)
    else:
        roll(draft, seat, None, ctx)
    return draft.events


def _forfeit(draft: Draft, seat: int) -> None:
    state = draft.state
    winner = 1 - seat
    if state.setup.length:
        draft.add(pb.MatchEnded(winner=winner, reason="timeout", score=state.score))
        return
    kind, points = 1, state.cube
    if state.phase != DOUBLED and state.board[winner][OFF] and not state.board[seat][OFF]:
        kind = kind_of(state.board[seat])
        points = points_of(kind, state.cube, state.owner, state.setup.jacoby)
    _end_game(draft, winner, kind, "timeout", points)


_Act = Callable[[Draft, int, Any, Ctx], None]
_COMMANDS: dict[type[Message], tuple[str, _Act]] = {
    pb.Roll: (ROLL, roll),
    pb.Double: (ROLL, double),
    pb.Move: (MOVE, move),
    pb.Play: (MOVE, play),
    pb.Undo: (MOVE, undo),
    pb.Confirm: (MOVE, confirm),
    pb.Take: (DOUBLED, take),
    pb.Drop: (DOUBLED, drop),
    pb.Beaver: (DOUBLED, beaver),
    pb.AcceptResign: (RESIGNED, accept_resign),
    pb.RejectResign: (RESIGNED, reject_resign),
    pb.Resign: (ROLL, reject_resign),  # `resign` is decided before the turn is looked at; here it is of no phase
}
COMMANDS: tuple[type[Message], ...] = tuple(_COMMANDS)
