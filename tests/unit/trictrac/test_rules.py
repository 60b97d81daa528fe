"""Options, positions, rematches and what the cases cannot say about the rules object."""

from typing import Any

import pytest

from libs.table.plain import from_plain, to_plain
from libs.table.rules import Facts, Refused
from libs.testing.play import given
from libs.testing.scripted import Script
from services.trictrac.rules import RULES
from stamtafel.trictrac.v1 import trictrac_pb2 as pb


def options(**asked: Any) -> dict[str, Any]:
    return to_plain(RULES.options(from_plain(pb.Options, asked)))


def test_presets_and_named_options() -> None:
    assert options() == {
        "preset": "cafe",
        "seats": 4,
        "points": 6,
        "bok": True,
        "penalty": "per_trictrac",
        "throw_seconds": 20,
        "first_starter": None,
        "layout": "remote",
        "bots": [],
    }
    assert options(preset="quick")["points"] == 3
    student = options(preset="student", bok=True, throw_seconds=0)
    assert (student["penalty"], student["bok"], student["throw_seconds"]) == ("doubling", True, 0)
    kitchen = options(preset="kitchen_table", layout="remote", first_starter=0)
    assert (kitchen["layout"], kitchen["throw_seconds"], kitchen["first_starter"]) == ("remote", 0, 0)
    for preset in RULES.presets:
        complete = RULES.options(pb.Options(preset=preset))
        assert RULES.options(complete) == complete


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"preset": "bar"}, "preset"),
        ({"seats": 1}, "seats"),
        ({"seats": 9}, "seats"),
        ({"points": 0}, "points"),
        ({"points": 13}, "points"),
        ({"penalty": "triple"}, "penalty"),
        ({"throw_seconds": 4}, "throw_seconds"),
        ({"throw_seconds": 121}, "throw_seconds"),
        ({"throw_seconds": -1}, "throw_seconds"),
        ({"first_starter": 4}, "first_starter"),
        ({"first_starter": -1}, "first_starter"),
        ({"layout": "round"}, "layout"),
        ({"bots": [{"seat": 4, "level": "easy"}]}, "bots"),
        ({"bots": [{"level": "easy"}]}, "bots"),
        ({"bots": [{"seat": 0, "level": "grim"}]}, "bots"),
        ({"bots": [{"seat": 0, "level": "easy"}, {"seat": 0, "level": "hard"}]}, "bots"),
    ],
)
def test_options_that_are_refused(asked: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as raised:
        options(**asked)
    assert (raised.value.code, raised.value.field) == ("bad_option", field)


def test_bots_are_seated_and_the_first_person_is_host() -> None:
    bots = [{"seat": 1, "level": "hard"}, {"seat": 0, "level": "easy"}]
    complete = RULES.options(from_plain(pb.Options, {"seats": 3, "bots": bots}))
    seating = RULES.seating(complete)
    assert seating == (3, {0: "easy", 1: "hard"}, 2)
    assert [bot.seat for bot in complete.bots] == [0, 1]
    alone = RULES.options(from_plain(pb.Options, {"seats": 2, "bots": bots}))
    assert RULES.seating(alone).host is None


def test_a_rematch_is_started_by_the_next_seat() -> None:
    drawn = given(RULES, {"seats": 3}, random=[[2], [1], [6]])
    again = RULES.again(drawn.state)
    assert again is not None and again.first_starter == 0
    named = given(RULES, {"seats": 3, "first_starter": 0, "preset": "quick"}, random=[[6, 5], [3, 1], [4, 1]])
    named.when(0, "throw")
    named.when(0, "stand")
    named.when(1, "throw")
    named.when(2, "throw").then({"type": "round_started", "starter": 1})
    rematch = RULES.again(named.state)
    assert rematch is not None
    assert (rematch.first_starter, rematch.points, rematch.preset) == (1, 3, "quick")


@pytest.mark.parametrize(
    "position",
    [
        {},
        {"points": [6], "starter": 0},
        {"points": [6, 6, 6]},
        {"points": [6, 6, 6], "starter": 3},
        {"points": [6, 0, 6], "starter": 1},
        {"points": [6, 0, 0], "starter": 0},
        {"points": [6, 6, 6], "starter": 0, "lowest": 3},
        {"points": [6, 6, 6], "starter": 0, "bok": 1},
        {"points": [6, 6, 6], "starter": 0, "out": [1]},
        {"points": [6, 6, 6], "starter": 0, "limit": 4},
        {"points": [6, 6, 6], "starter": 0, "stood": [{"seat": 0, "dice": [5, 3]}]},
        {"points": [6, 6, 6], "starter": 0, "limit": 1, "stood": [{"seat": 0, "dice": [5]}]},
        {"points": [6, 6, 6], "starter": 0, "limit": 1, "stood": [{"seat": 0, "dice": [5, 7]}]},
        {"points": [6, 6, 6], "starter": 0, "limit": 1, "stood": [{"seat": 0, "dice": [5, 4], "reason": "late"}]},
        {"points": [6, 6, 6], "starter": 0, "limit": 1, "stood": [{"seat": 0, "dice": [5, 4], "throws_made": 2}]},
        {"points": [6, 6, 6], "starter": 0, "turn": {"seat": 0, "throws": [[5, 4], [4, 3], [6, 3]]}},
        {"points": [6, 6, 6], "starter": 0, "turn": {"seat": 0, "throws": [[1, 2]]}},
        {"points": [6, 6, 6], "starter": 0, "throw_off": {"seats": [0, 1]}},
        {"points": ["6", 6, 6], "starter": 0},
        {"points": [True, 6, 6], "starter": 0},
        {"points": [6, 6, 6], "starter": 0, "turn": 1},
    ],
)
def test_positions_that_are_none(position: dict[str, Any]) -> None:
    with pytest.raises(Refused) as raised:
        given(RULES, {"seats": 3}, position)
    assert raised.value.code == "bad_argument"
    assert raised.value.field is not None


def test_a_throw_off_in_mid_pass() -> None:
    stood = [{"seat": seat, "dice": [5, 3]} for seat in (1, 2, 0)]
    off = {"seats": [1, 2, 0], "pass_number": 3, "thrown": [{"seat": 1, "die": 4}]}
    play = given(RULES, {"seats": 3}, {"points": [6, 6, 6], "starter": 1, "limit": 1, "stood": stood, "throw_off": off})
    assert play.view()["turn"] == {"seat": 2, "throws_made": 0, "throws_left": 1}
    assert play.view()["table"] == {"dice_count": 1, "dice": [4], "seat": 1, "score": 4}
    assert RULES.clocks(play.state)[0].seat == 2


def test_drawing_again_changes_only_the_chance() -> None:
    play = given(RULES, {"seats": 2, "first_starter": 0})
    thrown = pb.DiceThrown(seat=0, dice=[5, 3], score=53, throw_number=1, style="roll", direction=3, by="seat")
    again = RULES.redraw(play.state, thrown, Script([[2, 1]]))
    assert to_plain(again) == {**to_plain(thrown), "dice": [2, 1], "score": 1000}
    assert list(thrown.dice) == [5, 3]
    told = pb.LimitSet(round=1, limit=2)
    assert RULES.redraw(play.state, told, Script()) == told


def test_what_cannot_be_read_is_a_bad_argument() -> None:
    for command, field in ((None, "seats"), ("throw", "direction"), ("fold", None)):
        refusal = RULES.unreadable(command, field)
        assert (refusal.code, refusal.field) == ("bad_argument", field)


def test_nobody_is_asked_before_the_start() -> None:
    state = RULES.initial(RULES.options(pb.Options()))
    assert not RULES.to_act(state) and not RULES.clocks(state) and RULES.result(state) is None
    assert all(not RULES.actions(state, seat) for seat in range(4))
    assert [row.points for row in RULES.view(state, None, Facts()).seats] == [6, 6, 6, 6]


@pytest.mark.parametrize(
    ("query", "arguments"),
    [
        ("score", {}),
        ("score", {"dice": [0, 1]}),
        ("compare", {"a": [1, 2]}),
        ("lowest", {}),
        ("lowest", {"standing": [{"seat": 0}]}),
        ("lowest", {"standing": [{"seat": True, "dice": [5, 3]}]}),
        ("crown", {"standing": [4]}),
        ("penalty", {"trictracs": -1}),
        ("penalty", {"trictracs": 1, "mode": "squared"}),
        ("worst", {"throws": []}),
        ("odds", {"score": 21}),
        ("advice", {"role": "loser", "players_after": 1, "throws_made": 0}),
        ("advice", {"role": "follower", "players_after": 1, "throws_made": 1, "score": 53}),
        ("advice", {"role": "starter", "players_after": 1, "throws_made": 4, "score": 53}),
        ("advice", {"role": "follower", "players_after": 1, "throws_made": 2, "limit": 1, "score": 53}),
        ("heads_up", {"points": [6], "starter": 0}),
        ("heads_up", {"points": [6, 6], "bok": 0, "starter": 0}),
    ],
)
def test_queries_that_are_refused(query: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(Refused) as raised:
        RULES.queries[query](arguments)
    assert raised.value.code == "bad_argument"


@pytest.mark.parametrize(
    ("points", "bok", "starter", "permille"), [([1, 3], 1, 1, None), ([3, 1], 1, 0, 900), ([1, 6], 0, 0, 18)]
)
def test_heads_up_with_a_bok(points: list[int], bok: int, starter: int, permille: int | None) -> None:
    arguments = {"points": points, "bok": bok, "starter": starter}
    if permille is None:
        with pytest.raises(Refused):
            RULES.queries["heads_up"](arguments)
    else:
        assert RULES.queries["heads_up"](arguments) == {"permille": permille}
