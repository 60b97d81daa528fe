"""Options, `set_rules` and `set_help`: order of checks, what is laid over what, who may."""

from typing import Any

import pytest

from libs.table.rules import Facts
from libs.testing.play import given
from services.liarsdice.queries import QUERIES
from services.liarsdice.rules import RULES
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"colour": 1, "preset": "x"}, "colour"),
        ({"preset": "x", "table": "y"}, "preset"),
        ({"table": "y", "stairs": 1}, "table"),
        ({"table": "tournament", "stairs": True}, "preset"),
        ({"table": "tournament", "preset": "turnering", "any_kind": True, "seats": 1}, "any_kind"),
        ({"table": "tournament", "preset": "turnering", "practice": True}, "practice"),
        ({"table": "tournament", "preset": "turnering", "finale": True}, "finale"),
        ({"table": "open", "turn_seconds": 0, "seats": 1}, "turn_seconds"),
        ({"table": "open", "viborg": False, "seats": 1}, "viborg"),
        ({"table": "open", "stairs": 0}, "stairs"),
        ({"turn_seconds": 4, "seats": 1}, "turn_seconds"),
        ({"turn_seconds": True}, "turn_seconds"),
        ({"turn_seconds": 121}, "turn_seconds"),
        ({"seats": 9, "dice_each": 0}, "seats"),
        ({"seats": True}, "seats"),
        ({"dice_each": 7, "finale": True, "viborg": False}, "dice_each"),
        ({"finale": True, "viborg": False, "host": 9}, "finale"),
        ({"host": 4, "starter": 9}, "host"),
        ({"starter": 4, "regulars": [4]}, "starter"),
        ({"starter": -1}, "starter"),
        ({"regulars": [1, 1], "reveal_seconds": 99}, "regulars"),
        ({"regulars": [True]}, "regulars"),
        ({"regulars": 1}, "regulars"),
        ({"reveal_seconds": 16}, "reveal_seconds"),
        ({"reveal_seconds": -1}, "reveal_seconds"),
    ],
)
def test_options_are_checked_in_the_files_order(asked: dict[str, Any], field: str) -> None:
    with pytest.raises(Exception, match=field) as refused:
        QUERIES["options"]({"options": asked})
    assert (refused.value.code, refused.value.field) == ("bad_option", field)  # type: ignore[attr-defined]


def test_what_a_locked_table_may_name() -> None:
    """R1.2: a house rule that is named as it is differs from nothing."""
    found = QUERIES["options"]({"options": {"table": "open", "preset": "slags", "turn_seconds": 15, "any_kind": True}})
    assert (found["turn_seconds"], found["any_kind"], found["regulars"]) == (15, True, [])
    assert "starter" not in found
    found = QUERIES["options"]({"options": {"preset": "hardcore", "turn_seconds": 0, "present": False}})
    assert (found["turn_seconds"], found["present"], found["hidden_count"]) == (0, False, True)
    found = QUERIES["options"]({"options": {"table": "regulars", "seats": 3, "regulars": []}})
    assert found["regulars"] == [1, 2]
    found = QUERIES["options"]({"options": {"table": "regulars", "seats": 3, "regulars": [2]}})
    assert found["regulars"] == [2]


def test_set_rules_refuses_in_order() -> None:
    running = given(RULES, {"seats": 2}, {"dice": [[1], [2]]})
    running.when(1, "set_rules", preset="nonsense").refused("not_host")
    running.when(0, "set_rules", preset="nonsense").refused("game_running")
    over: dict[str, Any] = {"over": True, "loser": 0, "places": [2, 1]}
    play = given(RULES, {"seats": 2}, over)
    play.when(0, "set_rules").refused("bad_option")
    play.when(0, "set_rules", preset="").refused("bad_option", "preset")
    play.when(0, "set_rules", seats=3).refused("bad_option", "seats")
    play.when(0, "set_rules", stairs="yes").refused("bad_option", "stairs")
    play.when(0, "set_rules", turn_seconds=3).refused("bad_option", "turn_seconds")
    play.when(0, "set_rules", finale=True, viborg=False).refused("bad_option", "finale")
    # viborg goes while the final stays: the result does not pass
    play.when(0, "set_rules", finale=True).then({"type": "rules_set"})
    play.when(0, "set_rules", viborg=False).refused("bad_option", "finale")
    tournament = given(RULES, {"seats": 2, "table": "tournament", "preset": "turnering"}, over)
    tournament.when(1, "set_rules", stairs=True).refused("not_host")
    tournament.when(0, "set_rules", stairs=True).refused("bad_option", "stairs")
    tournament.when(0, "set_rules", preset="turnering").refused("bad_option", "preset")


def test_a_preset_resets_viborg_and_the_final_too() -> None:
    over: dict[str, Any] = {"over": True, "loser": 0, "places": [2, 1]}
    play = given(RULES, {"seats": 2, "viborg": False, "turn_seconds": 30, "practice": True}, over)
    (event,) = play.when(0, "set_rules", preset="hardcore", turn_seconds=0).events
    assert isinstance(event, pb.RulesSet)
    assert event.changes == pb.Options(preset="hardcore", turn_seconds=0)
    after = event.options
    assert (after.preset, after.viborg, after.practice, after.turn_seconds) == ("hardcore", True, False, 0)
    assert (after.peek_once, after.seats, after.dice_each) == (True, 2, 4)


def test_the_host_of_now_may_set_the_rules() -> None:
    play = given(RULES, {"seats": 3, "table": "regulars", "host": 0}, {"over": True, "loser": 1, "places": [1, 3, 1]})
    now = Facts({0: "easy", 1: "easy"}, host=2)
    assert RULES.actions(play.state, 2, now) == ("next_game", "set_rules", "set_help")
    assert RULES.actions(play.state, 0, now) == ("next_game",)
    assert RULES.actions(play.state, 0) == ("next_game", "set_rules", "set_help")
    assert list(RULES.view(play.state, 2, now).help_on) == [False, False, False]


def test_help_is_no_switch_of_regulars_and_other_tables() -> None:
    play = given(RULES, {"seats": 2, "table": "regulars", "practice": True}, {"dice": [[3, 3], [4, 4]]})
    assert play.view()["help_on"] == [True, False]
    play.when(1, "set_help", on=False).refused("help_not_allowed")
    play.when(1, "set_help").refused("bad_argument", "on")
    play.when(0, "set_help", on=1).refused("bad_argument", "on")
    play.when(0, "set_help", on=False).then_only({"type": "help_set", "seat": 0, "on": False})
    assert play.view(0)["help"] is None
    friends = given(RULES, {"seats": 2, "practice": True}, {"dice": [[3, 3], [4, 4]]})
    friends.when(0, "set_help", on=False).refused("help_not_allowed")


def test_what_cannot_be_read_is_told_with_what_may_be() -> None:
    def said(command: str | None, field: str) -> str:
        refused = RULES.unreadable(command, field)
        assert (refused.code, refused.field) == ("bad_option", field)
        return refused.message

    assert said(None, "seats") == "seats: a whole number 2..8"
    assert said(None, "regulars.0").startswith("regulars.0: a list")
    assert said("set_rules", "stairs") == "stairs: true or false"
    assert said("set_rules", "turn_seconds") == "turn_seconds: 0 or a whole number 5..120"
    assert "unknown; options are preset, table" in said(None, "colour")
    assert "unknown here; the host may set preset, peek_once" in said("set_rules", "seats")
