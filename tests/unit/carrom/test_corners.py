"""Corners of the rules file that no given case touches: several rules at once, and what only an odd state shows."""

from typing import Any

import pytest

from libs.testing.play import Play, Step, given
from services.carrom.rules import RULES
from services.carrom.simulate import simulate

SHOT = {"x": 0.0, "angle": 0.0, "speed": 3.0}
WHITES = [f"w{n}" for n in range(1, 10)]
BLACKS = [f"b{n}" for n in range(1, 10)]


def table(position: dict[str, Any], *outcomes: dict[str, Any], **options: Any) -> Play:
    return given(RULES, options, position, random=outcomes)


def shoot(play: Play, seat: int = 0, **other: float) -> Step:
    return play.when(seat, "shoot", **(SHOT | other))


def test_everything_at_once() -> None:
    """R4.5, R5.3, R5.8, R6.6: a direct hit on the own line, all that can fall and leave, in the one right order."""
    outcome = {
        "first_contact": "w5",
        "pocketed": ["w5", "b5", "red", "palet", "w6"],
        "out": ["b6", "w7"],
    }
    play = table({"turn": 0, "acquired": {"white": ["w1"]}, "board": {"w5": [0.1, -0.2526]}}, outcome)
    shoot(play).then_only(
        {"type": "shot_taken"},
        {"type": "shot_resolved"},
        {"type": "pion_acquired", "piece": "b5", "team": 1, "seat": 0},
        {"type": "palet_lost", "seat": 0, "how": "hole"},
        {"type": "penalty_paid", "team": 0, "piece": "w1"},
        {"type": "piece_returned", "piece": "red", "reason": "with_opponent", "level": 0},
        {"type": "piece_returned", "piece": "b6", "reason": "out", "level": 1},
        {"type": "piece_returned", "piece": "w7", "reason": "out", "level": 2},
        {"type": "piece_returned", "piece": "w5", "reason": "line_direct", "level": 3},
        {"type": "piece_returned", "piece": "w6", "reason": "line_direct", "level": 4},
        {"type": "piece_returned", "piece": "w1", "reason": "penalty", "level": 5},
        {"type": "hand_lost", "reasons": ["line_direct", "opponent_pocketed", "piece_out", "palet_lost"]},
        {"type": "turn_started", "seat": 1, "phase": "shoot"},
    )


@pytest.mark.parametrize(
    ("fell", "reason", "reasons"),
    [
        (["red", "w9", "palet"], "fault", ["palet_lost"]),
        (["red", "w9", "b1"], "with_opponent", ["mixed_pocketed"]),
        (["red", "b1", "palet"], "with_opponent", ["opponent_pocketed", "palet_lost"]),
    ],
)
def test_a_red_of_the_last_shot_goes_back_for_the_first_reason(
    fell: list[str], reason: str, reasons: list[str]
) -> None:
    """R5.8: `too_late` comes last."""
    play = table({"turn": 0, "acquired": {"white": WHITES[:8]}}, {"first_contact": "w9", "pocketed": fell})
    shoot(play).then(
        {"type": "piece_returned", "piece": "red", "reason": reason}, {"type": "hand_lost", "reasons": reasons}
    )


def test_a_pile_settles_before_the_red_goes_back_on_top() -> None:
    """R4.5 (8) and (9), R12.2: the red left the spot free, and comes back above what waited."""
    play = table({"turn": 0, "pile": ["b4", "w9"]}, {"first_contact": "red", "pocketed": ["red"]})
    shoot(play).then(
        {"type": "piece_dropped", "piece": "b4"},
        {"type": "piece_returned", "piece": "red", "reason": "too_early", "level": 2},
    )
    view = play.view()
    assert (view["pile"], view["board"]["b4"], view["red"]["state"]) == (["w9", "red"], [0, 0], "board")


def test_a_red_that_came_down_in_the_shot_may_be_played() -> None:
    """R12.3, R12.4, R5.2."""
    outcome = {"first_contact": "b4", "dropped": ["red"], "pocketed": ["red"], "rest": {"b4": [0.1, 0.2]}}
    play = table({"turn": 0, "acquired": {"white": ["w1"]}, "pile": ["red"], "board": {"b4": [0, 0]}}, outcome)
    shoot(play).then({"type": "red_pocketed", "team": 0}, {"type": "turn_started", "seat": 0, "phase": "validate"})


def test_one_comes_down_in_the_shot_and_the_next_after_it() -> None:
    """R12.2, R12.3: the first was moved away again; had it stayed on the spot, the second would wait."""
    at = {"turn": 0, "pile": ["b4", "w9"]}
    moved = {"first_contact": "red", "dropped": ["b4"], "rest": {"red": [0.1, 0.2], "b4": [0.2, 0.2]}}
    shoot(table(at, moved)).then({"type": "piece_dropped", "piece": "w9"}, {"type": "hand_lost"})
    stayed = {"first_contact": "red", "dropped": ["b4"], "rest": {"red": [0.1, 0.2]}}
    play = table(at, stayed)
    shoot(play).then_only(
        {"type": "shot_taken"}, {"type": "shot_resolved"}, {"type": "hand_lost"}, {"type": "turn_started"}
    )
    assert (play.view()["pile"], play.view()["board"]["b4"]) == (["w9"], [0, 0])


def test_a_missed_clock_puts_the_pending_red_on_the_pile() -> None:
    """R9.2, R12.2; the shot before stays shown (Views, `last_shot`)."""
    play = table(
        {"turn": 0, "acquired": {"white": ["w1"]}, "board": {"b1": [0, 0], "red": [0.2, 0.1]}, "pile": ["b2"]},
        {"first_contact": "red", "pocketed": ["red"]},
    )
    shoot(play).then({"type": "red_pocketed"})
    play.when_late(0).then_only(
        {"type": "clock_expired", "seat": 0, "misses": 1},
        {"type": "piece_returned", "piece": "red", "reason": "not_validated", "level": 2},
        {"type": "hand_lost", "seat": 0, "reasons": ["clock", "not_validated"]},
        {"type": "turn_started", "seat": 1, "phase": "shoot"},
    )
    last = play.view()["last_shot"]
    assert (last["seat"], last["kept"], last["reasons"]) == (0, True, [])


def test_the_finishing_palet_costs_the_owner_a_pion_and_leaves_him_his_bonus() -> None:
    """R6.2, R7.1, R8.1: both ninth pions fell; the shooter's came back, so only the other team has finished."""
    acquired = {"white": WHITES[:8], "black": BLACKS[:8]}
    outcome = {"first_contact": "w9", "pocketed": ["w9", "b9", "palet"]}
    play = table({"turn": 0, "acquired": acquired, "red": {"owned": 0}}, outcome)
    shoot(play).then(
        {"type": "penalty_paid", "team": 0, "piece": "w9"},
        {"type": "hand_lost", "reasons": ["mixed_pocketed", "palet_lost"]},
        {"type": "bonus_started", "team": 0, "seat": 0, "left": 1},
        {"type": "turn_started", "seat": 0, "phase": "bonus"},
    )


def test_a_direct_hit_on_the_own_line_ends_the_bonus() -> None:
    """R4.3, R8.3: what it pocketed lies on the centre when the set is counted."""
    play = table(
        {
            "turn": 1,
            "acquired": {"white": WHITES, "black": BLACKS[:8]},
            "red": {"owned": 1},
            "bonus": 1,
            "board": {"b9": [0, 0.3]},
        },
        {"first_contact": "b9", "pocketed": ["b9"]},
    )
    shoot(play, 1, x=0.1, angle=-60.0).then(
        {"type": "piece_returned", "piece": "b9", "reason": "line_direct", "level": 0},
        {"type": "hand_lost", "reasons": ["line_direct"]},
        {"type": "bonus_ended", "team": 1, "success": False},
        {"type": "set_ended", "winner": 0, "by": "cleared", "left": 1},
    )


def test_a_forfeit_in_the_bonus_comes_at_once() -> None:
    """R9.3: no `hand_lost`, no `bonus_ended`, no set."""
    acquired = {"white": WHITES, "black": BLACKS[:7]}
    at = {"turn": 3, "acquired": acquired, "red": {"owned": 1}, "bonus": 1, "misses": [0, 0, 0, 2]}
    play = table(at, seats=4)
    play.when_late(3).then_only(
        {"type": "clock_expired", "seat": 3, "misses": 3}, {"type": "match_ended", "winner": 0, "by": "forfeit"}
    )


def test_missed_clocks_count_on_from_set_to_set() -> None:
    """R9.3: only a shot of the seat itself resets them."""
    at = {"turn": 0, "acquired": {"white": WHITES[:8]}, "misses": [0, 2]}
    play = table(at, {"first_contact": "w9", "pocketed": ["w9"]})
    shoot(play).then({"type": "set_started", "number": 2, "white_seat": 1})
    play.when_late(1).then({"type": "clock_expired", "misses": 3}, {"type": "match_ended", "winner": 0})


def test_the_order_of_refusals() -> None:
    """Commands: seat, end, turn, arguments, line, direction, speed, room; each shot has all the later faults too."""
    play = table({"turn": 0, "board": {"b5": [0.1, -0.2526]}}, {"first_contact": "b5"})
    play.when(2, "shoot").refused("unknown_seat")
    play.when(1, "shoot").refused("not_your_turn")
    play.when(0, "shoot", x=9.0, angle=120.0).refused("bad_argument", "speed")
    shoot(play, x=9.0, angle=120.0, speed=50.0).refused("off_line")
    shoot(play, x=0.1, angle=-85.000001, speed=50.0).refused("not_forward")
    shoot(play, x=0.1, speed=0.1999994).refused("speed_range")
    shoot(play, x=0.136548).refused("line_blocked")
    shoot(play, x=0.13655, speed=0.1999996).then({"type": "shot_taken", "x_um": 136550, "speed_um_s": 200000})
    play.when(1, "resign").then({"type": "match_ended", "winner": 0})
    play.when(2, "shoot").refused("unknown_seat")
    play.when(0, "shoot").refused("game_over")


@pytest.mark.parametrize(("leave_speed", "out"), [(6500, ["w1"]), (0, []), (10_000, [])])
def test_what_leaves_the_board_is_an_option(leave_speed: int, out: list[str]) -> None:
    """R11.7, option `leave_speed`: the full blow that sends a pion over the far rail by default."""
    outcome = simulate(((("w1", 0, 200_000),), ()), "south", (0, 0, 6_000_000), (100, leave_speed))
    assert (outcome["first_contact"], outcome["out"]) == ("w1", out)


@pytest.mark.parametrize(("at_the_rail_um_s", "out"), [(2_999_900, []), (3_000_100, ["palet"])])
def test_the_palet_may_leave_where_the_option_says_so(at_the_rail_um_s: int, out: list[str]) -> None:
    """R11.7: `leave_speed` or more; friction has slowed the palet on its 0.60195 m to the rail (R10.5)."""
    speed = round((at_the_rail_um_s**2 + 2 * 981_000 * 601_950) ** 0.5)
    outcome = simulate(((), ()), "south", (0, 0, speed), (100, 3000))
    assert (outcome["first_contact"], outcome["out"]) == (None, out)
