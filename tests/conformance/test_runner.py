"""The runner itself: what it must fail on."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from libs.testing.runner import run

SCRIPT: dict[str, Any] = {
    "id": "x-1",
    "rule": "R3.2",
    "why": "a script",
    "options": {"seats": 2, "first_starter": 0},
    "random": [[5, 4]],
    "steps": [
        {"seat": 0, "do": "throw", "events": [{"type": "dice_thrown", "seat": 0, "dice": [5, 4]}]},
        {"seat": 1, "do": "throw", "rejected": "not_your_turn"},
        {
            "seat": 0,
            "do": "stand",
            "events": [{"type": "throw_stood", "reason": "ok"}, {"type": "turn_started", "seat": 1}],
            "view": {"turn": {"seat": 1, "throws_left": 1}, "winner": None},
            "hidden": ["you", "throw_off", "ranking", "winner"],
        },
        {"clock": 0, "only_events": []},
    ],
}
QUERY: dict[str, Any] = {
    "id": "x-2",
    "rule": "R1",
    "why": "a query",
    "query": "score",
    "with": {"dice": [1, 2]},
    "answer": {"score": 1000, "kind": "trictrac"},
}


def changed(case: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    return {**case, **changes}


def with_step(number: int, **changes: Any) -> dict[str, Any]:
    steps = [{**step, **changes} if at == number else step for at, step in enumerate(SCRIPT["steps"])]
    return changed(SCRIPT, steps=steps)


def told(root: Path, *cases: Mapping[str, Any], game: str = "trictrac") -> tuple[int, list[str]]:
    folder = root / game
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cases.json").write_text(json.dumps({"game": game, "cases": cases}), encoding="utf-8")
    lines: list[str] = []
    return run(root, lines.append), lines


def test_passes(tmp_path: Path) -> None:
    assert told(tmp_path, SCRIPT, QUERY) == (0, ["2 passed, 0 failed"])


def test_unknown_game(tmp_path: Path) -> None:
    told(tmp_path, QUERY)
    assert told(tmp_path, QUERY, game="snakes") == (1, ["snakes: no such game", "1 passed, 0 failed"])


def test_no_case(tmp_path: Path) -> None:
    assert run(tmp_path, lambda _: None) == 1
    assert run(tmp_path / "nowhere", lambda _: None) == 1
    assert told(tmp_path)[0] == 1


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (changed(QUERY, answer={"score": 999}), "x-2 score: expected 999, got 1000"),
        (changed(QUERY, query="scores"), "x-2 no query 'scores'"),
        (changed(QUERY, **{"with": {"dice": [1, 7]}}), "x-2 score: expected 1000, got None"),
        (changed(SCRIPT, random=[]), "x-1 step 1: random: the game asks for draw 1 (2 dice), 0 listed"),
        (changed(SCRIPT, random=[[5, 4], [1, 1]]), "x-1 end: random: 1 of 2 draws unused"),
        (changed(SCRIPT, random=[[5]]), "x-1 step 1: random: draw 1 must be 2 dice, listed is [5]"),
        (
            with_step(0, events=[{"type": "dice_thrown", "dice": [4, 5]}]),
            "x-1 step 1: event 1.dice.0: expected 4, got 5",
        ),
        (
            with_step(1, rejected="game_over"),
            "x-1 step 2: expected rejected with game_over, got rejected with not_your",
        ),
        (with_step(0, do="reroll"), "x-1 step 1: expected accepted, got rejected with bad_argument"),
        (with_step(0, **{"with": {"style": True}}), "x-1 step 1: expected accepted, got rejected with bad_argument"),
        (with_step(3, clock=1), "x-1 step 4: random: the game asks for draw 2"),
        (with_step(2, hidden=["turn"]), "x-1 step 3: turn: expected hidden, got {"),
        (with_step(2, view={"limits": 1}), "x-1 step 3: view.limits: expected 1, but there is no such field"),
        (with_step(2, views={}), "x-1 step 3: unknown ['views']"),
        (changed(SCRIPT, options={"seats": 9}), "x-1 start: refused with bad_option"),
        (changed(SCRIPT, options={"seats": "2"}), "x-1 start: refused with bad_argument"),
        (changed(SCRIPT, steps=[]), "x-1 neither a query nor steps"),
    ],
)
def test_failures(tmp_path: Path, case: Mapping[str, Any], reason: str) -> None:
    code, lines = told(tmp_path, case)
    assert code == 1
    assert lines[0].startswith(reason)
    assert lines[1:] == ["0 passed, 1 failed"]


def test_events_in_the_wrong_order(tmp_path: Path) -> None:
    events = list(reversed(SCRIPT["steps"][2]["events"]))
    code, lines = told(tmp_path, with_step(2, events=events))
    assert code == 1
    assert "throw_stood" in lines[0]


def test_only_events_allows_no_others(tmp_path: Path) -> None:
    step = {**SCRIPT["steps"][2], "only_events": SCRIPT["steps"][2]["events"]}
    del step["events"]
    code, lines = told(tmp_path, changed(SCRIPT, steps=[*SCRIPT["steps"][:2], step]))
    assert code == 1
    assert "and no others" in lines[0]


def test_a_step_that_should_have_been_refused(tmp_path: Path) -> None:
    case = changed(SCRIPT, random_rest=True, steps=[{"seat": 0, "do": "throw", "rejected": "not_your_turn"}])
    assert told(tmp_path, case)[1][0] == "x-1 step 1: expected rejected with not_your_turn, got accepted"


def test_unused_chance_may_be_allowed(tmp_path: Path) -> None:
    assert told(tmp_path, changed(SCRIPT, random=[[5, 4], [1, 1]], random_rest=True))[0] == 0


def test_an_id_used_twice(tmp_path: Path) -> None:
    assert told(tmp_path, QUERY, QUERY)[1] == ["x-2 the id is used twice", "1 passed, 1 failed"]


def test_a_file_that_is_no_case_file(tmp_path: Path) -> None:
    told(tmp_path, QUERY)
    (tmp_path / "trictrac" / "broken.json").write_text("{", encoding="utf-8")
    lines: list[str] = []
    assert run(tmp_path, lines.append) == 1
    assert lines[0].startswith("broken.json no case file")
