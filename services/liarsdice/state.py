"""The state of a table over all its games, and what follows from it."""

import msgspec

from services.liarsdice.counting import Cup, highest
from services.liarsdice.options import Setup

BEFORE, BIDDING, OVER = "before", "bidding", "game_over"
"""Phases: no game yet, a game runs, between games."""


class Laid(msgspec.Struct, frozen=True):
    """A bid of this round. `face` 0 is `any`."""

    seat: int
    quantity: int
    face: int
    auto: bool = False
    slang: str | None = None


class Shown(msgspec.Struct, frozen=True):
    """The cups as they lay open last. `loser` is known a moment later."""

    round: int
    dice: tuple[Cup, ...]
    kind: int
    count: int
    counts: tuple[int, ...]
    patterns: tuple[str, ...]
    rings: tuple[tuple[int, ...], ...]
    present: bool | None
    holds: bool
    lifter: int
    bidder: int
    quantity: int
    face: int
    loser: int = 0


class Ledger(msgspec.Struct, frozen=True):
    """What belongs to the table and not to a game, by seat (R6.10). `black`: sits in Viborg."""

    black: tuple[bool, ...]
    strokes: tuple[int, ...]
    rounds_given: tuple[int, ...]
    selvbinders: tuple[int, ...]


class State(msgspec.Struct, frozen=True):
    """One table. `counts` are dice by seat, `dice` the cups as last shaken; `open`: this round's cups are lifted.

    `switches` are the guests' own help switches at tables with regulars (R10.1); `loser` of the last game;
    `grace`: the opening turn comes after a lift (R9.4); `lift`: (lifter, bidder, quantity, face) while it is decided,
    `lift_auto`: by the clock.
    """

    setup: Setup
    ledger: Ledger
    switches: tuple[bool, ...]
    game: int = 0
    round: int = 0
    phase: str = BEFORE
    participants: tuple[int, ...] = ()
    finale: bool = False
    starter: int = 0
    turn: int | None = None
    counts: tuple[int, ...] = ()
    dice: tuple[Cup, ...] = ()
    bids: tuple[Laid, ...] = ()
    places: tuple[int, ...] = ()
    open: bool = False
    grace: bool = False
    lift: tuple[int, int, int, int] | None = None
    lift_auto: bool = False
    shown: Shown | None = None
    loser: int | None = None


def fresh(setup: Setup) -> State:
    """A table before its first game."""
    none = (0,) * setup.seats
    ledger = Ledger((False,) * setup.seats, none, none, none)
    return State(setup, ledger, (setup.practice,) * setup.seats, counts=none, places=none)


def next_with_dice(counts: tuple[int, ...], seat: int) -> int:
    """The next seat by number that has dice, wrapping round (R1.1, R3.9)."""
    n = len(counts)
    return next(s for s in ((seat + step) % n for step in range(1, n + 1)) if counts[s])


def locked(state: State, seat: int) -> bool:
    """Whether the seat's cup is locked (R7.1)."""
    if not state.setup.peek_once or state.phase != BIDDING:
        return False
    return any(laid.seat == seat for laid in state.bids)


def most(state: State) -> int:
    """The highest quantity that may be bid now."""
    return highest(state.counts, len(state.participants), state.setup)


def current(state: State) -> tuple[int, int] | None:
    """Quantity and face of the bid to beat."""
    return (state.bids[-1].quantity, state.bids[-1].face) if state.bids else None


def in_viborg(state: State) -> tuple[int, ...]:
    """Seats whose mat is black."""
    return tuple(seat for seat, black in enumerate(state.ledger.black) if black)


def helped(state: State, seat: int, bot: bool) -> bool:
    """Whether the seat's help is on (R10.1)."""
    if bot:
        return False
    if state.setup.table == "friends":
        return state.setup.practice
    return state.setup.table == "regulars" and state.switches[seat]
