"""Records that only just can be read, and that cannot."""

import json

import pytest

from libs.table.rules import Refused
from libs.testing.play import Play, given
from services.trictrac.record import read, read_events, write
from services.trictrac.rules import RULES


def played() -> Play:
    play = given(RULES, {"seats": 2, "first_starter": 0}, random=[[5, 3], [4, 1]])
    play.when_late(0)
    play.when(0, "stand")
    play.when(1, "throw", style="roll", direction=0)
    return play


@pytest.mark.parametrize("name", ["a\u2028b", "a\u2029b", "a\x85b", "a\nb", 'a"b', ""])
def test_any_name_comes_back(name: str) -> None:
    events = played().events
    text = write(events, [name, "Jan"])
    assert text.count("\n") == len(events)
    assert read(text).names == (name, "Jan")
    assert read_events(text) == events


def test_other_line_ends_and_empty_lines_do_not_matter() -> None:
    events = played().events
    text = write(events)
    assert read_events("\n" + text.replace("\n", "\r\n \n")) == events
    assert read_events(text.rstrip("\n")) == events


@pytest.mark.parametrize("gone", ["clock_expired", "game_started"])
def test_a_throw_by_the_table_needs_its_missed_clock(gone: str) -> None:
    lines = [line for line in write(played().events).splitlines() if json.loads(line)["type"] != gone]
    with pytest.raises(Refused, match="line") as raised:
        read("\n".join(lines))
    assert (raised.value.code, raised.value.field) == ("bad_argument", "text")


def test_a_throw_by_the_table_does_not_replace_the_dice_of_another() -> None:
    events = played().events
    thrown = next(event for event in events if type(event).__name__ == "DiceThrown")
    with pytest.raises(Refused, match="line 6: a throw by the table"):
        read(write([*events[:5], thrown]))
