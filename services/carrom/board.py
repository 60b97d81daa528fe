"""The board in whole micrometres: pieces, sizes, sides, the rosette (R1, R2.3, R10).

The origin is in the middle, x points east, y north.
"""

from collections.abc import Callable
from math import cos, radians, sin, sqrt

RED, PALET = "red", "palet"
WHITES = tuple(f"w{n}" for n in range(1, 10))
BLACKS = tuple(f"b{n}" for n in range(1, 10))
COLOURS = {"white": WHITES, "black": BLACKS}
PIONS = (*BLACKS, RED, *WHITES)
"""All pions and the red, sorted by id."""

PION_UM, PALET_UM = 15_900, 20_650
"""Radii (R10.2)."""
TOUCH_UM = PION_UM + PALET_UM
RAIL_UM = 370_000
HOLE_AT_UM, HOLE_UM = 347_750, 22_250
"""Hole centres at |x| = |y|; a disc falls within this distance of one (R10.1, R11.6)."""
LINE_UM = -252_600
"""Where the palet's centre stands ahead of the middle of the board, in the shooter's frame (R10.3)."""
END_UM = 219_100
"""The furthest that the palet may stand to either side."""
TOLERANCE_UM = 1

SOUTH, WEST, NORTH, EAST = "south", "west", "north", "east"
SIDES = {2: (SOUTH, NORTH), 4: (SOUTH, WEST, NORTH, EAST)}
HOLES = ("sw", "nw", "ne", "se")
"""Clockwise, so that a quarter turn is one step."""

At = tuple[int, int]
Lying = tuple[str, int, int]
"""A piece and where it lies."""

_TO_BOARD: dict[str, Callable[[int, int], At]] = {
    SOUTH: lambda u, w: (u, w),
    WEST: lambda u, w: (w, -u),
    NORTH: lambda u, w: (-u, -w),
    EAST: lambda u, w: (-w, u),
}
_TO_FRAME: dict[str, Callable[[int, int], At]] = {
    SOUTH: lambda x, y: (x, y),
    WEST: lambda x, y: (-y, x),
    NORTH: lambda x, y: (-x, -y),
    EAST: lambda x, y: (y, -x),
}
_TURNS = {SOUTH: 0, WEST: 1, NORTH: 2, EAST: 3}


def side_of(seat: int, seats: int) -> str:
    """Where a seat sits (R1.2)."""
    return SIDES[seats][seat]


def to_board(side: str, u: int, w: int) -> At:
    """A place in the frame of a side (u to its right, w ahead) as a place on the board (R10.4)."""
    return _TO_BOARD[side](u, w)


def to_frame(side: str, x: int, y: int) -> At:
    """A place on the board in the frame of a side."""
    return _TO_FRAME[side](x, y)


def hole_on_board(side: str, hole: int) -> str:
    """The name on the board of hole `hole` (index in HOLES) of the frame of a side."""
    return HOLES[(hole + _TURNS[side]) % 4]


def _rosette() -> tuple[Lying, ...]:
    pitch = 31_900
    inner = ("w1", "b1", "w2", "b2", "w3", "b3")
    placed: list[tuple[str, float, float]] = [(RED, 0, 0)]
    placed += [(piece, pitch, 270 + 60 * k) for k, piece in enumerate(inner)]
    for k in range(12):
        piece, distance = (f"w{4 + k // 2}", 2 * pitch) if k % 2 == 0 else (f"b{4 + k // 2}", pitch * sqrt(3))
        placed.append((piece, distance, 270 + 30 * k))
    at = [(piece, round(r * cos(radians(deg))), round(r * sin(radians(deg)))) for piece, r, deg in placed]
    return tuple(sorted(at))


_ROSETTE = _rosette()


def start_layout(white_side: str) -> tuple[Lying, ...]:
    """The nineteen discs of the rosette, turned to the side of the white seat, sorted by id (R2.3)."""
    return tuple((piece, *to_board(white_side, u, w)) for piece, u, w in _ROSETTE)
