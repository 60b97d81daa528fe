"""Corners of the rules file where several rules meet."""

from typing import Any

import pytest

from libs.testing.play import given
from services.trictrac.rules import RULES


def ok(seat: int, dice: list[int]) -> dict[str, Any]:
    """A throw that stands by OK."""
    return {"seat": seat, "dice": dice, "reason": "ok"}


def test_eight_seats_draw_for_the_start_in_three_passes() -> None:
    first, second, third = [6, 1, 6, 2, 6, 3, 4, 5], [2, 5, 5], [1, 3]
    play = given(RULES, {"seats": 8}, random=[[die] for die in first + second + third])
    drawn = play.events[1]
    passes = [[(one.seat, one.die) for one in drawn.items] for drawn in drawn.passes]  # pyright: ignore
    assert passes == [list(enumerate(first)), [(0, 2), (2, 5), (4, 5)], [(2, 1), (4, 3)]]
    assert play.view()["turn"] == {"seat": 4, "throws_made": 0, "throws_left": 3}
    assert play.view()["table"] == {"dice_count": 2, "dice": None, "seat": None, "score": None}


def test_refusals_of_take_point_come_in_the_order_of_the_table() -> None:
    stood = [ok(0, [4, 1]), {"seat": 1, "dice": [3, 1]}, {"seat": 2, "dice": [6, 1]}]
    position = {"points": [1, 1, 1, 1, 0], "bok": 3, "starter": 0, "limit": 2, "stood": stood}
    play = given(RULES, {"seats": 5}, position, [[5, 1]])
    assert play.view()["take_point_seat"] is None
    codes = ["stood_early", "window_closed", "last_point", "throws_left", "seat_out", "unknown_seat"]
    for seat, code in enumerate(codes):
        play.when(seat, "take_point").refused(code)
    play.when(3, "throw")
    play.when(2, "take_point").refused("window_closed")
    with_trictrac = {**position, "stood": [*stood[:2], {"seat": 2, "dice": [1, 2], "throws_made": 1}]}
    play = given(RULES, {"seats": 5}, with_trictrac)
    for seat, code in enumerate(["trictrac_on_table"] * 4 + codes[4:]):
        play.when(seat, "take_point").refused(code)


def test_a_tie_of_trictracs_makes_a_bok_at_the_students_table() -> None:
    """R7.5 with R6.5, a preset that is overruled, and R9.1 whatever the overshoot."""
    options = {"preset": "student", "bok": True, "seats": 2, "points": 1, "first_starter": 1}
    play = given(RULES, options, random=[[2, 1], [1, 2], [1], [2]])
    play.when(1, "throw")
    play.when(0, "throw").then({"type": "tied_lowest", "seats": [1, 0], "score": 1000})
    play.when(0, "take_point").refused("trictrac_on_table")
    play.when(1, "stand").refused("must_throw")
    play.when(1, "throw", style="roll", direction=359)
    play.when(0, "throw").then_only(
        {"type": "die_thrown", "seat": 0, "die": 2, "style": "throw", "direction": None, "by": "seat"},
        {"type": "throw_off_pass_ended", "pass_number": 1, "lowest": 1, "remaining": [1]},
        {"type": "round_ended", "round": 1, "loser": 1, "score": 1000, "trictracs": 2, "penalty": 4},
        {"type": "points_lost", "seat": 1, "penalty": 4, "paid": 1, "left": 0, "reason": "lowest"},
        {"type": "bok_given", "seat": 1, "left": 1},
        {"type": "round_started", "round": 2, "starter": 1, "reason": "loser_starts"},
        {"type": "turn_started", "seat": 1, "throws_allowed": 3},
    )
    last = play.view()["last_round"]
    assert last["penalty"] == 4
    assert [one["seat"] for one in last["standing"]] == [1, 0]


def test_who_goes_out_in_a_throw_off_passes_the_start_on_over_seats_that_are_out() -> None:
    stood = [ok(3, [4, 3]), {"seat": 4, "dice": [3, 1]}, {"seat": 1, "dice": [1, 3]}]
    off = {"seats": [4, 1], "thrown": [{"seat": 4, "die": 1}]}
    position = {"points": [0, 3, 0, 2, 1], "out": [2, 0], "bok": 2, "starter": 3, "limit": 2}
    play = given(RULES, {"seats": 5}, {**position, "stood": stood, "throw_off": off}, [[3]])
    play.when(1, "throw").then(
        {"type": "throw_off_pass_ended", "pass_number": 1, "lowest": 1, "remaining": [4]},
        {"type": "seat_out", "seat": 4, "place": 3},
        {"type": "round_started", "round": 2, "starter": 1, "reason": "loser_out"},
    )
    play.when(4, "take_point").refused("seat_out")
    assert play.view(4)["you"] == {"seat": 4, "actions": []}


def test_the_last_of_eight_goes_out_in_a_throw_off() -> None:
    """R9.7 with a bok that is out as second; the one die and the lowest throw stay in view (R5.3, R9.8)."""
    turn = {"seat": 2, "throws": [[4, 4], [5, 1]]}
    position = {"points": [0, 0, 1, 0, 0, 1, 0, 0], "bok": 2, "out": [7, 0, 4, 1, 6, 3], "starter": 5, "limit": 3}
    stood = [{"seat": 5, "dice": [4, 4]}]
    play = given(RULES, {"seats": 8}, {**position, "stood": stood, "turn": turn}, [[4, 4], [1], [1], [3], [2]])
    play.when(2, "throw").then({"type": "tied_lowest", "seats": [5, 2], "score": 400})
    for seat in (5, 2, 5):
        play.when(seat, "throw")
    play.when_late(2).then(
        {"type": "die_thrown", "seat": 2, "die": 2, "pass_number": 2, "by": "table"},
        {"type": "seat_out", "seat": 2, "place": 2},
        {"type": "game_ended", "winner": 5, "ranking": [5, 2, 3, 6, 1, 4, 0, 7]},
    )
    view = play.view()
    assert view["table"] == {"dice_count": 1, "dice": [2], "seat": 2, "score": 2}
    assert (view["limit"], view["throw_off"], view["clock"]) == (3, None, None)
    assert view["lowest"] == {"score": 400, "seats": [5, 2]}


@pytest.mark.parametrize(
    ("starter", "made"),
    [(0, 1), (0, 2), (1, 1)],
)
def test_a_position_gives_no_chance_to_a_seat_that_had_throws_left(starter: int, made: int) -> None:
    """R8.1: the starter is allowed three, the others the limit, whatever reason the position names."""
    stood = [{"seat": 0, "dice": [3, 1], "throws_made": made, "reason": "throws_used"}]
    if starter == 1:
        stood.insert(0, ok(1, [6, 1]))
    position = {"points": [6, 6, 6], "starter": starter, "limit": 2, "stood": stood, "turn": {"seat": 2}}
    play = given(RULES, {"seats": 3}, position)
    assert play.view()["take_point_seat"] is None
    assert play.view(0)["you"]["actions"] == []
    play.when(0, "take_point").refused("stood_early")


def test_nothing_stands_yet() -> None:
    assert RULES.queries["lowest"]({"standing": []}) == {"score": None, "seats": []}
    assert RULES.queries["crown"]({"standing": []}) == {"score": None, "seat": None}


def test_with_no_throw_made_the_advice_needs_no_more() -> None:
    for role in ("starter", "follower"):
        assert RULES.queries["advice"]({"role": role, "players_after": 2, "throws_made": 0}) == {"action": "throw"}
