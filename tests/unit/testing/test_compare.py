"""Comparison as the conformance cases need it."""

from typing import Any

import pytest

from libs.table.plain import to_plain
from libs.testing.compare import difference, events_difference, shown
from stamtafel.table.v1.table_pb2 import Detail, Fraction, Refusal
from stamtafel.trictrac.v1 import trictrac_pb2 as pb


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ({}, {"a": 1}),
        ({"a": None}, {}),
        ({"a": {"b": 2}}, {"a": {"b": 2.0, "c": 3}}),
        ([{"a": 1}, {}], [{"a": 1, "b": 2}, {"a": 5}]),
        ([1, 2], (1, 2)),
        (0.1 + 0.2, 0.3),
    ],
)
def test_subsets(expected: Any, got: Any) -> None:
    assert difference(expected, got) is None


@pytest.mark.parametrize(
    ("expected", "got", "told"),
    [
        ({"a": 1}, {"a": 2}, "a: expected 1, got 2"),
        ({"a": [1, 2]}, {"a": [2, 1]}, "a.0: expected 1, got 2"),
        ([1], [1, 2], "answer: expected [1], got [1, 2]"),
        (True, 1, "answer: expected True, got 1"),
        (0, False, "answer: expected 0, got False"),
        (None, 0, "answer: expected None, got 0"),
        (4, "4", "answer: expected 4, got '4'"),
        ({"a": {}}, {"a": None}, "a: expected {}, got None"),
        ({"a": []}, {"a": {}}, "a: expected [], got {}"),
    ],
)
def test_differences(expected: Any, got: Any, told: str) -> None:
    assert difference(expected, got) == told


def test_digits_stand_for_text_of_a_contract() -> None:
    assert difference({"face": 4}, {"face": "4"}, digits=True) is None
    assert difference({"face": "4"}, {"face": 4}, digits=True) is not None


def test_a_field_that_no_contract_has_is_a_difference() -> None:
    assert difference({"fase": None}, {"face": "4"}, digits=True) is not None


def test_events_are_subsets_in_order() -> None:
    events = [pb.DiceThrown(seat=1, dice=[4, 3]), pb.OneManShow(seat=1), pb.DiceThrown(seat=1, dice=[5, 3])]
    assert events_difference([{"type": "dice_thrown", "dice": [5, 3]}], events, only=False) is None
    assert events_difference([{"type": "one_man_show"}, {"type": "dice_thrown", "dice": [4, 3]}], events, False)
    assert events_difference([], events, only=True)
    assert events_difference([{"type": "point_taken"}], events, only=False)


@pytest.mark.parametrize(
    ("path", "hidden"),
    [
        ("seats.0.standing", True),
        ("seats.0.throws", True),
        ("seats.1.throws", False),
        ("seats.1.throws.0", False),
        ("seats.1.throws.1", True),
        ("seats.7", True),
        ("limit", True),
        ("take_point_seat", False),
        ("starter", True),
        ("boxes", True),
        ("table.dice", True),
        ("nothing.like.it", True),
        ("phase", False),
    ],
)
def test_hidden(path: str, hidden: bool) -> None:
    view = pb.View(phase="turn", take_point_seat=0, table=pb.Table(dice_count=2), boxes=pb.Boxes())
    view.seats.add(seat=0)
    view.seats.add(seat=1).throws.add(items=[4, 3])
    assert (shown(view, path) is None) == hidden


def test_fractions_compare_field_by_field() -> None:
    assert difference({"num": 5, "den": 36}, to_plain(Fraction(num=5, den=36)), digits=True) is None
    refusal = Refusal(details=[Detail(key="a", value="1")])
    assert to_plain(refusal)["details"] == [{"key": "a", "value": "1"}]
