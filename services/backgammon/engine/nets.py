"""The nets: which one judges a position, and what they say. Plain numpy; weights in `weights.npz`.

An evaluation is five shares for the seat on roll, cubeless: win, win a gammon or more, win a backgammon, lose a
gammon or more, lose a backgammon.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from services.backgammon.engine import features
from services.backgammon.engine.batch import Boards, Ints

Floats = npt.NDArray[np.float32]
CONTACT, CRASHED, RACE, OVER = 0, 1, 2, 3
NAMES = ("contact", "crashed", "race")
WEIGHTS = Path(__file__).with_name("weights.npz")


class Net(NamedTuple):
    """One hidden layer of sigmoids, five sigmoid outputs: `w1 [inputs, hidden]`, `b1`, `w2 [hidden, 5]`, `b2`."""

    w1: Floats
    b1: Floats
    w2: Floats
    b2: Floats

    def __call__(self, inputs: Floats) -> Floats:
        """Five shares a row."""
        return sigmoid(sigmoid(inputs @ self.w1 + self.b1) @ self.w2 + self.b2)


def sigmoid(x: Floats) -> Floats:
    """Logistic function, as tanh so that large arguments raise no warning."""
    return np.tanh(x * np.float32(0.5)) * np.float32(0.5) + np.float32(0.5)


def classes(boards: Boards) -> Ints:
    """The class of each position: contact, crashed (a side has few men left to move with), race or over."""
    has = boards[:, :, 1:26] > 0
    back = np.where(has.any(axis=2), 25 - np.argmax(has[:, :, ::-1], axis=2), 0)
    result = np.full(len(boards), CONTACT, dtype=np.int64)
    left = boards[:, :, 1:26].sum(axis=2)
    ace, deuce = boards[:, :, 1], boards[:, :, 2]
    few: npt.NDArray[np.bool_] = left <= 6
    deep: npt.NDArray[np.bool_] = (ace > 1) & ((left <= 6 + ace) | ((deuce > 1) & (left + 1 <= 6 + ace + deuce)))
    low: npt.NDArray[np.bool_] = (ace <= 1) & (left <= 6 + np.maximum(deuce - 1, 0))
    crashed = few | deep | low
    result[crashed.any(axis=1)] = CRASHED
    result[back.sum(axis=1) < 25] = RACE
    result[(boards[:, :, 0] == 15).any(axis=1)] = OVER
    return result


def ended(boards: Boards) -> Floats:
    """The five shares of positions in which a side has borne off everything (R12.1-R12.3)."""
    out = np.zeros((len(boards), 5), dtype=np.float32)
    for side in (0, 1):
        won = boards[:, side, 0] == 15
        loser = boards[:, 1 - side]
        gammon = won & (loser[:, 0] == 0)
        full = gammon & (loser[:, 19:26].sum(axis=1) > 0)
        if side == 0:
            out[won, 0] = 1
        out[:, 1 + 2 * side] += gammon
        out[:, 2 + 2 * side] += full
    return out


def encode(kind: int, boards: Boards) -> Floats:
    """The inputs of the net of class `kind`."""
    return features.race(boards) if kind == RACE else features.contact(boards)


def evaluate(nets: Mapping[int, Net], boards: Boards) -> Floats:
    """`[n, 5]`: the shares of every position; positions that are over get their exact outcome."""
    kinds = classes(boards)
    out = np.zeros((len(boards), 5), dtype=np.float32)
    for kind in range(4):
        rows = np.flatnonzero(kinds == kind)
        if len(rows):
            part = boards[rows]
            out[rows] = ended(part) if kind == OVER else nets[kind](encode(kind, part))
    return tidy(boards, out)


def tidy(boards: Boards, shares: Floats) -> Floats:
    """Makes shares consistent: no gammon against a side that has borne off, backgammon within gammon within the
    rest."""
    shares[:, 1] *= boards[:, 1, 0] == 0
    shares[:, 3] *= boards[:, 0, 0] == 0
    shares[:, 1] = np.minimum(shares[:, 1], shares[:, 0])
    shares[:, 3] = np.minimum(shares[:, 3], 1 - shares[:, 0])
    shares[:, 2] = np.minimum(shares[:, 2], shares[:, 1])
    shares[:, 4] = np.minimum(shares[:, 4], shares[:, 3])
    return shares


def mirrored(shares: Floats) -> Floats:
    """The same shares for the other seat."""
    out = shares[:, [0, 3, 4, 1, 2]]
    out[:, 0] = 1 - out[:, 0]
    return out


def equity(shares: Floats) -> Floats:
    """Cubeless points a game."""
    return 2 * shares[:, 0] - 1 + shares[:, 1] + shares[:, 2] - shares[:, 3] - shares[:, 4]


@cache
def load() -> dict[int, Net]:
    """The shipped nets."""
    with np.load(WEIGHTS) as file:
        return {
            kind: Net(*(file[f"{name}_{part}"].astype(np.float32) for part in Net._fields))
            for kind, name in enumerate(NAMES)
        }
