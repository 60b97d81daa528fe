"""The terminal: what is drawn, and what may be typed."""

import pytest
from google.protobuf.message import Message

from libs.table.rules import Refused
from libs.testing.play import given
from services.trictrac.rules import RULES
from services.trictrac.screen import draw, help, parse
from stamtafel.trictrac.v1 import trictrac_pb2 as pb


def test_a_table_in_play() -> None:
    play = given(RULES, {"seats": 2, "first_starter": 0, "points": 3}, random=[[5, 4], [1, 2]])
    play.when(0, "throw")
    assert draw(play.see(0), 0).splitlines() == [
        "Round 1 · the starter is choosing · price 1",
        "",
        "  on the table: ⚄ ⚃ 54   lowest: nothing   throws left: 2",
        "",
        "▶ you         ●●●          ⚄ ⚃",
        "  seat 1      ●●●",
        "",
        "You may type: throw, roll [0..359], ok (stand).",
    ]
    play.when(0, "stand")
    play.when(1, "throw")
    shown = draw(play.see(1), 1, "nl")
    assert "plaats 0 verloor ronde 1 met 54 en betaalde 2." in shown
    assert "Je hoeft nu niets te doen." in shown
    assert draw(play.see(), None, "fr") == draw(play.see(), None)


def test_a_throw_off_and_the_end() -> None:
    position = {
        "points": [1, 1],
        "bok": 1,
        "starter": 0,
        "limit": 1,
        "stood": [{"seat": 0, "dice": [1, 2]}, {"seat": 1, "dice": [2, 1]}],
        "throw_off": {"seats": [0, 1]},
    }
    play = given(RULES, {"seats": 2}, position, random=[[2], [6]])
    play.when(0, "throw")
    shown = draw(play.see(1), 1)
    assert "Vast! One die each: seat 0, you." in shown
    assert "stands trictrac  ⚁" in shown
    play.when(1, "throw")
    assert "you wins: you > seat 0." in draw(play.see(1), 1)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("", pb.Throw()),
        ("T", pb.Throw()),
        ("gooi", pb.Throw()),
        ("r", pb.Throw(style="roll")),
        (" roll  90 ", pb.Throw(style="roll", direction=90)),
        ("ok", pb.Stand()),
        ("punt", pb.TakePoint()),
    ],
)
def test_what_is_typed(text: str, command: Message) -> None:
    assert parse(text, pb.View()) == command


@pytest.mark.parametrize("text", ["fold", "r left", "r 360", "r 1 2", "ok then", "r ²"])
def test_what_is_no_command(text: str) -> None:
    with pytest.raises(Refused) as raised:
        parse(text, pb.View())
    assert raised.value.code == "bad_argument"
    assert help() in raised.value.message
