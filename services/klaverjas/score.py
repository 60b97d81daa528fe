"""The score of a boompje (R8). Pairs are (ns, ew); sides are 0 (ns) and 1 (ew)."""

from typing import NamedTuple

SIDES = ("ns", "ew")
Pair = tuple[int, int]


class Score(NamedTuple):
    """What is written for a boompje. `pit_side` is 0, 1 or None."""

    made: bool
    pit_side: int | None
    pit: Pair
    roem: Pair
    points: Pair


def pair(side: int, value: int) -> Pair:
    """`value` for that side, 0 for the other."""
    return (value, 0) if side == 0 else (0, value)


def plus(a: Pair, b: Pair) -> Pair:
    """Sum, side by side."""
    return a[0] + b[0], a[1] + b[1]


def score(playing: int, tricks: Pair, card_points: Pair, roem: Pair, tegenpit: int) -> Score:
    """Scores a boompje: card points with the 10 of the last trick, roem as won, `tegenpit` the option (R8.1-R8.6)."""
    other = 1 - playing
    pit_side = 0 if tricks[0] == 8 else 1 if tricks[1] == 8 else None
    pit = (0, 0) if pit_side is None else pair(pit_side, 100 if pit_side == playing else tegenpit)
    made = card_points[playing] + roem[playing] > card_points[other] + roem[other]
    if made:
        return Score(True, pit_side, pit, roem, plus(plus(card_points, roem), pit))
    written = pair(other, roem[0] + roem[1])
    return Score(False, pit_side, pit, written, plus(plus(pair(other, 162), written), pit))
