"""Where a rules file's order of refusals has checks before the unknown command, they come first."""

from typing import Any

import pytest

from libs.table.rules import RefusesEarly
from libs.testing.play import given
from services.backgammon.rules import RULES as BACKGAMMON
from services.carrom.rules import RULES as CARROM
from services.trictrac.rules import RULES as TRICTRAC

TRICTRAC_THREE: dict[str, Any] = {"starter": 0, "points": [3, 0, 2], "out": [1]}


@pytest.mark.parametrize(
    ("name", "arguments"), [("juggle", {}), ("resign", {"kinds": "gammon"}), ("roll", {"pips": 6})]
)
def test_an_unknown_seat_comes_first(name: str, arguments: dict[str, Any]) -> None:
    plays = [given(BACKGAMMON), given(TRICTRAC, {"seats": 3}, TRICTRAC_THREE)]
    for play in plays:
        play.when(9, name, **arguments).refused("unknown_seat", "seat")
        play.when(0, name, **arguments).refused("bad_argument")


def test_a_seat_that_is_out_is_told_so_whatever_it_says() -> None:
    play = given(TRICTRAC, {"seats": 3}, TRICTRAC_THREE)
    play.when(1, "juggle").refused("seat_out")


def test_a_game_that_is_over_says_so_whatever_it_is_told() -> None:
    play = given(BACKGAMMON, {"session_games": 1}, {"phase": "roll"})
    play.when(0, "resign", kind="single").then({"type": "resign_offered"})
    play.when(1, "accept_resign").then({"type": "resign_accepted"})
    play.when(1, "juggle").refused("game_over")


def test_carrom_answers_at_once() -> None:
    assert not isinstance(CARROM, RefusesEarly)


def test_an_unreadable_command_is_told_what_may_be() -> None:
    play = given(BACKGAMMON)
    assert "commands are roll, double" in str(play.when(0, "juggle").refusal)
    assert "it has kind" in str(play.when(0, "resign", kinds="gammon").refusal)
