"""How often no face at all reaches a number (R10.4): the terms of the rules file, grouped so that each is met once."""

from collections import Counter, defaultdict
from functools import lru_cache
from itertools import product
from math import comb, factorial

Own = tuple[int, tuple[int, ...]]
"""What the own cup adds: to every face alike, and dice by face 1..6."""
Counting = tuple[bool, tuple[bool, ...]]
"""Whether ones are jokers; whether a cup of n dice may be a pattern, by n."""
Term = tuple[tuple[int, ...], list[tuple[tuple[int, int], int]]]
"""Pattern dice by face; then (free dice, constant to every face) with a signed weight."""


@lru_cache(maxsize=20_000)
def any_below(own: Own, others: tuple[int, ...], quantity: int, counting: Counting) -> int:
    """Ways, out of 6^N, in which every face counts fewer than `quantity`."""
    constant, naturals = own
    jokers, force = counting
    total = 0
    for taken, groups in _terms(others, force):
        fixed = tuple(a + b for a, b in zip(naturals, taken, strict=True))
        for (free, added), weight in groups:
            room = quantity - 1 - constant - added
            if room >= 0:
                total += weight * _below(free, room, fixed, jokers)
    return total


@lru_cache(maxsize=2_000)
def _terms(others: tuple[int, ...], force: tuple[bool, ...]) -> list[Term]:
    """For each choice of pattern dice by face: (free dice, constant to all faces) with signed whole weights.

    A cup is free dice, minus n! ways of one die of each face 1..n, plus n! ways of n + 1 of everything.
    """
    sizes = Counter(others)
    out: dict[tuple[int, ...], dict[tuple[int, int], int]] = defaultdict(lambda: defaultdict(int))
    kinds = sorted(sizes)
    choices = [
        [(minus, plus) for minus in range(sizes[n] + 1) for plus in range(sizes[n] - minus + 1)]
        if force[n]
        else [(0, 0)]
        for n in kinds
    ]
    for chosen in product(*choices):
        weight, free, added = 1, 0, 0
        taken = [0] * 6
        for n, (minus, plus) in zip(kinds, chosen, strict=True):
            m = sizes[n]
            weight *= comb(m, minus) * comb(m - minus, plus) * factorial(n) ** (minus + plus) * (-1) ** minus
            free += n * (m - minus - plus)
            added += (n + 1) * plus
            for face in range(n):
                taken[face] += minus
        out[tuple(taken)][free, added] += weight
    return [(taken, list(groups.items())) for taken, groups in out.items()]


@lru_cache(maxsize=200_000)
def _below(free: int, room: int, fixed: tuple[int, ...], jokers: bool) -> int:
    """Ways of `free` dice so that with the `fixed` ones no face counts more than `room`."""
    if not jokers:
        limits = tuple(sorted(room - a for a in fixed))
        return 0 if limits[0] < 0 else _capped(free, limits)
    ways = 0
    for ones in range(free + 1):
        limits = tuple(sorted(room - fixed[0] - ones - a for a in fixed[1:]))
        if limits[0] < 0:
            break
        ways += comb(free, ones) * _capped(free - ones, limits)
    return ways


@lru_cache(maxsize=200_000)
def _capped(dice: int, limits: tuple[int, ...]) -> int:
    """Ways to deal `dice` dice to faces with at most so many each."""
    if sum(limits) < dice:
        return 0
    if limits[0] >= dice:
        return len(limits) ** dice
    if len(limits) == 1:
        return 1
    last = limits[-1]
    return sum(comb(dice, k) * _capped(dice - k, limits[:-1]) for k in range(min(dice, last) + 1))
