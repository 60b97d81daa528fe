"""The state of a game of klaverjas: plain values only. Cards are numbers, hands masks (cards.py), pairs (ns, ew)."""

import msgspec

from services.klaverjas.cards import SUITS
from services.klaverjas.score import SIDES, Pair
from services.klaverjas.tricks import FOUR_ALIKE, UNDERTRUMP, winner
from stamtafel.klaverjas.v1.klaverjas_pb2 import Options

Four = tuple[int, int, int, int]

START, CHOOSE, PLAY, COLLECT, FINISHED = "", "choose_trump", "play", "collect", "finished"


class House(msgspec.Struct, frozen=True, gc=False):
    """The options as the rules read them (R0)."""

    play: tuple[bool, int]
    """(Amsterdams, undertrump) as `tricks.legal` takes it."""
    boompjes: int
    target: int | None
    trump_maker: str
    fixed_maker: int
    dealer_speaks: bool
    maker_leads: bool
    first_dealer: int | None
    """None: drawn."""
    must_hold: bool
    four_alike: str
    four_jacks: int
    tegenpit: int
    claim: bool
    trump_seconds: int
    move_seconds: int
    collect_seconds: int


class Taken(msgspec.Struct, frozen=True, gc=False):
    """A complete trick. `points` without the 10 of the last trick; `roem` as written."""

    trick: int
    leader: int
    cards: tuple[int, ...]
    winner: int
    points: int
    roem: int = 0


class Row(msgspec.Struct, frozen=True, gc=False):
    """A scored boompje. `playing` and `pit_side` are sides 0 or 1."""

    boompje: int
    trump: int
    maker: int
    made: bool
    pit_side: int | None
    points: Pair


class Scored(msgspec.Struct, frozen=True, gc=False):
    """What the boompje before the present one leaves to be seen."""

    row: Row
    tricks: Pair
    card_points: Pair
    roem: Pair
    pit: Pair
    roem_scored: Pair


class Totals(msgspec.Struct, frozen=True, gc=False):
    """Sums over the scored boompjes (R8.8); the points are the score."""

    tricks: Pair = (0, 0)
    roem: Pair = (0, 0)
    pits: Pair = (0, 0)
    nats: Pair = (0, 0)


class State(msgspec.Struct, frozen=True, gc=False):
    """A table of klaverjas at one moment. Before the first event `phase` is empty."""

    options: Options
    house: House
    phase: str = START
    boompje: int = 0
    dealer: int = 3
    passes: int = 0
    turned: int | None = None
    trump: int | None = None
    maker: int | None = None
    leader: int = 0
    trick_no: int = 1
    table: tuple[int, ...] = ()
    hands: Four = (0, 0, 0, 0)
    tricks: Pair = (0, 0)
    card_points: Pair = (0, 0)
    roem: Pair = (0, 0)
    score: Pair = (0, 0)
    totals: Totals = Totals()
    sheet: tuple[Row, ...] = ()
    last_trick: Taken | None = None
    last_boompje: Scored | None = None
    timeouts: Four = (0, 0, 0, 0)
    claimed: bool = False
    winner: int | None = None
    """Side 0 or 1; None also after a draw."""
    reason: str = ""


def house(options: Options) -> House:
    """Reads complete options."""
    return House(
        play=(options.variant == "amsterdams", UNDERTRUMP[options.undertrump]),
        boompjes=options.boompjes,
        target=options.target_points if options.HasField("target_points") else None,
        trump_maker=options.trump_maker,
        fixed_maker=options.fixed_maker,
        dealer_speaks=options.speaks_first == "dealer",
        maker_leads=options.lead == "maker",
        first_dealer=None if options.first_dealer == "draw" else int(options.first_dealer),
        must_hold=options.trump_must_hold,
        four_alike=options.four_alike,
        four_jacks=options.four_jacks,
        tegenpit=options.tegenpit,
        claim=options.roem_mode == "claim",
        trump_seconds=options.trump_seconds,
        move_seconds=options.move_seconds,
        collect_seconds=options.collect_seconds,
    )


def forehand(state: State) -> int:
    """The seat on the dealer's left."""
    return (state.dealer + 1) & 3


def first_speaker(state: State) -> int:
    """Who may name trump first (R4.1-R4.4)."""
    if state.house.trump_maker == "fixed":
        return state.house.fixed_maker
    if state.house.trump_maker == "pass_round" and state.house.dealer_speaks:
        return state.dealer
    return forehand(state)


def may_pass(state: State) -> bool:
    """Whether the seat to act may pass (R4.3, R4.4)."""
    return state.phase == CHOOSE and state.passes < 4 and state.house.trump_maker in ("pass_round", "turned")


def turn(state: State) -> int | None:
    """The seat to act; None when nobody is."""
    phase = state.phase
    if phase == PLAY:
        return (state.leader + len(state.table)) & 3
    if phase == CHOOSE:
        return (first_speaker(state) + state.passes) & 3
    if phase == COLLECT and state.last_trick is not None:
        return state.last_trick.winner
    return None


def seconds(state: State) -> int:
    """Length of the clock of the seat to act; 0: none (R10.1)."""
    if state.phase == PLAY:
        return state.house.move_seconds
    if state.phase == CHOOSE:
        return state.house.trump_seconds
    return state.house.collect_seconds if state.phase == COLLECT else 0


def winning_seat(state: State) -> int | None:
    """Who wins the cards on the table (R6.1); None when there are none."""
    if not state.table or state.trump is None:
        return None
    return (state.leader + winner(state.trump, state.table)) & 3


def alike(state: State) -> frozenset[int]:
    """The ranks that make four alike at this table (R7.7)."""
    return FOUR_ALIKE[state.house.four_alike]


def side(seat: int) -> str:
    """`ns` or `ew` (R1.2)."""
    return SIDES[seat & 1]


def suit(number: int | None) -> str | None:
    """The letter of a suit, None for none."""
    return None if number is None else SUITS[number]
