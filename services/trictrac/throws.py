"""Throws: their scores and order (R1), the lowest and the crown (R5), the price of a round (R6)."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

TRICTRAC = 1000
"""Score of 1 & 2; only its place in the order matters (R1.1)."""

S = TypeVar("S")


def _score(high: int, low: int) -> int:
    if (high, low) == (2, 1):
        return TRICTRAC
    return 100 * high if high == low else 10 * high + low


_BY_DICE = [[_score(max(a, b), min(a, b)) for b in range(1, 7)] for a in range(1, 7)]

SCORES: tuple[int, ...] = tuple(sorted({score for row in _BY_DICE for score in row}))
"""All 21 scores, lowest first (R1.5)."""

WAYS: dict[int, int] = {score: sum(row.count(score) for row in _BY_DICE) for score in SCORES}
"""Ways of one throw out of 36: doubles one, all others two (R1.5)."""


def score_of(dice: Sequence[int]) -> int:
    """Score of two dice 1..6; their order means nothing (R1.1-R1.4)."""
    return _BY_DICE[dice[0] - 1][dice[1] - 1]


def kind_of(score: int) -> str:
    """`trictrac`, `double` or `ordinary`."""
    if score == TRICTRAC:
        return "trictrac"
    return "double" if score >= 100 else "ordinary"


def rank_of(score: int) -> int:
    """1 for trictrac down to 21 for 31."""
    return len(SCORES) - SCORES.index(score)


def lowest_of(standing: Iterable[tuple[int, int]]) -> tuple[int, list[int]]:
    """Of (seat, score) in the order they stood: the lowest score and all seats that share it, in that order (R5.1)."""
    pairs = list(standing)
    lowest = min(score for _, score in pairs)
    return lowest, [seat for seat, score in pairs if score == lowest]


def crown_of(standing: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Of (seat, score) in the order they stood: the highest, first stood first (R5.2)."""
    return max(standing, key=lambda pair: pair[1])


def penalty_of(trictracs: int, doubling: bool) -> int:
    """Points that the loser owes: 1, then 2 a trictrac (R6.2), or doubling with each (R6.5)."""
    if doubling:
        return 1 << trictracs
    return 2 * trictracs or 1


def worst_of(throws: Sequence[Sequence[int]]) -> int:
    """Index of the worst throw, the first of equals (R4.3)."""
    scores = [score_of(dice) for dice in throws]
    return scores.index(min(scores))
