"""How strong the regulars are, by four yardsticks: `python -m services.liarsdice.strength [--only last] ...`.

- `equilibrium`: what a best response gains in the last round of two dice, ones without jokers (exact).
- `response`: what a local best response wins a round, two cups of two and of three dice, standard rules.
- `last`: share of last places with rotated seats, one among others of another level (par: 1 / seats).
- `calibration`: how well the chance `p` of R10 is calibrated on the rounds played.

Intervals are 95 %. Every game has its own seed, so that the figures are the same for any number of `--jobs`.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import nullcontext
from functools import partial
from itertools import product
from math import sqrt
from statistics import fmean, stdev
from typing import TypeVar

from services.liarsdice.options import resolve
from services.liarsdice.yardsticks.best_response import exploited
from services.liarsdice.yardsticks.games import Pairing, Played, games
from services.liarsdice.yardsticks.local_response import Rounds, responses
from services.liarsdice.yardsticks.players import NAMES, ODDS

T = TypeVar("T")
YARDSTICKS = ("equilibrium", "response", "last", "calibration")
PAIRS = (("hard", "normal"), ("hard", "easy"), ("normal", "easy"), ("hard", ODDS), ("normal", ODDS), ("easy", ODDS))
SEATS = (2, 4)
WIDE = 1.96
"""Standard deviations of a 95 % interval."""
CHUNK = 50
"""Games that a process plays before it gives account."""


def spread(work: Callable[[Sequence[int]], list[T]], number: int, pool: Executor | None) -> list[T]:
    """The results of items 0..number - 1 in order; without a pool worked on here."""
    chunks = [range(start, min(start + CHUNK, number)) for start in range(0, number, CHUNK)]
    return [one for results in (pool.map if pool else map)(work, chunks) for one in results]


def wilson(hits: int, number: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson's, good near 0 and 1, too)."""
    share, z = hits / number, WIDE
    middle = (share + z * z / (2 * number)) / (1 + z * z / number)
    half = z / (1 + z * z / number) * sqrt(share * (1 - share) / number + z * z / (4 * number * number))
    return middle - half, middle + half


def last(pairing: Pairing, number: int, pool: Executor | None) -> tuple[str, list[Played]]:
    """The share of last places as text, and the games."""
    played = spread(partial(games, pairing), number, pool)
    lost = sum(game.loser == pairing.seat(at) for at, game in enumerate(played))
    low, high = wilson(lost, number)
    told = f"{pairing.seats} seats, {pairing.one} among {pairing.others}: last {lost / number:.3f}"
    return f"{told} [{low:.3f}, {high:.3f}] in {number} games (par {1 / pairing.seats:.3f})", played


def calibrated(played: Iterable[Played]) -> list[str]:
    """Chances that the odds gave lifted bids against what came, by tenths."""
    rows: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for game in played:
        for p, held in game.lifted:
            rows[min(9, int(10 * p))].append((p, held))
    out: list[str] = []
    for tenth, row in sorted(rows.items()):
        held, (low, high) = sum(held for _, held in row), wilson(sum(held for _, held in row), len(row))
        told = f"p in {tenth / 10:.1f}..{tenth / 10 + 0.1:.1f}: said {fmean(p for p, _ in row):.3f}"
        out.append(f"{told}, held {held / len(row):.3f} [{low:.3f}, {high:.3f}], {len(row)} rounds")
    return out


def equilibrium(name: str) -> str:
    """Both best responses to the player in the last round of two dice, as text."""
    found = exploited(name, resolve({"seats": 2, "dice_each": 1, "ones_without_jokers": True}))
    roles = f"{found.opener:+.4f} a round when it opens, {found.answerer:+.4f} when it answers"
    return f"1 v 1 die, ones without jokers, best response to {name}: {roles}, exploitability {found.left:.4f}"


def response(rounds: Rounds, number: int, pool: Executor | None) -> str:
    """What a local best response wins a round (1: all, -1: none), as text."""
    won = spread(partial(responses, rounds), number, pool)
    half = WIDE * stdev(won) / sqrt(number)
    told = f"{rounds.dice} v {rounds.dice} dice, local best response to {rounds.name}: {fmean(won):+.3f} ± {half:.3f}"
    roles = f"{fmean(won[1::2]):+.3f} when it opens, {fmean(won[::2]):+.3f} when it answers"
    return f"{told} a round, {roles}; {number} rounds"


def pair(text: str) -> tuple[str, str]:
    """Two players, `hard,normal`: the first among others of the second."""
    names = text.split(",")
    if len(names) != 2 or any(name not in NAMES for name in names):
        raise argparse.ArgumentTypeError(f"two of {', '.join(NAMES)} with a comma between, not {text!r}")
    return names[0], names[1]


def whole(low: int, high: int) -> Callable[[str], int]:
    """A whole number in that range."""

    def read(text: str) -> int:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"a whole number {low}..{high}, not {text!r}")
        return int(text)

    return read


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """What is asked for. Exits with a message that names the argument and its values when it cannot be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=YARDSTICKS, action="append", help="this yardstick; may be repeated")
    parser.add_argument("--pair", type=pair, action="append", help="one,others (last, calibration); may be repeated")
    parser.add_argument("--level", choices=NAMES, action="append", help="equilibrium, response; may be repeated")
    parser.add_argument("--seats", type=whole(2, 8), action="append", help="last, calibration; may be repeated")
    parser.add_argument("--dice", type=whole(1, 4), action="append", help="response: dice a cup; may be repeated")
    parser.add_argument("--games", type=whole(2, 10**7), default=2000, help="games of each pair, rounds of responses")
    parser.add_argument("--seed", type=whole(0, 10**9), default=1)
    parser.add_argument("--jobs", type=whole(1, 64), default=1, help="processes")
    return parser.parse_args(given)


def main() -> None:
    """Prints the yardsticks."""
    asked = arguments()
    # One pool for everything: a process solves and loads only once what its players need.
    with ProcessPoolExecutor(asked.jobs) if asked.jobs > 1 else nullcontext() as pool:
        measure(asked, pool)


def measure(asked: argparse.Namespace, pool: Executor | None) -> None:
    """The yardsticks that are asked for."""
    only = asked.only or YARDSTICKS
    if "equilibrium" in only:
        for name in asked.level or NAMES:
            print(equilibrium(name), flush=True)
    if "response" in only:
        for dice, name in product(asked.dice or (2, 3), asked.level or NAMES):
            rounds = Rounds(name, resolve({"seats": 2}), dice, asked.seed)
            print(response(rounds, asked.games, pool), flush=True)
    everything: list[Played] = []
    if "last" in only or "calibration" in only:
        for seats, (one, others) in product(asked.seats or SEATS, asked.pair or PAIRS):
            told, played = last(Pairing(one, others, seats, asked.seed), asked.games, pool)
            everything += played
            print(told, flush=True)
    if "calibration" in only:
        print("\n".join(calibrated(everything) or ["no third seat has seen a lift: calibration needs 3 seats or more"]))


if __name__ == "__main__":
    main()
