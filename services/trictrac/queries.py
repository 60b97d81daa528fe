"""The rules file's Queries: plain JSON in, plain JSON out. Wrong arguments are `bad_argument`."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from libs.table.rules import Refused
from services.trictrac import heads_up as duel
from services.trictrac import one_round
from services.trictrac.throws import (
    SCORES,
    TRICTRAC,
    WAYS,
    crown_of,
    kind_of,
    lowest_of,
    penalty_of,
    rank_of,
    score_of,
    worst_of,
)

Arguments = Mapping[str, Any]


def score(given: Arguments) -> Any:
    """Score, kind and rank of a throw (R1)."""
    value = score_of(_dice(given, "dice"))
    return {"score": value, "kind": kind_of(value), "rank": rank_of(value)}


def compare(given: Arguments) -> Any:
    """Which of two throws is better (R1)."""
    a, b = score_of(_dice(given, "a")), score_of(_dice(given, "b"))
    return {"better": "equal" if a == b else "a" if a > b else "b"}


def lowest(given: Arguments) -> Any:
    """The lowest of the standing throws and all seats that share it (R5.1); null and none before anyone stands."""
    standing = _standing(given)
    value, seats = lowest_of(standing) if standing else (None, [])
    return {"score": value, "seats": seats}


def crown(given: Arguments) -> Any:
    """The highest of the standing throws, first stood first (R5.2); nulls before anyone stands."""
    standing = _standing(given)
    seat, value = crown_of(standing) if standing else (None, None)
    return {"score": value, "seat": seat}


def penalty(given: Arguments) -> Any:
    """Points due for a round (R6.2, R6.5)."""
    mode = given.get("mode", "per_trictrac")
    if mode not in ("per_trictrac", "doubling"):
        raise _wrong("mode", "per_trictrac or doubling", mode)
    return {"points": penalty_of(_whole(given, "trictracs", 0, 64), mode == "doubling")}


def worst(given: Arguments) -> Any:
    """The worst of the throws made, first of equals (R4.3)."""
    faces = [_two(one, "throws") for one in _list(given, "throws")]
    if not faces:
        raise _wrong("throws", "the throws made, at least one", faces)
    at = worst_of(faces)
    return {"dice": list(faces[at]), "throw_number": at + 1, "score": score_of(faces[at])}


def odds(given: Arguments) -> Any:
    """Ways of one throw below, at and above a score (R1.5)."""
    value = _score(given, "score")
    below = sum(ways for other, ways in WAYS.items() if other < value)
    return {"below": below, "equal": WAYS[value], "above": 36 - below - WAYS[value], "of": 36}


def advice(given: Arguments) -> Any:
    """Best choice in the one-round model (R11.3)."""
    role = given.get("role")
    if role not in ("starter", "follower"):
        raise _wrong("role", "starter or follower", role)
    to_come = _whole(given, "players_after", 0, 7)
    made = _whole(given, "throws_made", 0, 3)
    if made == 0:
        return {"action": "throw"}
    limit = 3 if role == "starter" else _whole(given, "limit", made, 3)
    thrown = _score(given, "score")
    if role == "starter":
        if made < 3 and thrown != TRICTRAC:
            return {"action": "stand" if one_round.starter_stands(made, thrown, to_come) else "throw"}
        trictracs = int(thrown == TRICTRAC)
        waiting = one_round.share_pays(one_round.Spot(thrown, 1, trictracs, made, to_come))
    else:
        trictracs = _whole(given, "trictracs", 0, 8)
        bottom, tied = _score(given, "lowest"), _whole(given, "tied", 1, 8)
        if made < limit and thrown != TRICTRAC:
            spot = one_round.Spot(bottom, tied, trictracs, limit, to_come)
            return {"action": "stand" if one_round.follower_stands(spot, made, thrown) else "throw"}
        trictracs += thrown == TRICTRAC
        waiting = one_round.stand_pays(one_round.Spot(bottom, tied, trictracs, limit, to_come), thrown)
    return {"action": "take_point" if one_round.hands_in(waiting, trictracs, to_come) else "wait"}


def heads_up(given: Arguments) -> Any:
    """Chance of the starter in a game for two, in permille (R11.4). `bok` of a third seat: no bonus any more."""
    both = [_whole({"points": one}, "points", 1, 12) for one in _list(given, "points")]
    if len(both) != 2:
        raise _wrong("points", "two numbers", both)
    starter = _whole(given, "starter", 0, 1)
    bok = None if given.get("bok") is None else _whole(given, "bok", 0, 7)
    if bok in (0, 1) and both[bok] != 1:
        raise _wrong("bok", "a seat on one point", bok)
    whose = duel.FREE if bok is None else duel.NONE if bok > 1 else duel.MINE if bok == starter else duel.OTHERS
    return {"permille": round(1000 * duel.chance(duel.Stake(both[starter], both[1 - starter], whose)))}


QUERIES: dict[str, Callable[[Arguments], Any]] = {
    query.__name__: query for query in (score, compare, lowest, crown, penalty, worst, odds, advice, heads_up)
}


def _wrong(field: str, allowed: str, got: object) -> Refused:
    return Refused("bad_argument", f"{field} must be {allowed}, not {got!r}", field)


def _whole(given: Arguments, field: str, low: int, high: int) -> int:
    value = given.get(field)
    if type(value) is not int or not low <= value <= high:
        raise _wrong(field, f"a whole number {low}..{high}", value)
    return value


def _score(given: Arguments, field: str) -> int:
    value = given.get(field)
    if type(value) is not int or value not in SCORES:
        raise _wrong(field, "one of the 21 scores", value)
    return value


def _dice(given: Arguments, field: str) -> tuple[int, int]:
    return _two(given.get(field), field)


def _two(value: object, field: str) -> tuple[int, int]:
    if not isinstance(value, list) or len(cast("list[object]", value)) != 2:
        raise _wrong(field, "two dice", cast(object, value))
    one, other = cast("list[object]", value)
    return _whole({field: one}, field, 1, 6), _whole({field: other}, field, 1, 6)


def _list(given: Arguments, field: str) -> list[object]:
    value: object = given.get(field)
    if not isinstance(value, list):
        raise _wrong(field, "a list", cast(object, value))
    return cast("list[object]", value)


def _standing(given: Arguments) -> list[tuple[int, int]]:
    rows = _list(given, "standing")
    if not all(isinstance(row, dict) for row in rows):
        raise _wrong("standing", "a list of seats and dice", rows)
    return [(_whole(row, "seat", 0, 7), score_of(_dice(row, "dice"))) for row in cast("list[dict[str, Any]]", rows)]
