"""The heads-up model against the rules file's tables (R11.4, Tables for bots)."""

import pytest

from services.trictrac.heads_up import FREE, MINE, OTHERS, Stake, chance, hands_in, other_stands, starter_stands, starts
from services.trictrac.throws import SCORES, TRICTRAC

ORDINARY = [score for score in SCORES if score != TRICTRAC]
FREE_BOK = [
    [0.517, 0.619, 0.719, 0.812, 0.890, 0.949],
    [0.416, 0.518, 0.626, 0.733, 0.831, 0.913],
    [0.313, 0.410, 0.520, 0.635, 0.750, 0.854],
    [0.216, 0.301, 0.404, 0.521, 0.645, 0.766],
    [0.131, 0.198, 0.287, 0.398, 0.524, 0.648],
    [0.065, 0.109, 0.178, 0.274, 0.377, 0.563],
]


def test_bok_not_yet_given() -> None:
    table = [[chance(Stake(mine, other, FREE)) for other in range(6, 0, -1)] for mine in range(6, 0, -1)]
    for row, expected in zip(table, FREE_BOK, strict=True):
        assert row == pytest.approx(expected, abs=0.0005)


def test_the_starter_is_the_bok() -> None:
    row = [chance(Stake(1, other, MINE)) for other in range(6, 0, -1)]
    assert row == pytest.approx([0.018, 0.035, 0.071, 0.142, 0.296, 0.590], abs=0.0005)


def test_the_other_is_the_bok() -> None:
    row = [chance(Stake(mine, 1, OTHERS)) for mine in range(6, 0, -1)]
    assert row == pytest.approx([0.987, 0.975, 0.949, 0.900, 0.794, 0.590], abs=0.0005)


def test_best_play_of_the_starter_at_six_all() -> None:
    stake = Stake(6, 6, FREE)
    assert [score for score in ORDINARY if starter_stands(stake, 1, score)] == [s for s in ORDINARY if s >= 54]
    assert [score for score in ORDINARY if starter_stands(stake, 2, score)] == [s for s in ORDINARY if s >= 61]
    assert [score for score in ORDINARY if hands_in(stake, score)] == [s for s in ORDINARY if s <= 51]


def test_who_beats_a_standing_31_hunts_a_trictrac() -> None:
    """Fact (a): with throws left he throws again; with two left also over 32 and 41."""
    stake = Stake(6, 6, FREE)
    assert not any(other_stands(stake, 31, 3, 2, thrown) for thrown in ORDINARY)
    hunted = [
        score for score in ORDINARY if not any(other_stands(stake, score, 3, 1, t) for t in ORDINARY if t > score)
    ]
    assert hunted[:3] == [31, 32, 41]


def test_at_one_all_both_want_to_lose() -> None:
    """Fact (b): the loser gets his point back and starts; being the bok on one point as starter is worth more."""
    assert chance(Stake(1, 1, MINE)) > 0.5
    assert starts(Stake(1, 1, FREE))[0] == pytest.approx(0.563, abs=0.0005)
