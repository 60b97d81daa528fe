"""The rules of liar's dice as one object of pure functions (docs/rules/liarsdice.md)."""

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

from google.protobuf.message import Message

from libs.table.rules import Clock, Ctx, Draws, Event, Facts, Refused, Seating
from services.liarsdice import flow
from services.liarsdice.counting import ANY, FACES, NUMBERS, ranges
from services.liarsdice.evolve import evolve
from services.liarsdice.options import (
    HOSTED,
    HOUSE,
    PRESETS,
    Setup,
    allowed,
    bad,
    changed,
    message_of,
    named_of,
    resolve,
    setup_of,
)
from services.liarsdice.position import position
from services.liarsdice.queries import QUERIES
from services.liarsdice.state import BIDDING, OVER, State, current, fresh, in_viborg, locked, most
from services.liarsdice.view import redact, sees_own, view
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb
from stamtafel.table.v1.table_pb2 import Number, Result

REGULARS_LEVEL = "normal"
"""Level of the house bots that the options name."""


class Liarsdice:
    """See `libs.table.rules.Rules` for what each function must do."""

    game = "liarsdice"
    fold = "liarsdice-1"
    hides = True
    presets: tuple[str, ...] = tuple(PRESETS)
    options_type: type[pb.Options] = pb.Options
    view_type: type[Message] = pb.View
    state_type: type[State] = State
    commands: tuple[type[Message], ...] = (pb.Bid, pb.Lift, pb.Peek, pb.NextGame, pb.SetRules, pb.SetHelp)
    events: tuple[type[Message], ...] = (
        pb.TableOpened,
        pb.GameStarted,
        pb.CupsShaken,
        pb.Peeked,
        pb.BidMade,
        pb.ClockExpired,
        pb.Lifted,
        pb.CupsLifted,
        pb.RoundLost,
        pb.DicePutAway,
        pb.SeatsOut,
        pb.GameLost,
        pb.SentToViborg,
        pb.FinaleCalled,
        pb.TabtHelt,
        pb.StrokeDrawn,
        pb.RoundGiven,
        pb.MatsTurnedGreen,
        pb.RulesSet,
        pb.HelpSet,
    )
    queries: Mapping[str, Callable[[Mapping[str, Any]], Any]] = QUERIES

    def options(self, asked: pb.Options) -> pb.Options:
        """R1. Raises Refused `bad_option` with the field."""
        complete = pb.Options()
        complete.CopyFrom(message_of(resolve(named_of(asked))))
        return complete

    def seating(self, options: pb.Options) -> Seating:
        """The regulars, and the host that the options name."""
        setup = setup_of(options)
        return Seating(setup.seats, dict.fromkeys(setup.regulars, REGULARS_LEVEL), setup.host)

    def initial(self, options: pb.Options) -> State:
        """A clean board, all mats green."""
        return fresh(setup_of(options))

    def start(self, state: State, ctx: Ctx) -> list[Event]:
        """R2.1-R2.3."""
        return flow.opening(state, ctx.draws)

    def evolve(self, state: State, event: Event) -> State:
        """The next state."""
        return evolve(state, event)

    def decide(self, state: State, seat: int, command: Message, ctx: Ctx) -> list[Event]:
        """Refusals in the order of the rules file's table, then the events."""
        if not 0 <= seat < state.setup.seats:
            raise Refused("unknown_seat", f"seats are 0..{state.setup.seats - 1}, not {seat}", "seat")
        if isinstance(command, pb.Bid):
            _check_turn(state, seat)
            laid = _check_bid(state, command)
            return [flow.bid(state, seat, laid, ctx.facts)]
        if isinstance(command, pb.Lift):
            _check_turn(state, seat)
            _check_round(state, command)
            if not state.bids:
                raise Refused("nothing_to_lift", "no bid lies on the table in this round: bid")
            return flow.lift(state, seat, ctx.draws)
        if isinstance(command, pb.Peek):
            return _peek(state, seat)
        if isinstance(command, pb.NextGame):
            _check_between(state)
            return flow.next_game(state, ctx.draws)
        if isinstance(command, pb.SetRules):
            return _set_rules(state, seat, command, ctx.facts)
        assert isinstance(command, pb.SetHelp)
        return _set_help(state, seat, command, ctx.facts)

    def unreadable(self, command: str | None, field: str | None) -> Refused:
        """`bad_option` for an option or a house rule, else `bad_argument`."""
        if command is None or (command == "set_rules" and field is not None):
            if command is not None and field not in ("preset", *HOUSE):
                return bad(field or "preset", f"unknown here; the host may set preset, {', '.join(HOUSE)}")
            return bad(field or "options", allowed((field or "").partition(".")[0]))
        what = f"{command} {field or ''}".rstrip()
        known = "bid (quantity, face, round), lift (round), peek, next_game, set_rules (house rules), set_help (on)"
        return Refused("bad_argument", f"{what} cannot be read; allowed: {known}", field)

    def expire(self, state: State, seat: int, ctx: Ctx) -> list[Event]:
        """R9.2, R9.3; nothing for a seat whose clock does not run."""
        if state.phase != BIDDING or not state.setup.turn_seconds or seat != state.turn:
            return []
        return flow.missed(state, seat, ctx.draws, ctx.facts)

    def clocks(self, state: State) -> tuple[Clock, ...]:
        """One clock for each turn, bound to game, round and number of bids."""
        seconds, seat = state.setup.turn_seconds, state.turn
        if state.phase != BIDDING or not seconds or seat is None:
            return ()
        grace = state.setup.reveal_seconds * 1000 if state.grace else 0
        return (Clock(seat, f"{state.game}.{state.round}.{len(state.bids)}", seconds * 1000, grace),)

    def to_act(self, state: State) -> frozenset[int]:
        """The seat in turn; between games nobody in particular."""
        return frozenset() if state.phase != BIDDING or state.turn is None else frozenset((state.turn,))

    def actions(self, state: State, seat: int, facts: Facts | None = None) -> tuple[str, ...]:
        """Commands that would be accepted; host and regulars by `facts`, else as the options name them."""
        bots: Container[int] = state.setup.regulars if facts is None else facts.bots
        host = state.setup.host if facts is None else facts.host
        named: list[str] = []
        if state.phase == BIDDING and seat == state.turn:
            if ranges(current(state), most(state), state.setup):
                named.append("bid")
            if state.bids:
                named.append("lift")
        if sees_own(state, seat):
            named.append("peek")
        if state.phase == OVER:
            named.append("next_game")
            if seat == host and state.setup.table in HOSTED:
                named.append("set_rules")
        if state.setup.table == "regulars" and seat not in bots:
            named.append("set_help")
        return tuple(named)

    def some(self, state: State, seat: int) -> Iterable[Message]:
        """Every legal act; of bids the lowest and the highest of each face and those between that are near."""
        named = self.actions(state, seat)
        if "bid" in named:
            for face, low, high in ranges(current(state), most(state), state.setup):
                for quantity in sorted({low, min(low + 1, high), high}):
                    yield pb.Bid(quantity=quantity, face=FACES[face])
        if "lift" in named:
            yield pb.Lift()
        if "peek" in named:
            yield pb.Peek()
        if "next_game" in named:
            yield pb.NextGame()
        if "set_rules" in named:
            yield from (pb.SetRules(preset=preset) for preset in PRESETS)
            yield pb.SetRules(classic_lift=not state.setup.classic_lift)
            yield from (pb.SetRules(viborg=True, finale=True), pb.SetRules(viborg=False, finale=False))
        if "set_help" in named:
            yield from (pb.SetHelp(on=True), pb.SetHelp(on=False))

    def result(self, state: State) -> Result | None:
        """Places of the game that ended; 0 for who watched the final (R6.7)."""
        if state.phase != OVER:
            return None
        numbers = [
            Number(key="strokes", values=state.ledger.strokes),
            Number(key="rounds_given", values=state.ledger.rounds_given),
            Number(key="rounds", values=[state.round]),
        ]
        places = state.places
        return Result(places=places, sides=range(len(places)), numbers=numbers, reason="finale" if state.finale else "")

    def score(self, state: State) -> tuple[int, ...] | None:
        """None: a game is ranked, not scored."""
        return None

    def options_now(self, state: State) -> pb.Options | None:
        """As the host set them last (R1.4)."""
        return message_of(state.setup)

    def again(self, state: State) -> pb.Options | None:
        """None: `next_game` is a command of the game (R2.6)."""
        return None

    def view(self, state: State, audience: int | None, facts: Facts) -> pb.View:
        """The rules file's Views."""
        return view(state, audience, facts)

    def redact(self, event: Event, state: State, audience: int | None) -> Message | None:
        """Shaken cups stay hidden until they are lifted."""
        return redact(event, state, audience)

    def redraw(self, state: State, event: Event, draws: Draws) -> Message:
        """The starter of a table and the dice of a shake, anew; other events hold no chance."""
        if isinstance(event, pb.CupsShaken):
            return flow.shaken(state, event.starter, draws)
        if isinstance(event, pb.GameStarted) and not state.game and state.setup.starter is None:
            again = pb.GameStarted()
            again.CopyFrom(event)
            again.starter = draws.pick(range(state.setup.seats))
            return again
        return event

    def position(self, options: pb.Options, given: Mapping[str, Any]) -> State:
        """The rules file's Position. Raises Refused `bad_argument`."""
        return position(setup_of(options), given)


def _check_game(state: State, seat: int) -> None:
    if state.phase != BIDDING:
        raise Refused("game_over", "no game is running: next_game starts one")
    if not state.counts[seat]:
        raise Refused("seat_out", f"seat {seat} has no dice in this game")


def _check_turn(state: State, seat: int) -> None:
    _check_game(state, seat)
    if seat != state.turn:
        raise Refused("not_your_turn", f"seat {state.turn} is in turn", seat=state.turn)


def _check_round(state: State, command: pb.Bid | pb.Lift) -> None:
    if command.HasField("round") and command.round != state.round:
        raise Refused("stale_round", f"round {state.round} runs, not {command.round}", "round", round=state.round)


def _check_bid(state: State, command: pb.Bid) -> tuple[int, int]:
    """Quantity and face of a legal bid (R3)."""
    if not command.HasField("quantity") or command.quantity < 1:
        raise Refused("bad_argument", "quantity must be a whole number, 1 or more", "quantity")
    face = NUMBERS.get(command.face)
    if face is None:
        raise Refused("bad_argument", f"face must be one of 1..6 or any, not {command.face!r}", "face")
    _check_round(state, command)
    setup = state.setup
    if not (setup.any_kind if face == ANY else face >= setup.lowest_face):
        raise Refused("face_not_biddable", f"{FACES[face]} may not be bid at this table", "face")
    if state.bids and (command.quantity, face) <= (state.bids[-1].quantity, state.bids[-1].face):
        last = state.bids[-1]
        raise Refused("bid_too_low", f"bid higher than {last.quantity} x {FACES[last.face]}, or lift", "quantity")
    if command.quantity > (high := most(state)):
        raise Refused("bid_too_high", f"at most {high} may be bid", "quantity", max_quantity=high)
    return command.quantity, face


def _peek(state: State, seat: int) -> list[Event]:
    _check_game(state, seat)
    if locked(state, seat):
        raise Refused("cup_locked", "your cup is locked until the next round")
    return [pb.Peeked(seat=seat)]


def _check_between(state: State) -> None:
    if state.phase == BIDDING:
        raise Refused("game_running", "a game is running")


def _set_rules(state: State, seat: int, command: pb.SetRules, facts: Facts) -> list[Event]:
    """R1.4; switching Viborg off turns black mats green (R6.9)."""
    if seat != facts.host:
        raise Refused("not_host", "only the host sets the rules")
    _check_between(state)
    named = named_of(command)
    after: Setup = changed(state.setup, named)
    events: list[Event] = [pb.RulesSet(seat=seat, changes=pb.Options(**named), options=message_of(after))]
    black = in_viborg(state)
    if black and not after.viborg:
        events.append(pb.MatsTurnedGreen(seats=black))
    return events


def _set_help(state: State, seat: int, command: pb.SetHelp, facts: Facts) -> list[Event]:
    """R10.1."""
    if not command.HasField("on"):
        raise Refused("bad_argument", "on must be true or false", "on")
    if state.setup.table != "regulars" or seat in facts.bots:
        raise Refused("help_not_allowed", "help is each guest's own switch at a table with regulars only")
    return [pb.HelpSet(seat=seat, on=command.on)]


RULES = Liarsdice()
