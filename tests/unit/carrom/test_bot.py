"""Computer players: what each level shoots, told from its view alone."""

from random import Random
from typing import Any

import pytest

from libs.table.brain import Look
from libs.table.seeded import SeededCtx
from libs.testing.play import Play, given
from services.carrom.bot import HANDS, HEAVY, aimed, think
from services.carrom.rules import RULES
from services.carrom.search import Hand, spot_of
from services.carrom.simulate import simulate
from services.carrom.strength import Player, broken, interval, one_set, shots_alone
from stamtafel.carrom.v1 import carrom_pb2 as pb

LEVELS = ("easy", "normal", "hard")
STEADY = Hand(0.0, 0.0)


def at(turn: int = 0, seats: int = 2, **position: Any) -> Play:
    return given(RULES, {"seats": seats}, {"turn": turn, **position})


def thought(play: Play, seat: int, level: str, seed: int = 1) -> pb.Shoot | None:
    look = Look(seat, level, play.options, play.see(seat), RULES.actions(play.state, seat), (), Random(seed))
    command = think(look, None).command
    assert command is None or isinstance(command, pb.Shoot)
    return command


def few(**more: Any) -> dict[str, Any]:
    """Two whites, two blacks and the red."""
    board = {"w1": [0.2, 0.2], "w2": [-0.25, 0.1], "b1": [0.0, -0.1], "b2": [0.3, -0.3], "red": [-0.1, 0.3]}
    acquired = {"white": [f"w{n}" for n in range(3, 10)], "black": [f"b{n}" for n in range(3, 10)]}
    return {"board": board, "acquired": acquired, **more}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seats", [2, 4])
def test_every_shot_is_accepted(level: str, seats: int) -> None:
    for turn in range(seats):
        play = at(turn, seats)
        command = thought(play, turn, level)
        assert command is not None
        assert RULES.decide(play.state, turn, command, SeededCtx(Random(1)))


def test_it_waits_when_it_is_not_its_turn() -> None:
    assert all(thought(at(), 1, level) is None for level in LEVELS)


def test_the_same_chance_gives_the_same_shot() -> None:
    for level in LEVELS:
        assert thought(at(), 0, level, 5) == thought(at(), 0, level, 5)


@pytest.mark.parametrize("level", ["normal", "hard"])
@pytest.mark.parametrize("turn", [0, 1])
def test_a_steady_hand_pockets_what_is_open(level: str, turn: int) -> None:
    board = {"w1": [0.2, 0.2], "w2": [-0.25, 0.1], "b1": [0.15, 0.1], "b2": [-0.2, -0.2], "red": [0.0, 0.0]}
    play = at(turn, **{**few(), "board": board})
    spot = spot_of(play.see(turn), play.options, turn)  # type: ignore[arg-type]
    shot = aimed(spot, level, STEADY, Random(2))
    events = RULES.decide(play.state, turn, shot, SeededCtx(Random(1)))
    assert any(isinstance(event, pb.PionAcquired) and event.team == turn for event in events)
    assert any(isinstance(event, pb.HandKept) for event in events)


@pytest.mark.parametrize("level", LEVELS)
def test_a_pion_on_the_own_line_is_reached_off_a_rail(level: str) -> None:
    """R4.3: the only own pion stands on the line; a direct hit would be a fault."""
    board = {"w1": [0.05, -0.24], "b1": [0.0, 0.0], "red": [-0.1, 0.1]}
    acquired = {"white": [f"w{n}" for n in range(2, 10)], "black": [f"b{n}" for n in range(2, 10)]}
    play = at(board=board, acquired=acquired)
    spot = spot_of(play.see(0), play.options, 0)._replace(red_open=False)  # type: ignore[arg-type]
    touched = 0
    for seed in range(6):
        shot = aimed(spot, level, STEADY, Random(seed))
        flick = (round(shot.x * 1e6), round(shot.angle * 1e6), round(shot.speed * 1e6))
        outcome = simulate((play.state.board, ()), "south", flick, (100, 6500))
        assert outcome["first_contact"] != "w1" or outcome["rails_before"] > 0
        touched += outcome["first_contact"] == "w1"
    assert touched


def test_the_hand_errs_as_it_should() -> None:
    play = at(**few())
    spot = spot_of(play.see(0), play.options, 0)  # type: ignore[arg-type]
    steady = aimed(spot, "normal", STEADY, Random(1))
    angles = [aimed(spot, "normal", HANDS["normal"], Random(seed)).angle - steady.angle for seed in range(60)]
    spread = (sum(a * a for a in angles) / len(angles)) ** 0.5
    assert 0.4 < spread < 0.8


def test_a_lone_table_is_cleared() -> None:
    assert shots_alone(Player("normal", STEADY), 1) < 40


def test_a_set_between_levels_ends() -> None:
    winner, shots = one_set({0: Player("normal", STEADY), 1: Player("easy", HANDS["easy"])}, 1, Random(1))
    assert winner in (0, 1) and 9 <= shots <= 400


def test_breaks_are_fixed_and_differ() -> None:
    assert broken(1) == broken(1) != broken(2)


def test_the_interval_of_a_share() -> None:
    low, high = interval(150, 200)
    assert (round(low, 3), round(high, 3)) == (0.686, 0.805)


def test_who_simulates_thinks_elsewhere() -> None:
    assert {"normal", "hard"} == HEAVY
