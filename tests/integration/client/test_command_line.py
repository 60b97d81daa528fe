"""The command line as its users run it, against a whole Stamtafel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from libs.client.cli import app
from tests.fixtures.stack import WholeStack

ROOT = Path(__file__).resolve().parents[3]


class Person:
    """Somebody at a terminal, with tokens of his own."""

    def __init__(self, stack: WholeStack, home: Path) -> None:
        self.stack = stack
        self.home = home

    def run(self, *words: str) -> Result:
        """A command in this process, as the data directory's ports.json leads it to the gateway."""
        env = {"XDG_CONFIG_HOME": str(self.home), "STAMTAFEL_ADDRESS": self.stack.server, "STAMTAFEL_SERVER": ""}
        return CliRunner().invoke(app, list(words), env=env)

    def ok(self, *words: str) -> str:
        """The output of a command that succeeds."""
        result = self.run(*words)
        assert result.exit_code == 0, result.output + repr(result.exception)
        return result.stdout

    def fails(self, code: int, *words: str) -> str:
        """The one sentence of a command that fails."""
        result = self.run(*words)
        assert result.exit_code == code, result.output + repr(result.exception)
        assert "Traceback" not in result.output
        (sentence,) = result.stderr.splitlines()
        return sentence


@pytest.fixture
def ann(whole_stack: WholeStack, tmp_path: Path) -> Person:
    return Person(whole_stack, tmp_path)


@pytest.fixture(scope="module")
def played(whole_stack: WholeStack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Person, str, str]]:
    """A table that Ann's command line has played to its end: (Ann, its id, what was said)."""
    ann = Person(whole_stack, tmp_path_factory.mktemp("ann"))
    told = ann.ok(
        *("play", "trictrac", "--auto", "--level", "hard", "--name", "Ann"),
        *("--bots", "easy,normal", "--seats", "3", "-o", "points=2"),
    )
    yield ann, told.split()[1], told


def test_playing_tells_each_round_and_the_ranking(played: tuple[Person, str, str]) -> None:
    _, table_id, told = played
    lines = told.splitlines()
    assert lines[0] == f"table {table_id}"
    rounds = [line for line in lines if line.startswith("round")]
    assert rounds[0].startswith("round  1") and len(rounds) >= 3
    assert [line[:2] for line in lines[-3:]] == ["1.", "2.", "3."]


def test_tables_lists_it(played: tuple[Person, str, str]) -> None:
    ann, table_id, _ = played
    (line,) = [line for line in ann.ok("tables", "--mine").splitlines() if table_id in line]
    assert "resting" in line and "Ann" in line and "(easy)" in line
    assert ann.ok("tables", "--mine", "--game", "trictrac", "--all").count(table_id) == 1
    assert "stamtafel play" in ann.ok("tables", "--mine", "--free")


def test_watch_tells_what_happened(played: tuple[Person, str, str]) -> None:
    ann, table_id, _ = played
    lines = ann.ok("watch", table_id, "--from", "0", "--until-end").splitlines()
    assert [int(line.split()[0]) for line in lines] == list(range(1, len(lines) + 1))
    assert any("play_ended" in line for line in lines)


def test_replay_shows_any_moment(played: tuple[Person, str, str], tmp_path: Path) -> None:
    ann, table_id, _ = played
    stranger = Person(ann.stack, tmp_path)
    everything = ann.ok("replay", table_id)
    assert "table_opened" in everything and "Ann" in everything and "resting" in everything
    moment = ann.ok("replay", table_id, "--at", "30", "--as", "0")
    assert f"{table_id}  version" in moment and "playing" in moment and "Round 1" in moment
    assert "1 Bodil (easy) (you)" in stranger.ok("replay", table_id, "--at", "30", "--as", "1")
    assert "9999" in ann.fails(1, "replay", table_id, "--at", "9999")


def test_render_draws_any_moment(played: tuple[Person, str, str], tmp_path: Path) -> None:
    ann, table_id, _ = played
    svg, image = tmp_path / "then.svg", tmp_path / "now.png"
    told = ann.ok("render", table_id, "--at", "30", "--as", "0", "-o", str(svg))
    assert 1 < int(told.split()[1]) <= 30  # the decision at or before that version
    assert "Round 1" in svg.read_text()
    ann.ok("render", table_id, "-o", str(image))
    assert image.read_bytes().startswith(b"\x89PNG")
    assert "9999" in ann.fails(1, "render", table_id, "--at", "9999", "-o", str(image))


def test_the_log_leaves_and_verifies(played: tuple[Person, str, str], tmp_path: Path) -> None:
    ann, table_id, _ = played
    file = tmp_path / "table.jsonl"
    ann.ok("log", table_id, "-o", str(file))
    assert ann.ok("log", table_id).splitlines()[1:-1] == file.read_text().splitlines()[1:-1]
    for what in (str(file), table_id):
        said = ann.ok("verify", what).splitlines()
        assert said[-1] == "sound" and "every hash fits" in said[0] and "draws of play 1 recomputed" in said[1]
    parts = [json.loads(line) for line in file.read_text().splitlines()]
    parts[12]["record"]["event"]["actor"] = "somebody else"
    file.write_text("\n".join(json.dumps(part) for part in parts))
    result = ann.run("verify", str(file))
    assert result.exit_code == 1 and "WRONG" in result.stdout and result.stdout.endswith("NOT sound\n")


def test_a_record_is_in_the_notation_of_the_game(played: tuple[Person, str, str]) -> None:
    ann, table_id, _ = played
    assert '"game_started"' in ann.ok("record", table_id)


def test_a_whole_program_says_who_one_is(whole_stack: WholeStack, tmp_path: Path) -> None:
    """As a process of its own, led by a data directory; the tokens stay there."""
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'gen'}", "HOME": str(tmp_path)}
    env.pop("STAMTAFEL_ADDRESS", None)
    words = [sys.executable, "-m", "libs.client.cli", "--data", str(whole_stack.data)]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*words, *more], env=env, cwd=tmp_path, capture_output=True, text=True, check=False)

    first, second = run("sign-in", "--name", "Bob"), run("whoami")
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    assert first.stdout == second.stdout and first.stdout.startswith("Bob, g-")
    wrong = run("play", "chess")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr == "stamtafel: there is no game chess here; `stamtafel games` lists them\n"
    unknown = run("nonsense")
    assert unknown.returncode == 2 and "Traceback" not in unknown.stderr


def test_operators_come_by_the_keys(whole_stack: WholeStack, ann: Person) -> None:
    assert "role operator" in ann.fails(1, "operate", "logs")
    here = ("--data", str(whole_stack.data))
    assert "operator" in ann.ok(*here, "sign-in", "--roles", "operator,auditor", "--name", "Op")
    assert "trictrac-0" in ann.ok(*here, "operate", "logs")
    opened = ann.ok("play", "trictrac", "--bots", "none", "--name", "Ann")
    table_id = opened.split()[1]
    assert "gathering" in ann.ok(*here, "operate", "explain", table_id)
    assert "closed at version" in ann.ok(*here, "operate", "close", table_id, "--reason", "a test")
    assert "closed" in ann.fails(1, "join", table_id)
    whole = ann.ok(*here, "log", "trictrac-0")
    assert json.loads(whole.splitlines()[0])["header"]["log"] == "trictrac-0"
    assert len(whole.splitlines()) > 10
    assert "is shown" in ann.ok(*here, "rebuild", "lobby")
    assert "no read model nonsense" in ann.fails(2, *here, "rebuild", "nonsense")


def test_an_operator_stops_clocks_moves_them_voids_and_hands_over(whole_stack: WholeStack, ann: Person) -> None:
    told = ann.ok("play", "trictrac", "--hot-seat", "--bots", "none", "--seats", "2", "--name", "Ann")
    table_id = told.split()[1]
    here = ("--data", str(whole_stack.data), "operate")
    assert "operator" in ann.ok("--data", str(whole_stack.data), "sign-in", "--roles", "operator", "--name", "Op")

    def clock() -> tuple[str, datetime]:
        (line,) = [one for one in ann.ok(*here, "explain", table_id).splitlines() if "of seat" in one]
        return line.split()[1], datetime.fromisoformat(line.partition("due ")[2])

    assert "paused at version" in ann.ok(*here, "pause", table_id)
    said = ann.ok(*here, "explain", table_id)
    assert "playing, paused" in said and "of seat" not in said
    assert "resumed at version" in ann.ok(*here, "resume", table_id)
    clock_id, due = clock()
    assert "moved at version" in ann.ok(*here, "clock", table_id, clock_id, "--by", "90", "--reason", "a test")
    assert clock()[1] - due == timedelta(seconds=90)
    assert "void at version" in ann.ok(*here, "void", table_id, "--reason", "a test")
    assert "play" in ann.fails(1, *here, "void", table_id, "--reason", "once more")
    assert "trictrac-0 was let go" in ann.ok(*here, "move", "trictrac-0", "--reason", "a test")
    assert "closed at version" in ann.ok(*here, "close", table_id, "--reason", "a test")  # by the next owner
    assert "trictrac-0" in ann.fails(1, *here, "move", "nowhere-0", "--reason", "a test")


def test_what_goes_wrong_is_one_sentence(ann: Person) -> None:
    assert (
        ann.fails(1, "watch", "trictrac-0-aaaaaaaaaaaaaaaa")
        == "stamtafel: there is no table trictrac-0-aaaaaaaaaaaaaaaa"
    )
    assert "no id of a table" in ann.fails(2, "watch", "nonsense")
    assert "seats must be 2..8, not 99" in ann.fails(1, "play", "trictrac", "-o", "seats=99")
    assert "a whole number is needed" in ann.fails(2, "play", "trictrac", "-o", "seats=many")
    assert "name=value" in ann.fails(2, "play", "trictrac", "-o", "seats")
    assert "a regular is easy, normal, hard" in ann.fails(2, "play", "trictrac", "--bots", "clever")
    assert "only 3 seats are left" in ann.fails(2, "play", "trictrac", "--bots", "easy,easy,easy,easy")
    assert "there is no file" in ann.fails(2, "verify", "missing.jsonl")
    assert "no gateway answers at 127.0.0.1:1" in ann.fails(3, "--address", "127.0.0.1:1", "tables")


def test_games_and_settings_are_listed(ann: Person) -> None:
    assert "presets: cafe, quick" in ann.ok("games")
    said = ann.ok("settings")
    assert "STAMTAFEL_GATEWAY_PORT" in said and "DATABASE_URL" in said and "STAMTAFEL_BOT_PACE" in said
    assert "STAMTAFEL_BOT_PACE" not in ann.ok("settings", "gateway")
    assert "no service nonsense" in ann.fails(2, "settings", "nonsense")
