"""`stamtafel render`: the pictures of every game's golden table, in the files that are asked for."""

from __future__ import annotations

import struct
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from libs.client import cli_render, games
from libs.client.cli import app
from libs.client.cli_render import png
from libs.table.pictures import die, document, tag, text
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1.table_pb2 import TableView
from tests.unit.client.pictured import records, table_at, views, words_of

GAMES = ("backgammon", "carrom", "klaverjas", "liarsdice", "trictrac")
TABLE = records("klaverjas")[0].stream


class Gateway:
    """A gateway that has the golden table of klaverjas."""

    def __init__(self) -> None:
        self.tables = self.history = self
        self.asked: list[pb.ReplayTableRequest] = []

    async def view(self, table_id: str, seat: int | None = None) -> TableView:
        assert table_id == TABLE
        return table_at("klaverjas", None, seat)

    async def replay(self, request: pb.ReplayTableRequest) -> AsyncIterator[pb.ReplayTableResponse]:
        self.asked.append(request)
        seat = request.seat if request.HasField("seat") else None
        yield pb.ReplayTableResponse(view=table_at("klaverjas", request.to_version, seat))


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> Gateway:
    one = Gateway()

    @asynccontextmanager
    async def opened(*_: object) -> AsyncGenerator[Gateway]:
        yield one

    monkeypatch.setattr(cli_render, "opened", opened)
    return one


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["render", *(str(word) for word in words)])


@pytest.mark.parametrize("game", GAMES)
def test_every_view_of_a_whole_play_is_drawn(game: str) -> None:
    draw = games.picture(game)
    assert draw is not None
    drawn = 0
    for _, view in views(game):
        svg = draw(view)
        assert ElementTree.fromstring(svg).tag.endswith("svg")
        assert "nan" not in svg and "inf" not in svg and "None" not in svg
        drawn += 1
    assert drawn > 100
    assert draw(view) == svg


def test_a_game_without_a_picture() -> None:
    assert games.picture("nosuchgame") is None


def test_a_png_has_two_pixels_for_one(gateway: Gateway, tmp_path: Path) -> None:
    file = tmp_path / "new" / "table.png"
    result = run(TABLE, "--at", 60, "--as", 0, "-o", file)
    assert result.exit_code == 0, result.output
    assert "version 60 in" in result.stdout
    data = file.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", data[16:24]) == (2000, 1400)
    (asked,) = gateway.asked
    assert (asked.from_version, asked.to_version, asked.seat) == (60, 60, 0)


def test_an_svg_holds_what_the_seat_saw(gateway: Gateway, tmp_path: Path) -> None:
    public, own = tmp_path / "public.svg", tmp_path / "own.SVG"
    assert run(TABLE, "--at", 60, "-o", public).exit_code == 0
    assert run(TABLE, "--at", 60, "--as", 0, "-o", own).exit_code == 0
    ranks = {"7", "8", "9", "10", "J", "Q", "K", "A"}
    shown = [sum(word in ranks for word in words_of(file.read_text())) for file in (public, own)]
    assert shown[1] > shown[0]


def test_without_a_version_it_is_the_last(gateway: Gateway, tmp_path: Path) -> None:
    assert run(TABLE, "-o", tmp_path / "now.svg").exit_code == 0
    assert gateway.asked[0].from_version == gateway.asked[0].to_version == len(records("klaverjas"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((TABLE, "-o", "table.gif"), "neither in .svg nor in .png"),
        (("nonsense", "-o", "table.svg"), "no id of a table"),
        (("nosuchgame-0-aaaaaaaaaaaaaaaa", "-o", "table.svg"), "no picture"),
        ((TABLE, "--at", 1, "-o", "table.svg"), "nothing to draw at version 1"),
    ],
)
def test_what_cannot_be_drawn_is_told(gateway: Gateway, words: tuple[object, ...], told: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert told in result.stderr
    assert not Path("table.svg").exists()


def test_words_without_a_font_are_told(gateway: Gateway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_render, "_LETTER", cli_render._BLANK)
    assert "no font was found" in run(TABLE, "--at", 60, "-o", tmp_path / "table.png").stdout


def test_names_are_escaped_and_dice_have_their_eyes() -> None:
    hard = "a < b & \"c\" 'd'"
    svg = document(10, 20, "#fff", [text(1, 2, hard, fill='"'), tag("g", *(die(0, 0, 10, n) for n in range(1, 7)))])
    assert words_of(svg) == [hard]
    assert svg.count("<circle") == 21
    assert png(svg).startswith(b"\x89PNG")
