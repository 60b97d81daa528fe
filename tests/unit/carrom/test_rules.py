"""Options, positions, rematches and what the cases cannot say about the rules object."""

from typing import Any

import pytest

from libs.table.plain import from_plain, to_plain
from libs.table.rules import Facts, NotYet, Refused
from libs.testing.play import given
from services.carrom.rules import RULES
from services.carrom.simulate import simulate
from stamtafel.carrom.v1 import carrom_pb2 as pb

SHOT = {"x": 0.0, "angle": 0.0, "speed": 3.0}


def options(**asked: Any) -> dict[str, Any]:
    return to_plain(RULES.options(from_plain(pb.Options, asked)))


def test_presets_and_named_options() -> None:
    assert options() == {
        "preset": "seed_sets",
        "seats": 2,
        "match": "sets",
        "sets_to_win": 3,
        "points_target": 21,
        "red_value": 5,
        "next_white": "alternate",
        "turn_seconds": 45,
        "clock_misses": 3,
        "friction": 100,
        "leave_speed": 6500,
        "bots": [],
    }
    assert options(preset="seed_points")["match"] == "points"
    assert options(preset="quick")["sets_to_win"] == 1
    salon = options(preset="salon25", red_value=0)
    assert (salon["match"], salon["points_target"], salon["red_value"]) == ("points", 25, 0)
    assert options(turn_seconds=0, leave_speed=0)["leave_speed"] == 0
    for preset in RULES.presets:
        complete = RULES.options(pb.Options(preset=preset))
        assert RULES.options(complete) == complete


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"preset": "bar"}, "preset"),
        ({"seats": 3}, "seats"),
        ({"match": "time"}, "match"),
        ({"sets_to_win": 0}, "sets_to_win"),
        ({"sets_to_win": 6}, "sets_to_win"),
        ({"points_target": 4}, "points_target"),
        ({"points_target": 101}, "points_target"),
        ({"red_value": -1}, "red_value"),
        ({"red_value": 11}, "red_value"),
        ({"next_white": "loser"}, "next_white"),
        ({"turn_seconds": 4}, "turn_seconds"),
        ({"turn_seconds": 601}, "turn_seconds"),
        ({"clock_misses": 0}, "clock_misses"),
        ({"clock_misses": 11}, "clock_misses"),
        ({"friction": 0}, "friction"),
        ({"friction": 49}, "friction"),
        ({"friction": 251}, "friction"),
        ({"leave_speed": 2999}, "leave_speed"),
        ({"leave_speed": 10001}, "leave_speed"),
        ({"bots": [{"seat": 2, "level": "easy"}]}, "bots"),
        ({"bots": [{"level": "easy"}]}, "bots"),
        ({"bots": [{"seat": 0, "level": "grim"}]}, "bots"),
        ({"bots": [{"seat": 0, "level": "easy"}, {"seat": 0, "level": "hard"}]}, "bots"),
    ],
)
def test_options_that_are_refused(asked: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as raised:
        options(**asked)
    assert (raised.value.code, raised.value.field) == ("bad_option", field)


def test_bots_are_seated_and_shown() -> None:
    bots = [{"seat": 1, "level": "hard"}, {"seat": 0, "level": "easy"}]
    seating = RULES.seating(RULES.options(from_plain(pb.Options, {"seats": 4, "bots": bots})))
    assert (dict(seating.bots), seating.host) == ({0: "easy", 1: "hard"}, 2)
    play = given(RULES, {"bots": bots[:1]}, random=[{"white": 0}])
    assert [seat["bot"] for seat in play.view()["seats"]] == [False, True]
    assert not any(seat.bot for seat in RULES.view(play.state, None, Facts()).seats)


@pytest.mark.parametrize(
    ("position", "field"),
    [
        ({}, "turn"),
        ({"turn": 2}, "turn"),
        ({"turn": 0, "score": 1}, "score"),
        ({"turn": 0, "acquired": {"white": ["b1"]}}, "acquired"),
        ({"turn": 0, "acquired": {"green": []}}, "acquired"),
        ({"turn": 0, "acquired": {"white": ["w1", "w1"]}}, "board"),
        ({"turn": 0, "pile": ["w1"], "board": {"w1": [0, 0]}}, "board"),
        ({"turn": 0, "board": {"w1": [0.4, 0]}}, "board"),
        ({"turn": 0, "board": {"w1": [0.1]}}, "board"),
        ({"turn": 0, "board": {"w1": ["0", 0]}}, "board"),
        ({"turn": 0, "board": {"x1": [0, 0]}}, "board"),
        ({"turn": 0, "red": "gone"}, "red"),
        ({"turn": 0, "red": {"owned": 2}}, "red"),
        ({"turn": 0, "red": {"owned": 0}, "pile": ["red"]}, "red"),
        ({"turn": 0, "red": {"pending": 1}}, "red"),
        ({"turn": 0, "sets": [3, 0]}, "sets"),
        ({"turn": 0, "points": [1]}, "points"),
        ({"turn": 0, "misses": [0]}, "misses"),
        ({"turn": 0, "misses": [3, 0]}, "misses"),
        ({"turn": 0, "bonus": 0}, "bonus"),
        ({"turn": 0, "acquired": {"white": [f"w{n}" for n in range(1, 10)]}}, "acquired"),
    ],
)
def test_positions_that_are_refused(position: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as raised:
        given(RULES, {}, position)
    assert (raised.value.code, raised.value.field) == ("bad_argument", field)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("name", ["x", "angle", "speed"])
def test_numbers_that_are_none_are_refused(name: str, value: float) -> None:
    """Protobuf carries NaN; the rules refuse it."""
    play = given(RULES, random=[{"white": 0}])
    with pytest.raises(Refused) as raised:
        play.act(0, pb.Shoot(**(SHOT | {name: value})))
    assert (raised.value.code, raised.value.field) == ("bad_argument", name)


@pytest.mark.parametrize(("name", "code"), [("x", "off_line"), ("angle", "not_forward"), ("speed", "speed_range")])
def test_absurd_numbers_get_their_own_refusal(name: str, code: str) -> None:
    play = given(RULES, random=[{"white": 0}])
    play.when(0, "shoot", **(SHOT | {name: 1e300})).refused(code, name)


def test_unknown_commands() -> None:
    play = given(RULES, random=[{"white": 0}])
    play.when(0, "push").refused("illegal_move")
    play.when(0, "resign", why="tired").refused("bad_argument", "why")
    play.when(0, "shoot", **(SHOT | {"x": "NaN"})).refused("bad_argument", "x")
    assert RULES.unreadable(None, "seats").code == "bad_argument"


def test_a_shot_waits_for_its_simulation() -> None:
    """Nothing is simulated for a refused shot; an accepted one asks for exactly its own."""

    class Waiting:
        facts = Facts()
        draws = None

        def compute(self, job: Any) -> Any:
            raise NotYet(job)

    play = given(RULES, random=[{"white": 1}])
    waiting: Any = Waiting()
    with pytest.raises(Refused):
        RULES.decide(play.state, 1, pb.Shoot(x=1, angle=0, speed=1), waiting)
    with pytest.raises(NotYet) as raised:
        RULES.decide(play.state, 1, pb.Shoot(**SHOT), waiting)
    job = raised.value.job
    assert job.function is simulate
    assert job.arguments == ((play.state.board, ()), "north", (0, 0, 3_000_000), (100, 6500))
    assert job.function(*job.arguments)["first_contact"] == "w4"


def test_the_clock_runs_when_the_drawn_motion_is_over() -> None:
    """R9.1."""
    play = given(RULES, random=[{"white": 0}, {"first_contact": "w4", "time_ms": 2500}, {"first_contact": None}])
    assert [(c.seat, c.limit_ms, c.free_ms) for c in RULES.clocks(play.state)] == [(0, 45_000, 0)]
    play.when(0, "shoot", **SHOT)
    assert [(c.seat, c.limit_ms, c.free_ms) for c in RULES.clocks(play.state)] == [(1, 45_000, 2500)]
    play.when_late(1)
    assert [(c.seat, c.limit_ms, c.free_ms) for c in RULES.clocks(play.state)] == [(0, 45_000, 0)]
    assert play.when_late(1).events == []


def test_results_and_rematch() -> None:
    play = given(RULES, {"seats": 4, "match": "points"}, {"turn": 0, "points": [3, 20]})
    assert RULES.result(play.state) is None
    play.when(1, "resign").then({"type": "match_ended", "winner": 0, "by": "resign"})
    result = RULES.result(play.state)
    assert result is not None
    assert (list(result.places), list(result.sides), list(result.points)) == ([1, 2, 1, 2], [0, 1, 0, 1], [3, 20])
    assert result.reason == "resign"
    assert RULES.again(play.state) == play.options
    assert RULES.actions(play.state, 0) == () == tuple(RULES.some(play.state, 0))


def test_the_line_is_cleared_until_there_is_room() -> None:
    """R3.5: where one pion gives place and the line is still full, the next one does too; of two equals the left."""
    pieces = [*(f"b{n}" for n in range(1, 10)), *(f"w{n}" for n in range(5, 10))]
    line = {piece: [-0.2158 + 0.0332 * n, -0.2526] for n, piece in enumerate(pieces)}
    play = given(RULES, {}, {"turn": 1}, random=[{"first_contact": "b1", "rest": line}])
    step = play.when(1, "shoot", **SHOT)
    returned = [event for event in step.events if isinstance(event, pb.PieceReturned)]
    assert [(event.piece, event.reason, event.level) for event in returned] == [
        ("b7", "line_full", 1),
        ("b8", "line_full", 2),
    ]
    assert RULES.to_act(play.state) == {0}


def test_events_hold_no_floats_and_no_maps() -> None:
    """The contract's promise; views and commands may."""
    for kind in RULES.events:
        todo = [kind.DESCRIPTOR]
        while todo:
            for field in todo.pop().fields:
                assert field.cpp_type not in (field.CPPTYPE_DOUBLE, field.CPPTYPE_FLOAT)
                if field.message_type is not None:
                    assert not field.message_type.GetOptions().map_entry
                    todo.append(field.message_type)
