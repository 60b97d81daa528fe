"""How strong the levels are: `python -m services.backgammon.strength [--games N] [--seed S] [--pubeval FILE]`.

Points a game, cubeless for money, each dice sequence played both ways, with the 95 % interval: normal over easy, hard
over normal, and hard and normal against GNU Backgammon at 0 plies where it is installed (a separate program).
`--pubeval` names a file with the 2 x 122 numbers of Tesauro's public evaluator, the rules file's yardstick.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import perf_counter

import numpy as np

from services.backgammon.bot import EFFORT, judge
from services.backgammon.engine import gnu, linear, pubeval
from services.backgammon.engine.batch import Boards, flip, turns
from services.backgammon.engine.duel import Dice, Player, duel, greedy
from services.backgammon.engine.search import Effort
from services.backgammon.engine.stakes import Stakes, weights

_CUBELESS = weights(Stakes(doubling=False))


def easy(seed: int) -> Player:
    """The level `easy`."""
    rng = Random(seed)
    return greedy(lambda boards: linear.noisy(boards, rng))


def searching(effort: Effort, times: list[float] | None = None) -> Player:
    """The levels above it; seconds of each decision with a choice go into `times`."""

    def play(boards: Boards, dice: Dice) -> Boards:
        every = turns(boards, dice)
        after = np.empty_like(boards)
        for row in range(len(boards)):
            mine = every.boards[np.searchsorted(every.owner, row) : np.searchsorted(every.owner, row, side="right")]
            begin = perf_counter()
            best = judge().rank(mine, _CUBELESS, effort)[0][0] if len(mine) > 1 else 0
            if times is not None and len(mine) > 1:
                times.append(perf_counter() - begin)
            after[row] = flip(mine[best][None])[0]
        return after

    return play


def main(tell: Callable[[str], None] = print) -> int:
    """Plays the yardsticks and tells each as a line."""
    parser = argparse.ArgumentParser(description="Points a game of the levels of backgammon.")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pubeval", type=Path, help="file with the weights of Tesauro's public evaluator")
    asked = parser.parse_args()
    times: list[float] = []
    levels = {
        "easy": easy(asked.seed),
        "normal": searching(EFFORT["normal"]),
        "hard": searching(EFFORT["hard"], times),
    }

    def against(first: str, name: str, second: Player) -> None:
        score = duel(levels[first], second, asked.games, asked.seed)
        tell(f"backgammon: {first} against {name}: {score}")

    against("normal", "easy", levels["easy"])
    against("hard", "normal", levels["normal"])
    if asked.pubeval is not None:
        for level in levels:
            against(level, "pubeval", pubeval.player(asked.pubeval))
    if gnu.program() is None:
        tell("backgammon: GNU Backgammon is not installed; nothing to compare with")
    else:
        with gnu.GnuBackgammon() as other:
            for level in ("normal", "hard"):
                against(level, "GNU Backgammon at 0 plies", other.player())
    times.sort()
    if times:
        tell(
            f"backgammon: hard takes {1000 * times[len(times) // 2]:.0f} ms a move (median), "
            f"{1000 * times[int(len(times) * 0.99)]:.0f} ms at p99, of {len(times)} moves"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
