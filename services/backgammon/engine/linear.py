"""A beginner's eye: a linear judgement of the position after a turn, with noise. What the level `easy` plays by."""

from random import Random

import numpy as np
import numpy.typing as npt

from services.backgammon.engine.batch import Boards

NOISE = 4.0
"""Standard deviation of the noise, in pips."""
_PIPS = np.arange(26, dtype=np.float32)
_POINT = np.zeros(26, dtype=np.float32)
_POINT[1:13] = (1, 2, 4, 5, 6, 6, 5, 3, 2, 1, 1, 1)
_POINT[18:22] = (3, 3, 4, 4)
_BLOT = np.zeros(26, dtype=np.float32)
_BLOT[1:25] = np.linspace(6, 0.5, 24)


def value(boards: Boards) -> npt.NDArray[np.float32]:
    """The mover's checkers first; in pips, the more the better: the race, points made, blots within reach."""
    mine, other = boards[:, 0].astype(np.float32), boards[:, 1].astype(np.float32)
    race = other @ _PIPS - mine @ _PIPS
    made = (mine >= 2) @ _POINT
    theirs = (np.arange(26)[None, :] * (other > 0)).max(axis=1)  # their rearmost checker, by their numbering
    reach = np.arange(26)[None, :] > (25 - theirs)[:, None]
    blots = ((mine == 1) & reach) @ _BLOT
    off = 3 * mine[:, 0]
    return (race + made - blots + off).astype(np.float32)


def noisy(boards: Boards, rng: Random) -> npt.NDArray[np.float32]:
    """The same with noise from the bot's own chance."""
    noise = np.array([rng.gauss(0, NOISE) for _ in range(len(boards))], dtype=np.float32)
    return value(boards) + noise
