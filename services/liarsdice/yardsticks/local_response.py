"""A local best response (Lisý and Bowling) to a player, two cups with some dice each: a floor under its exploitability.

It knows the player's mixtures, so by Bayes exactly how likely each cup of the other is, and looks one step ahead: its
bid, the player's answer, then the lift. The other's cup is never dealt; it stays a distribution, and a round counts
with its expected result. So the average is unbiased, and less noisy than with dealt cups.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from services.liarsdice.counting import Cup, count, highest, ranges
from services.liarsdice.options import Setup
from services.liarsdice.regulars.guess import Known
from services.liarsdice.regulars.mixing import Bid, Call
from services.liarsdice.yardsticks.players import Crowd, crowd

Floats = NDArray[np.float64]
Said = tuple[Bid, ...]
"""The bids of a round in order, by turns."""


class Answers(NamedTuple):
    """What the player does after a history, whatever its cup: calls, and chances by [cup, call]."""

    calls: list[Call]
    chances: Floats


class Rounds(NamedTuple):
    """Which rounds: against the player of that name, at tables of two cups with `dice` dice each."""

    name: str
    setup: Setup
    dice: int
    seed: int


class Response:
    """The responder to one player at tables of two cups with `dice` dice each."""

    def __init__(self, crowd: Crowd, setup: Setup, dice: int) -> None:
        self.crowd, self.setup, self.counts = crowd, setup, (dice, dice)
        self.cups: list[Cup] = list(combinations_with_replacement(range(1, 7), dice))
        ways = [factorial(dice) / prod(map(factorial, Counter(cup).values())) for cup in self.cups]
        self.fair: Floats = np.array(ways) / 6**dice
        self.answers = lru_cache(maxsize=4_000)(self._answers)
        self.counted = lru_cache(maxsize=4_000)(self._counted)

    def round(self, rng: Random, opens: bool) -> float:
        """One round; what the responder gets, wins minus losses, in expectation over the player's cup.

        `opens`: the responder opens. The opener sits on seat 0.
        """
        own: Cup = tuple(sorted(rng.randint(1, 6) for _ in range(self.counts[0])))
        belief, mine = self.fair, opens
        bids: list[Bid] = []
        while True:
            said = tuple(bids)
            if mine:
                bid = self.choose(own, belief, said)
                if bid is None:
                    return self._lifted(own, belief, bids[-1])
                bids.append(bid)
            else:
                told = self.answers(said)
                shares = belief @ told.chances
                at = rng.choices(range(len(told.calls)), shares.tolist())[0]
                belief = belief * told.chances[:, at] / shares[at]
                call = told.calls[at]
                if call is None:
                    return -self._lifted(own, belief, bids[-1])
                bids.append(call)
            mine = not mine

    def choose(self, own: Cup, belief: Floats, said: Said) -> Call:
        """The bid with the best value, or None for the lift."""
        best: tuple[float, Call] | None = (self._lifted(own, belief, said[-1]), None) if said else None
        for bid in self._legal(said):
            worth = self.worth(own, belief, (*said, bid))
            if best is None or worth > best[0]:
                best = worth, bid
        if best is None:
            raise ValueError("neither a bid nor a lift is possible")
        return best[1]

    def worth(self, own: Cup, belief: Floats, said: Said) -> float:
        """Of its own last bid: the player lifts it, or raises and is lifted at once."""
        told = self.answers(said)
        total = 0.0
        for at, call in enumerate(told.calls):
            weight = belief * told.chances[:, at]
            total += -self._lifted(own, weight, said[-1]) if call is None else self._lifted(own, weight, call)
        return total

    def _lifted(self, own: Cup, weight: Floats, bid: Bid) -> float:
        """What the lifter gets, weighted by cups of the player."""
        quantity, face = bid
        return float(weight @ np.where(self.counted(own, face) >= quantity, -1.0, 1.0))

    def _legal(self, said: Said) -> list[Bid]:
        most = highest(self.counts, 2, self.setup)
        open_ = ranges(said[-1] if said else None, most, self.setup)
        return [(quantity, face) for face, low, high in open_ for quantity in range(low, high + 1)]

    def _answers(self, said: Said) -> Answers:
        seat = len(said) % 2
        bids = tuple((at % 2, *bid) for at, bid in enumerate(said))
        legal = self._legal(said)
        knowns = [Known(seat, cup, self.counts, bids, self.setup) for cup in self.cups]
        mixtures = [dict(mixture) for mixture in self.crowd(knowns, legal, bool(said))]
        calls: list[Call] = [call for call in (None, *legal) if any(mixture.get(call) for mixture in mixtures)]
        return Answers(calls, np.array([[mixture.get(call, 0.0) for call in calls] for mixture in mixtures]))

    def _counted(self, own: Cup, face: int) -> Floats:
        """What both cups count for the face, by the other's cup; -1 where the face is not present."""
        tables = [count((own, cup), face, self.setup) for cup in self.cups]
        return np.array([-1 if table.present is False else table.count for table in tables])


@lru_cache(maxsize=8)
def _response(name: str, setup: Setup, dice: int) -> Response:
    return Response(crowd(name), setup, dice)


def responses(rounds: Rounds, numbers: Sequence[int]) -> list[float]:
    """Rounds by number, each with its own chance; the responder opens the even ones."""
    response = _response(rounds.name, rounds.setup, rounds.dice)
    return [response.round(Random(f"{rounds.seed} {number}"), number % 2 == 0) for number in numbers]
