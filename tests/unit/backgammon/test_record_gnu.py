"""GNU Backgammon, where it is installed, reads what is exported here, and what it then writes is the same match."""

import os
import subprocess
from pathlib import Path

import pytest

from services.backgammon import mat, record
from services.backgammon.engine import gnu
from tests.unit.backgammon.test_record import FILES, played

SECONDS = 120


def through_gnu(text: str, folder: Path) -> str:
    """The match file as GNU Backgammon writes it after reading it."""
    before, after = folder / "in.mat", folder / "out.mat"
    before.write_text(text, encoding="utf-8")
    orders = [
        "set confirm new off",
        "set confirm save off",
        "set display off",
        f'import mat "{before}"',
        f'export match mat "{after}"',
    ]
    program = gnu.program()
    assert program is not None
    done = subprocess.run(
        [program, "-t", "-q", "-r"],
        input="\n".join([*orders, "quit", ""]),
        text=True,
        capture_output=True,
        timeout=SECONDS,
        env={**os.environ, "HOME": str(folder)},
        check=False,
    )
    assert after.exists(), done.stdout + done.stderr
    return after.read_text(encoding="utf-8")


@pytest.mark.skipif(gnu.program() is None, reason="GNU Backgammon is not installed")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_gnu_backgammon_reads_the_same_match(path: Path, tmp_path: Path) -> None:
    """Names, length, score lines, dice, moves and cube of every game. Its result of a game is not compared where the
    left side drops: there it expects `Wins` in the same row, and R16.5 has it on a line of its own."""
    script = record.read(path.read_bytes().decode())
    text = record.write(played(script), script.names, script.headers)
    again = through_gnu(text, tmp_path)
    found = record.read(again)
    assert (found.names, found.options, found.steps) == (script.names, script.options, script.steps)
    games, ours = mat.parse(again).games, mat.parse(text).games
    assert [game.score for game in games] == [game.score for game in ours]
    dropped_left = {n for n, game in enumerate(ours, 1) if any((c.side, c.kind) == (0, "drop") for c in game.cells)}
    assert {warning["game"] for warning in found.warnings} <= dropped_left
