"""The terminal's pictures and commands."""

import pytest

from libs.table.rules import Refused
from libs.testing.play import given
from services.liarsdice.rules import RULES
from services.liarsdice.screen import draw, help, parse
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb

DICE = [[2, 2, 5, 6], [1, 3, 3, 4]]


def test_a_table_in_danish_and_english() -> None:
    play = given(RULES, {"seats": 2, "practice": True}, {"dice": DICE}, [[1, 2, 3], [4, 4, 4, 4]])
    play.when(0, "bid", quantity=2, face=5)
    shown = draw(play.see(1), 1, "da")
    assert "to femmere" in shown and "⚀ ⚂ ⚂ ⚃" in shown and "procenter" in shown
    assert "2 fives" in draw(play.see(1), 1) and "⚀" not in draw(play.see(None), None)
    play.when(1, "lift")
    assert "buddet holdt" in draw(play.see(0), 0, "da")
    play = given(RULES, {"seats": 2}, {"over": True, "loser": 1, "places": [1, 2]})
    assert "seat 1 lost the game" in draw(play.see(0), 0)


def test_what_people_type() -> None:
    view = given(RULES, {"seats": 2}, {"dice": DICE, "round": 3}).see(0)
    for text in ("3 5", "3x5", "3-5", "3 femmere", "3 fives", "bid 3 møller"):
        assert parse(text, view) == pb.Bid(quantity=3, face="5", round=3)
    assert parse("4 any", view) == parse("4 af en slags", view) == pb.Bid(quantity=4, face="any", round=3)
    assert parse("Løft", view) == pb.Lift(round=3)
    assert parse("kig", view) == pb.Peek() and parse("n", view) == pb.NextGame()
    assert parse("help off", view) == pb.SetHelp(on=False)
    assert parse("rules preset=slags stairs=on turn_seconds=15", view) == pb.SetRules(
        preset="slags", stairs=True, turn_seconds=15
    )
    for text in ("", "3", "3 7", "rules seats=3", "rules stairs=2", "dance"):
        with pytest.raises(Refused) as refused:
            parse(text, view)
        assert refused.value.code == "bad_argument"
    assert "løft" in help("da")
