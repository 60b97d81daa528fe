"""The heads-up model (R11.4): the exact chance that the starter wins a game for two.

Every round takes a point away or gives out the only bonus, so plain backward induction solves it. Seen from the
starter: his points, the other's points, and who is the bok. A throw-off is worth one half to each.
"""

from functools import cache
from typing import NamedTuple

from services.trictrac.one_round import EQUAL
from services.trictrac.throws import SCORES, TRICTRAC, WAYS, penalty_of

FREE, MINE, OTHERS, NONE = "free", "mine", "others", "none"
"""The bok: still to be given, the starter, the other, or no bonus any more (`bok` false, or a third seat had it)."""

_ODDS = tuple((score, WAYS[score] / 36) for score in SCORES)
_SWAPPED = {FREE: FREE, MINE: OTHERS, OTHERS: MINE, NONE: NONE}


class Stake(NamedTuple):
    """What a round is about, seen from its starter: his points, the other's, who is the bok."""

    mine: int
    other: int
    bok: str

    def swapped(self) -> "Stake":
        """The same seen from the other seat."""
        return Stake(self.other, self.mine, _SWAPPED[self.bok])


@cache
def starter_loses(stake: Stake, trictracs: int) -> float:
    """The starter's chance to win once he has lost this round: he pays and starts again, or is out."""
    left = stake.mine - penalty_of(trictracs, False)
    if left > 0:
        return chance(Stake(left, stake.other, stake.bok))
    return chance(Stake(1, stake.other, MINE)) if stake.bok == FREE else 0.0


def other_loses(stake: Stake, trictracs: int) -> float:
    """The starter's chance to win once the other has lost this round."""
    return 1 - starter_loses(stake.swapped(), trictracs)


def settled(stake: Stake, starter: int, other: int, trictracs: int) -> float:
    """The starter's chance with both throws standing."""
    if starter == other:
        return (starter_loses(stake, trictracs) + other_loses(stake, trictracs)) / 2
    return starter_loses(stake, trictracs) if starter < other else other_loses(stake, trictracs)


@cache
def replies(stake: Stake, score: int, limit: int) -> tuple[float, ...]:
    """The starter's chance when `score` stands and the other throws on with 0, 1, 2 throws made (at most `limit`)."""
    before = int(score == TRICTRAC)
    worth = [0.0] * limit
    for made in reversed(range(limit)):
        for thrown, odds in _ODDS:
            value = settled(stake, score, thrown, before + (thrown == TRICTRAC))
            if thrown != TRICTRAC and made + 1 < limit and worth[made + 1] < value - EQUAL:
                value = worth[made + 1]
            worth[made] += odds * value
    return tuple(worth)


def may_hand_in(stake: Stake) -> bool:
    """R8.8."""
    return stake.mine > 1 or stake.bok == FREE


@cache
def starts(stake: Stake) -> tuple[float, float, float]:
    """The starter's chance when he throws on with 0, 1, 2 throws made."""
    worth = [0.0, 0.0, 0.0]
    for made in (2, 1, 0):
        for score, odds in _ODDS:
            value = replies(stake, score, made + 1)[0]
            if score != TRICTRAC and made == 2 and hands_in(stake, score):
                value = starter_loses(stake, 0)
            elif score != TRICTRAC and made < 2 and worth[made + 1] > value + EQUAL:
                value = worth[made + 1]
            worth[made] += odds * value
    return worth[0], worth[1], worth[2]


@cache
def chance(stake: Stake) -> float:
    """The starter's chance to win with best play on both sides."""
    return starts(stake)[0]


def starter_stands(stake: Stake, throws_made: int, score: int) -> bool:
    """Best play of the starter after one or two throws."""
    return replies(stake, score, throws_made)[0] >= starts(stake)[throws_made] - EQUAL


def hands_in(stake: Stake, score: int) -> bool:
    """Best play of the starter after three throws that end at `score`: hand in, or wait."""
    return may_hand_in(stake) and starter_loses(stake, 0) > replies(stake, score, 3)[0] + EQUAL


def other_stands(stake: Stake, score: int, limit: int, throws_made: int, thrown: int) -> bool:
    """Best play of the other with throws left: `score` of the starter stands, `thrown` lies."""
    now = settled(stake, score, thrown, int(score == TRICTRAC))
    return now <= replies(stake, score, limit)[throws_made] + EQUAL
