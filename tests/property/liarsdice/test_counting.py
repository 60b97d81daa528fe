"""Counting and the order of bids against slow, independent enumeration."""

from itertools import combinations_with_replacement, product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from services.liarsdice.counting import count, highest, holds, ranges
from services.liarsdice.options import HOUSE, resolve
from services.liarsdice.queries import QUERIES
from tests.property.liarsdice.page import (
    FLAGS,
    SETUPS,
    each_setup,
    slow_cup,
    slow_highest,
    slow_holds,
    slow_rings,
    slow_shows,
)

cups = st.lists(st.lists(st.integers(1, 6), max_size=4).map(tuple), min_size=2, max_size=4).map(tuple)
SMALL = [cup for n in range(3) for cup in product(range(1, 7), repeat=n)]


def test_one_cup_counts_as_the_page_says() -> None:
    for setup in SETUPS:
        for n in range(1, 5):
            for cup in product(range(1, 7), repeat=n):
                for face in range(setup.lowest_face, 7):
                    assert count((cup,), face, setup).count == slow_cup(cup, face, setup)


@given(cups, st.sampled_from(SETUPS), st.integers(1, 9), st.integers(0, 6))
def test_bids_hold_as_the_page_says(dice: Any, setup: Any, quantity: int, face: int) -> None:
    face = 0 if face == 1 and not setup.ones_without_jokers else face
    counted = count(dice, face, setup)
    assert holds(counted, quantity) == slow_holds(dice, quantity, face, setup)
    for cup, ring, worth in zip(dice, counted.rings, counted.counts, strict=True):
        assert worth in (len(ring), len(cup) + 1) and set(ring) <= set(range(len(cup)))


def check_count(dice: tuple[tuple[int, ...], ...], face: int, setup: Any) -> None:
    """All that a lift tells, against the page."""
    counted = count(dice, face, setup)
    kind = face
    if face == 0:
        faces = list(range(setup.lowest_face, 7))
        if setup.present:
            faces = [f for f in faces if any(slow_shows(cup, f, setup) for cup in dice)] or faces
        best = max(sum(slow_cup(cup, f, setup) for cup in dice) for f in faces)
        kind = [f for f in faces if sum(slow_cup(cup, f, setup) for cup in dice) == best][-1]
    worth = tuple(slow_cup(cup, kind, setup) for cup in dice)
    present = any(slow_shows(cup, kind, setup) for cup in dice) if setup.present else None
    assert (counted.kind, counted.counts, counted.count, counted.present) == (kind, worth, sum(worth), present)
    assert [list(ring) for ring in counted.rings] == [slow_rings(cup, kind, setup) for cup in dice]
    for cup, pattern in zip(dice, counted.patterns, strict=True):
        special = slow_cup(cup, 6, setup) > len(cup)
        assert pattern == (("none", "lone_one", "one_two", "stair")[min(len(cup), 3)] if special else "none")
    for quantity in (1, sum(worth), sum(worth) + 1):
        assert holds(counted, quantity) == slow_holds(dice, quantity, face, setup)


@each_setup
def test_all_small_cups_count_as_the_page_says(setup: Any) -> None:
    faces = (0, *range(setup.lowest_face, 7))
    for one, other in combinations_with_replacement(SMALL, 2):
        for face in faces:
            check_count((one, other), face, setup)
    for n in (3, 4, 5, 6):
        for cup in combinations_with_replacement(range(1, 7), n):
            for face in faces:
                check_count((cup[::-1], (1,)), face, setup)


def every_setup() -> list[Any]:
    """All combinations of house rules that are allowed."""
    switches = [name for name, default in HOUSE.items() if isinstance(default, bool)]
    every = [dict(zip(switches, values, strict=True)) for values in product((False, True), repeat=len(switches))]
    return [resolve(rules) for rules in every if rules["viborg"] or not rules["finale"]]


def test_no_other_house_rule_changes_what_counts_or_how_high_one_may_bid() -> None:
    cups: list[tuple[int, ...]] = [(), (1,), (6,), (1, 2), (1, 1), (2, 2), (1, 2, 3), (1, 3, 6), (1, 2, 3, 4)]
    setups = every_setup()
    assert len(setups) == 768
    for setup in setups:
        alike = next(one for one in SETUPS if all(getattr(one, name) == getattr(setup, name) for name in FLAGS))
        for cup in cups:
            for face in (setup.lowest_face, 6, 0):
                assert count(((6, 2), cup), face, setup) == count(((6, 2), cup), face, alike)
        faces = [0] * setup.any_kind + [1] * setup.ones_without_jokers + [2, 3, 4, 5, 6]
        for counts in ((1, 0, 2), (3, 1, 4)):
            most = highest(counts, 3, setup)
            assert most == (12 if setup.hidden_count else slow_highest(counts, alike))
            for now in (None, (1, 2), (2, 6), (most, faces[0]), (most, 6)):
                above = [(q, f) for q in range(1, most + 1) for f in faces if now is None or higher((q, f), now)]
                assert sorted((q, f) for f, low, top in ranges(now, most, setup) for q in range(low, top + 1)) == above


def higher(bid: tuple[int, int], than: tuple[int, int]) -> bool:
    """R3.4, R3.5."""
    return bid[0] > than[0] or (bid[0] == than[0] and bid[1] > than[1])


@each_setup
def test_the_legal_maximum_is_the_highest_count_that_could_be_true(setup: Any) -> None:
    for counts in combinations_with_replacement(range(7), 3):
        assert highest(counts, 3, setup) == slow_highest(counts, setup)
        hidden = replace(setup, hidden_count=True, dice_each=5)
        assert highest(counts, 3, hidden) == 15


def test_the_order_of_bids_is_total() -> None:
    every = [(quantity, face) for quantity in (1, 2, 3, 7) for face in ("any", 1, 2, 3, 4, 5, 6)]
    ask = QUERIES["higher"]
    for at, one in enumerate(every):
        for against, other in enumerate(every):
            bid, than = ({"quantity": quantity, "face": face} for quantity, face in (one, other))
            assert ask({"bid": bid, "than": than}) == {"higher": at > against}
