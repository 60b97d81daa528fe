"""Records written by others: what may be left out, and what must be refused before it is played."""

import json
from typing import Any

import pytest

from libs.table.rules import Refused
from libs.testing.play import given
from services.carrom.record import read
from services.carrom.rules import RULES

SHOT = {"seat": 0, "x": 0, "angle": 0, "speed": 1}


def record(*lines: dict[str, Any], white: object = 0) -> str:
    return "\n".join(json.dumps(line) for line in ({"options": {}, "white": white}, *lines))


def test_an_outcome_may_leave_out_what_has_a_default() -> None:
    """Randomness: only `first_contact` is required."""
    script = read(record(SHOT | {"outcome": {"first_contact": "w4", "pocketed": ["w4"]}}))
    play = given(RULES, random=[*script.start, *script.steps[0].draws])
    assert script.steps[0].command is not None
    play.act(0, script.steps[0].command)
    assert play.view()["teams"][0]["acquired"] == ["w4"]


@pytest.mark.parametrize(
    "outcome",
    [
        {"pocketed": ["w1"]},
        {"pocketed": ["w10"]},
        {"pocketed": "w1"},
        {"rails_before": "1"},
        {"rails_before": True},
        {"rails_before": 10**400},
        {"time_ms": 0.5},
        {"settled": "yes"},
        {"rest": {"w1": [0]}},
        {"rest": {"w1": [10**400, 0]}},
        {"rest": {"w1": [float("inf"), 0]}},
        {"holes": ["w1"]},
        {"holes": {"w1": 5}},
    ],
)
def test_outcomes_that_no_referee_can_read(outcome: dict[str, Any]) -> None:
    """The first one names no `first_contact`."""
    first = {} if outcome == {"pocketed": ["w1"]} else {"first_contact": None}
    with pytest.raises(Refused, match="line 2") as raised:
        read(record(SHOT | {"outcome": first | outcome}))
    assert raised.value.code == "bad_argument"


@pytest.mark.parametrize("white", [None, "0", 0.5, True, [0]])
def test_a_toss_names_a_seat(white: object) -> None:
    with pytest.raises(Refused, match="line 1"):
        read(record(white=white))
    with pytest.raises(Refused, match="line 2"):
        read(record(SHOT | {"outcome": {"first_contact": None}, "white": white}))


def test_json_without_an_end_is_no_record() -> None:
    with pytest.raises(Refused, match="line 1"):
        read("[" * 100_000)
