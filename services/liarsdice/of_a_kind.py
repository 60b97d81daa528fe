"""How often no face at all reaches a number (R10.4): the terms of the rules file, grouped so that each is met once."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import lru_cache
from math import comb, factorial
from operator import mul

Own = tuple[int, tuple[int, ...]]
"""What the own cup adds: to every face alike, and dice by face 1..6."""
Counting = tuple[bool, tuple[bool, ...]]
"""Whether ones are jokers; whether a cup of n dice may be a pattern, by n."""
_FACTORIALS = tuple(factorial(n) for n in range(6 * 64))
Term = tuple[tuple[int, ...], list[tuple[tuple[int, int], int]]]
"""Pattern dice by face; then (free dice, constant to every face) with a signed weight."""


@lru_cache(maxsize=2_000)
def any_below(own: Own, others: tuple[int, ...], quantity: int, counting: Counting) -> int:
    """Ways, out of 6^N, in which every face counts fewer than `quantity`."""
    constant, naturals = own
    jokers, force = counting
    total = 0
    for taken, groups in _terms(others, force):
        fixed = tuple(a + b for a, b in zip(naturals, taken, strict=True))
        wanted: dict[tuple[int, int], int] = defaultdict(int)
        for (free, added), weight in groups:
            room = quantity - 1 - constant - added
            if not jokers:
                wanted[room, free] += weight
                continue
            room -= fixed[0]
            # Each joker takes one of the room of all five faces: beyond this many the other dice find none.
            most = min(free, (5 * room - sum(fixed[1:]) - free) // 4)
            for ones in range(most + 1):
                wanted[room - ones, free - ones] += weight * comb(free, ones)
        total += _within(wanted, fixed[1:] if jokers else fixed)
    return total


def _within(wanted: Mapping[tuple[int, int], int], fixed: tuple[int, ...]) -> int:
    """Weighted ways of so many dice so that with the `fixed` ones no face counts more than so much room.

    `wanted`: weights by (room, dice). Half of the faces take some of the dice, the other half the rest.
    """
    rooms: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (room, dice), weight in wanted.items():
        rooms[room].append((dice, weight))
    total = 0
    for room, asked in rooms.items():
        limits = [room - a for a in fixed]
        if min(limits) < 0:
            continue
        some, _ = _spread(tuple(sorted(limits[:2])))
        _, others = _spread(tuple(sorted(limits[2:])))
        top, rest = len(some) - 1, len(others) - 1
        scale = _FACTORIALS[top] * _FACTORIALS[rest]
        for dice, weight in asked:
            if dice <= top + rest:
                low, shift = max(0, dice - rest), rest - dice
                ways = sum(map(mul, some[low : dice + 1], others[shift + low : shift + dice + 1]))
                total += weight * (ways * _FACTORIALS[dice] // scale)
    return total


@lru_cache(maxsize=20_000)
def _spread(limits: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Ways, by number of dice, that these dice fall on as many faces with at most so many on each; and backwards.

    Ways of n dice are divided by n! and multiplied by the factorial of the most dice, so that they stay whole.
    """
    ways = [1]
    for limit in limits:
        more = [0] * (len(ways) + limit)
        for there, n in enumerate(ways):
            for k in range(limit + 1):
                more[there + k] += n * comb(there + k, k)
        ways = more
    top = _FACTORIALS[len(ways) - 1]
    scaled = tuple(n * (top // _FACTORIALS[dice]) for dice, n in enumerate(ways))
    return scaled, scaled[::-1]


@lru_cache(maxsize=64)
def _terms(others: tuple[int, ...], force: tuple[bool, ...]) -> list[Term]:
    """For each choice of pattern dice by face: (free dice, constant to all faces) with signed whole weights.

    A cup is free dice, minus n! ways of one die of each face 1..n, plus n! ways of n + 1 of everything.
    """
    out: dict[tuple[int, ...], dict[tuple[int, int], int]] = {(0,) * 6: {(0, 0): 1}}
    for n, many in Counter(others).items():
        choices = [
            (minus, n * (many - minus - plus), (n + 1) * plus, _weight(many, minus, plus, n))
            for minus in range(many + 1 if force[n] else 1)
            for plus in range(many - minus + 1 if force[n] else 1)
        ]
        longer: dict[tuple[int, ...], dict[tuple[int, int], int]] = {}
        for taken, groups in out.items():
            for minus, free, added, weight in choices:
                more = tuple(a + minus for a in taken[:n]) + taken[n:]
                into = longer.setdefault(more, defaultdict(int))
                for (there, already), so_far in groups.items():
                    into[there + free, already + added] += so_far * weight
        out = longer
    return [(taken, list(groups.items())) for taken, groups in out.items()]


def _weight(many: int, minus: int, plus: int, n: int) -> int:
    return comb(many, minus) * comb(many - minus, plus) * factorial(n) ** (minus + plus) * (-1) ** minus
