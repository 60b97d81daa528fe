"""How well a policy plays: exactly, heads-up against best play (R11, Yardstick); and by games for more seats."""

from functools import cache
from typing import NamedTuple, Protocol

from services.trictrac import heads_up as duel
from services.trictrac.heads_up import FREE, MINE, Stake
from services.trictrac.throws import SCORES, TRICTRAC, WAYS, penalty_of

_ODDS = tuple((score, WAYS[score] / 36) for score in SCORES)


class Policy(Protocol):
    """Chances of a policy's choices, heads-up. The stake is seen from the starter of the round."""

    def starter_stands(self, stake: Stake, made: int, score: int) -> float:
        """Of keeping `score` after one or two throws."""
        ...

    def hands_in(self, stake: Stake, score: int) -> float:
        """Of handing in after three throws that end at `score`."""
        ...

    def other_stands(self, stake: Stake, lies: "Lies", score: int) -> float:
        """Of keeping `score` as the second to throw, with throws left."""
        ...


class Lies(NamedTuple):
    """What the second to throw has before him: the starter's score, the limit, his own throws made."""

    starter: int
    limit: int
    made: int


class Best:
    """Best play (level `hard`)."""

    def starter_stands(self, stake: Stake, made: int, score: int) -> float:
        return float(duel.starter_stands(stake, made, score))

    def hands_in(self, stake: Stake, score: int) -> float:
        return float(duel.hands_in(stake, score))

    def other_stands(self, stake: Stake, lies: Lies, score: int) -> float:
        return float(duel.other_stands(stake, lies.starter, lies.limit, lies.made, score))


class Normal:
    """Level `normal`."""

    def starter_stands(self, stake: Stake, made: int, score: int) -> float:
        return float(score >= (54 if made == 1 else 61))

    def hands_in(self, stake: Stake, score: int) -> float:
        return float(score <= 43)

    def other_stands(self, stake: Stake, lies: Lies, score: int) -> float:
        return float(score > lies.starter)


class Easy:
    """Level `easy`."""

    def starter_stands(self, stake: Stake, made: int, score: int) -> float:
        return 0.9 if score >= 61 else 0.5

    def hands_in(self, stake: Stake, score: int) -> float:
        return 0.0

    def other_stands(self, stake: Stake, lies: Lies, score: int) -> float:
        return 0.9 if score >= lies.starter else 1 / 3


class AtOnce:
    """Stands at once as starter; throws on only while below the lowest. Never hands in."""

    def starter_stands(self, stake: Stake, made: int, score: int) -> float:
        return 1.0

    def hands_in(self, stake: Stake, score: int) -> float:
        return 0.0

    def other_stands(self, stake: Stake, lies: Lies, score: int) -> float:
        return float(score >= lies.starter)


class ThreeTimes:
    """Always throws three times as starter; stands only above the lowest. Never hands in."""

    def starter_stands(self, stake: Stake, made: int, score: int) -> float:
        return 0.0

    def hands_in(self, stake: Stake, score: int) -> float:
        return 0.0

    def other_stands(self, stake: Stake, lies: Lies, score: int) -> float:
        return float(score > lies.starter)


class Match:
    """A policy that starts this round against one that follows, to the end of the game. Values: the starter wins."""

    def __init__(self, starter: Policy, other: Policy) -> None:
        self.starter, self.other = starter, other
        self.chance = cache(self._chance)
        self._swapped: Match | None = None

    @property
    def swapped(self) -> "Match":
        """The same two with the roles changed."""
        if self._swapped is None:
            self._swapped = Match(self.other, self.starter)
            self._swapped._swapped = self
        return self._swapped

    def _loses(self, stake: Stake, trictracs: int) -> float:
        left = stake.mine - penalty_of(trictracs, False)
        if left > 0:
            return self.chance(Stake(left, stake.other, stake.bok))
        return self.chance(Stake(1, stake.other, MINE)) if stake.bok == FREE else 0.0

    def _settled(self, stake: Stake, starter: int, other: int) -> float:
        trictracs = (starter == TRICTRAC) + (other == TRICTRAC)
        loses = self._loses(stake, trictracs) if starter <= other else 0.0
        wins = 1 - self.swapped._loses(stake.swapped(), trictracs) if other <= starter else 0.0
        return (loses + wins) / 2 if starter == other else loses + wins

    def _reply(self, stake: Stake, score: int, limit: int) -> float:
        going_on = 0.0
        for made in reversed(range(limit)):
            now = 0.0
            for thrown, odds in _ODDS:
                stands = 1.0
                if thrown != TRICTRAC and made + 1 < limit:
                    stands = self.other.other_stands(stake, Lies(score, limit, made + 1), thrown)
                value = stands and stands * self._settled(stake, score, thrown)
                now += odds * (value + (1 - stands) * going_on)
            going_on = now
        return going_on

    def _chance(self, stake: Stake) -> float:
        going_on = 0.0
        for made in (2, 1, 0):
            now = 0.0
            for score, odds in _ODDS:
                stands = gives = 0.0
                if score == TRICTRAC or made < 2:
                    stands = 1.0 if score == TRICTRAC else self.starter.starter_stands(stake, made + 1, score)
                else:
                    gives = self.starter.hands_in(stake, score) if duel.may_hand_in(stake) else 0.0
                    stands = 1 - gives
                now += odds * (1 - stands - gives) * going_on
                if stands:
                    now += odds * stands * self._reply(stake, score, made + 1)
                if gives:
                    now += odds * gives * self._loses(stake, 0)
            going_on = now
        return going_on


def against_best(policy: Policy, points: int = 6) -> float:
    """Chance of the policy to win from `points` each against best play, mean of both roles."""
    match, stake = Match(policy, Best()), Stake(points, points, FREE)
    return (match.chance(stake) + 1 - match.swapped.chance(stake)) / 2
