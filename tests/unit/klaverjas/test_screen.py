"""The terminal: what is drawn, and what typing means."""

from typing import Any

import pytest

from libs.table.rules import Refused
from libs.testing.play import Play, given
from services.klaverjas import screen
from services.klaverjas.rules import RULES
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb

POSITION: dict[str, Any] = {
    "hands": [["HK", "CA"], ["HQ", "C7"], ["HJ", "C8"], ["S7", "H7"]],
    "trump": "S",
    "maker": 0,
    "trick_no": 7,
    "leader": 0,
    "tricks": {"ns": 3, "ew": 3},
    "card_points": {"ns": 50, "ew": 82},
}


def table(**options: Any) -> Play:
    return given(RULES, {"boompjes": 1, **options}, POSITION)


def test_the_table_shows_trick_hand_and_sheet() -> None:
    play = table()
    play.when(0, "play", card="HK")
    drawn = screen.draw(play.see(1), 1)
    assert "♥K" in drawn and "no boompje played yet" in drawn
    assert "[dim]♣7[/dim]" in drawn and "e.g. HQ" in drawn
    assert "▶ West (you)" in drawn and "East (partner)" in drawn
    looking_on = screen.draw(play.see(None), None)
    assert "Your hand" not in looking_on and "N-S" in looking_on


def test_dutch_words_and_cards() -> None:
    play = table()
    play.when(0, "play", card="HK")
    drawn = screen.draw(play.see(1), 1, "nl")
    assert "♥H" in drawn and "bv. HV" in drawn and "troef" in drawn and "Wij" in drawn


def test_a_hand_is_sorted_and_a_ten_is_ten_before_there_is_a_trump() -> None:
    view = pb.View(phase="choose_trump", my_seat=0, my_hand=["S9", "ST", "SJ", "SA", "HK", "HT"], hand_sizes=[6] * 4)
    assert "♠A ♠10 ♠J ♠9 [red]♥10[/red] [red]♥K[/red]" in screen.draw(view, 0)
    view.MergeFrom(pb.View(phase="play", trump="S", my_legal=["ST"], turn=pb.Turn(seat=0, action="play")))
    drawn = screen.draw(view, 0)
    assert "♠J ♠9 ♠A ♠10 [red]♥10[/red]" in drawn and "e.g. S10" in drawn


def test_the_end_is_told() -> None:
    play = table()
    for seat, card in ((0, "HK"), (1, "HQ"), (2, "HJ"), (3, "H7"), (0, "CA"), (1, "C7"), (2, "C8"), (3, "S7")):
        play.when(seat, "play", card=card)
    assert "N-S win" in screen.draw(play.see(0), 0) or "E-W win" in screen.draw(play.see(0), 0)


@pytest.mark.parametrize(
    ("typed", "card"),
    [
        *(("SJ", "SJ"), ("sj", "SJ"), ("js", "SJ"), ("♠b", "SJ"), ("S10", "ST"), ("h t", "HT"), ("play hk", "HK")),
        *(("hh", "HK"), ("rv", "DQ"), ("kk", "CK"), ("k7", "C7"), ("A of S", "SA"), ("harten heer", "")),
        ("hartenb", "HJ"),
    ],
)
def test_cards_in_both_languages(typed: str, card: str) -> None:
    view = table().see(0)
    if not card:
        with pytest.raises(Refused):
            screen.parse(typed, view)
    else:
        assert screen.parse(typed, view) == pb.Play(card=card)


def test_what_may_mean_two_cards_is_asked_back() -> None:
    with pytest.raises(Refused, match="HK or CK"):
        screen.parse("kh", table().see(0))


@pytest.mark.parametrize("typed", ["", "x", "10", "spades", "roem 20"])
def test_other_words_are_refused_with_what_is_allowed(typed: str) -> None:
    with pytest.raises(Refused, match="HK CA"):
        screen.parse(typed, table().see(0))


def test_naming_trump() -> None:
    hands = [["S7", "S9", "SJ", "SA", "HT", "HA", "D7", "C7"], ["ST", "SK", "H7", "H8", "H9", "D8", "DA", "C8"]]
    hands += [["SQ", "HK", "DT", "DQ", "DK", "C9", "CT", "CA"], ["S8", "HJ", "HQ", "D9", "DJ", "CJ", "CQ", "CK"]]
    view = given(RULES, {"trump_maker": "pass_round"}, {"phase": "choose_trump", "hands": hands}).see(0)
    assert screen.parse("s", view) == screen.parse("troef schoppen", view) == pb.ChooseTrump(suit="S")
    assert screen.parse("R", view) == pb.ChooseTrump(suit="D")
    assert screen.parse("pas", view) == pb.Pass()
    assert "or pass" in screen.draw(view, 0)
    with pytest.raises(Refused, match="names trump"):
        screen.parse("SJ", view)


def test_claiming_and_collecting() -> None:
    play = table(roem_mode="claim")
    for seat, card in ((0, "HK"), (1, "HQ"), (2, "HJ"), (3, "H7")):
        play.when(seat, "play", card=card)
    view = play.see(0)
    assert "claims roem" in screen.draw(view, 0)
    assert screen.parse("", view) == pb.Collect()
    assert screen.parse("roem 20", view) == screen.parse("20", view) == pb.ClaimRoem(points=20)
    with pytest.raises(Refused, match="empty line"):
        screen.parse("SJ", view)
    assert screen.help() and screen.help("nl")
