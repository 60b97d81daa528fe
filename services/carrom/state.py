"""The state of one match, and what follows from it."""

import msgspec

from services.carrom.board import COLOURS, Lying, side_of
from services.carrom.options import Setup

BEFORE, SHOOT, VALIDATE, BONUS, OVER = "before", "shoot", "validate", "bonus", "over"
"""Phases."""
BOARD, PENDING, OWNED = "board", "pending", "owned"
"""The red: on the board (or above its centre), pocketed and to be validated, owned."""
NINE = 9


class Shot(msgspec.Struct, frozen=True):
    """The shot before: who, whether the hand was kept, why not, and the bytes of its ShotResolved."""

    seat: int
    shot: bytes
    kept: bool = False
    reasons: tuple[str, ...] = ()


class State(msgspec.Struct, frozen=True):
    """One match. Teams are 0 and 1; pairs are by team, `misses` by seat; lengths are whole micrometres on the board.

    `board` is sorted by id, `pile` bottom first, `acquired` in the order of acquisition. `turns` counts the turns, for
    the clock; `drawn_ms` is how long clients draw the shot before this turn (R9.1).
    """

    setup: Setup
    phase: str = BEFORE
    turn: int | None = None
    set: int = 0
    white_seat: int = 0
    board: tuple[Lying, ...] = ()
    pile: tuple[str, ...] = ()
    acquired: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    red: str = BOARD
    red_team: int | None = None
    sets: tuple[int, int] = (0, 0)
    points: tuple[int, int] = (0, 0)
    bonus: int | None = None
    misses: tuple[int, ...] = ()
    turns: int = 0
    drawn_ms: int = 0
    last_shot: Shot | None = None
    last_set: tuple[int, int, str] | None = None
    result: tuple[int, str] | None = None


def team_of(seat: int) -> int:
    """Partners face each other (R1.2)."""
    return seat % 2


def side(state: State, seat: int) -> str:
    """Where the seat sits."""
    return side_of(seat, state.setup.seats)


def colour_of(state: State, team: int) -> str:
    """`white` or `black` in this set (R2.1, R2.5)."""
    return "white" if team_of(state.white_seat) == team else "black"


def owner_of(state: State, piece: str) -> int:
    """The team whose colour a pion has."""
    white = team_of(state.white_seat)
    return white if piece in COLOURS["white"] else 1 - white


def left(state: State, team: int) -> int:
    """Pions of a team that are not in (R12.4)."""
    return NINE - len(state.acquired[team])


def red_open(state: State) -> bool:
    """Whether the team to act may play the red now (R5.1)."""
    return state.turn is not None and state.red == BOARD and bool(state.acquired[team_of(state.turn)])


def next_seat(seat: int, seats: int) -> int:
    """Clockwise (R3.4)."""
    return (seat + 1) % seats
