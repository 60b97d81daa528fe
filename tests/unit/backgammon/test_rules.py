"""Corners of the rules that the conformance cases leave open: clocks' keys, options, results, checks in order."""

import pytest

from libs.table.plain import to_plain
from libs.table.rules import Clock, Refused
from libs.testing.play import given
from services.backgammon.rules import RULES
from stamtafel.backgammon.v1 import backgammon_pb2 as pb


def test_the_tournament_preset_gives_two_minutes_a_point() -> None:
    assert RULES.options(pb.Options(preset="tournament")).bank_seconds == 840
    assert RULES.options(pb.Options(preset="tournament", match_length=5)).bank_seconds == 600
    assert RULES.options(pb.Options(preset="tournament", match_length=5, bank_seconds=90)).bank_seconds == 90


def test_named_options_override_the_preset() -> None:
    options = RULES.options(pb.Options(preset="quick", cube=True, match_length=3))
    assert (options.cube, options.match_length, options.clock, options.confirm) == (True, 3, "move", "auto")


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (pb.Options(preset="fast"), "preset"),
        (pb.Options(play="chouette"), "play"),
        (pb.Options(session_games=0), "session_games"),
        (pb.Options(match_length=65), "match_length"),
        (pb.Options(cube_limit=48), "cube_limit"),
        (pb.Options(cube_limit=1), "cube_limit"),
        (pb.Options(automatic_doubles=7), "automatic_doubles"),
        (pb.Options(move_seconds=4), "move_seconds"),
        (pb.Options(delay_seconds=61), "delay_seconds"),
        (pb.Options(on_timeout="pause"), "on_timeout"),
        (pb.Options(bots=pb.Bots(items=[pb.Bot(seat=2, level="easy")])), "bots"),
        (pb.Options(bots=pb.Bots(items=[pb.Bot(seat=1, level="grim")])), "bots"),
        (pb.Options(bots=pb.Bots(items=[pb.Bot(seat=1, level="easy"), pb.Bot(seat=1, level="easy")])), "bots"),
    ],
)
def test_a_wrong_option_is_refused_by_name(options: pb.Options, field: str) -> None:
    with pytest.raises(Refused) as refused:
        RULES.options(options)
    assert (refused.value.code, refused.value.field) == ("bad_argument", field)


def test_the_host_sits_where_no_computer_player_does() -> None:
    assert RULES.seating(RULES.options(pb.Options())).host == 0
    bots = pb.Bots(items=[pb.Bot(seat=0, level="hard")])
    seating = RULES.seating(RULES.options(pb.Options(bots=bots)))
    assert (seating.host, dict(seating.bots)) == (1, {0: "hard"})


def test_a_rematch_has_the_same_options() -> None:
    options = RULES.options(pb.Options(preset="money", cube_limit=8))
    assert RULES.again(RULES.initial(options)) == options


def test_no_clock_runs_without_one() -> None:
    assert RULES.clocks(given(RULES).state) == ()


def test_a_move_clock_is_new_for_each_decision_and_goes_on_over_single_steps() -> None:
    play = given(RULES, {"clock": "move", "move_seconds": 20}, {"turn": 0}, [[3, 1]])
    (throwing,) = RULES.clocks(play.state)
    assert (throwing.seat, throwing.limit_ms, throwing.free_ms) == (0, 20000, 0)
    play.when(0, "roll")
    (moving,) = RULES.clocks(play.state)
    assert moving.key != throwing.key
    play.when(0, "move", **{"from": 8, "to": 5})
    play.when(0, "undo")
    assert RULES.clocks(play.state) == (moving,)
    play.when(1, "resign", kind="single")
    (answering,) = RULES.clocks(play.state)
    play.when(0, "reject_resign")
    (again,) = RULES.clocks(play.state)
    assert len({moving.key, answering.key, again.key}) == 3


def test_a_bank_clock_passes_with_the_turn_and_the_cube_and_not_with_a_resignation_of_the_other() -> None:
    play = given(RULES, {"clock": "bank", "bank_seconds": 100, "delay_seconds": 8}, {"turn": 0}, [[3, 1]])
    (first,) = RULES.clocks(play.state)
    assert first == Clock(0, first.key, 100000, 8000)
    play.when(0, "double")
    (asked,) = RULES.clocks(play.state)
    play.when(1, "take")
    (back,) = RULES.clocks(play.state)
    assert len({first.key, asked.key, back.key}) == 3
    play.when(0, "roll")
    assert RULES.clocks(play.state) == (back,)
    play.when(1, "resign", kind="single")
    assert RULES.clocks(play.state) == (back,)
    play.when(0, "reject_resign")
    assert RULES.clocks(play.state) == (back,)


def test_in_the_opening_each_seat_has_a_clock_of_its_own() -> None:
    play = given(RULES, {"clock": "move", "move_seconds": 20}, None, [[3, 1]])
    before = RULES.clocks(play.state)
    assert [clock.seat for clock in before] == [0, 1]
    play.when_late(0).then_only(
        {"type": "clock_expired", "seat": 0, "phase": "opening", "action": "auto"}, {"type": "opening_readied"}
    )
    assert RULES.clocks(play.state) == (before[1],)


def test_the_bank_is_what_the_events_say() -> None:
    play = given(RULES, {"clock": "bank", "bank_seconds": 100}, {"turn": 0, "phase": "move", "dice": [3, 1]})
    events = RULES.decide(play.state, 0, pb.Play(moves="8/5 6/5"), play.ctx)
    ended = events[-1]
    assert isinstance(ended, pb.TurnEnded) and list(ended.bank_left_ms) == [100000, 100000]
    ended.bank_left_ms[0] = 41500
    state = play.state
    for event in events:
        state = RULES.evolve(state, event)
    assert state.bank == (41500, 100000)
    assert list(to_plain(RULES.view(state, None, play.facts))["clocks"]["bank_seconds"]) == [42, 100]


def test_an_empty_bank_leaves_the_delay() -> None:
    play = given(RULES, {"clock": "bank", "bank_seconds": 10, "on_timeout": "auto"}, {"turn": 0}, [[3, 1]])
    key = RULES.clocks(play.state)[0].key
    events = RULES.expire(play.state, 0, play.ctx)
    expired = events[0]
    assert isinstance(expired, pb.ClockExpired)
    expired.bank_left_ms[0] = 0
    state = play.state
    for event in events:
        state = RULES.evolve(state, event)
    (clock,) = RULES.clocks(state)
    assert clock.key != key and clock.limit_ms == 1 and clock.free_ms == 12000


def test_nothing_expires_for_a_seat_whose_clock_does_not_run() -> None:
    play = given(RULES, {"clock": "move"}, {"turn": 0})
    assert RULES.expire(play.state, 1, play.ctx) == []
    assert RULES.expire(given(RULES, {}, {"turn": 0}).state, 0, play.ctx) == []


def test_a_gammon_is_not_saved_by_leaving() -> None:
    board = [{"6": 8, "13": 7}, {"4": 6}]
    play = given(RULES, {"clock": "bank", "jacoby": True}, {"board": board, "turn": 0})
    play.when_late(0).then({"type": "game_ended", "kind": "gammon", "points": 1, "reason": "timeout"})


def test_the_result_of_a_level_session() -> None:
    play = given(RULES, {"session_games": 2}, {"turn": 1, "game": 2, "score": [1, 0]})
    assert RULES.result(play.state) is None
    play.when(1, "double")
    play.when(0, "drop")
    result = RULES.result(play.state)
    assert result is not None
    assert (list(result.places), list(result.points), result.reason) == ([1, 1], [1, 1], "")


def test_the_empty_turn_is_legal_where_no_step_is() -> None:
    """Only a position can stand there (R3.3): at a table such a throw passes by itself."""
    board = [{"bar": 1, "6": 14}, {"6": 2, "5": 2, "4": 2, "3": 2, "2": 2, "1": 2}]
    play = given(RULES, {}, {"board": board, "phase": "move", "dice": [6, 5]})
    assert play.view(0)["me"]["can"] == ["play", "confirm", "resign"]
    play.when(0, "play", moves="bar/20").refused("illegal_move")
    play.when(0, "play", moves="").then_only({"type": "turn_ended", "seat": 0, "dice": [6, 5], "notation": ""})


def test_a_beaver_is_refused_beyond_the_limit_and_by_the_doubler() -> None:
    play = given(RULES, {"beavers": True, "cube_limit": 4}, {"turn": 0})
    play.when(0, "double")
    play.when(1, "beaver").then_only({"type": "beaver_offered", "value": 4})
    play.when(0, "beaver").refused("beaver_not_allowed")
    play.when(0, "take").then_only({"type": "double_taken", "seat": 0, "value": 4, "owner": 1})


@pytest.mark.parametrize(
    ("given_position", "field"),
    [
        ({"board": [{"6": 16}, {}]}, "board"),
        ({"board": [{"6": 1}, {"19": 1}]}, "board"),
        ({"board": [{"25": 1}, {}]}, "board"),
        ({"phase": "move"}, "dice"),
        ({"phase": "move", "dice": [3, 7]}, "dice"),
        ({"phase": "move", "dice": [3, 1], "moved": [[8, 4]]}, "moved"),
        ({"phase": "finished"}, "phase"),
        ({"cube": {"value": 3}}, "cube"),
        ({"colour": 1}, "colour"),
        ({"phase": "resign_offered", "resign": {"seat": 0, "kind": "none"}}, "resign"),
    ],
)
def test_a_wrong_position_is_refused_by_name(given_position: dict[str, object], field: str) -> None:
    with pytest.raises(Refused) as refused:
        RULES.position(RULES.options(pb.Options()), given_position)
    assert (refused.value.code, refused.value.field) == ("bad_argument", field)
