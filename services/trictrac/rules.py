"""The rules of trictrac as one object of pure functions (docs/rules/trictrac.md)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from libs.table.rules import Clock, Ctx, Draws, Event, Facts, Refused, Seating
from services.trictrac import flow
from services.trictrac.evolve import evolve
from services.trictrac.options import PRESETS, complete, options_of, setup_of
from services.trictrac.position import position
from services.trictrac.queries import QUERIES
from services.trictrac.state import OVER, THROW_OFF, TURN, State, actions, becomes_bok, to_throw, trictracs, used_up
from services.trictrac.throws import score_of
from services.trictrac.view import view
from stamtafel.table.v1.table_pb2 import Number, Result
from stamtafel.trictrac.v1 import trictrac_pb2 as pb


class Trictrac:
    """See `libs.table.rules.Rules` for what each function must do."""

    game = "trictrac"
    fold = "trictrac-1"
    hides = False
    presets: tuple[str, ...] = tuple(PRESETS)
    options_type: type[pb.Options] = pb.Options
    view_type: type[Message] = pb.View
    state_type: type[State] = State
    commands: tuple[type[Message], ...] = (pb.Throw, pb.Stand, pb.TakePoint)
    events: tuple[type[Message], ...] = (
        pb.GameStarted,
        pb.StarterDrawn,
        pb.RoundStarted,
        pb.TurnStarted,
        pb.DiceThrown,
        pb.ClockExpired,
        pb.ThrowStood,
        pb.LimitSet,
        pb.PointTaken,
        pb.OneManShow,
        pb.TiedLowest,
        pb.DieThrown,
        pb.ThrowOffPassEnded,
        pb.RoundEnded,
        pb.PointsLost,
        pb.BokGiven,
        pb.SeatOut,
        pb.GameEnded,
    )
    queries: Mapping[str, Callable[[Mapping[str, Any]], Any]] = QUERIES

    def options(self, asked: pb.Options) -> pb.Options:
        """R2.5. Raises Refused `bad_option` with the field."""
        return complete(asked)

    def seating(self, options: pb.Options) -> Seating:
        """Host is the first seat that no computer player holds."""
        bots = {bot.seat: bot.level for bot in options.bots}
        return Seating(options.seats, bots, next((seat for seat in range(options.seats) if seat not in bots), None))

    def initial(self, options: pb.Options) -> State:
        """Everybody has the points of the options (R2.1)."""
        setup = setup_of(options)
        return State(setup=setup, points=(setup.points,) * setup.seats)

    def start(self, state: State, ctx: Ctx) -> list[Event]:
        """R2.1-R2.3."""
        return flow.opening(state, ctx.draws)

    def evolve(self, state: State, event: Event) -> State:
        """The next state."""
        return evolve(state, event)

    def early(self, state: State, seat: int) -> Refused | None:
        """The rows of the rules file's table above the unknown command."""
        if not 0 <= seat < len(state.points):
            return Refused("unknown_seat", f"seats are 0..{len(state.points) - 1}, not {seat}", "seat")
        if state.phase == OVER:
            return Refused("game_over", "the game has ended")
        return None if state.points[seat] else Refused("seat_out", f"seat {seat} is out")

    def decide(self, state: State, seat: int, command: Message, ctx: Ctx) -> list[Event]:
        """Refusals in the order of the rules file's table, then the events."""
        if refusal := self.early(state, seat):
            raise refusal
        if isinstance(command, pb.TakePoint):
            return _take_point(state, seat)
        on_turn = to_throw(state)
        if seat != on_turn:
            raise Refused("not_your_turn", f"seat {on_turn} is on turn", seat=on_turn)
        if isinstance(command, pb.Throw):
            _check_throw(command)
            if state.tie is not None:
                return flow.throw_die(state, state.tie, seat, ctx.draws, command)
            return flow.throw(state, seat, ctx.draws, command)
        if state.tie is not None or not state.throws[seat]:
            raise Refused("must_throw", "there is nothing to stand on: throw")
        return flow.stand(state, seat)

    def unreadable(self, command: str | None, field: str | None) -> Refused:
        """`bad_argument`, whatever it is."""
        what = f"option {field}" if command is None else f"{command} {field or ''}".rstrip()
        allowed = "throw (style, direction), stand, take_point"
        hint = "see the options of trictrac" if command is None else f"allowed: {allowed}"
        return Refused("bad_argument", f"{what} cannot be read; {hint}", field)

    def expire(self, state: State, seat: int, ctx: Ctx) -> list[Event]:
        """R4; nothing for a seat whose clock does not run (R4.7, R4.8)."""
        if not state.setup.throw_seconds or state.phase not in (TURN, THROW_OFF) or seat != to_throw(state):
            return []
        return flow.missed(state, seat, ctx.draws)

    def clocks(self, state: State) -> tuple[Clock, ...]:
        """One fresh clock for each throw, and for each die of a throw-off (R4.1)."""
        seat, seconds = to_throw(state), state.setup.throw_seconds
        if seat is None or not seconds:
            return ()
        which = f"v{state.tie.pass_number}" if state.tie is not None else len(state.throws[seat])
        return (Clock(seat, f"{state.round}.{seat}.{which}", seconds * 1000),)

    def to_act(self, state: State) -> frozenset[int]:
        """The seat to throw."""
        seat = to_throw(state)
        return frozenset() if seat is None else frozenset((seat,))

    def actions(self, state: State, seat: int, facts: Facts | None = None) -> tuple[str, ...]:
        """`throw`, `stand`, `take_point`, those that would be accepted."""
        return actions(state, seat)

    def some(self, state: State, seat: int) -> Iterable[Message]:
        """All commands, a throw in each style."""
        named = actions(state, seat)
        if "throw" in named:
            yield pb.Throw()
            yield pb.Throw(style="roll")
            yield pb.Throw(style="roll", direction=90)
        if "stand" in named:
            yield pb.Stand()
        if "take_point" in named:
            yield pb.TakePoint()

    def result(self, state: State) -> Result | None:
        """Places by the ranking (R9.7); each seat is a side of its own."""
        if state.phase != OVER:
            return None
        places = [state.ranking.index(seat) + 1 for seat in range(len(state.points))]
        numbers = [Number(key="points", values=state.points), Number(key="rounds", values=[state.round])]
        return Result(places=places, sides=range(len(places)), numbers=numbers)

    def score(self, state: State) -> tuple[int, ...] | None:
        """None: a game is ranked, not scored."""
        return None

    def options_now(self, state: State) -> pb.Options | None:
        """None: they stay as the play began."""
        return None

    def again(self, state: State) -> pb.Options | None:
        """The same table, started by the seat after the one that started this game (R2.3)."""
        return options_of(replace(state.setup, first_starter=(state.opener + 1) % len(state.points)))

    def view(self, state: State, audience: int | None, facts: Facts) -> pb.View:
        """R10."""
        return view(state, audience)

    def redact(self, event: Event, state: State, audience: int | None) -> Message | None:
        """No field is secret."""
        return event

    def redraw(self, state: State, event: Event, draws: Draws) -> Message:
        """The dice of a throw, a die or the draw for the starter, anew; other events hold no chance."""
        if isinstance(event, pb.DiceThrown):
            dice = draws.dice(2)
            again = pb.DiceThrown()
            again.CopyFrom(event)
            again.dice[:] = dice
            again.score = score_of(dice)
            return again
        if isinstance(event, pb.DieThrown):
            die = pb.DieThrown()
            die.CopyFrom(event)
            die.die = draws.dice(1)[0]
            return die
        if isinstance(event, pb.StarterDrawn):
            return flow.draw_starter(state.setup.seats, draws)
        return event

    def position(self, options: pb.Options, given: Mapping[str, Any]) -> State:
        """The rules file's Position. Raises Refused `bad_argument`."""
        return position(setup_of(options), given)


def _check_throw(command: pb.Throw) -> None:
    style = command.style if command.HasField("style") else "throw"
    if style not in ("throw", "roll"):
        raise Refused("bad_argument", f"style must be throw or roll, not {style!r}", "style")
    if command.HasField("direction"):
        if style != "roll":
            raise Refused("bad_argument", "a direction belongs to a roll only", "direction")
        if not 0 <= command.direction <= 359:
            raise Refused("bad_argument", f"direction must be 0..359 degrees, not {command.direction}", "direction")


def _take_point(state: State, seat: int) -> list[Event]:
    """R8, refusals in the order of the rules file."""
    if trictracs(state):
        raise Refused("trictrac_on_table", "with a trictrac on the table nobody may take a point")
    stood = next((one for one in state.stood if one.seat == seat), None)
    if stood is None:
        raise Refused("throws_left", "a point may be taken only after all your throws of this round")
    if not used_up(state, stood):
        raise Refused("stood_early", "you stood while throws were left, so the chance is gone")
    if state.phase != TURN or stood is not state.stood[-1] or state.turn is None or state.throws[state.turn]:
        raise Refused("window_closed", "the next player has thrown, the chance is gone")
    if state.points[seat] == 1 and not becomes_bok(state):
        raise Refused("last_point", "your last point may not be taken: you would be out")
    return flow.take_point(state, stood)


RULES = Trictrac()
