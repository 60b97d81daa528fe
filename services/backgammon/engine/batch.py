"""Legal turns of many positions at once, in numpy: what the computer player's search and its training stand on.

A batch of positions is an int8 array `[n, 2, 26]`: `[:, 0]` the checkers of the seat that moves, `[:, 1]` those of
the other seat, each in its own numbering (0 = borne off, 1..24 points, 25 = bar; R1.1). `board.py` has the exact,
single version of the same rules; a test holds the two together.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Boards = npt.NDArray[np.int8]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

START: Boards = np.zeros((2, 26), dtype=np.int8)
for _point, _count in ((24, 2), (13, 5), (8, 3), (6, 5)):
    START[:, _point] = _count

_POINTS = np.arange(26, dtype=np.int16)[None, :]
_KEYS: Ints = np.random.default_rng(20240229).integers(-(2**62), 2**62, size=(2, 26), dtype=np.int64)
_OWNER_KEY = np.int64(0x1F3D5B79A8C6E421)


class Turns(NamedTuple):
    """All turns of a batch: row i belongs to position `owner[i]` (ascending); `boards[i]` is what the turn leads to."""

    owner: Ints
    boards: Boards


class _Steps(NamedTuple):
    """Positions on the way: the positions they came from, the boards and their hash keys."""

    owner: Ints
    boards: Boards
    keys: Ints


def turns(boards: Boards, dice: npt.NDArray[np.int8]) -> Turns:
    """Every complete turn (R6, R9.1) of `boards[i]` with the throw `dice[i]` (shape `[n, 2]`).

    A position without a legal step is returned unchanged, once. Equal results of one position are returned once.
    """
    n = len(boards)
    double = dice[:, 0] == dice[:, 1]
    parts: list[_Steps] = []
    done = np.zeros(n, dtype=np.bool_)
    root = _Steps(np.arange(n), boards, np.arange(n) * _OWNER_KEY)
    singles = np.flatnonzero(~double)
    if len(singles):
        high = np.maximum(dice[:, 0], dice[:, 1])
        low = np.minimum(dice[:, 0], dice[:, 1])
        start = _pick(root, singles)
        first_high = _step(start, high)
        first_low = _step(start, low)
        both = _unique(_join([_step(_going(first_high), low), _step(_going(first_low), high)]))
        parts.append(both)
        done[both.owner] = True
        for first in (first_high, first_low):  # R6.2: the larger alone before the smaller alone
            won = first.boards[:, 0, 0] == 15  # R6.5
            left = ~done[first.owner] & ~won
            parts.extend((_pick(first, np.flatnonzero(won)), _pick(first, np.flatnonzero(left))))
            done[first.owner] = True
    doubles = np.flatnonzero(double)
    if len(doubles):
        levels = [_pick(root, doubles)]
        for _ in range(4):
            levels.append(_unique(_step(_going(levels[-1]), dice[:, 0])))
        for level in reversed(levels[1:]):  # R6.3: as many as possible
            won = level.boards[:, 0, 0] == 15
            parts.append(_pick(level, np.flatnonzero(won | ~done[level.owner])))
            done[level.owner] = True
    parts.append(_pick(root, np.flatnonzero(~done)))
    every = _unique(_join(parts))
    order = np.argsort(every.owner, kind="stable")
    return Turns(every.owner[order], every.boards[order])


def flip(boards: Boards) -> Boards:
    """The same positions with the other seat to move."""
    return boards[:, ::-1]


def _going(steps: _Steps) -> _Steps:
    return _pick(steps, np.flatnonzero(steps.boards[:, 0, 0] != 15))


def _pick(steps: _Steps, rows: Ints) -> _Steps:
    return _Steps(steps.owner[rows], steps.boards[rows], steps.keys[rows])


def _join(parts: list[_Steps]) -> _Steps:
    return _Steps(
        np.concatenate([part.owner for part in parts]),
        np.concatenate([part.boards for part in parts]),
        np.concatenate([part.keys for part in parts]),
    )


def _unique(steps: _Steps) -> _Steps:
    _, rows = np.unique(steps.keys, return_index=True)
    return _pick(steps, rows)


def _step(steps: _Steps, dice: npt.NDArray[np.int8]) -> _Steps:
    """One step with die `dice[owner]` in every legal way (R4.4-R4.6, R7.2, R8.1-R8.3)."""
    die = dice[steps.owner].astype(np.int16)[:, None]
    mine, other = steps.boards[:, 0], steps.boards[:, 1]
    target = _POINTS - die
    landing = np.maximum(target, 0)
    rows = np.arange(len(mine))[:, None]
    legal = (mine > 0) & (target >= 1) & (other[rows, 25 - landing] < 2)
    home = np.flatnonzero(mine[:, 7:].sum(axis=1) == 0)
    if len(home):
        there = mine[home, 1:7] > 0
        highest = 6 - np.argmax(there[:, ::-1], axis=1)
        inside = np.arange(1, 7)[None, :]
        need = die[home]
        legal[home, 1:7] |= there & ((inside == need) | ((inside < need) & (inside == highest[:, None])))
    barred = mine[:, 25] > 0
    legal[barred, :25] = False
    legal[:, 0] = False
    row, point = np.nonzero(legal)
    to = landing[row, point]
    boards = steps.boards[row]
    at = np.arange(len(row))
    boards[at, 0, point] -= 1
    boards[at, 0, to] += 1
    keys = steps.keys[row] - _KEYS[0, point] + _KEYS[0, to]
    struck = np.flatnonzero((to > 0) & (boards[at, 1, 25 - to] == 1))
    if len(struck):
        spot = 25 - to[struck]
        boards[struck, 1, spot] = 0
        boards[struck, 1, 25] += 1
        keys[struck] += _KEYS[1, 25] - _KEYS[1, spot]
    return _Steps(steps.owner[row], boards, keys)
