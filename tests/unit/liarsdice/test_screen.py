"""The terminal's pictures and commands."""

import pytest

from libs.table.rules import Refused
from libs.testing.play import given
from services.liarsdice.options import HOUSE
from services.liarsdice.rules import RULES
from services.liarsdice.screen import draw, help, parse
from services.liarsdice.words import WORDS
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
    assert parse("kig", view) == pb.Peek() and parse("n", view) == parse("a", view) == pb.NextGame()
    assert parse("help off", view) == pb.SetHelp(on=False)
    assert parse("rules preset=slags stairs=on turn_seconds=15", view) == pb.SetRules(
        preset="slags", stairs=True, turn_seconds=15
    )
    for text in ("", "3", "3 7", "rules seats=3", "rules stairs=2", "dance"):
        with pytest.raises(Refused) as refused:
            parse(text, view)
        assert refused.value.code == "bad_argument"
    assert "løft" in help("da")


def test_who_lost_is_not_out_and_safe_and_house_rules_are_named() -> None:
    ledger = {"mats": ["green", "black"], "strokes": [2, 0], "rounds_given": [3, 0], "selvbinders": [1, 0]}
    rules = {"seats": 2, "turn_seconds": 15, "stairs": True, "viborg": False}
    play = given(RULES, rules, {"over": True, "loser": 1, "places": [1, 2], "ledger": ledger})
    shown = draw(play.see(0), 0, "da")
    assert "du       ude og slap, nr. 1 streger ||, omgange 3, selvbinder 1" in shown
    assert "plads 1  tabte, nr. 2       [bold]i Viborg[/bold]" in shown
    assert "husregler: trapper, 15 s pr. tur, uden Viborg" in shown
    assert "house rules: stairs, 15 s a turn, no Viborg" in draw(play.see(0), 0)
    assert "house rules" not in draw(given(RULES, {"seats": 2}, {"dice": DICE}).see(0), 0)


def test_every_house_rule_has_its_word() -> None:
    for name in HOUSE:
        assert all(name in help(words) for words in ("en", "da"))
        assert name == "viborg" or all(name in words for words in WORDS.values())
    assert set(WORDS["en"]) == set(WORDS["da"])


def test_what_the_clock_did_and_what_is_advised_is_told_in_the_same_tongue() -> None:
    play = given(RULES, {"seats": 2, "turn_seconds": 15, "practice": True}, {"dice": [[2, 2], [3, 3]]})
    play.when(0, "bid", quantity=4, face=6)
    assert "forslag: løft (" in draw(play.see(1), 1, "da") and "the odds say: lift (" in draw(play.see(1), 1)
    play = given(RULES, {"seats": 2, "turn_seconds": 15}, {"dice": [[2, 2], [3, 3]]})
    play.when_late(0)
    assert "en toer[/bold] (af uret)" in draw(play.see(1), 1, "da")
    assert "1 two[/bold] (by the clock)" in draw(play.see(1), 1)
