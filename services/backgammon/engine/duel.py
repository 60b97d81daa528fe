"""Two players against each other over many games at once, cubeless for money, the same dice both ways.

A player here is a function of a batch of positions and throws: the positions its turns lead to, the other seat to move.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from services.backgammon.engine import nets
from services.backgammon.engine.batch import START, Boards, flip, turns

Dice = npt.NDArray[np.int8]
Player = Callable[[Boards, Dice], Boards]
LONGEST = 1000


class Score(NamedTuple):
    """Points a game of the first player: mean over pairs of games, half width of the 95 % interval, share won,
    games."""

    mean: float
    margin: float
    won: float
    games: int

    def __str__(self) -> str:
        return f"{self.mean:+.3f} +- {self.margin:.3f} points a game, {100 * self.won:.1f} % won, {self.games} games"


def duel(first: Player, second: Player, games: int, seed: int) -> Score:
    """Plays `games` (rounded up to pairs): each dice sequence once with either player as the one who starts."""
    pairs = (games + 1) // 2
    rng = np.random.default_rng(seed)
    boards = np.repeat(START[None], 2 * pairs, axis=0)  # game i and i + pairs share the dice
    mover = np.zeros(2 * pairs, dtype=np.int64)
    mover[pairs:] = 1
    points = np.zeros(2 * pairs)
    alive = np.ones(2 * pairs, dtype=np.bool_)
    for ply in range(LONGEST):
        dice = rng.integers(1, 7, size=(pairs, 2)).astype(np.int8)
        while ply == 0 and len(same := np.flatnonzero(dice[:, 0] == dice[:, 1])):
            dice[same] = rng.integers(1, 7, size=(len(same), 2))
        both = np.concatenate((dice, dice))
        for index, player in enumerate((first, second)):
            rows = np.flatnonzero(alive & (mover == index))
            if len(rows):
                boards[rows] = player(boards[rows], both[rows])
        over = np.flatnonzero(alive & (boards[:, :, 0] == 15).any(axis=1))
        if len(over):
            lost = -nets.equity(nets.ended(boards[over]))  # the other seat is to move: it has lost
            points[over] = np.where(mover[over] == 0, lost, -lost)
            alive[over] = False
        mover = 1 - mover
        if not alive.any():
            break
    paired = (points[:pairs] + points[pairs:]) / 2
    margin = 1.96 * float(paired.std(ddof=1)) / pairs**0.5 if pairs > 1 else float("nan")
    return Score(float(points.mean()), margin, float((points > 0).mean()), 2 * pairs)


def greedy(judge: Callable[[Boards], npt.NDArray[np.float32]]) -> Player:
    """A player who takes the turn whose outcome `judge` likes best. `judge` sees the mover's side first, after his
    turn."""

    def play(boards: Boards, dice: Dice) -> Boards:
        every = turns(boards, dice)
        value = judge(every.boards)
        order = np.lexsort((value, every.owner))
        last = np.append(np.flatnonzero(np.diff(every.owner)), len(every.owner) - 1)
        return flip(every.boards[order[last]])

    return play
