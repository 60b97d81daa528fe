"""Queries with arguments that the rules file does not allow: `bad_argument` with the field, never a crash."""

from typing import Any

import pytest

from libs.table.rules import Refused
from services.carrom.options import setup_of
from services.carrom.position import position
from services.carrom.rules import RULES
from stamtafel.carrom.v1 import carrom_pb2 as pb

HUGE = (10**400, 1e305, float("inf"), float("nan"))
"""JSON can write them all; not every one is a float, or stays one in micrometres."""
SHOT = {"seat": 0, "board": {}, "x": 0, "angle": 0, "speed": 1}


@pytest.mark.parametrize("value", HUGE)
def test_numbers_that_no_board_can_hold(value: Any) -> None:
    setup = setup_of(RULES.options(pb.Options()))
    for field, ask in (
        ("board", lambda: position(setup, {"turn": 0, "board": {"w1": [0, value]}})),
        ("at", lambda: RULES.queries["on_line"]({"seat": 0, "at": [value, 0]})),
        ("board", lambda: RULES.queries["centre"]({"board": {"w1": [value, 0]}})),
        ("angle", lambda: RULES.queries["to_board"]({"seat": 0, "x": 0, "angle": value})),
        ("speed", lambda: RULES.queries["simulate"](SHOT | {"speed": value})),
    ):
        with pytest.raises(Refused) as raised:
            ask()
        assert (raised.value.code, raised.value.field) == ("bad_argument", field)


def test_a_piece_is_simulated_once() -> None:
    with pytest.raises(Refused) as raised:
        RULES.queries["simulate"](SHOT | {"board": {"w1": [0, 0]}, "pile": ["w1"]})
    assert (raised.value.code, raised.value.field) == ("bad_argument", "pile")


@pytest.mark.parametrize(
    ("query", "asked", "answer"),
    [
        # R12.2: the pile comes down first even if nothing returns, and goes before what does.
        ("centre", {"board": {}, "pile": ["b1", "b2"], "returning": []}, {"levels": {}, "pile": ["b2"]}),
        (
            "centre",
            {"board": {}, "pile": ["b1", "b2"], "returning": ["red"]},
            {"levels": {"red": 2}, "pile": ["b2", "red"]},
        ),
        # R14.1: two pions leave the palet one place, touching both; the intervals meet in it.
        (
            "blocked",
            {"seat": 0, "board": {"w1": [0.0, -0.2526], "b1": [0.0731, -0.2526]}},
            {"blocked": [[-0.0366, 0.1097]], "full": False},
        ),
        # R14.3: touching is not reaching in.
        ("blocked", {"seat": 0, "board": {"w1": [0.25565, -0.2526]}}, {"blocked": [], "full": False}),
        # R4.3: 235 mm to the side is on the line, one micrometre more is not; 220.8 mm is clear of it.
        ("on_line", {"seat": 0, "at": [0.235, -0.220801]}, {"on_line": True}),
        ("on_line", {"seat": 0, "at": [0.235001, -0.2526]}, {"on_line": False}),
        ("on_line", {"seat": 3, "seats": 4, "at": [0.2208, 0]}, {"on_line": False}),
    ],
)
def test_borders(query: str, asked: dict[str, Any], answer: dict[str, Any]) -> None:
    assert RULES.queries[query](asked) == answer


@pytest.mark.parametrize(
    ("seat", "seats", "pair", "first"),
    [(0, 2, ("w2", "w1"), "w1"), (1, 2, ("w1", "b2"), "b2"), (3, 4, ("red", "b9"), "b9"), (1, 4, ("w1", "red"), "red")],
)
def test_of_two_pions_met_in_one_instant_the_lower_id_is_the_first(
    seat: int, seats: int, pair: tuple[str, str], first: str
) -> None:
    """R11.12, from every side of the board."""
    left, right = ([-0.03, 0.0], [0.03, 0.0]) if seats == 2 else ([0.0, -0.03], [0.0, 0.03])
    asked = {"seat": seat, "seats": seats, "board": dict(zip(pair, (left, right), strict=True))}
    outcome = RULES.queries["simulate"](asked | {"x": 0, "angle": 0, "speed": 2})
    assert (outcome["first_contact"], outcome["rails_before"]) == (first, 0)
