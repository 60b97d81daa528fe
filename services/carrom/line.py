"""The firing line of a seat: what stands on it, where the palet has room (R3.5, R4.3, R14). Lengths in micrometres."""

from collections.abc import Iterable
from math import isqrt, sqrt

from services.carrom.board import END_UM, LINE_UM, TOLERANCE_UM, TOUCH_UM, Lying, to_frame

_OVERLAP = (TOUCH_UM - TOLERANCE_UM) ** 2


def on_line(side: str, x: int, y: int) -> bool:
    """Whether a pion at a place on the board touches the side's firing band or lies behind it (R4.3)."""
    u, w = to_frame(side, x, y)
    return abs(u) <= 235_000 and w < -220_800


def rail_first(side: str, board: Iterable[Lying]) -> list[str]:
    """Discs that this side must reach off a rail, sorted by id."""
    return sorted(piece for piece, x, y in board if on_line(side, x, y))


def overlaps(side: str, board: Iterable[Lying], at_um: int) -> bool:
    """Whether the palet at `at_um` on the side's line would overlap a pion (R14.1)."""
    for _, x, y in board:
        u, w = to_frame(side, x, y)
        if (u - at_um) ** 2 + (w - LINE_UM) ** 2 < _OVERLAP:
            return True
    return False


def _in_reach(side: str, board: Iterable[Lying]) -> list[tuple[int, int, str]]:
    """u, distance from the line and id of each pion that can be in the palet's way."""
    reach: list[tuple[int, int, str]] = []
    for piece, x, y in board:
        u, w = to_frame(side, x, y)
        if abs(w - LINE_UM) < TOUCH_UM:
            reach.append((u, w - LINE_UM, piece))
    return reach


def is_full(side: str, board: Iterable[Lying]) -> bool:
    """Whether no place on the line has room for the palet (R3.5)."""
    return not room(side, board)


def nearest_to_middle(side: str, board: Iterable[Lying]) -> str:
    """The pion in the palet's way that gives place when the line is full: nearest to its middle, else the left one."""
    return min((abs(u), u, piece) for u, _, piece in _in_reach(side, board))[2]


def blocked(side: str, board: Iterable[Lying]) -> list[tuple[float, float]]:
    """The x intervals, in metres, where the palet would overlap a pion, as `aim.blocked` shows them."""
    tenths: list[tuple[int, int]] = []
    for u, off, _ in _in_reach(side, board):
        half = sqrt(TOUCH_UM * TOUCH_UM - off * off)
        if u - half < END_UM and u + half > -END_UM:
            tenths.append((_down(u - half), -_down(-u - half)))
    tenths.sort()
    merged: list[tuple[int, int]] = []
    for low, high in tenths:
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return [(low / 10_000, high / 10_000) for low, high in merged]


def _down(um: float) -> int:
    """Whole tenths of a millimetre, rounded down."""
    return int(um // 100)


def room(side: str, board: Iterable[Lying]) -> list[tuple[int, int]]:
    """The free places on the line, whole micrometres as commands are: intervals, both ends allowed, left to right."""
    covered: list[tuple[int, int]] = []
    for u, off, _ in _in_reach(side, board):
        if (rest := _OVERLAP - off * off) > 0:
            half = isqrt(rest - 1)
            covered.append((u - half, u + half))
    covered.sort()
    free: list[tuple[int, int]] = []
    at = -END_UM
    for low, high in covered:
        if low > at:
            free.append((at, min(low - 1, END_UM)))
        at = max(at, high + 1)
        if at > END_UM:
            break
    if at <= END_UM:
        free.append((at, END_UM))
    return [(low, high) for low, high in free if low <= high]
