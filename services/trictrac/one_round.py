"""The one-round model (R11.3): everybody minimises his own expected payment in this round.

Backward induction over the seats. A seat whose throw stands either shares the lowest throw or is safe for the rest of
the round, so one number is enough for those who have stood: what a seat that shares the lowest must expect to pay.
Payments in points, penalties by R6.2, points without limit.
"""

from functools import cache
from typing import NamedTuple

from services.trictrac.throws import SCORES, TRICTRAC, WAYS, penalty_of

EQUAL = 1e-9
"""Choices whose payments differ by less are equal: then `stand` before `throw`, `wait` before `take_point`."""

_ODDS = tuple((score, WAYS[score] / 36) for score in SCORES)


class Spot(NamedTuple):
    """What lies before a seat: the lowest standing score, how many share it, trictracs of the round, throws of the
    round, and how many seats are still to come (after the one that throws, where one throws)."""

    lowest: int
    tied: int
    trictracs: int
    limit: int
    to_come: int


@cache
def share_pays(spot: Spot) -> float:
    """What one of the seats at the lowest must expect to pay when `to_come` seats have yet to throw."""
    if spot.to_come == 0:
        return penalty_of(spot.trictracs, False) / spot.tied
    return _share_while(spot)


def stand_pays(spot: Spot, score: int) -> float:
    """What a seat expects to pay once its `score` stands beside the others; `trictracs` counts its own."""
    if score > spot.lowest:
        return 0.0
    return share_pays(spot._replace(lowest=score, tied=spot.tied + 1 if score == spot.lowest else 1))


def hands_in(waiting: float, trictracs: int, to_come: int) -> bool:
    """Whether a seat with all throws used hands in its point: that costs exactly 1 (R8)."""
    return waiting > 1 + EQUAL and trictracs == 0 and to_come > 0


@cache
def follower_pays(spot: Spot) -> tuple[float, ...]:
    """What a follower expects to pay who throws on. Index: throws made so far, below the limit."""
    worth = [0.0] * spot.limit
    better = spot._replace(trictracs=spot.trictracs + 1)
    for made in reversed(range(spot.limit)):
        for score, odds in _ODDS:
            if score == TRICTRAC:
                pays = stand_pays(better, score)
            else:
                pays = stand_pays(spot, score)
                if made + 1 == spot.limit:
                    pays = 1.0 if hands_in(pays, spot.trictracs, spot.to_come) else pays
                elif pays > worth[made + 1] + EQUAL:
                    pays = worth[made + 1]
            worth[made] += odds * pays
    return tuple(worth)


def follower_stands(spot: Spot, throws_made: int, score: int) -> bool:
    """Whether a follower keeps `score` with throws left."""
    return stand_pays(spot, score) <= follower_pays(spot)[throws_made] + EQUAL


def _share_while(before: Spot) -> float:
    """`share_pays` with a seat to throw: it plays for itself, and its end decides what the others pay."""
    spot = before._replace(to_come=before.to_come - 1)
    better = spot._replace(trictracs=spot.trictracs + 1)
    worth = follower_pays(spot)
    going_on = 0.0
    for made in reversed(range(spot.limit)):
        now = 0.0
        for score, odds in _ODDS:
            then = better if score == TRICTRAC else spot
            own = stand_pays(then, score)
            if score != TRICTRAC and made + 1 < spot.limit and own > worth[made + 1] + EQUAL:
                now += odds * going_on
            elif score != TRICTRAC and made + 1 == spot.limit and hands_in(own, spot.trictracs, spot.to_come):
                continue
            elif score >= spot.lowest:
                now += odds * share_pays(then._replace(tied=spot.tied + (score == spot.lowest)))
        going_on = now
    return going_on


@cache
def starter_pays(to_come: int) -> tuple[float, float, float]:
    """What the starter expects to pay with 0, 1, 2 throws made, when he throws again; `to_come` seats follow."""
    worth = [0.0, 0.0, 0.0]
    for made in (2, 1, 0):
        for score, odds in _ODDS:
            pays = share_pays(Spot(score, 1, int(score == TRICTRAC), made + 1, to_come))
            if score != TRICTRAC and made == 2:
                pays = 1.0 if hands_in(pays, 0, to_come) else pays
            elif score != TRICTRAC and pays > worth[made + 1] + EQUAL:
                pays = worth[made + 1]
            worth[made] += odds * pays
    return worth[0], worth[1], worth[2]


def starter_stands(throws_made: int, score: int, to_come: int) -> bool:
    """Whether the starter keeps `score` after one or two throws."""
    return share_pays(Spot(score, 1, 0, throws_made, to_come)) <= starter_pays(to_come)[throws_made] + EQUAL
