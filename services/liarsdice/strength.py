"""How strong the levels are: `python -m services.liarsdice.strength [--games N] [--seed S]`.

Share of last places with rotated seats, one against others of another level, with a 95 % interval (par: 1 / seats);
the same against a player who only follows the odds (R10.7); and how well `p` is calibrated on the rounds played.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from math import sqrt
from random import Random
from typing import Any, NamedTuple, TypeVar

from google.protobuf.message import Message

from libs.table.brain import Look
from libs.table.rules import Facts, Job
from services.liarsdice.bot import think
from services.liarsdice.counting import FACES, NUMBERS
from services.liarsdice.odds import odds, sight, suggest
from services.liarsdice.options import setup_of
from services.liarsdice.rules import RULES
from services.liarsdice.state import State
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb

T = TypeVar("T")
ODDS = "odds only"
PAIRS = (("hard", "normal"), ("hard", "easy"), ("normal", "easy"), ("hard", ODDS), ("normal", ODDS), ("easy", ODDS))


class Dice:
    """A `Ctx` that throws honest dice from a seed."""

    facts = Facts()

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    @property
    def draws(self) -> "Dice":
        return self

    def dice(self, n: int) -> tuple[int, ...]:
        return tuple(self._rng.randint(1, 6) for _ in range(n))

    def pick(self, items: Sequence[T]) -> T:
        return self._rng.choice(items)

    def shuffle(self, items: Sequence[T], at: int | None = None) -> tuple[T, ...]:
        return tuple(self._rng.sample(items, len(items)))

    def compute(self, job: Job) -> Any:
        return job.function(*job.arguments)


class Calibration:
    """Chances that the lifter's odds gave, against what came: by tenths, (rounds, sum of p, bids that held)."""

    def __init__(self) -> None:
        self.rows: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])

    def add(self, p: float, held: bool) -> None:
        row = self.rows[min(9, int(10 * p))]
        row[0] += 1
        row[1] += p
        row[2] += held


class Match(NamedTuple):
    """One game's players by level, chance and the calibration that it adds to."""

    levels: Sequence[str]
    rng: Random
    calibration: Calibration


def by_odds(view: pb.View, seat: int) -> Message:
    """The odds-only player."""
    counts = view.dice_counts.items
    seen = sight(view.my_dice.items, [n for other, n in enumerate(counts) if other != seat], setup_of(view.options))
    now = (view.current_bid.quantity, NUMBERS[view.current_bid.face]) if view.HasField("current_bid") else None
    advice = suggest(seen, now, view.max_quantity)
    return pb.Lift() if advice.bid is None else pb.Bid(quantity=advice.bid[0], face=FACES[advice.bid[1]])


def play(match: Match, options: pb.Options) -> int:
    """One game; the seat that loses it."""
    rng, ctx = match.rng, Dice(match.rng)
    state: State = RULES.initial(options)
    memories: list[Any] = [None] * len(match.levels)
    heard: list[list[Message]] = [[] for _ in match.levels]
    events = RULES.start(state, ctx)
    while True:
        for event in events:
            state = RULES.evolve(state, event)
        if state.loser is not None:
            return state.loser
        for seat in range(len(match.levels)):
            heard[seat] += [event for event in events if not isinstance(event, pb.CupsShaken)]
        seat = state.turn or 0
        view = RULES.view(state, seat, ctx.facts)
        if match.levels[seat] == ODDS:
            command = by_odds(view, seat)
        else:
            look = Look(seat, match.levels[seat], options, view, ("bid",), tuple(heard[seat]), rng)
            thought = think(look, memories[seat])
            memories[seat], heard[seat] = thought.memory, []
            assert thought.command is not None
            command = thought.command
        if isinstance(command, pb.Lift):
            _calibrate(match.calibration, state, seat)
        events = RULES.decide(state, seat, command, ctx)


def _calibrate(calibration: Calibration, state: State, lifter: int) -> None:
    """Judged from the chair of a seat that neither bid last nor lifts: its choice plays no part."""
    last = state.bids[-1]
    others = [s for s, n in enumerate(state.counts) if n and s not in (lifter, last.seat)]
    if not others:
        return
    seen = sight(state.dice[others[0]], [n for s, n in enumerate(state.counts) if s != others[0]], state.setup)
    held = any(
        isinstance(e, pb.CupsLifted) and e.holds for e in RULES.decide(state, lifter, pb.Lift(), Dice(Random(0)))
    )
    calibration.add(float(odds(seen, last.quantity, last.face)), held)


def share(pair: tuple[str, str], seats: int, games: int, match: Match) -> tuple[float, float]:
    """Share of last places of the first level among others of the second, and half the width of its 95 % interval."""
    lost = 0
    options = RULES.options(pb.Options(seats=seats))
    for game in range(games):
        seat = game % seats
        levels = [pair[0] if other == seat else pair[1] for other in range(seats)]
        lost += play(match._replace(levels=levels), options) == seat
    p = lost / games
    return p, 1.96 * sqrt(p * (1 - p) / games)


def main() -> None:
    """Prints the yardsticks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2000, help="games per pair of levels and number of seats")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    match = Match((), Random(asked.seed), Calibration())
    for seats in (2, 4):
        for pair in PAIRS:
            p, half = share(pair, seats, asked.games, match)
            told = f"{seats} seats, {pair[0]} among {pair[1]}: last {p:.3f} ± {half:.3f}"
            print(f"{told} in {asked.games} games (par {1 / seats:.3f})", flush=True)
    for tenth, (rounds, chances, held) in sorted(match.calibration.rows.items()):
        told = f"p in {tenth / 10:.1f}..{tenth / 10 + 0.1:.1f}: said {chances / rounds:.3f}"
        print(f"{told}, held {held / rounds:.3f}, {rounds:.0f} rounds")


if __name__ == "__main__":
    main()
