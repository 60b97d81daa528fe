"""Judging positions and turns: the nets at once (0 plies), or after every throw and best answer (1 and 2 plies).

A value is in the units of `stakes.py`. Positions are for the seat on roll. All of it runs in batches: one call of the
nets for a whole ply.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from services.backgammon.engine import bearoff, nets
from services.backgammon.engine.batch import Boards, Ints, flip, turns

Floats = npt.NDArray[np.float32]
ROLLS = np.array([(a, b) for a in range(1, 7) for b in range(1, a + 1)], dtype=np.int8)
CHANCE = np.array([1 if a == b else 2 for a, b in ROLLS], dtype=np.float32) / 36
CHUNK = 24_000
"""At most so many positions are judged in one piece, which bounds the memory."""


class Effort(NamedTuple):
    """How deep to look: candidates kept for one ply, for two plies, and how far behind the best they may be
    (points)."""

    one: int = 0
    two: int = 0
    one_margin: float = 0.20
    two_margin: float = 0.06


GLANCE = Effort()
"""The nets alone."""
LOOK = Effort(one=8, two=0)
"""One ply for the best candidates."""
THINK = Effort(one=8, two=3)
"""And two plies for what is still close."""


class Judge:
    """The nets with the exact bear-off tables."""

    def __init__(self, weights: Mapping[int, nets.Net] | None = None, tables: bool = True) -> None:
        self._nets = nets.load() if weights is None else weights
        self._tables = tables

    def shares(self, boards: Boards) -> Floats:
        """Five shares a position at 0 plies."""
        out = np.concatenate(
            [nets.evaluate(self._nets, boards[at : at + CHUNK]) for at in range(0, len(boards), CHUNK)]
        )
        if self._tables:
            rows = np.flatnonzero(bearoff.covers(boards))
            if len(rows):
                out[rows, 0] = bearoff.chances(boards[rows])
                nets.tidy(boards, out)
        return out

    def deeper(self, boards: Boards, plies: int, weights: Floats) -> Floats:
        """Five shares a position after looking that many plies on; both sides choose by `weights` (see
        `stakes.weights`)."""
        if plies == 0:
            return self.shares(boards)
        n = len(boards)
        over = (boards[:, :, 0] == 15).any(axis=1)
        out = np.zeros((n, 5), dtype=np.float32)
        out[over] = nets.ended(boards[over])
        rows = np.flatnonzero(~over)
        if len(rows):
            m = len(rows)
            start = np.repeat(boards[rows], 21, axis=0)
            dice = np.tile(ROLLS, (m, 1))
            after, _ = self.best(start, dice, weights)
            follow = nets.mirrored(self.deeper(after, plies - 1, _turned(weights)))
            out[rows] = (follow.reshape(m, 21, 5) * CHANCE[None, :, None]).sum(axis=1)
        return out

    def best(self, boards: Boards, dice: npt.NDArray[np.int8], weights: Floats) -> tuple[Boards, Floats]:
        """The best turn of each position at 0 plies: what it leads to (the other seat to move) and its value."""
        every = turns(boards, dice)
        value = self.after(every.boards, weights)
        order = np.lexsort((value, every.owner))
        last = order[np.append(np.flatnonzero(np.diff(every.owner)), len(order) - 1)]
        return flip(every.boards[last]), value[last]

    def after(self, boards: Boards, weights: Floats, plies: int = 0) -> Floats:
        """Values, for the seat that has just moved, of positions with its checkers first."""
        shares = nets.mirrored(self.deeper(flip(boards), plies, _turned(weights)))
        return shares @ weights[:5] + weights[5]

    def rank(self, boards: Boards, weights: Floats, effort: Effort) -> tuple[Ints, Floats]:
        """The candidates (the mover's checkers first) from best to worst, and their values at the depth each was
        given."""
        value = self.after(boards, weights)
        order = np.argsort(-value, kind="stable")
        scale = float(abs(weights[0])) / 2  # weights[0] is what winning instead of losing a single game is worth
        for plies, most, margin in ((1, effort.one, effort.one_margin), (2, effort.two, effort.two_margin)):
            if most < 2 or len(order) < 2:
                break
            near = order[:most]
            near = near[value[near] >= value[near[0]] - margin * scale]
            if len(near) < 2:
                break
            value[near] = self.after(boards[near], weights, plies)
            near = near[np.argsort(-value[near], kind="stable")]
            order = np.concatenate((near, order[~np.isin(order, near)]))
        return order, value


def _turned(weights: Floats) -> Floats:
    """The same stakes from the other seat."""
    total_win, gammon, full, lost_gammon, lost_full, lost = weights
    return np.array(
        [total_win, -lost_gammon, -lost_full, -gammon, -full, -(lost + total_win)],
        dtype=np.float32,
    )
