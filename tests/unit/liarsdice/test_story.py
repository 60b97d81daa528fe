"""A game told line by line."""

from typing import Any

from libs.testing.play import given
from services.liarsdice.rules import RULES
from services.liarsdice.story import Story

NAMES = ("Ane", "Bo", "Eva")


def told(rules: dict[str, Any], mats: list[str]) -> list[str]:
    """The last round of a game that seat 2 loses, to its lift by the clock."""
    ledger = {"mats": mats, "strokes": [0, 0, 2], "rounds_given": [0, 0, 2], "selvbinders": [0, 0, 0]}
    position = {"game": 3, "round": 4, "dice": [[3], [], [5]], "places": [0, 1, 0], "ledger": ledger}
    play = given(RULES, {"seats": 3, "turn_seconds": 15, **rules}, position)
    play.when(0, "bid", quantity=1, face=5)
    play.when_late(2)
    story = Story(NAMES)
    return [line for event in play.events for line in story.hear(event)]


def test_a_selvbinder() -> None:
    assert told({}, ["green", "green", "black"]) == [
        "round  0  Ane 1x5, Eva lifts (clock): there are 1, held  → Eva loses",
        "          out and safe: Ane",
        "game 3: Eva is left with dice and loses",
        "Eva has lost altogether, a selvbinder",
        "a stroke on the board, and Eva gives a round: 3 so far",
        "all mats turn green",
    ]


def test_the_final_is_called() -> None:
    lines = told({"finale": True}, ["black", "green", "green"])
    assert lines[3:] == ["Eva goes to Viborg", "the next game is the final of Ane and Eva"]


def test_without_viborg_the_round_is_given_at_once() -> None:
    assert told({"viborg": False}, ["green"] * 3)[3:] == ["Eva gives a round: 3 so far"]
