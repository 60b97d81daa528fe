"""Odds and suggestions against slow, independent enumeration (R10.3-R10.7)."""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from services.liarsdice.odds import odds, sight, suggest
from tests.property.liarsdice.page import SETUPS, each_setup, slow_holds, slow_most

SHAPES = [(n,) for n in range(1, 5)] + [(1, 1), (1, 2), (2, 2), (1, 3), (1, 1, 1)]
owns = st.lists(st.integers(1, 6), max_size=4).map(tuple)
OWN: list[tuple[int, ...]] = [(), (1,), (2,), (1, 2), (1, 1), (3, 6), (1, 2, 3), (2, 4, 4)]


@settings(max_examples=150, deadline=None)
@given(owns, st.sampled_from(SHAPES), st.sampled_from(SETUPS), st.integers(0, 6))
def test_odds_equal_enumeration(own: tuple[int, ...], others: tuple[int, ...], setup: Any, face: int) -> None:
    face = 0 if face == 1 and not setup.ones_without_jokers else face
    throws = list(product(*(product(range(1, 7), repeat=n) for n in others)))
    for quantity in range(1, len(own) + sum(others) + len(others) + 3):
        good = sum(slow_holds((own, *throw), quantity, face, setup) for throw in throws)
        assert odds(sight(own, others, setup), quantity, face) == Fraction(good, len(throws))


@settings(max_examples=60, deadline=None)
@given(owns, st.sampled_from(SHAPES), st.sampled_from(SETUPS), st.integers(0, 6))
def test_the_suggestion_is_the_best_of_all_bids(own: Any, others: Any, setup: Any, low: int) -> None:
    seen = sight(own, others, setup)
    most = len(own) + sum(others) + 1
    current = (low, 3) if low else None
    faces = (0, *range(setup.lowest_face, 7))
    legal = [(q, f) for q in range(1, most + 1) for f in faces if current is None or (q, f) > current]
    best = max(((odds(seen, q, f), (q, f)) for q, f in legal), default=None)
    lie = None if current is None else 1 - odds(seen, *current)
    if best is None and lie is None:
        return
    advice = suggest(seen, current, most)
    if best is None or (lie is not None and lie > best[0]):
        assert advice == (None, lie)
    else:
        assert (advice.p, advice.bid) == best


@each_setup
def test_odds_of_every_bid_equal_enumeration_of_every_throw(setup: Any) -> None:
    for own, others in product(OWN, [(1,), (2,), (3,), (1, 1), (1, 2)]):
        throws = list(product(*(product(range(1, 7), repeat=n) for n in others)))
        for face in (0, *range(setup.lowest_face, 7)):
            holding = Counter(slow_most((own, *throw), face, setup) for throw in throws)
            for quantity in range(1, len(own) + sum(others) + len(others) + 3):
                good = sum(n for most, n in holding.items() if most >= quantity)
                assert odds(sight(own, others, setup), quantity, face) == Fraction(good, len(throws))


@each_setup
def test_of_a_kind_with_larger_cups(setup: Any) -> None:
    for own, others in product([(), (1, 2), (5, 5, 1, 3)], [(4,), (5,), (2, 3)]):
        throws = list(product(*(product(range(1, 7), repeat=n) for n in others)))
        holding = Counter(slow_most((own, *throw), 0, setup) for throw in throws)
        for quantity in range(1, len(own) + sum(others) + len(others) + 3):
            good = sum(n for most, n in holding.items() if most >= quantity)
            assert odds(sight(own, others, setup), quantity, 0) == Fraction(good, len(throws))
