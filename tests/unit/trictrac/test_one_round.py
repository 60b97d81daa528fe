"""The one-round model against the rules file's tables (R11.3, Tables for bots)."""

import pytest

from services.trictrac.one_round import (
    Spot,
    follower_pays,
    follower_stands,
    hands_in,
    share_pays,
    stand_pays,
    starter_pays,
    starter_stands,
)
from services.trictrac.throws import SCORES, TRICTRAC

ORDINARY = [score for score in SCORES if score != TRICTRAC]


def bar(stands: list[bool]) -> int:
    """The score from which upwards it stands; the choice must change once only."""
    first = stands.index(True)
    assert all(stands[first:])
    return SCORES[first]


@pytest.mark.parametrize(
    ("seats", "after_one", "after_two", "again", "pays"),
    [
        (2, 53, 61, (0.659, 0.816), 0.478),
        (3, 52, 54, (0.510, 0.730), 0.295),
        (4, 51, 54, (0.424, 0.674), 0.209),
        (5, 51, 53, (0.370, 0.636), 0.159),
        (6, 51, 53, (0.331, 0.608), 0.128),
        (7, 43, 53, (0.301, 0.586), 0.106),
        (8, 43, 53, (0.279, 0.568), 0.090),
    ],
)
def test_starter(seats: int, after_one: int, after_two: int, again: tuple[float, float], pays: float) -> None:
    to_come = seats - 1
    assert bar([starter_stands(1, score, to_come) for score in ORDINARY]) == after_one
    assert bar([starter_stands(2, score, to_come) for score in ORDINARY]) == after_two
    worth = starter_pays(to_come)
    assert worth == pytest.approx((pays, *again), abs=0.0005)
    handing_in = [score for score in ORDINARY if hands_in(share_pays(Spot(score, 1, 0, 3, to_come)), 0, to_come)]
    assert handing_in == [score for score in ORDINARY if score <= 53]


@pytest.mark.parametrize(
    ("limit", "made", "to_come", "bottom"),
    [(2, 1, 0, 61), (3, 1, 0, 65), (3, 2, 0, 61), (2, 1, 2, 54), (3, 1, 2, 63), (3, 2, 2, 61)],
)
def test_follower_equal_to_the_lowest(limit: int, made: int, to_come: int, bottom: int) -> None:
    stands = [follower_stands(Spot(score, 1, 0, limit, to_come), made, score) for score in ORDINARY]
    assert bar(stands) == bottom


def test_follower_above_the_lowest_stands() -> None:
    for lowest in ORDINARY:
        for score in (other for other in ORDINARY if other > lowest):
            assert follower_stands(Spot(lowest, 1, 0, 3, 2), 1, score)


def test_follower_below_the_lowest_throws_when_last() -> None:
    for lowest in ORDINARY:
        for score in (other for other in ORDINARY if other < lowest):
            assert not follower_stands(Spot(lowest, 1, 0, 3, 0), 2, score)


@pytest.mark.parametrize(("limit", "made", "bottom"), [(2, 1, 63), (3, 1, None), (3, 2, 65)])
def test_follower_below_100_with_one_to_come(limit: int, made: int, bottom: int | None) -> None:
    below = [score for score in ORDINARY if score < 100]
    stands = [score for score in below if follower_stands(Spot(100, 1, 0, limit, 1), made, score)]
    assert stands == [score for score in below if bottom is not None and score >= bottom]


@pytest.mark.parametrize(("limit", "highest"), [(1, 31), (2, 43), (3, 53)])
@pytest.mark.parametrize("to_come", [1, 2, 3, 4, 5])
def test_alone_at_the_bottom_with_all_throws_used(limit: int, highest: int, to_come: int) -> None:
    for score in (one for one in ORDINARY if one < 600):
        waiting = stand_pays(Spot(600, 1, 0, limit, to_come), score)
        assert hands_in(waiting, 0, to_come) == (score <= highest)
        assert not hands_in(stand_pays(Spot(score, 1, 0, limit, to_come), score), 0, to_come)


def test_a_standing_31_costs_more_with_every_seat_to_come() -> None:
    costs = [share_pays(Spot(31, 1, 0, 3, to_come)) for to_come in (1, 2, 3, 4)]
    assert costs == pytest.approx([1.059, 1.121, 1.186, 1.255], abs=0.0005)


def test_payments_of_a_round_add_up() -> None:
    # The last follower against a standing 53: what he pays and what the other pays is one penalty, 1 or 2.
    spot = Spot(53, 1, 0, 1, 0)
    other = share_pays(spot._replace(to_come=1))
    assert other + follower_pays(spot)[0] == pytest.approx(1 + 2 / 36)
