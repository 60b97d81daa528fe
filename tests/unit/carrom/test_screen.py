"""The terminal and the picture: what is drawn, and what may be typed."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from google.protobuf.message import Message

from libs.table.rules import Refused
from libs.testing.play import Play, given
from services.carrom.picture import svg
from services.carrom.rules import RULES
from services.carrom.screen import draw, help, parse
from services.carrom.simulate import simulate
from stamtafel.carrom.v1 import carrom_pb2 as pb


def plain(text: str) -> str:
    return re.sub(r"\[/?[a-z ]+\]", "", text)


def shot_table(**position: Any) -> Play:
    """After a real shot that pockets w1 into the north-east hole."""
    board = (("b1", 0, 0), ("w1", 280_000, 30_000))
    outcome = simulate((board, ()), "south", (219_100, 12_096_000, 1_500_000), (100, 6500))
    gone = {"white": [f"w{n}" for n in range(3, 10)], "black": [f"b{n}" for n in range(2, 9)]}
    at = {"turn": 0, "acquired": gone, "red": {"owned": 1}, "board": {"b1": [0, 0], "w1": [0.28, 0.03]}}
    play = given(RULES, {}, {**at, **position}, random=[outcome])
    play.when(0, "shoot", x=0.2191, angle=12.096, speed=1.5)
    return play


def test_a_table_after_a_shot() -> None:
    shown = plain(draw(shot_table().see(0), 0)).splitlines()
    assert shown[0] == "Set 1"
    assert shown[1] == "  white  you              1 left · sets 0 · w3 w4 w5 w6 w7 w8 w9 w1"
    board = shown[3:35]
    assert {len(line) for line in board} == {62}
    assert sum(line.count("b1") for line in board) == 1
    assert any("◎" in line for line in board)
    assert shown[35] == "you shot: touched w1 first, w1 in, shoots again"
    assert "red: owned by team 1 (black)" in shown or "red: owned by you" in shown
    assert shown[-1].startswith("Type x angle speed")


def test_each_side_looks_from_its_own_line() -> None:
    play = given(RULES, {"seats": 4}, {"turn": 0, "board": {"b9": [0.3, 0.3]}})

    def corner(seat: int) -> tuple[bool, bool]:
        rows = plain(draw(play.see(seat), seat)).splitlines()[3:35]
        row = next(n for n, line in enumerate(rows) if "b9" in line)
        return row < 16, rows[row].index("b9") > 31

    # East of north: far right from the south, then what is to the right of each seat further on.
    assert [corner(seat) for seat in range(4)] == [(True, True), (True, False), (False, False), (False, True)]


def test_words_the_end_and_the_line() -> None:
    play = given(RULES, {}, {"turn": 0, "board": {"b5": [0.1, -0.2526]}, "pile": ["w2"]})
    shown = draw(play.see(0), 0, "nl")
    assert "op de lijn, alleen over de band: b5" in shown
    assert "boven het midden: w2" in shown
    assert "ruimte voor het palet op -0.2191..0.0634, 0.1366..0.2191" in shown
    assert draw(play.see(), None, "fr") == draw(play.see(), None)
    play.when(1, "resign")
    assert "you wins the match (the other side gave up)" in draw(play.see(0), 0)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("0.1 -12 3.5", pb.Shoot(x=0.1, angle=-12, speed=3.5)),
        (" shoot 0, 0, 2 ", pb.Shoot(x=0, angle=0, speed=2)),
        ("Resign", pb.Resign()),
        ("opgeven", pb.Resign()),
    ],
)
def test_what_is_typed(text: str, command: Message) -> None:
    assert parse(text, pb.View()) == command


@pytest.mark.parametrize("text", ["", "fold", "0.1 2", "1 2 3 4", "0.1 nan 3", "0.1 inf 3", "1_0 2 3", "a b c"])
def test_what_is_no_command(text: str) -> None:
    with pytest.raises(Refused) as raised:
        parse(text, pb.View())
    assert raised.value.code == "bad_argument"
    assert help() in raised.value.message


def test_a_pion_and_a_hole_by_name() -> None:
    """A person need not reckon: the command is the one that pockets."""
    board = {"w1": [0.2, 0.2], "b1": [-0.2, -0.1], "red": [0, 0.3]}
    acquired = {"white": [f"w{n}" for n in range(2, 10) if n != 9], "black": [f"b{n}" for n in range(2, 10)][:7]}
    play = given(RULES, {}, {"turn": 0, "board": board, "acquired": acquired})
    shot = parse("pot w1 ne", play.see(0))
    assert isinstance(shot, pb.Shoot)
    flick = (round(shot.x * 1e6), round(shot.angle * 1e6), round(shot.speed * 1e6))
    outcome = simulate((play.state.board, ()), "south", flick, (100, 6500))
    assert outcome["holes"].get("w1") == "ne"
    straight = parse("at red 1.5", play.see(0))
    assert isinstance(straight, pb.Shoot) and straight.speed == 1.5
    for text in ("pot w1 xx", "pot w2 ne", "at w2", "pot w1 sw", "at w1 fast"):
        with pytest.raises(Refused):
            parse(text, play.see(0))


def test_the_picture_shows_discs_and_ways() -> None:
    play = shot_table()
    root = ElementTree.fromstring(svg(play.see()))
    space = "{http://www.w3.org/2000/svg}"
    ways = root.findall(f".//{space}polyline")
    assert len(ways) == 2
    labels = [text.text for text in root.iter(f"{space}text")]
    assert "b1" in labels and "w1" not in labels
    assert svg(given(RULES, random=[{"white": 0}]).see()).count("<circle") == 19 + 4 + 2 + 8
