"""Which refusal comes first, and what no message can say."""

from libs.testing.play import given
from services.liarsdice.rules import RULES


def test_a_bid_is_refused_for_the_first_thing_that_is_wrong() -> None:
    play = given(RULES, {"seats": 3}, {"dice": [[2, 3], [4, 4], []], "places": [0, 0, 1], "round": 2})
    play.when(3, "bid", quantity=0, face=1).refused("unknown_seat", "seat")
    play.when(2, "bid", quantity=0, face=1, round=1).refused("seat_out")
    play.when(1, "bid", quantity=0, face=1, round=1).refused("not_your_turn")
    play.when(0, "bid", quantity=0, face=1, round=1).refused("bad_argument", "quantity")
    play.when(0, "bid", quantity=1, face=7, round=1).refused("bad_argument", "face")
    play.when(0, "bid", quantity=1, face=1, round=1).refused("stale_round", "round")
    play.when(0, "bid", quantity=1, face=1, round=0).refused("stale_round", "round")
    play.when(0, "bid", quantity=99, face=1, round=2).refused("face_not_biddable", "face")
    play.when(0, "bid", quantity=99, face="any").refused("face_not_biddable", "face")
    play.when(0, "bid", quantity=99, face=2).refused("bid_too_high", "quantity")
    play.when(0, "lift", round=1).refused("stale_round", "round")
    play.when(0, "lift", round=2).refused("nothing_to_lift")
    play.when(0, "bid", quantity=2, face=4, round=2).then({"type": "bid_made"})
    play.when(1, "bid", quantity=2, face=4).refused("bid_too_low")
    play.when(1, "bid", quantity=2, face="any").refused("face_not_biddable")
    play.when(2, "lift").refused("seat_out")
    play.when(0, "lift", round=1).refused("not_your_turn")


def test_what_no_bid_can_say() -> None:
    play = given(RULES, {"seats": 2}, {"dice": [[2], [4]]})
    for wrong in (True, 1.0, 1.5, "1", None, [1], 2**31):
        play.when(0, "bid", quantity=wrong, face=2).refused("bad_argument", "quantity")
    for wrong in (True, 2.0, None, [2], {}, "two", "", " 2", "02", 0, -2):
        play.when(0, "bid", quantity=1, face=wrong).refused("bad_argument", "face")
    play.when(0, "bid", face=2).refused("bad_argument", "quantity")
    play.when(0, "bid", quantity=1).refused("bad_argument", "face")
    play.when(0, "bid", quantity=1, face=2, round="1").refused("bad_argument", "round")
    play.when(0, "bid", quantity=1, face=2, colour="red").refused("bad_argument", "colour")
    play.when(0, "roll").refused("bad_argument")
    assert play.state.bids == ()


def test_between_games_there_is_no_bid_and_no_peek_even_out_of_turn() -> None:
    play = given(RULES, {"seats": 3}, {"over": True, "loser": 1, "places": [1, 3, 1]})
    for name, arguments in (("bid", {"quantity": 0, "face": 9}), ("lift", {"round": 9}), ("peek", {})):
        play.when(0, name, **arguments).refused("game_over")


def test_peek_is_refused_for_an_empty_seat_before_a_locked_cup() -> None:
    play = given(
        RULES,
        {"seats": 3, "peek_once": True},
        {"dice": [[2], [], [3]], "places": [0, 1, 0], "bids": [{"seat": 0, "quantity": 1, "face": 2}]},
    )
    play.when(1, "peek").refused("seat_out")
    play.when(0, "peek").refused("cup_locked")
    play.when(2, "peek").then_only({"type": "peeked", "seat": 2})
