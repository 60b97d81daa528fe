"""How strong the levels are: `python -m services.trictrac.strength [--games N] [--seed S]`.

Heads-up exactly, against best play; at four seats by games, one against three of another level (par .250).
"""

import argparse
from collections.abc import Sequence
from math import sqrt
from random import Random
from typing import TypeVar

from libs.table.brain import Look
from libs.table.seeded import SeededCtx
from services.trictrac.bot import think
from services.trictrac.rules import RULES
from services.trictrac.yardstick import AtOnce, Best, Easy, Normal, ThreeTimes, against_best
from stamtafel.trictrac.v1 import trictrac_pb2 as pb

T = TypeVar("T")
EXACT = {"hard": Best(), "normal": Normal(), "easy": Easy(), "stands at once": AtOnce(), "throws thrice": ThreeTimes()}
PAIRS = (("hard", "normal"), ("hard", "easy"), ("normal", "easy"))


def play(levels: Sequence[str], rng: Random) -> int:
    """One game between computer players; the seat that wins. Who may take a point is asked before the next throws."""
    options = RULES.options(pb.Options(seats=len(levels), throw_seconds=0))
    ctx, state = SeededCtx(rng), RULES.initial(options)
    for event in RULES.start(state, ctx):
        state = RULES.evolve(state, event)
    while state.winner is None:
        for seat in sorted(range(len(levels)), key=lambda one: one == state.turn):
            if not (named := RULES.actions(state, seat)):
                continue
            view = RULES.view(state, seat, ctx.facts)
            command = think(Look(seat, levels[seat], options, view, named, (), rng), None).command
            if command is not None:
                for event in RULES.decide(state, seat, command, ctx):
                    state = RULES.evolve(state, event)
                break
    return state.winner


def share(one: str, others: str, games: int, rng: Random) -> tuple[float, float]:
    """Share of games that one level wins against three of another, and half the width of its 95 % interval."""
    won = 0
    for game in range(games):
        seat = game % 4
        won += play([one if other == seat else others for other in range(4)], rng) == seat
    p = won / games
    return p, 1.96 * sqrt(p * (1 - p) / games)


def main() -> None:
    """Prints the yardsticks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2000, help="games per pair of levels at four seats")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for name, policy in EXACT.items():
        print(f"heads-up against best play, exact: {name:15} {against_best(policy):.4f}")
    rng = Random(asked.seed)
    for one, others in PAIRS:
        p, half = share(one, others, asked.games, rng)
        print(f"four seats, {one} against three {others}: {p:.3f} ± {half:.3f} in {asked.games} games (par .250)")


if __name__ == "__main__":
    main()
