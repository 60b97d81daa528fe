"""The state of one game, and what follows from it."""

import msgspec

from services.trictrac.options import Setup
from services.trictrac.throws import TRICTRAC, penalty_of

BEFORE, TURN, THROW_OFF, OVER = "before", "turn", "throw_off", "over"
"""Phases: not started yet, somebody's turn, a throw-off, ended."""

Dice = tuple[int, ...]


class Stood(msgspec.Struct, frozen=True):
    """A throw that stands in this round. `reason`: `ok`, `throws_used`, `trictrac` or `worst`."""

    seat: int
    dice: Dice
    score: int
    throws_made: int
    reason: str


class Tie(msgspec.Struct, frozen=True):
    """The throw-off that runs: who throws in this pass, in order, the dice (seat, die) so far, the score shared."""

    seats: tuple[int, ...]
    score: int
    pass_number: int = 1
    thrown: tuple[tuple[int, int], ...] = ()


class Settled(msgspec.Struct, frozen=True):
    """The round before: what its loser, or who took a point in it, owed. `reason`: `lowest` or `point_taken`."""

    round: int
    loser: int
    score: int
    trictracs: int
    penalty: int
    reason: str
    standing: tuple[Stood, ...]


class State(msgspec.Struct, frozen=True):
    """One game. Seats that are out have 0 points; `out` has them in the order in which they went.

    `opener` started round 1 (or the position); `throws` are all throws of this round by seat; `turn` is the seat on
    turn, None in a throw-off and when over; `lies` is the throw on the table (seat, dice); `one_die`: R5.3.
    """

    setup: Setup
    points: tuple[int, ...]
    phase: str = BEFORE
    opener: int = 0
    round: int = 0
    starter: int = 0
    limit: int | None = None
    turn: int | None = None
    throws: tuple[tuple[Dice, ...], ...] = ()
    stood: tuple[Stood, ...] = ()
    tie: Tie | None = None
    lies: tuple[int, Dice] | None = None
    one_die: bool = False
    bok: int | None = None
    out: tuple[int, ...] = ()
    last: Settled | None = None
    winner: int | None = None
    ranking: tuple[int, ...] = ()


def to_throw(state: State) -> int | None:
    """The seat that the game waits for, or None when it waits for nobody."""
    if state.tie is not None and state.phase == THROW_OFF:
        done = len(state.tie.thrown)
        return state.tie.seats[done] if done < len(state.tie.seats) else None
    return state.turn


def allowed(state: State) -> int:
    """Throws that the seat on turn may make: three for the starter, else the limit (R3.2, R3.3)."""
    return 3 if state.limit is None else state.limit


def used_up(state: State, stood: Stood) -> bool:
    """Whether a throw stands because its seat had made all throws it was allowed: the starter three (R8.1)."""
    most = 3 if stood.seat == state.starter else state.limit
    return stood.reason == "throws_used" and stood.throws_made == most


def trictracs(state: State) -> int:
    """Trictracs of this round; one is taken at once, so each of them stands (R3.6)."""
    return sum(stood.score == TRICTRAC for stood in state.stood)


def price(state: State) -> int:
    """What the loser of the round would pay now (R6.2, R6.5)."""
    return penalty_of(trictracs(state), state.setup.penalty == "doubling")


def next_in_play(state: State, seat: int) -> int:
    """The next seat by number that has points, wrapping round (R2.4)."""
    n = len(state.points)
    return next(s for s in ((seat + step) % n for step in range(1, n + 1)) if state.points[s])


def next_to_stand(state: State, seat: int) -> int | None:
    """The next seat in play after `seat` whose throw does not stand yet; None: the round is over."""
    n = len(state.points)
    done = {stood.seat for stood in state.stood}
    for step in range(1, n):
        other = (seat + step) % n
        if state.points[other] and other not in done:
            return other
    return None


def becomes_bok(state: State) -> bool:
    """Whether the next seat at zero becomes the bok (R9.1, R9.2, R9.9)."""
    return state.setup.bok and state.bok is None


def point_seat(state: State) -> int | None:
    """The seat that may take a point now (R8), or None."""
    if state.phase != TURN or not state.stood or state.turn is None or state.throws[state.turn]:
        return None
    last = state.stood[-1]
    if not used_up(state, last) or trictracs(state):
        return None
    return last.seat if state.points[last.seat] > 1 or becomes_bok(state) else None


def actions(state: State, seat: int) -> tuple[str, ...]:
    """Commands that would be accepted from that seat now."""
    if seat == to_throw(state):
        return ("throw", "stand") if state.phase == TURN and state.throws[seat] else ("throw",)
    return ("take_point",) if seat == point_seat(state) else ()
