"""What a regular makes of the bids it heard: chances in floating point, hidden dice no longer taken as fair.

A seat that bids fives holds more fives: each die under its cup is likelier to help, by how much its last bids on that
face say (Bayes with a likelihood that grows with the number of helping dice).
"""

from collections.abc import Sequence
from functools import lru_cache
from math import comb, factorial
from typing import NamedTuple

from services.liarsdice.counting import ANY, Cup, cup_count, in_force
from services.liarsdice.odds import odds, sight
from services.liarsdice.options import Setup

TILT = 1.45
"""How much likelier a throw is, for each die that helps the face, when its seat has bid that face once this round."""


class Known(NamedTuple):
    """What one seat knows: its dice (empty: it forgot), dice by seat, bids of this round (seat, quantity, face)."""

    seat: int
    own: Cup
    counts: tuple[int, ...]
    bids: tuple[tuple[int, int, int], ...]
    setup: Setup


def chance(known: Known, quantity: int, face: int, without: int | None = None, trust: bool = True) -> float:
    """The chance that the bid holds. `trust`: hears the bids. `without`: another seat's eyes, to which we are hidden.

    `any` and tables with `present` use the exact odds, bids no evidence.
    """
    setup, eyes = known.setup, known.seat if without is None else without
    own = known.own if eyes == known.seat else ()
    hidden = [(seat, n) for seat, n in enumerate(known.counts) if n and not (seat == eyes and own)]
    if face == ANY or setup.present:
        return float(odds(sight(own, [n for _, n in hidden], setup), quantity, face))
    heard = {seat: 0 for seat, _ in hidden}
    if trust:
        for seat, _, bid in known.bids:
            if seat in heard and bid == face:
                heard[seat] += 1
    cups = tuple(sorted((n, min(2, heard[seat])) for seat, n in hidden))
    return _reaches(cups, face, setup, quantity - cup_count(own, face, setup))


@lru_cache(maxsize=100_000)
def _reaches(cups: tuple[tuple[int, int], ...], face: int, setup: Setup, at_least: int) -> float:
    return 1.0 if at_least <= 0 else min(1.0, sum(_together(cups, face, setup)[at_least:]))


@lru_cache(maxsize=20_000)
def _together(cups: tuple[tuple[int, int], ...], face: int, setup: Setup) -> tuple[float, ...]:
    out: Sequence[float] = (1.0,)
    for n, heard in cups:
        one = _cup(n, heard, face, setup)
        more = [0.0] * (len(out) + len(one) - 1)
        for i, a in enumerate(out):
            for k, b in enumerate(one):
                more[i + k] += a * b
        out = more
    return tuple(out)


@lru_cache(maxsize=5_000)
def _cup(n: int, heard: int, face: int, setup: Setup) -> tuple[float, ...]:
    """How much one hidden cup counts, by number, after `heard` bids on that face by its seat."""
    two = face != 1 and not setup.ones_without_jokers
    helping = 2 if two else 1
    ways = [float(comb(n, k) * helping**k * (6 - helping) ** (n - k)) for k in range(n + 1)] + [0.0]
    if in_force(n, setup):
        at = (face <= n) + two
        ways[at] -= factorial(n)
        ways[n + 1] += factorial(n)
    tilted = [way * TILT ** (heard * k) for k, way in enumerate(ways)]
    total = sum(tilted)
    return tuple(way / total for way in tilted)
