"""The picture of trictrac: the dice that lie, the three boxes, points, crown, bok, throws, and what goes on."""

import re

import pytest

from services.trictrac.picture import svg
from stamtafel.trictrac.v1 import trictrac_pb2 as pb
from tests.unit.client.pictured import views, words_of

POINT = 'r="5.5"'


def seats(count: int) -> pb.View:
    """The first turn of a table of so many seats."""
    view = pb.View(phase="turn", round=1, penalty=1)
    for seat in range(count):
        view.seats.add(seat=seat, points=6, on_turn=seat == 0)
    view.turn.seat, view.turn.throws_left = 0, 3
    return view


def test_points_and_throws_of_a_whole_play_are_there() -> None:
    for _, view in views("trictrac"):
        assert isinstance(view, pb.View)
        drawn = svg(view)
        assert drawn.count(POINT) == sum(seat.points for seat in view.seats)
        assert drawn.count('width="68"') == len(view.table.dice.items)
        if not view.throw_off.thrown:
            thrown = sum(len(dice.items) for seat in view.seats for dice in seat.throws)
            assert drawn.count('width="25"') == thrown


def test_boxes_marks_and_notes() -> None:
    view = seats(3)
    view.limit = 2
    view.table.seat, view.table.score = 0, 1000
    view.table.dice.items.extend((2, 1))
    view.lowest.score = 41
    view.seats[1].crown = view.seats[2].bok = True
    view.seats[1].standing.score = 65
    view.take_point_seat = 2
    words = words_of(svg(view))
    assert {"trictrac", "41", "3", "2 throws, the loser pays 1", "stands 65", "bok"} <= set(words)
    assert "seat 2 may hand in a point" in words
    assert svg(view).count("<path") == 1


def test_a_throw_off_and_the_end() -> None:
    view = seats(2)
    view.throw_off.seats.extend((0, 1))
    view.throw_off.thrown.add(seat=1, die=4)
    assert "Vast! One die each: seats 0, 1" in words_of(svg(view))
    assert svg(view).count('width="25"') == 1
    view.ClearField("turn")
    view.winner = 1
    view.ranking.extend((1, 0))
    view.last_round.round, view.last_round.loser, view.last_round.reason = 9, 0, "point_taken"
    view.last_round.score = 31
    assert {"seat 1 has won: 1 > 0", "round 9: seat 0 handed in a point with 31"} <= set(words_of(svg(view)))


@pytest.mark.parametrize("count", range(2, 9))
def test_no_two_seats_overlap_and_all_are_in_the_picture(count: int) -> None:
    view = seats(count)
    view.you.seat = 1
    places = [(float(x), float(y)) for x, y in re.findall(r"translate\(([\d.-]+) ([\d.-]+)\)\"><rect width", svg(view))]
    assert len(places) == count
    assert all(0 <= x <= 980 - 196 and 0 <= y <= 800 - 104 for x, y in places)
    for number, (x, y) in enumerate(places):
        assert all(abs(x - a) > 196 or abs(y - b) > 104 for a, b in places[:number])
    assert places[1][1] == max(y for _, y in places)  # who looks sits below
