"""Exact bear-off tables: how many throws a home board takes, and who wins with few checkers left.

    python -m services.backgammon.engine.bearoff      # builds bearoff.npz anew (about a minute)

One-sided: for each of the 54264 ways to have up to fifteen checkers on six points, the distribution of the number of
throws, played for the smallest mean. Two-sided: for up to four checkers a side, the exact chance of the seat on roll.
"""

from functools import cache
from math import comb
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from services.backgammon.engine.batch import Boards, Ints, turns

Floats = npt.NDArray[np.float32]
TABLE = Path(__file__).with_name("bearoff.npz")
SIZE = comb(21, 6)
THROWS = 32
FEW = 4
FEW_SIZE = comb(10, 6)
_BINOMIAL: Ints = np.array([[comb(n, k) for k in range(7)] for n in range(22)], dtype=np.int64)
_ROLLS = [(a, b, 1 if a == b else 2) for a in range(1, 7) for b in range(1, a + 1)]


class Tables(NamedTuple):
    """`throws[i, n]`: chance that position i is off with exactly n throws; `wins[i, j]`: chance of i, on roll,
    against j."""

    throws: Floats
    mean: Floats
    wins: Floats


def index(home: npt.NDArray[np.integer]) -> Ints:
    """Number of each position `[n, 6]` of counts on the points 1..6; 0 is the empty board."""
    places = np.cumsum(home, axis=1, dtype=np.int64) + np.arange(6)
    return _BINOMIAL[places, np.arange(1, 7)].sum(axis=1)


def _positions(most: int) -> npt.NDArray[np.int8]:
    """All counts on six points with at most that many checkers, by their index."""
    grid = np.array(
        [
            (a, b, c, d, e, f)
            for a in range(most + 1)
            for b in range(most + 1 - a)
            for c in range(most + 1 - a - b)
            for d in range(most + 1 - a - b - c)
            for e in range(most + 1 - a - b - c - d)
            for f in range(most + 1 - a - b - c - d - e)
        ],
        dtype=np.int8,
    )
    return grid[np.argsort(index(grid))]


def _boards(home: npt.NDArray[np.int8]) -> Boards:
    boards = np.zeros((len(home), 2, 26), dtype=np.int8)
    boards[:, 0, 1:7] = home
    boards[:, 0, 0] = 15 - home.sum(axis=1)
    return boards


def _after(home: npt.NDArray[np.int8], roll: tuple[int, int, int]) -> tuple[Ints, Ints]:
    """For each position the indices of all turns with that throw: (row, index), rows ascending."""
    dice = np.repeat(np.array([roll[:2]], dtype=np.int8), len(home), axis=0)
    every = turns(_boards(home), dice)
    return every.owner, index(every.boards[:, 0, 1:7])


def build() -> Tables:
    """Both tables, from nothing but the rules."""
    home = _positions(15)
    pips = home @ np.arange(1, 7)
    throws = np.zeros((SIZE, THROWS), dtype=np.float64)
    mean = np.zeros(SIZE)
    throws[0, 0] = 1
    for level in range(1, int(pips.max()) + 1):
        here = np.flatnonzero(pips == level)
        for roll in _ROLLS:
            owner, after = _after(home[here], roll)
            order = np.lexsort((-mean[after], owner))
            best = after[order[np.append(np.flatnonzero(np.diff(owner)), len(owner) - 1)]]
            throws[here, 1:] += throws[best, :-1] * (roll[2] / 36)
            mean[here] += (1 + mean[best]) * (roll[2] / 36)
    return Tables(throws.astype(np.float32), mean.astype(np.float32), _two_sided())


def _two_sided() -> Floats:
    few = _positions(FEW)
    pips = few @ np.arange(1, 7)
    wins = np.zeros((FEW_SIZE, FEW_SIZE))
    wins[0, :] = 1
    choices = {
        i: [(roll[2] / 36, np.unique(_after(few[i : i + 1], roll)[1])) for roll in _ROLLS] for i in range(1, FEW_SIZE)
    }
    most = int(pips.max())
    for total in range(2, 2 * most + 1):
        for i in range(1, FEW_SIZE):
            others = np.flatnonzero(pips == total - pips[i])
            others = others[others > 0]
            if len(others):
                for share, after in choices[i]:
                    reply = np.where(after[:, None] == 0, 0, wins[others[None, :], after[:, None]])
                    wins[i, others] += share * (1 - reply).max(axis=0)
    return wins.astype(np.float32)


@cache
def load() -> Tables:
    """The shipped tables."""
    with np.load(TABLE) as file:
        throws = file["throws"].astype(np.float32) / 65535
        throws /= throws.sum(axis=1, keepdims=True)
        return Tables(throws, throws @ np.arange(THROWS, dtype=np.float32), file["wins"].astype(np.float32))


def covers(boards: Boards) -> npt.NDArray[np.bool_]:
    """Which positions have both sides at home with something left."""
    return (boards[:, :, 7:26].sum(axis=(1, 2)) == 0) & (boards[:, :, 0] < 15).all(axis=1)


def chances(boards: Boards) -> Floats:
    """Chance of the side on roll in positions that `covers`."""
    tables = load()
    mine, other = index(boards[:, 0, 1:7]), index(boards[:, 1, 1:7])
    later = np.cumsum(tables.throws[other][:, ::-1], axis=1)[:, ::-1]  # the other needs n throws or more
    result = (tables.throws[mine] * later).sum(axis=1)
    few = np.flatnonzero((boards[:, :, 1:7].sum(axis=2) <= FEW).all(axis=1))
    if len(few):
        small = boards[few][:, :, 1:7]
        result[few] = tables.wins[_few_index(small[:, 0]), _few_index(small[:, 1])]
    return result


def _few_index(home: npt.NDArray[np.int8]) -> Ints:
    return np.searchsorted(_few_numbers(), index(home))


@cache
def _few_numbers() -> Ints:
    """The indices of the positions with few checkers, ascending."""
    return np.sort(index(_positions(FEW)))


def main() -> None:
    """Builds and writes the tables."""
    tables = build()
    with TABLE.open("wb") as file:
        np.savez_compressed(
            file,
            throws=np.round(tables.throws * 65535).astype(np.uint16),
            wins=tables.wins,
        )


if __name__ == "__main__":
    main()
