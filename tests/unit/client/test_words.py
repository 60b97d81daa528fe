"""Words in and out: options and levels, where the gateway is, how things are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from libs.client import games, show
from libs.client.place import DEFAULT_ADDRESS, find
from libs.client.setup import BadWish, options_message, read_levels, read_options
from libs.table.life import any_of
from libs.table.rules import Facts
from services.trictrac.rules import RULES
from stamtafel.table.v1 import table_pb2 as table
from stamtafel.trictrac.v1 import trictrac_pb2 as tt
from tests.unit.client.recorded import recorded


def test_options_are_read_as_json_or_as_text() -> None:
    assert read_options(["seats=3", "preset=quick", "bok=false", "penalty=a=b"]) == {
        "seats": 3,
        "preset": "quick",
        "bok": False,
        "penalty": "a=b",
    }
    made = options_message("trictrac", {"seats": 3, "bok": False})
    assert made == tt.Options(seats=3, bok=False)
    with pytest.raises(BadWish, match="option colour: unknown"):
        options_message("trictrac", {"colour": 1})
    with pytest.raises(BadWish, match="name=value"):
        read_options(["=1"])


def test_levels() -> None:
    assert (read_levels(None), read_levels("none"), read_levels("easy, hard")) == (None, [], ["easy", "hard"])
    with pytest.raises(BadWish):
        read_levels("easy,strong")


def test_where_the_gateway_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STAMTAFEL_ADDRESS", "STAMTAFEL_SERVER", "STAMTAFEL_TLS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    assert find().address == DEFAULT_ADDRESS
    for data, port in ((Path(".stamtafel"), 1), (Path("other"), 2)):
        data.mkdir()
        (data / "ports.json").write_text(json.dumps({"gateway": f"here:{port}", "http": {}}))
    assert find().address == "here:1"
    assert find().tokens == tmp_path / "config" / "stamtafel" / "tokens.json"
    monkeypatch.setenv("STAMTAFEL_SERVER", "server:3")
    assert find().address == "server:3"
    monkeypatch.setenv("STAMTAFEL_ADDRESS", "address:4")
    assert find().address == "address:4"
    assert find(data=Path("other")).address == "here:2"
    assert find(data=Path("other")).tokens == Path("other/client/tokens.json")
    assert find("given:5", Path("other")).address == "given:5"
    assert find(data=Path("nowhere")).address == "address:4"


def test_an_event_is_told_in_a_line() -> None:
    def line(body: tt.DiceThrown | table.ClocksSet | table.PlayBegan) -> str:
        return show.event_line("trictrac", table.EventView(version=12, body=any_of(body)))

    assert line(tt.DiceThrown(seat=1, dice=[2, 1], score=1000)).endswith(
        'dice_thrown {"seat": 1, "dice": [2, 1], "score": 1000, "throw_number": 0, "style": "", "by": ""}'
    )
    clock = table.RunningClock(clock_id="12-0", seat=0, due_us=61_500_000)
    assert line(table.ClocksSet(running=[clock])).endswith("clocks_set seat 0 until 00:01:01.500")
    assert '"options": {"seats": 3, "bots": []}' in line(table.PlayBegan(options=any_of(tt.Options(seats=3))))
    unknown = table.EventView(version=3)
    unknown.body.type_url = "type.googleapis.com/other.v1.Thing"
    assert show.event_line("trictrac", unknown).endswith("other.v1.Thing")


def test_a_table_and_its_result_are_told() -> None:
    options = RULES.options(tt.Options(seats=2))
    game_view = RULES.view(RULES.initial(options), 0, Facts())
    seats = [table.SeatView(seat=0, name="Ann"), table.SeatView(seat=1, name="Bodil (easy)", bot="easy")]
    view = table.TableView(
        table_id="trictrac-0-a", game="trictrac", version=9, seats=seats, game_view=any_of(game_view)
    )
    text = show.table_text(view, 0)
    assert "trictrac-0-a  version 9" in text and "0 Ann (you)   1 Bodil (easy)" in text and "throws left" in text
    view.result.places[:] = [2, 1]
    assert show.result_lines(view) == ["1. Bodil (easy)", "2. Ann"]


def test_the_story_of_a_play_has_a_line_for_each_round() -> None:
    story = games.story("trictrac", ["Ann", "Bob"])
    assert story is not None
    rounds = 0
    for event in recorded():
        if not event.type.startswith("stamtafel.trictrac"):
            continue
        name = event.type.rpartition(".")[2]
        lines = list(story.hear(getattr(tt, name).FromString(event.data)))
        rounds += name in ("RoundStarted",)
        if name == "GameEnded":
            assert lines and lines[0].startswith("round ") and "is out" in lines[0]
            return
        assert len(lines) == (name == "RoundStarted" and rounds > 1)
    raise AssertionError("the play did not end")


def test_an_unknown_game_is_told() -> None:
    for name in ("chess", "../etc", "trictrac.bot"):
        with pytest.raises(games.UnknownGame):
            games.rules(name)
