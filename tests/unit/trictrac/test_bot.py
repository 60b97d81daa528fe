"""Computer players: the levels as R11.2 says, told from views alone."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from google.protobuf.message import Message

from libs.table.brain import Look
from libs.testing.play import Play, given
from services.trictrac import heads_up as duel
from services.trictrac.bot import courtesy, stake_of, think
from services.trictrac.rules import RULES
from services.trictrac.throws import SCORES, TRICTRAC, score_of
from services.trictrac.yardstick import Best, Lies, Normal
from stamtafel.trictrac.v1 import trictrac_pb2 as pb

DICE = {score_of((a, b)): [a, b] for a in range(1, 7) for b in range(1, 7)}
ORDINARY = [score for score in SCORES if score != TRICTRAC]


def at(position: dict[str, Any], random: Sequence[Any] = (), **options: Any) -> Play:
    return given(RULES, {"seats": len(position["points"]), **options}, position, random)


def thought(play: Play, seat: int, level: str, rng: Random | None = None) -> Message | None:
    actions = RULES.actions(play.state, seat)
    return think(Look(seat, level, play.options, play.see(seat), actions, (), rng or Random(1)), None).command


def starter(points: list[int], throws: list[int]) -> Play:
    return at({"points": points, "starter": 0, "turn": {"seat": 0, "throws": [DICE[score] for score in throws]}})


def follower(points: list[int], lies: Lies, score: int) -> Play:
    stood = [{"seat": 0, "dice": DICE[lies.starter], "throws_made": lies.limit}]
    throws = [[6, 5]] * (lies.made - 1) + [DICE[score]]
    turn = {"seat": 1, "throws": throws}
    return at({"points": points, "starter": 0, "limit": lies.limit, "stood": stood, "turn": turn})


@pytest.mark.parametrize(("level", "policy"), [("hard", Best()), ("normal", Normal())])
def test_heads_up_it_plays_the_policy_that_the_yardstick_measures(level: str, policy: Any) -> None:
    stake = duel.Stake(4, 3, duel.FREE)
    for score in ORDINARY:
        for throws in ([score], [65, score]):
            stands = isinstance(thought(starter([4, 3], throws), 0, level), pb.Stand)
            assert stands == bool(policy.starter_stands(stake, len(throws), score))
        for lies in (Lies(53, 2, 1), Lies(53, 3, 1), Lies(31, 3, 2), Lies(300, 3, 2)):
            stands = isinstance(thought(follower([4, 3], lies, score), 1, level), pb.Stand)
            assert stands == bool(policy.other_stands(stake, lies, score))
        waiting = {"points": [4, 3], "starter": 0, "limit": 3, "stood": [{"seat": 0, "dice": DICE[score]}]}
        takes = isinstance(thought(at(waiting), 0, level), pb.TakePoint)
        assert takes == bool(policy.hands_in(stake, score))


def test_hard_follows_the_one_round_model_with_more_seats() -> None:
    stood = [{"seat": 0, "dice": [5, 3], "reason": "ok"}, {"seat": 1, "dice": [6, 3]}]
    position = {"points": [6, 6, 6, 6], "starter": 0, "limit": 2, "stood": stood}
    for score in ORDINARY:
        play = at({**position, "turn": {"seat": 2, "throws": [DICE[score]]}})
        asked = {"role": "follower", "players_after": 1, "throws_made": 1, "score": score}
        advice = RULES.queries["advice"]({**asked, "limit": 2, "lowest": 53, "tied": 1, "trictracs": 0})
        name = {"stand": pb.Stand, "throw": pb.Throw}[advice["action"]]
        assert isinstance(thought(play, 2, "hard"), name)
    for score in ORDINARY:
        play = at({"points": [6, 6, 6], "starter": 0, "limit": 3, "stood": [{"seat": 0, "dice": DICE[score]}]})
        asked = {"role": "starter", "players_after": 2, "throws_made": 3, "score": score}
        takes = RULES.queries["advice"](asked)["action"] == "take_point"
        assert isinstance(thought(play, 0, "hard"), pb.TakePoint) == takes


def test_nobody_hands_in_above_the_bottom() -> None:
    stood = [{"seat": 0, "dice": [3, 1], "reason": "ok"}, {"seat": 1, "dice": [3, 2]}]
    play = at({"points": [6, 6, 6], "starter": 0, "limit": 1, "stood": stood})
    assert RULES.actions(play.state, 1) == ("take_point",)
    for level in ("easy", "normal", "hard"):
        assert thought(play, 1, level) is None


def test_easy_stands_about_as_often_as_it_should() -> None:
    rng = Random(4)

    def share(play: Play, seat: int) -> float:
        return sum(isinstance(thought(play, seat, "easy", rng), pb.Stand) for _ in range(400)) / 400

    assert share(starter([6, 6], [43]), 0) == pytest.approx(1 / 2, abs=0.08)
    assert share(starter([6, 6], [61]), 0) == pytest.approx(0.9, abs=0.05)
    assert share(follower([6, 6], Lies(53, 2, 1), 53), 1) == pytest.approx(0.9, abs=0.05)
    assert share(follower([6, 6], Lies(53, 2, 1), 52), 1) == pytest.approx(1 / 3, abs=0.08)


def test_it_waits_when_it_is_not_asked() -> None:
    play = given(RULES, {"seats": 2, "first_starter": 0})
    assert thought(play, 1, "hard") is None
    assert isinstance(thought(play, 0, "hard"), pb.Throw)


def test_it_throws_in_a_throw_off() -> None:
    stood = [{"seat": 0, "dice": [5, 3], "reason": "ok"}, {"seat": 1, "dice": [5, 3]}]
    play = at({"points": [6, 6], "starter": 0, "limit": 1, "stood": stood, "throw_off": {"seats": [0, 1]}})
    for level in ("easy", "normal", "hard"):
        assert isinstance(thought(play, 0, level), pb.Throw)


def test_courtesy_while_another_seat_may_take_a_point() -> None:
    play = at({"points": [6, 6, 6], "starter": 0, "limit": 3, "stood": [{"seat": 0, "dice": [3, 1]}]})
    assert courtesy(play.see(1), 1)
    assert not courtesy(play.see(0), 0)


@pytest.mark.parametrize(
    ("bok", "rule", "expected"), [(None, True, duel.FREE), (None, False, duel.NONE), (2, True, duel.NONE)]
)
def test_the_stake_of_two_who_are_left(bok: int | None, rule: bool, expected: str) -> None:
    position = {"points": [3, 2, 0], "bok": bok, "out": [2], "starter": 0}
    play = at({key: value for key, value in position.items() if value is not None}, bok=rule)
    view = play.see(0)
    assert isinstance(view, pb.View) and isinstance(play.options, pb.Options)
    assert stake_of(0, view, play.options) == duel.Stake(3, 2, expected)
    assert stake_of(1, view, play.options) == duel.Stake(2, 3, expected)
