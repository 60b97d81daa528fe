"""What games, cubes and matches are worth: match equities, cubeful equity after Janowski, cube decisions.

Values are in units of the table: points for money, the chance to win the match in a match. Shares are those of
`nets.py`: five numbers for the seat on roll.
"""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

EFFICIENCY = 0.68
"""Janowski's x: how live the cube is between dead (0) and perfectly efficient (1)."""
GAMMONS = 0.26
"""Share of wins that are gammons, for the match equity table."""


class Stakes(NamedTuple):
    """What is played for, seen from one seat. `away` (mine, theirs) points to go in a match, None for money.

    `cube` its value, `owner` 1 mine, -1 theirs, 0 middle. `doubling`: whether a cube is in play at all (no: cubeless
    game, Crawford). `jacoby`: gammons count only with an owned cube. `post_crawford`: the Crawford game is over.
    """

    away: tuple[int, int] | None = None
    cube: int = 1
    owner: int = 0
    doubling: bool = True
    jacoby: bool = False
    limit: int = 64
    post_crawford: bool = False

    def value(self, kind: int, cube: int) -> float:
        """What a win (kind 1..3) or loss (-1..-3) at that cube is worth to me."""
        points = kind * cube
        if self.away is None:
            return float(points)
        mine, theirs = self.away
        if points > 0:
            return equity_at(mine - points, theirs, self.post_crawford or mine == 1 or theirs == 1)
        return equity_at(mine, theirs + points, self.post_crawford or mine == 1 or theirs == 1)

    def six(self, cube: int) -> tuple[float, ...]:
        """Values of win, gammon, backgammon, loss, lost gammon, lost backgammon at that cube."""
        if self.jacoby and self.away is None and self.owner == 0 and cube == self.cube:
            return (self.value(1, cube),) * 3 + (self.value(-1, cube),) * 3
        return tuple(self.value(kind, cube) for kind in (1, 2, 3, -1, -2, -3))

    def other(self) -> "Stakes":
        """The same from the other seat."""
        away = None if self.away is None else self.away[::-1]
        return self._replace(away=away, owner=-self.owner)  # pyright: ignore[reportReturnType]


@cache
def equity_at(mine: int, theirs: int, past: bool) -> float:
    """My chance to win a match with so many points to go; `past`: the Crawford game is over or being played now.

    Computed, not copied: each score is the cubeful worth of an even game under the same model, from the scores below
    it.
    """
    if mine <= 0:
        return 1.0
    if theirs <= 0:
        return 0.0
    if mine == theirs:
        return 0.5
    if mine > theirs:
        return 1 - equity_at(theirs, mine, past)
    if mine == 1:
        return _leader(theirs, past)
    return cubeful(EVEN, Stakes(away=(mine, theirs), limit=1 << 12))


EVEN = (0.5, 0.5 * GAMMONS, 0.5 * GAMMONS * 0.05, 0.5 * GAMMONS, 0.5 * GAMMONS * 0.05)


def _leader(theirs: int, past: bool) -> float:
    """One point to go against `theirs` > 1: the Crawford game, afterwards the trailer doubles at once."""
    cube = 2 if past else 1
    single = equity_at(1, theirs - cube, True)
    gammon = equity_at(1, theirs - 2 * cube, True)
    lost = (1 - GAMMONS) * single + GAMMONS * gammon
    played = 0.5 + 0.5 * lost
    if past:  # the leader may drop and go on one point down
        return max(played, equity_at(1, theirs - 1, True))
    return played


def cubeless(shares: Sequence[float], six: Sequence[float]) -> float:
    """Expected value of a game played to its end at one cube."""
    win, gammon, full, lost_gammon, lost_full = shares
    return (
        (win - gammon) * six[0]
        + (gammon - full) * six[1]
        + full * six[2]
        + (1 - win - lost_gammon) * six[3]
        + (lost_gammon - lost_full) * six[4]
        + lost_full * six[5]
    )


def _ends(shares: Sequence[float], six: Sequence[float]) -> tuple[float, float]:
    """Value of a sure win and of a sure loss with the position's rates of gammons."""
    win, gammon, full, lost_gammon, lost_full = shares
    lose = 1 - win
    g, b = (gammon / win, full / win) if win > 1e-6 else (0.0, 0.0)
    lg, lb = (lost_gammon / lose, lost_full / lose) if lose > 1e-6 else (0.0, 0.0)
    up = (1 - g) * six[0] + (g - b) * six[1] + b * six[2]
    down = (1 - lg) * six[3] + (lg - lb) * six[4] + lb * six[5]
    return up, down


def _line(p: float, points: Sequence[tuple[float, float]]) -> float:
    """Piecewise linear through (chance, value) points, chances ascending from 0 to 1."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if p <= x1 or x1 == 1:
            return y0 if x1 <= x0 else y0 + (y1 - y0) * (p - x0) / (x1 - x0)
    return points[-1][1]


def cash_point(shares: Sequence[float], stakes: Stakes, cube: int) -> float:
    """Chance from which on the other seat should drop a double from `cube` with a perfectly live cube; 1: never.

    In a match by recursion over the cube's values, until it is dead.
    """
    if not _can_turn(stakes, cube):
        return 1.0
    up, down = _ends(shares, stakes.six(2 * cube))
    cash = stakes.value(1, cube)
    if stakes.away is None:
        win, lose = up / (2 * cube), -down / (2 * cube)
        return min(1.0, (lose + 1) / (win + lose + 0.5))
    flipped = (1 - shares[0], shares[3], shares[4], shares[1], shares[2])
    other = stakes.other()
    theirs = 1 - cash_point(flipped, other, 2 * cube)  # below it they redouble me out
    low = (theirs, stakes.value(-1, 2 * cube)) if theirs > 0 else (0.0, down)
    if up <= low[1]:
        return 1.0
    return min(1.0, max(0.0, low[0] + (1 - low[0]) * (cash - low[1]) / (up - low[1])))


def _can_turn(stakes: Stakes, cube: int) -> bool:
    """Whether a double from `cube` is possible and of use to me."""
    if not stakes.doubling or 2 * cube > stakes.limit:
        return False
    return stakes.away is None or stakes.away[0] > cube


def cubeful(shares: Sequence[float], stakes: Stakes) -> float:
    """Value of the position to the seat on roll, the cube as it stands, nobody doubling at this moment."""
    six = stakes.six(stakes.cube)
    dead = cubeless(shares, six)
    if not stakes.doubling:
        return dead
    live = _live(shares, stakes, six)
    return EFFICIENCY * live + (1 - EFFICIENCY) * dead


def _live(shares: Sequence[float], stakes: Stakes, six: Sequence[float]) -> float:
    up, down = _ends(shares, six)
    points = [(0.0, down)]
    flipped = (1 - shares[0], shares[3], shares[4], shares[1], shares[2])
    if stakes.owner <= 0:
        theirs = 1 - cash_point(flipped, stakes.other(), stakes.cube)
        if theirs > 0:
            points.append((theirs, stakes.value(-1, stakes.cube)))
    if stakes.owner >= 0:
        mine = cash_point(shares, stakes, stakes.cube)
        if points[-1][0] < mine < 1:
            points.append((mine, stakes.value(1, stakes.cube)))
    points.append((1.0, up))
    return _line(shares[0], points)


class CubeAction(NamedTuple):
    """What the cube is worth to the seat on roll: not doubling, doubled and taken, doubled and dropped."""

    hold: float
    taken: float
    dropped: float

    @property
    def double(self) -> bool:
        """Whether to offer it."""
        return min(self.taken, self.dropped) > self.hold

    @property
    def take(self) -> bool:
        """Whether the other seat should take."""
        return self.taken <= self.dropped


def cube_action(shares: Sequence[float], stakes: Stakes) -> CubeAction:
    """Values of the three ways to go on; `stakes` before the double, seen from the seat on roll."""
    doubled = stakes._replace(cube=2 * stakes.cube, owner=-1)
    return CubeAction(cubeful(shares, stakes), cubeful(shares, doubled), stakes.value(1, stakes.cube))


def weights(stakes: Stakes) -> npt.NDArray[np.float32]:
    """Six numbers that turn five shares and 1 into the cubeless value at the present cube: `shares @ w[:5] + w[5]`."""
    w, g, b, lose, lg, lb = stakes.six(stakes.cube)
    return np.array([w - lose, g - w, b - g, lg - lose, lb - lg, lose], dtype=np.float32)
