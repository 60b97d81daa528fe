"""Records from files: which game, which letters, what is refused before anything is sent; the command line's words."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from libs.client.cli import app
from libs.client.games import UnknownGame
from libs.client.records import game_for, plan, read_text
from libs.client.setup import BadWish
from libs.table.rules import Refused

MATCH = Path(__file__).parents[2] / "fixtures" / "records" / "gnubg_match_5.mat"
TABLE = "backgammon-0-aaaaaaaaaaaaaaaa"


def run(*words: str) -> Result:
    """A command where no gateway is."""
    return CliRunner().invoke(app, ["--address", "127.0.0.1:1", *words])


def test_the_game_is_told_by_the_name_of_the_file_or_by_its_reader() -> None:
    assert game_for(Path("a/Match.MAT")) == "backgammon"
    assert game_for(Path("match.txt"), "backgammon") == "backgammon"
    for name, game in (("match.txt", ""), ("match.mat", "trictrac")):
        with pytest.raises(BadWish, match=r"backgammon \(.mat\)"):
            game_for(Path(name), game)
    with pytest.raises(UnknownGame):
        game_for(Path("match.mat"), "chess")


def test_old_files_are_read_too(tmp_path: Path) -> None:
    file = tmp_path / "old.mat"
    text = MATCH.read_text().replace("Karsten", "Jürgen")
    for encoding in ("utf-8", "utf-8-sig", "latin-1"):
        file.write_text(text, encoding=encoding)
        assert read_text(file) == text
    assert plan("backgammon", text).names == ("Ann de Wit", "Jürgen")


def test_a_plan_names_the_record_and_every_version() -> None:
    made = plan("backgammon", MATCH.read_text())
    assert (made.ended, made.score, made.warnings) == (True, (3, 7), ())
    assert len(made.versions) == len(made.steps) + 3
    assert list(made.versions) == sorted(set(made.versions))
    assert [made.place(version) for version in made.versions] == list(range(len(made.versions)))
    assert made.place(made.versions[-1] + 1) is None
    assert made.opening.imported and [seat.player for seat in made.opening.match.seats] == ["record:0", "record:1"]
    assert ("Event", "Club evening") in [(header.key, header.value) for header in made.opening.headers]
    assert plan("backgammon", MATCH.read_text()).key == made.key
    assert plan("backgammon", MATCH.read_text() + "\n").key != made.key


def test_what_the_table_would_not_take_is_told_before_anything_is_sent() -> None:
    with pytest.raises(Refused, match=r"match_length must be 1\.\.64"):
        plan("backgammon", MATCH.read_text().replace(" 5 point match", " 65 point match"))
    long = '; [Source "' + "x" * 501 + '"]\n'
    with pytest.raises(Refused, match=r"0\.\.500") as refused:
        plan("backgammon", long + MATCH.read_text())
    assert refused.value.field == "headers"


def test_record_alone_is_its_export() -> None:
    for words in (("record", TABLE), ("record", "--play", "2", TABLE), ("record", "export", TABLE, "--play", "2")):
        result = run(*words)
        assert result.exit_code == 3 and "no gateway answers" in result.stderr, words
    assert run("record", "nonsense").exit_code == 2
    assert "is no id of a table" in run("record", "nonsense").stderr
    assert "import" in run("record", "--help").stdout and "export" in run("record").output


def test_a_bad_file_is_told_without_a_gateway(tmp_path: Path) -> None:
    file = tmp_path / "bad.mat"
    file.write_text(MATCH.read_text().replace("41: 13/9 24/23", "41: 13/9 24/22"))
    result = run("record", "import", str(file))
    (sentence,) = result.stderr.splitlines()
    assert result.exit_code == 1 and result.stdout == ""
    assert "line 12, game 1, action 1: 41: 13/9 24/22 is not legal; legal: 13/8, 13/9 6/5, " in sentence
    assert sentence.endswith("; nothing is imported")
    assert "there is no file" in run("record", "import", str(tmp_path / "missing.mat")).stderr
    assert run("record", "import", str(MATCH)).exit_code == 3
