"""Tesauro's public evaluator as a yardstick: its form, without its numbers, which are read from a file.

The file holds 2 x 122 numbers: the weights for races, then those for contact.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from services.backgammon.engine.batch import Boards, flip, turns
from services.backgammon.engine.duel import Dice, Player

WIDTH = 122


def player(file: Path) -> Player:
    """The yardstick as a player. Which weights count is judged before the turn, as its author does."""
    weights = np.array(file.read_text().split(), dtype=np.float32).reshape(2, WIDTH)

    def play(boards: Boards, dice: Dice) -> Boards:
        every = turns(boards, dice)
        use = (~_race(boards)).astype(np.int64)[every.owner]
        value = (_inputs(every.boards) * weights[use]).sum(axis=1)
        value[every.boards[:, 0, 0] == 15] = np.inf
        order = np.lexsort((value, every.owner))
        last = np.append(np.flatnonzero(np.diff(every.owner)), len(every.owner) - 1)
        return flip(every.boards[order[last]])

    return play


def _race(boards: Boards) -> npt.NDArray[np.bool_]:
    has = boards[:, :, 1:26] > 0
    back = np.where(has.any(axis=2), 25 - np.argmax(has[:, :, ::-1], axis=2), 0)
    return back.sum(axis=1) < 25


def _inputs(boards: Boards) -> npt.NDArray[np.float32]:
    n = len(boards)
    mine = boards[:, 0, 24:0:-1].astype(np.float32)  # point 24 first
    theirs = boards[:, 1, 1:25]
    cells = np.zeros((n, 24, 5), dtype=np.float32)
    cells[:, :, 0] = theirs == 1
    cells[:, :, 1] = mine == 1
    cells[:, :, 2] = mine >= 2
    cells[:, :, 3] = mine == 3
    cells[:, :, 4] = np.where(mine >= 4, (mine - 3) / 2, 0)
    out = np.zeros((n, WIDTH), dtype=np.float32)
    out[:, :120] = cells.reshape(n, 120)
    out[:, 120] = boards[:, 1, 25] / 2
    out[:, 121] = boards[:, 0, 0] / 15
    return out
