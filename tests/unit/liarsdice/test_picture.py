"""The picture of a table: what it says, and that it tells no more than the view."""

from typing import Any

from libs.testing.play import Play, given
from services.liarsdice.picture import svg
from services.liarsdice.rules import RULES
from tests.unit.client.pictured import words_of

GOLD, BLACK, GREEN = "#e7b33c", "#221f1d", "#2f6b4a"


def pips(picture: str) -> int:
    """Eyes of all dice of a picture; fog is of larger circles."""
    return picture.count("<circle") - picture.count("fill-opacity")


def test_a_seat_sees_its_dice_and_how_many_the_others_have() -> None:
    play = given(RULES, {"seats": 2}, {"dice": [[1, 2, 5], [6, 6, 6, 6]]})
    assert (pips(svg(play.see(0))), pips(svg(play.see(1))), pips(svg(play.see(None)))) == (8, 24, 0)
    closed = 'fill="#5b5347"'
    assert [svg(play.see(seat)).count(closed) for seat in (0, 1, None)] == [4, 3, 7]


def test_bids_of_a_regular_and_of_a_kind() -> None:
    play = given(RULES, {"seats": 2, "table": "regulars", "any_kind": True}, {"dice": [[2, 2, 2], [5, 5, 5]]})
    play.when(0, "bid", quantity=2, face="any")
    assert "2 of a kind" in words_of(svg(play.see(None)))
    play.when(1, "bid", quantity=2, face=5)
    words = words_of(svg(play.see(None)))
    assert "seat 1 bids" in words and "2 møller" in words and "0: 2 ×" in words and "1: 2 ×" in words
    assert "House rules: of a kind" in words


def test_an_open_table_has_golden_rings_round_what_counted() -> None:
    play = given(RULES, {"seats": 2}, {"dice": [[1, 2, 5], [5, 6, 6]]}, [[3, 3], [4, 4, 4]])
    before = svg(play.see(None)).count(f'fill="{GOLD}"')
    play.when(0, "bid", quantity=2, face=5)
    play.when(1, "lift")
    picture = svg(play.see(None))
    words = words_of(picture)
    # three dice count; the kind has a ring too, and the number is golden
    assert picture.count(f'fill="{GOLD}"') == before + 3 + 1 + 1
    assert "= 2" in words and "= 1" in words and "3 ×" in words and "seat 1 lost round 1" in words
    assert "round 1: seat 1 lifted 2 fives of seat 0, it held" in words
    assert 'opacity="1"' in picture
    play.when(1, "bid", quantity=1, face=4)
    assert 'opacity="0.55"' in svg(play.see(None))


def test_mats_strokes_and_places() -> None:
    ledger: dict[str, Any] = {"mats": ["green", "black", "black"], "strokes": [0, 6, 20], "rounds_given": [0, 7, 21]}
    position = {"over": True, "loser": 2, "places": [1, 2, 3], "ledger": {**ledger, "selvbinders": [0, 1, 0]}}
    picture = svg(given(RULES, {"seats": 3, "viborg": False}, position).see(None))
    words = words_of(picture)
    assert (picture.count(BLACK), picture.count(GREEN)) == (2, 1)
    assert "in Viborg, safe, place 2" in words and "in Viborg, lost" in words and "gave 7, selvbinder 1" in words
    assert "20 strokes" in words and picture.count("l30 -10") == 1
    assert "seat 2 lost the game" in words and "House rules: no Viborg" in words


def test_who_watches_the_final() -> None:
    position = {"finale": True, "participants": [0, 2], "dice": [[3], [], [5]]}
    words = words_of(svg(given(RULES, {"seats": 3, "finale": True}, position).see(1)))
    assert "watches" in words and "Game 1, the final in Viborg" in words


def test_fog_tells_no_number() -> None:
    def hidden(dice: list[list[int]]) -> Play:
        return given(RULES, {"seats": 3, "hidden_count": True, "peek_once": True}, {"dice": dice})

    one, other = hidden([[2, 3], [4], [5, 5, 5]]), hidden([[2, 3], [6, 6, 6, 6], [1]])
    assert svg(one.see(0)) == svg(other.see(0)) and svg(one.see(None)) == svg(other.see(None))
    assert pips(svg(one.see(0))) == 5 and words_of(svg(one.see(None))).count("?") == 3
    for play in (one, other):
        play.when(0, "bid", quantity=1, face=6)
    locked = svg(one.see(0))
    assert locked == svg(other.see(0)) and words_of(locked).count("?") == 3
    assert locked == svg(hidden_after_a_bid().see(0))


def hidden_after_a_bid() -> Play:
    """Another own cup, of another size: a locked one is drawn alike."""
    play = given(RULES, {"seats": 3, "hidden_count": True, "peek_once": True}, {"dice": [[6], [1], [5, 5]]})
    play.when(0, "bid", quantity=1, face=6)
    return play
