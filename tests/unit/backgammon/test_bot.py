"""Computer players: legal always, sensible with the cube and resignations, from the view alone."""

from random import Random
from typing import Any

import numpy as np
import pytest
from google.protobuf.message import Message

from libs.table.brain import Look
from libs.testing.play import Play, given
from services.backgammon.bot import EFFORT, judge, think
from services.backgammon.engine import bearoff, nets
from services.backgammon.engine.batch import START
from services.backgammon.engine.duel import duel
from services.backgammon.engine.stakes import Stakes, cube_action, equity_at, weights
from services.backgammon.rules import RULES
from services.backgammon.strength import easy, searching
from stamtafel.backgammon.v1 import backgammon_pb2 as pb

LEVELS = ("easy", "normal", "hard")


def thought(play: Play, seat: int, level: str, seed: int = 1) -> Message | None:
    look = Look(seat, level, play.options, play.see(seat), RULES.actions(play.state, seat), (), Random(seed))
    return think(look, None).command


@pytest.mark.parametrize("level", ["easy", "normal"])
@pytest.mark.parametrize(
    "options", [{"play": "match", "match_length": 3}, {"session_games": 2, "beavers": True, "jacoby": True}]
)
def test_whole_plays_are_legal(level: str, options: dict[str, Any]) -> None:
    chance = Random(7)
    play = given(RULES, options)
    while play.state.match_result is None:
        seat = min(RULES.to_act(play.state))
        play.script.add(*([chance.randint(1, 6), chance.randint(1, 6)] for _ in range(8 - len(play.script.left))))
        command = thought(play, seat, level)
        assert command is not None
        play.act(seat, command)


def test_the_same_look_gives_the_same_thought() -> None:
    play = given(RULES, {}, {"turn": 0, "phase": "move", "dice": [3, 1]})
    for level in LEVELS:
        assert thought(play, 0, level) == thought(play, 0, level)


@pytest.mark.parametrize(("dice", "best"), [([3, 1], "8/5 6/5"), ([4, 2], "8/4 6/4"), ([6, 1], "13/7 8/7")])
@pytest.mark.parametrize("level", ["normal", "hard"])
def test_the_book_openings(level: str, dice: list[int], best: str) -> None:
    play = given(RULES, {}, {"turn": 0, "phase": "move", "dice": dice})
    assert thought(play, 0, level) == pb.Play(moves=best)


@pytest.mark.parametrize("level", LEVELS)
def test_a_turn_that_somebody_began_is_begun_anew(level: str) -> None:
    play = given(RULES, {}, {"turn": 0, "phase": "move", "dice": [3, 1], "moved": [[24, 21]]})
    assert thought(play, 0, level) == pb.Undo(all=True)


@pytest.mark.parametrize("level", LEVELS)
def test_it_drops_a_lost_game_and_takes_an_even_one(level: str) -> None:
    lost = given(RULES, {}, {"board": [{"1": 3}, {"6": 8, "5": 4}], "turn": 0, "phase": "double_offered"})
    assert thought(lost, 1, level) == pb.Drop()
    even = given(RULES, {}, {"turn": 0, "phase": "double_offered"})
    assert thought(even, 1, level) == pb.Take()


@pytest.mark.parametrize("level", ["normal", "hard"])
def test_it_beavers_a_bad_double_and_doubles_a_strong_race(level: str) -> None:
    bad = given(RULES, {"beavers": True}, {"board": [{"24": 2, "13": 5, "8": 3, "6": 5}, {"3": 5, "2": 5}], "turn": 0})
    bad.when(0, "double")
    assert thought(bad, 1, level) == pb.Beaver()
    race = {"board": [{"6": 3, "5": 3, "4": 3, "3": 2}, {"6": 5, "5": 5, "4": 3, "3": 2}], "turn": 0}
    assert thought(given(RULES, {}, race), 0, level) == pb.Double()
    assert thought(given(RULES, {}, {"turn": 0}), 0, level) == pb.Roll()


@pytest.mark.parametrize("level", ["normal", "hard"])
def test_a_single_resignation_is_refused_while_a_gammon_is_likely(level: str) -> None:
    board = [{"6": 3, "5": 3, "4": 3}, {"bar": 2, "24": 3, "13": 10}]
    single = {"board": board, "turn": 1, "phase": "resign_offered", "resign": {"seat": 1, "kind": "single"}}
    assert thought(given(RULES, {}, single), 0, level) == pb.RejectResign()
    board = [{"6": 3, "5": 3, "4": 3}, {"6": 5, "5": 5, "4": 3}]
    single = {"board": board, "turn": 1, "phase": "resign_offered", "resign": {"seat": 1, "kind": "single"}}
    assert thought(given(RULES, {}, single), 0, level) == pb.AcceptResign()


@pytest.mark.parametrize("level", ["normal", "hard"])
def test_it_resigns_only_what_is_lost_for_certain(level: str) -> None:
    lost = {"board": [{"6": 9}, {"1": 2}], "turn": 0, "phase": "move", "dice": [3, 1]}
    assert thought(given(RULES, {}, lost), 0, level) == pb.Resign(kind="single")
    open_game = {"board": [{"6": 2}, {"1": 3}], "turn": 0, "phase": "move", "dice": [3, 1]}
    assert isinstance(thought(given(RULES, {}, open_game), 0, level), pb.Play)


def test_the_bear_off_tables_are_exact() -> None:
    def against(mine: dict[int, int], other: dict[int, int]) -> float:
        boards = np.zeros((1, 2, 26), dtype=np.int8)
        for side, counts in enumerate((mine, other)):
            for point, count in counts.items():
                boards[0, side, point] = count
            boards[0, side, 0] = 15 - sum(counts.values())
        return float(bearoff.chances(boards)[0])

    assert against({6: 1}, {6: 1}) == pytest.approx(27 / 36 + 9 / 36 * 9 / 36, abs=1e-5)
    assert against({5: 1, 2: 1}, {1: 1}) == pytest.approx(19 / 36, abs=1e-5)
    tables = bearoff.load()
    assert tables.throws.shape == (54264, 32)
    assert tables.throws.sum(axis=1) == pytest.approx(1, abs=1e-4)


def test_match_equities_are_near_the_published_ones() -> None:
    for mine, theirs, known in ((2, 3, 0.60), (2, 4, 0.67), (3, 5, 0.65), (5, 7, 0.63), (3, 4, 0.57)):
        assert equity_at(mine, theirs, False) == pytest.approx(known, abs=0.025)
    assert equity_at(1, 2, False) == pytest.approx(0.685, abs=0.02)
    assert equity_at(4, 2, False) == pytest.approx(1 - equity_at(2, 4, False))


def test_the_cube_for_money() -> None:
    def at(chance: float, **more: Any) -> Any:
        return cube_action((chance, 0.1 * chance, 0, 0.1 * (1 - chance), 0), Stakes(**more))

    assert not at(0.60).double
    assert at(0.75).double and at(0.75).take
    assert at(0.85).double and not at(0.85).take


def test_stakes_are_antisymmetric() -> None:
    shares = judge().shares(START[None])
    for stakes in (Stakes(), Stakes(cube=4, owner=1), Stakes(away=(3, 5))):
        mine, theirs = weights(stakes), weights(stakes.other())
        value = float((shares @ mine[:5] + mine[5])[0])
        other = float((nets.mirrored(shares) @ theirs[:5] + theirs[5])[0])
        total = 1.0 if stakes.away else 0.0
        assert value + other == pytest.approx(total, abs=1e-5)


def test_normal_is_stronger_than_easy() -> None:
    score = duel(searching(EFFORT["normal"]), easy(1), 60, 1)
    assert score.mean - score.margin > 0


@pytest.mark.parametrize("level", LEVELS)
def test_a_regular_confirms_where_no_step_is_legal(level: str) -> None:
    board = [{"bar": 1, "6": 14}, {"6": 2, "5": 2, "4": 2, "3": 2, "2": 2, "1": 2}]
    play = given(RULES, {}, {"board": board, "phase": "move", "dice": [6, 5]})
    assert isinstance(thought(play, 0, level), pb.Confirm)
