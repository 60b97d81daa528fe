"""The rules of klaverjas as one object of pure functions (docs/rules/klaverjas.md)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from google.protobuf.message import Message

from libs.table.rules import Clock, Ctx, Draws, Event, Facts, Refused, Seating
from services.klaverjas import options as choices
from services.klaverjas import view as sight
from services.klaverjas.cards import CODES, SUITS, codes
from services.klaverjas.decide import CLAIMS, can_claim, dealt, decide, early, expire, others, playable, start, suits
from services.klaverjas.evolve import evolve
from services.klaverjas.position import position
from services.klaverjas.queries import QUERIES
from services.klaverjas.state import CHOOSE, COLLECT, FINISHED, PLAY, State, house, may_pass, seconds, turn
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb
from stamtafel.table.v1.table_pb2 import Number, Result

FOLD = "klaverjas-1"


class Klaverjas:
    """Rules of the game; see libs.table.rules.Rules for what each method owes."""

    game = "klaverjas"
    fold = FOLD
    hides = True
    presets: tuple[str, ...] = tuple(choices.PRESETS)
    options_type: type[pb.Options] = pb.Options
    view_type: type[Message] = pb.View
    state_type: type[State] = State
    commands: tuple[type[Message], ...] = (pb.ChooseTrump, pb.Pass, pb.Play, pb.ClaimRoem, pb.Collect)
    events: tuple[type[Message], ...] = (
        pb.GameStarted,
        pb.BoompjeStarted,
        pb.CardsDealt,
        pb.SuitTurned,
        pb.TrumpPassed,
        pb.TrumpChosen,
        pb.CardPlayed,
        pb.TrickWon,
        pb.RoemScored,
        pb.RoemClaimed,
        pb.TrickCollected,
        pb.BoompjeScored,
        pb.ClockExpired,
        pb.GameFinished,
    )
    queries: Mapping[str, Callable[[Mapping[str, Any]], Any]] = QUERIES

    def options(self, asked: pb.Options) -> pb.Options:
        """Preset, defaults and checks (R0)."""
        return choices.complete(asked)

    def seating(self, options: pb.Options) -> Seating:
        """Four seats; the options name the computer players; nobody is host by the rules."""
        return Seating(4, {bot.seat: bot.level for bot in options.bots.items}, None)

    def initial(self, options: pb.Options) -> State:
        """Before the first event: no boompje, no cards, nobody to act."""
        return State(options=options, house=house(options))

    def start(self, state: State, ctx: Ctx) -> list[Event]:
        """First dealer and first boompje (R3)."""
        return start(state, ctx)

    def evolve(self, state: State, event: Event) -> State:
        """The next state."""
        return evolve(state, event)

    def decide(self, state: State, seat: int, command: Message, ctx: Ctx) -> list[Event]:
        """Events of a command, or Refused (R11)."""
        return decide(state, seat, command, ctx)

    def unreadable(self, command: str | None, field: str | None) -> Refused:
        """Unknown commands, arguments and options are `bad_argument` (R11.1, R0.2)."""
        if command is None:
            return Refused("bad_argument", f"option {field} cannot be read; {choices.allowed(field)}", field)
        names = "choose_trump, pass, play, claim_roem, collect"
        what = f"cannot read command {command}" + (f", argument {field}" if field else "")
        return Refused("bad_argument", f"{what}; commands are {names}", field)

    def early(self, state: State, seat: int) -> Refused | None:
        """No such seat and the end of the game come before what cannot be read (R11.2)."""
        return early(state, seat)

    def expire(self, state: State, seat: int, ctx: Ctx) -> list[Event]:
        """The clock acts for the seat (R10.2)."""
        return expire(state, seat, ctx)

    def clocks(self, state: State) -> tuple[Clock, ...]:
        """The clock of the seat to act, afresh for every action; a claim leaves it alone (R10.1)."""
        seat, wait = turn(state), seconds(state)
        if seat is None or not wait:
            return ()
        done = state.passes if state.phase == CHOOSE else len(state.table)
        return (Clock(seat, f"{state.boompje}.{state.trick_no}.{state.phase}.{done}", wait * 1000),)

    def to_act(self, state: State) -> frozenset[int]:
        """The seat to act; a claim is waited for by nobody."""
        seat = turn(state)
        return frozenset() if seat is None else frozenset((seat,))

    def actions(self, state: State, seat: int, facts: Facts | None = None) -> tuple[str, ...]:
        """Commands that would be accepted from this seat now."""
        names: list[str] = []
        if turn(state) == seat:
            if state.phase == CHOOSE:
                names += ["choose_trump"] * bool(suits(state, seat)) + ["pass"] * may_pass(state)
            elif state.phase == PLAY:
                names.append("play")
        if can_claim(state, seat):
            names.append("claim_roem")
        if state.phase == COLLECT and turn(state) == seat:
            names.append("collect")
        return tuple(names)

    def some(self, state: State, seat: int) -> Iterable[Message]:
        """All legal commands of the seat now."""
        for name in self.actions(state, seat):
            if name == "choose_trump":
                yield from (pb.ChooseTrump(suit=SUITS[suit]) for suit in suits(state, seat))
            elif name == "pass":
                yield pb.Pass()
            elif name == "play":
                yield from (pb.Play(card=code) for code in codes(playable(state)))
            elif name == "claim_roem":
                yield from (pb.ClaimRoem(points=points) for points in CLAIMS)
            else:
                yield pb.Collect()

    def result(self, state: State) -> Result | None:
        """Winner or draw, points, and what a drive counts: roem as written, pits, nats, tricks, sheet rows."""
        if state.phase != FINISHED:
            return None
        totals = state.totals
        numbers = [("tricks", totals.tricks), ("roem", totals.roem), ("pits", totals.pits), ("nats", totals.nats)]
        numbers += [(f"boompje_{row.boompje}", row.points) for row in state.sheet]
        return Result(
            places=[1 if state.winner is None or state.winner == seat & 1 else 2 for seat in range(4)],
            sides=[0, 1, 0, 1],
            points=state.score,
            numbers=[Number(key=key, values=values) for key, values in numbers],
            reason=state.reason,
        )

    def score(self, state: State) -> tuple[int, ...] | None:
        """Points of the scored boompjes by side."""
        return state.score

    def options_now(self, state: State) -> pb.Options | None:
        """None: they stay as the play began."""
        return None

    def again(self, state: State) -> pb.Options | None:
        """The same options, the first dealer moved on by a seat; drawn again where it was drawn."""
        options = pb.Options()
        options.CopyFrom(state.options)
        if state.house.first_dealer is not None:
            options.first_dealer = str((state.house.first_dealer + 1) & 3)
        return options

    def view(self, state: State, audience: int | None, facts: Facts) -> Message:
        """What one seat sees; None is the public."""
        return sight.view(state, audience, facts)

    def redact(self, event: Event, state: State, audience: int | None) -> Message | None:
        """Hides the hands of others until their boompje is scored."""
        return sight.redact(event, state, audience)

    def redraw(self, state: State, event: Event, draws: Draws) -> Message:
        """The same event with its chance drawn again (Randomness 1-3)."""
        if isinstance(event, pb.GameStarted) and state.house.first_dealer is None:
            return pb.GameStarted(first_dealer=draws.pick((0, 1, 2, 3)), options=state.options)
        if isinstance(event, pb.CardsDealt):
            return dealt(event.boompje, state.dealer, draws.shuffle(CODES, at=event.boompje))
        if isinstance(event, pb.SuitTurned):
            among = SUITS if event.round == 1 or state.turned is None else others(state.turned)
            return pb.SuitTurned(round=event.round, suit=draws.pick(among))
        return event

    def position(self, options: pb.Options, given: Mapping[str, Any]) -> State:
        """A state in mid-game from the rules file's Position."""
        return position(options, given)


RULES = Klaverjas()
