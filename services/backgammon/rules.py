"""Backgammon as the kit drives it: docs/rules/backgammon.md."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from google.protobuf.message import Message

from libs.table.plain import fields_by_name, type_name
from libs.table.rules import Clock, Ctx, Draws, Event, Facts, Refused, Seating
from services.backgammon import notation
from services.backgammon import setup as options_of
from services.backgammon.decide import COMMANDS, decide, early, expire, opening
from services.backgammon.evolve import EVENTS, evolve
from services.backgammon.position import position
from services.backgammon.queries import QUERIES
from services.backgammon.state import MOVE, State, acting, next_steps, resignable, this_throw
from services.backgammon.view import actions, view
from stamtafel.backgammon.v1 import backgammon_pb2 as pb
from stamtafel.table.v1.table_pb2 import Number, Result

SAMPLE = 24


class Backgammon:
    """The rules of backgammon. All methods are pure."""

    game = "backgammon"
    fold = "backgammon-1"
    hides = False
    presets = options_of.PRESET_NAMES
    options_type: type[pb.Options] = pb.Options
    view_type: type[Message] = pb.View
    state_type = State
    commands = COMMANDS
    events = EVENTS
    queries: Mapping[str, Callable[[Mapping[str, Any]], Any]] = QUERIES

    def options(self, asked: pb.Options) -> pb.Options:
        """Complete options; Refused `bad_argument` with the option's name."""
        return options_of.complete(asked)

    def seating(self, options: pb.Options) -> Seating:
        """Two seats."""
        return options_of.seating(options)

    def initial(self, options: pb.Options) -> State:
        """The opening of game 1 (R1.1, R2.1)."""
        setup = options_of.setup(options)
        return State(setup=setup, bank=(setup.bank_ms, setup.bank_ms))

    def start(self, state: State, ctx: Ctx) -> list[Event]:
        """Nothing happens before both seats throw."""
        del state, ctx
        return []

    def evolve(self, state: State, event: Event) -> State:
        """The next state."""
        return evolve(state, event)

    def decide(self, state: State, seat: int, command: Message, ctx: Ctx) -> list[Event]:
        """Events of an accepted command (R17 for the order of checks)."""
        return decide(state, seat, command, ctx)

    def unreadable(self, command: str | None, field: str | None) -> Refused:
        """What no message can carry is `bad_argument`."""
        if command is None:
            return Refused("bad_argument", f"Cannot read option {field}; options are {_fields(pb.Options)}.", field)
        known = {type_name(kind): kind for kind in self.commands}
        if command not in known:
            return Refused("bad_argument", f"Cannot read command {command}; commands are {', '.join(known)}.", field)
        has = _fields(known[command]) or "no arguments"
        return Refused("bad_argument", f"Cannot read {command}: argument {field}; it has {has}.", field)

    def early(self, state: State, seat: int) -> Refused | None:
        """No such seat and the end come before what cannot be read (R17.1)."""
        return early(state, seat)

    def expire(self, state: State, seat: int, ctx: Ctx) -> list[Event]:
        """R15.4, R15.5."""
        return expire(state, seat, ctx)

    def clocks(self, state: State) -> tuple[Clock, ...]:
        """R15.1-R15.3. The key counts decisions (`move`) or the times that the clock has passed (`bank`)."""
        setup = state.setup
        if setup.clock == "none":
            return ()
        if setup.clock == "move":
            return tuple(Clock(seat, f"d{state.decision}", setup.move_ms) for seat in acting(state))
        return tuple(
            Clock(seat, f"p{state.passing}", max(1, state.bank[seat]), setup.delay_ms) for seat in acting(state)
        )

    def to_act(self, state: State) -> frozenset[int]:
        """Both seats in the opening, else one."""
        return frozenset(acting(state))

    def actions(self, state: State, seat: int, facts: Facts | None = None) -> tuple[str, ...]:
        """The view's `me.can`."""
        return actions(state, seat)

    def some(self, state: State, seat: int) -> Iterable[Message]:
        """All legal commands but whole turns, of which there is a sample spread over the list."""
        for name in actions(state, seat):
            if name == "move":
                for step in next_steps(state):
                    yield pb.Move(from_point=step.start, to=step.to, die=step.die)
            elif name == "play":
                thrown = this_throw(state)
                for final in thrown.finals[:: max(1, len(thrown.finals) // SAMPLE)]:
                    yield pb.Play(moves=notation.canonical(thrown, final))
            elif name == "resign":
                for kind in resignable(state, seat):
                    yield pb.Resign(kind=kind)
            else:
                yield _PLAIN[name]()
        if state.phase == MOVE and state.turn == seat and len(state.moved) > 1:
            yield pb.Undo(all=True)

    def result(self, state: State) -> Result | None:
        """Places and points of the match or session."""
        ended = state.match_result
        if ended is None:
            return None
        places = {None: (1, 1), 0: (1, 2), 1: (2, 1)}[ended.winner]
        return Result(
            places=places,
            sides=(0, 1),
            points=ended.score,
            numbers=[Number(key="games", values=[state.game])],
            reason="timeout" if ended.reason == "timeout" else "",
        )

    def score(self, state: State) -> tuple[int, ...] | None:
        """The score by seat."""
        return state.score

    def options_now(self, state: State) -> pb.Options | None:
        """None: they stay as the play began."""
        return None

    def again(self, state: State) -> pb.Options | None:
        """A rematch has the same options."""
        return pb.Options.FromString(state.setup.options)

    def view(self, state: State, audience: int | None, facts: Facts) -> pb.View:
        """What one seat sees now; None is the public."""
        del facts
        return view(state, audience)

    def redact(self, event: Event, state: State, audience: int | None) -> Message | None:
        """Nothing is secret."""
        del state, audience
        return event

    def redraw(self, state: State, event: Event, draws: Draws) -> Message:
        """The same event with its dice drawn again."""
        if isinstance(event, pb.OpeningRolled):
            first, second = draws.dice(2)
            return opening(first, second, state.setup)
        if isinstance(event, pb.DiceRolled):
            return pb.DiceRolled(seat=event.seat, dice=draws.dice(2))
        return event

    def position(self, options: pb.Options, given: Mapping[str, Any]) -> State:
        """The rules file's Position."""
        return position(options_of.setup(options), given)


def _fields(kind: type[Message]) -> str:
    return ", ".join(fields_by_name(kind.DESCRIPTOR))


_PLAIN: dict[str, type[Message]] = {
    "roll": pb.Roll,
    "double": pb.Double,
    "take": pb.Take,
    "drop": pb.Drop,
    "beaver": pb.Beaver,
    "undo": pb.Undo,
    "confirm": pb.Confirm,
    "accept_resign": pb.AcceptResign,
    "reject_resign": pb.RejectResign,
}
RULES = Backgammon()
