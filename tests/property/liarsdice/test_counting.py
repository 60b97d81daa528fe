"""Counting and odds against slow, independent enumeration."""

from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from services.liarsdice.counting import count, holds
from services.liarsdice.odds import odds, sight, suggest
from services.liarsdice.options import HOUSE, resolve

FLAGS = ("stairs", "ones_without_jokers", "present")
SETUPS = [
    resolve(dict(zip(FLAGS, flags, strict=True)) | {"any_kind": True}) for flags in product((False, True), repeat=3)
]


def slow_cup(cup: tuple[int, ...], face: int, setup: Any) -> int:
    """R4.3-R4.8 read off the page, one special after another."""
    n, jokers = len(cup), not setup.ones_without_jokers
    if n == 1 and cup == (1,) and (jokers or setup.stairs):
        return 2
    if n == 2 and set(cup) == {1, 2} and (jokers or setup.stairs):
        return 3
    if n >= 3 and setup.stairs and all(cup.count(k) == 1 for k in range(1, n + 1)):
        return n + 1
    natural = len([die for die in cup if die == face])
    return natural + (cup.count(1) if jokers and face != 1 else 0)


def slow_shows(cup: tuple[int, ...], face: int, setup: Any) -> bool:
    stair = len(cup) >= 3 and setup.stairs and set(cup) == set(range(1, len(cup) + 1))
    return not stair and face in cup


def slow_holds(dice: tuple[tuple[int, ...], ...], quantity: int, face: int, setup: Any) -> bool:
    faces = range(1 if setup.ones_without_jokers else 2, 7) if face == 0 else (face,)
    return any(
        sum(slow_cup(cup, f, setup) for cup in dice) >= quantity
        and (not setup.present or any(slow_shows(cup, f, setup) for cup in dice))
        for f in faces
    )


def test_one_cup_counts_as_the_page_says() -> None:
    for setup in SETUPS:
        for n in range(1, 5):
            for cup in product(range(1, 7), repeat=n):
                for face in range(setup.lowest_face, 7):
                    assert count((cup,), face, setup).count == slow_cup(cup, face, setup)


cups = st.lists(st.lists(st.integers(1, 6), max_size=4).map(tuple), min_size=2, max_size=4).map(tuple)


@given(cups, st.sampled_from(SETUPS), st.integers(1, 9), st.integers(0, 6))
def test_bids_hold_as_the_page_says(dice: Any, setup: Any, quantity: int, face: int) -> None:
    face = 0 if face == 1 and not setup.ones_without_jokers else face
    counted = count(dice, face, setup)
    assert holds(counted, quantity) == slow_holds(dice, quantity, face, setup)
    for cup, ring, worth in zip(dice, counted.rings, counted.counts, strict=True):
        assert worth in (len(ring), len(cup) + 1) and set(ring) <= set(range(len(cup)))


SHAPES = [(n,) for n in range(1, 5)] + [(1, 1), (1, 2), (2, 2), (1, 3), (1, 1, 1)]
owns = st.lists(st.integers(1, 6), max_size=4).map(tuple)


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


def test_every_house_rule_is_an_option() -> None:
    assert set(HOUSE) >= set(FLAGS)
