"""How strong the computer players are, by duplicate boompjes (R14.4).

`python -m services.klaverjas.strength [--games N] [--seed S] [--match hard:normal] [--variant amsterdams] [--naming]`
deals N boompjes; each is played twice with the pairs swapped, trump and maker the same both times (with `--naming` the
forehand names trump itself). Prints the mean difference of written points a boompje with its 95 % interval, and the
processor time that a thought takes.
"""

import argparse
import math
from random import Random
from statistics import fmean, stdev
from time import thread_time

from libs.table.brain import Look
from libs.table.rules import Facts
from libs.table.seeded import SeededCtx
from services.klaverjas import bot, naming
from services.klaverjas import view as sight
from services.klaverjas.cards import SUITS, codes, deal
from services.klaverjas.rules import RULES
from services.klaverjas.state import FINISHED, State
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb

YARDSTICKS = {("normal", "easy"): 30.0, ("hard", "normal"): 25.0}
"""What the rules file asks for, in points a boompje."""


class Match:
    """Pairs of two levels against each other. `times` are the processor seconds of every thought, by level."""

    def __init__(self, options: pb.Options, levels: tuple[str, str], seed: int, own_trump: bool = False) -> None:
        self.options, self.levels, self.own_trump = options, levels, own_trump
        self.rng = Random(seed)
        self.times: dict[str, list[float]] = {level: [] for level in levels}

    def pair(self, forehand: int) -> float:
        """One deal, played twice: how many points a boompje the first level is ahead."""
        hands = deal(self.rng.sample(range(32), 32), (forehand + 3) & 3)
        given: dict[str, object] = {"dealer": (forehand + 3) & 3, "hands": [codes(hand) for hand in hands]}
        if self.own_trump:
            given["phase"] = "choose_trump"
        else:
            trump = naming.by_thumb(hands[forehand], [0, 1, 2, 3], False)
            assert trump is not None
            given |= {"trump": SUITS[trump], "maker": forehand}
        first, second = self.levels
        here = self.play(RULES.position(self.options, given), (first, second))
        there = self.play(RULES.position(self.options, given), (second, first))
        return (here - there) / 2

    def play(self, state: State, by_side: tuple[str, str]) -> int:
        """Plays a boompje to its end: written points of ns less those of ew."""
        ctx, memories = SeededCtx(self.rng), [None] * 4
        while state.phase != FINISHED:
            (seat,) = RULES.to_act(state)
            level = by_side[seat & 1]
            view = sight.view(state, seat, Facts())
            look = Look(seat, level, self.options, view, RULES.actions(state, seat), (), self.rng)
            started = thread_time()
            thought = bot.think(look, memories[seat])
            self.times[level].append(thread_time() - started)
            # Everybody sees every trick: the others remember it, too.
            for other in range(4):
                if other != seat:
                    seen = sight.view(state, other, Facts())
                    memories[other] = bot.watch(seen, memories[other])
            memories[seat] = thought.memory
            assert thought.command is not None
            for event in RULES.decide(state, seat, thought.command, ctx):
                state = RULES.evolve(state, event)
        return state.score[0] - state.score[1]


def interval(margins: list[float]) -> float:
    """Half the width of the 95 % interval of their mean."""
    return 1.96 * stdev(margins) / math.sqrt(len(margins)) if len(margins) > 1 else math.inf


def report(match: Match, games: int) -> str:
    """Plays and tells."""
    margins = [match.pair(game & 3) for game in range(games)]
    first, second = match.levels
    wanted = YARDSTICKS.get((first, second))
    goal = f" (wanted: {wanted:+.0f})" if wanted is not None else ""
    lines = [f"{first} over {second}: {fmean(margins):+.1f} +- {interval(margins):.1f} points a boompje{goal}"]
    lines[0] += f", {games} pairs, {match.options.variant}"
    for level, times in match.times.items():
        took = sorted(times)
        mean, p99, most = fmean(took) * 1e3, took[int(len(took) * 0.99)] * 1e3, took[-1] * 1e3
        lines.append(f"  {level}: a thought takes {mean:.1f} ms of a processor, p99 {p99:.0f}, max {most:.0f}")
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="duplicate boompjes between levels of computer players")
    parser.add_argument("--games", type=int, default=100, help="pairs of boompjes a match")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--match", action="append", help="first:second, e.g. hard:normal; default: the yardsticks")
    parser.add_argument("--variant", default="rotterdams", choices=("rotterdams", "amsterdams"))
    parser.add_argument("--naming", action="store_true", help="the forehand names trump itself")
    asked = parser.parse_args()
    options = RULES.options(pb.Options(boompjes=1, variant=asked.variant))
    for levels in asked.match or [":".join(pair) for pair in YARDSTICKS]:
        first, _, second = levels.partition(":")
        print(report(Match(options, (first, second), asked.seed, asked.naming), asked.games), flush=True)


if __name__ == "__main__":
    main()
