"""Exact chances of bids (R10.3-R10.7): hidden dice fair, independent. Whole ways out of 6^N, never floats."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from math import comb, factorial
from typing import NamedTuple

from services.liarsdice.counting import ANY, biddable, count, cup_count, holds, in_force, is_pattern, ranges, shows
from services.liarsdice.of_a_kind import any_below
from services.liarsdice.options import Setup

Ways = tuple[int, ...]
"""Ways by count: entry k is how many of 6^n throws count k."""


class Sight(NamedTuple):
    """What one seat knows: its own dice, and how many dice lie under each other cup."""

    own: tuple[int, ...]
    others: tuple[int, ...]
    setup: Setup


class Advice(NamedTuple):
    """A suggestion: a bid (quantity, face), or None for the lift; `p` is the chance to be right."""

    bid: tuple[int, int] | None
    p: Fraction


def sight(own: Sequence[int], others: Sequence[int], setup: Setup) -> Sight:
    """Cups without dice are left out, and their order does not matter."""
    return Sight(tuple(sorted(own)), tuple(sorted(n for n in others if n)), setup)


def odds(seen: Sight, quantity: int, face: int) -> Fraction:
    """The chance that the bid holds."""
    if face == ANY:
        return _any(seen, quantity)
    setup, jokers = seen.setup, not seen.setup.ones_without_jokers
    total, absent = _hidden(seen.others, face, jokers, setup.stairs)
    ways = _tail(total, quantity - cup_count(seen.own, face, setup))
    if setup.present and not shows(seen.own, face, setup):
        ways -= _tail(absent, quantity - cup_count(seen.own, face, setup))
    return Fraction(ways, 6 ** sum(seen.others))


def percent(p: Fraction) -> int:
    """Rounded half up, 1..99 unless certain (R10.6)."""
    if p in (0, 1):
        return int(p) * 100
    return min(99, max(1, (200 * p.numerator + p.denominator) // (2 * p.denominator)))


def text(p: Fraction) -> str:
    """The fraction as text, also for whole numbers."""
    return f"{p.numerator}/{p.denominator}"


def suggest(seen: Sight, current: tuple[int, int] | None, most: int) -> Advice:
    """The legal bid most likely to hold, the highest of equals; or the lift if that is likelier right (R10.7)."""
    legal = [(odds(seen, low, face), low, face, high) for face, low, high in ranges(current, most, seen.setup)]
    best = max((p for p, *_ in legal), default=None)
    if current is not None:
        lie = 1 - odds(seen, *current)
        if best is None or lie > best:
            return Advice(None, lie)
    if best is None:
        raise ValueError("neither a bid nor a lift is possible")
    # More dice never hold more often, so only the best faces can have higher bids that are as good.
    return Advice(max(_highest_alike(seen, p, bid, high) for p, *bid, high in legal if p == best), best)


def _highest_alike(seen: Sight, p: Fraction, bid: Sequence[int], high: int) -> tuple[int, int]:
    """The highest bid of that face that is as likely to hold."""
    quantity, face = bid
    while quantity < high and not _exactly(seen, quantity, face) and odds(seen, quantity + 1, face) == p:
        quantity += 1
    return quantity, face


def _exactly(seen: Sight, quantity: int, face: int) -> bool:
    """Whether one of a few throws makes this bid hold and one die more a lie: the odds of that one are less then.

    Says no also where it finds none; it only spares the dear odds of `any`.
    """
    if face != ANY:
        return False
    hidden = sum(seen.others)
    for sixes in range(max(0, quantity - len(seen.own)), min(hidden, quantity) + 1):
        dice = iter([6] * sixes + [2 + at % 4 for at in range(hidden - sixes)])
        cups = [tuple(islice(dice, n)) for n in seen.others]
        counted = count([seen.own, *cups], ANY, seen.setup)
        if holds(counted, quantity) and not holds(counted, quantity + 1):
            return True
    return False


def _tail(ways: Ways, at_least: int) -> int:
    return sum(ways[max(0, at_least) :])


@lru_cache(maxsize=50_000)
def _hidden(others: tuple[int, ...], face: int, jokers: bool, stairs: bool) -> tuple[Ways, Ways]:
    """Ways by count of all hidden cups together: all of them, and those where no die shows the face."""
    if not others:
        return (1,), (1,)
    total, absent = cup_ways(others[-1], face, jokers, stairs)
    more, fewer = _hidden(others[:-1], face, jokers, stairs)
    return convolve(total, more), convolve(absent, fewer)


@lru_cache(maxsize=1_000)
def cup_ways(n: int, face: int, jokers: bool, stairs: bool) -> tuple[Ways, Ways]:
    """Ways by count of one cup of n dice (R10.3, R10.5): all of them, and those where no die shows the face."""
    two = jokers and face >= 2
    helping = 2 if two else 1
    total = [comb(n, k) * helping**k * (6 - helping) ** (n - k) for k in range(n + 1)] + [0]
    # Nothing counts without showing, except a joker.
    absent = [comb(n, k) * 4 ** (n - k) if two else 5**n * (k == 0) for k in range(n + 1)] + [0]
    if stairs or (jokers and n <= 2):
        moved, at = factorial(n), (face <= n) + two
        total[at] -= moved
        total[n + 1] += moved
        if face > n:
            absent[at] -= moved
        if face > n or n >= 3:
            absent[n + 1] += moved
    return tuple(total), tuple(absent)


def convolve(one: Sequence[int], other: Sequence[int]) -> Ways:
    """Ways of two independent counts together."""
    out = [0] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        if a:
            for k, b in enumerate(other):
                out[i + k] += a * b
    return tuple(out)


def _any(seen: Sight, quantity: int) -> Fraction:
    """`any` (R10.4): some face reaches the quantity; with `present` not by dice that show no biddable face (R10.5)."""
    if quantity <= 0:
        return Fraction(1)
    setup = seen.setup
    pattern = is_pattern(seen.own, setup)
    constant = len(seen.own) + 1 if pattern else 0
    naturals = (0,) * 6 if pattern else tuple(seen.own.count(face) for face in range(1, 7))
    force = tuple(in_force(n, setup) for n in range(7))
    everything = 6 ** sum(seen.others)
    ways = everything - any_below((constant, naturals), seen.others, quantity, (not setup.ones_without_jokers, force))
    if setup.present:
        ways -= _unseen(seen, quantity)
    return Fraction(ways, everything)


def _unseen(seen: Sight, quantity: int) -> int:
    """Ways in which the count reaches the quantity though no biddable face shows anywhere."""
    setup = seen.setup
    faces = [face for face in biddable(setup) if face != ANY]
    if any(shows(seen.own, face, setup) for face in faces):
        return 0
    ways: Ways = (1,)
    for n in seen.others:
        cup = [0] * (n + 2)
        if not setup.ones_without_jokers:  # all ones; a lone one counts two
            cup[2 if n == 1 else n] += 1
        if setup.stairs and n >= 3:
            cup[n + 1] += factorial(n)
        ways = convolve(ways, cup)
    return _tail(ways, quantity - cup_count(seen.own, faces[-1], setup))
