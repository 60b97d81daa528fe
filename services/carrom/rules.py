"""The rules of carrom as one object of pure functions (docs/rules/carrom.md)."""

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any

from google.protobuf.message import Message

from libs.table.rules import Clock, Ctx, Draws, Event, Facts, Job, Refused, Seating
from services.carrom import flow
from services.carrom.board import END_UM
from services.carrom.evolve import evolve
from services.carrom.line import overlaps, room
from services.carrom.options import POINTS, PRESETS, complete, options_of, setup_of
from services.carrom.outcome import resolved
from services.carrom.position import position
from services.carrom.queries import QUERIES
from services.carrom.simulate import simulate
from services.carrom.state import OVER, State, side, team_of
from services.carrom.view import view
from stamtafel.carrom.v1 import carrom_pb2 as pb
from stamtafel.table.v1.table_pb2 import Number, Result

_ARGUMENTS = ("x", "angle", "speed")
_ANGLE_UDEG, _SLOWEST_UM_S, _FASTEST_UM_S = 85_000_000, 200_000, 6_000_000


class Carrom:
    """See `libs.table.rules.Rules` for what each function must do."""

    game = "carrom"
    fold = "carrom-1"
    hides = False
    presets: tuple[str, ...] = tuple(PRESETS)
    options_type: type[pb.Options] = pb.Options
    view_type: type[Message] = pb.View
    state_type: type[State] = State
    commands: tuple[type[Message], ...] = (pb.Shoot, pb.Resign)
    events: tuple[type[Message], ...] = (
        pb.MatchStarted,
        pb.TossDrawn,
        pb.SetStarted,
        pb.TurnStarted,
        pb.ShotTaken,
        pb.ShotResolved,
        pb.PionAcquired,
        pb.RedPocketed,
        pb.RedValidated,
        pb.PaletLost,
        pb.PenaltyPaid,
        pb.PenaltyWaived,
        pb.PieceDropped,
        pb.PieceReturned,
        pb.HandKept,
        pb.HandLost,
        pb.BonusStarted,
        pb.BonusEnded,
        pb.SetEnded,
        pb.PointsScored,
        pb.ClockExpired,
        pb.Resigned,
        pb.MatchEnded,
    )
    queries: Mapping[str, Callable[[Mapping[str, Any]], Any]] = QUERIES

    def options(self, asked: pb.Options) -> pb.Options:
        """Raises Refused `bad_option` with the field."""
        return complete(asked)

    def seating(self, options: pb.Options) -> Seating:
        """Host is the first seat that no computer player holds."""
        bots = {bot.seat: bot.level for bot in options.bots}
        return Seating(options.seats, bots, next((seat for seat in range(options.seats) if seat not in bots), None))

    def initial(self, options: pb.Options) -> State:
        """Before the toss."""
        setup = setup_of(options)
        return State(setup=setup, misses=(0,) * setup.seats)

    def start(self, state: State, ctx: Ctx) -> list[Event]:
        """R2.1-R2.3."""
        return flow.opening(state, lambda: ctx.draws)

    def evolve(self, state: State, event: Event) -> State:
        """The next state."""
        return evolve(state, event)

    def decide(self, state: State, seat: int, command: Message, ctx: Ctx) -> list[Event]:
        """Refusals in the order of the rules file, then the events. A shot is computed by `simulate`."""
        if not 0 <= seat < state.setup.seats:
            raise Refused("unknown_seat", f"seats are 0..{state.setup.seats - 1}, not {seat}", "seat")
        if state.phase == OVER:
            raise Refused("game_over", "the match has ended")
        if isinstance(command, pb.Resign):
            return [pb.Resigned(seat=seat), pb.MatchEnded(winner=1 - team_of(seat), by="resign")]
        if seat != state.turn:
            raise Refused("not_your_turn", f"seat {state.turn} is to shoot", seat=state.turn)
        assert isinstance(command, pb.Shoot)
        taken = _check_shot(state, seat, command)
        job = Job(
            simulate,
            (
                (state.board, state.pile),
                side(state, seat),
                (taken.x_um, taken.angle_udeg, taken.speed_um_s),
                (state.setup.friction, state.setup.leave_speed),
            ),
        )
        return flow.shot(state, taken, resolved(seat, ctx.compute(job)), lambda: ctx.draws)

    def unreadable(self, command: str | None, field: str | None) -> Refused:
        """`illegal_move` for a command that carrom does not know, else `bad_argument`."""
        if command is None:
            return Refused("bad_argument", f"option {field} cannot be read; see the options of carrom", field)
        allowed = "allowed: shoot (x, angle, speed), resign"
        if command not in ("shoot", "resign"):
            return Refused("illegal_move", f"carrom knows no command {command!r}; {allowed}")
        return Refused("bad_argument", f"{command} {field or ''}".rstrip() + f" cannot be read; {allowed}", field)

    def expire(self, state: State, seat: int, ctx: Ctx) -> list[Event]:
        """R9; nothing for a seat whose clock does not run."""
        if not state.setup.turn_seconds or seat != state.turn:
            return []
        return flow.missed(state, seat, lambda: ctx.draws)

    def clocks(self, state: State) -> tuple[Clock, ...]:
        """One fresh clock for each shot; the drawn motion of the shot before is free (R9.1)."""
        seconds = state.setup.turn_seconds
        if state.turn is None or not seconds:
            return ()
        return (Clock(state.turn, str(state.turns), seconds * 1000, state.drawn_ms),)

    def to_act(self, state: State) -> frozenset[int]:
        """The seat to shoot."""
        return frozenset() if state.turn is None else frozenset((state.turn,))

    def actions(self, state: State, seat: int, facts: Facts | None = None) -> tuple[str, ...]:
        """`shoot` in one's turn, `resign` always."""
        if state.phase == OVER or not 0 <= seat < state.setup.seats:
            return ()
        return ("shoot", "resign") if seat == state.turn else ("resign",)

    def some(self, state: State, seat: int) -> Iterable[Message]:
        """Shots from both ends and the middle of every free place on the line, in several directions."""
        if seat == state.turn:
            for low, high in room(side(state, seat), state.board):
                for x_um in sorted({low, (low + high) // 2, high}):
                    for angle, speed in ((0.0, 3.0), (-85.0, 0.2), (30.0, 6.0)):
                        yield pb.Shoot(x=x_um / 1e6, angle=angle, speed=speed)
        if state.phase != OVER and 0 <= seat < state.setup.seats:
            yield pb.Resign()

    def result(self, state: State) -> Result | None:
        """The winning team's seats are first, the others second; points are sets or points by the match."""
        if state.result is None:
            return None
        winner, by = state.result
        seats = range(state.setup.seats)
        return Result(
            places=[1 if team_of(seat) == winner else 2 for seat in seats],
            sides=[team_of(seat) for seat in seats],
            points=self.score(state),
            numbers=[Number(key="sets", values=state.sets)],
            reason=by,
        )

    def score(self, state: State) -> tuple[int, int]:
        """Sets or points, by team."""
        return state.points if state.setup.match == POINTS else state.sets

    def options_now(self, state: State) -> pb.Options | None:
        """None: they stay as the play began."""
        return None

    def again(self, state: State) -> pb.Options | None:
        """The same table; white is drawn anew (R2.5: once per match)."""
        return options_of(state.setup)

    def view(self, state: State, audience: int | None, facts: Facts) -> pb.View:
        """The rules file's Views."""
        return view(state, audience, facts)

    def redact(self, event: Event, state: State, audience: int | None) -> Message | None:
        """Nothing is secret."""
        return event

    def redraw(self, state: State, event: Event, draws: Draws) -> Message:
        """The toss, drawn again. A shot is computed, not drawn, and never computed again (R11.11)."""
        if isinstance(event, pb.TossDrawn):
            return pb.TossDrawn(white=draws.pick(tuple(range(state.setup.seats))))
        return event

    def position(self, options: pb.Options, given: Mapping[str, Any]) -> State:
        """The rules file's Position. Raises Refused `bad_argument`."""
        return position(setup_of(options), given)


def _check_shot(state: State, seat: int, command: pb.Shoot) -> pb.ShotTaken:
    """R14.1: the command in whole millionths. Raises Refused, the first check that fails."""
    values: list[int] = []
    for name in _ARGUMENTS:
        value = getattr(command, name)
        if not command.HasField(name) or not isfinite(value):
            raise Refused("bad_argument", f"shoot needs {name}, a finite number", name)
        # Far beyond every limit a number is as good as a billion, and the millionths stay whole.
        values.append(round(round(min(max(value, -1e9), 1e9), 6) * 1e6))
    x, angle, speed = values
    if abs(x) > END_UM:
        raise Refused("off_line", f"x must be -0.2191..0.2191 metres, not {command.x}", "x")
    if abs(angle) > _ANGLE_UDEG:
        raise Refused("not_forward", f"angle must be -85..85 degrees, not {command.angle}", "angle")
    if not _SLOWEST_UM_S <= speed <= _FASTEST_UM_S:
        raise Refused("speed_range", f"speed must be 0.2..6 m/s, not {command.speed}", "speed")
    if overlaps(side(state, seat), state.board, x):
        free = ", ".join(f"{a / 1e6:.4f}..{b / 1e6:.4f}" for a, b in room(side(state, seat), state.board))
        raise Refused("line_blocked", f"the palet would overlap a pion at {command.x}; free: {free}", "x")
    return pb.ShotTaken(seat=seat, x_um=x, angle_udeg=angle, speed_um_s=speed)


RULES = Carrom()
