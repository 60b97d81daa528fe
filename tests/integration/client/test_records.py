"""Match files through the whole stack: in by an operator's command line, out again, equal; and every break."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import Result

from libs.client import games
from libs.client.client import Client, connect
from libs.client.errors import NotPossible
from libs.client.importing import Imported, bring
from libs.client.keys import session_by_keys
from libs.client.records import Plan, plan, read_text
from libs.client.setup import Wish, set_up
from services.backgammon import mat, record, screen
from stamtafel.backgammon.v1 import backgammon_pb2 as bg
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table
from tests.fixtures.stack import WholeStack
from tests.integration.client.test_command_line import Person

RECORDS = Path(__file__).parents[2] / "fixtures" / "records"
CLUB = RECORDS / "club_match.mat"
LONG = RECORDS / "gnubg_match_25.mat"


class Operator(Person):
    """Who has the gateway's keys at hand."""

    def __init__(self, stack: WholeStack, home: Path, name: str) -> None:
        super().__init__(stack, home)
        self.ok("--data", str(stack.data), "sign-in", "--roles", "operator", "--name", name)

    def run(self, *words: str) -> Result:
        """With the tokens of the data directory."""
        return super().run("--data", str(self.stack.data), *words)

    def log(self) -> str:
        """Owner, position and commands of the log of backgammon."""
        (line,) = [line for line in self.ok("operate", "logs").splitlines() if "backgammon-0" in line]
        return line

    def imported(self, file: Path, *more: str) -> str:
        """The id of the table that a file has become."""
        words = self.ok("record", "import", str(file), *more).split()
        return words[words.index("table") + 1]


@pytest.fixture
def olga(whole_stack: WholeStack, tmp_path: Path) -> Operator:
    """An operator of this test alone: what others have imported is not hers."""
    return Operator(whole_stack, tmp_path, f"olga {tmp_path.name}"[:40])


def score_sheet(text: str) -> object:
    """What a match file says, however it is laid out: names, headers, length, score lines, dice, cube and moves."""
    match = mat.parse(text)
    script = record.read(text)
    cells = [[(c.side, c.kind, c.value, c.dice) for c in game.cells if c.kind != "resign"] for game in match.games]
    steps = [(step.seat, step.command, step.draws) for step in script.steps]
    scores = [(game.names, game.score) for game in match.games]
    return match.length, match.headers, script.names, script.options, scores, cells, steps


@pytest.mark.parametrize("path", sorted(RECORDS.glob("*.mat")), ids=lambda path: path.stem)
def test_a_file_comes_back_equal_and_then_letter_by_letter(olga: Operator, path: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.mat", tmp_path / "second.mat"
    once = olga.imported(path)
    assert "lines (mat)" in olga.ok("record", "export", once, "-o", str(first))
    assert score_sheet(first.read_text()) == score_sheet(read_text(path))
    twice = olga.imported(first)
    assert twice != once
    olga.ok("record", twice, "-o", str(second))
    assert second.read_bytes() == first.read_bytes()
    assert olga.ok("record", twice) == first.read_text()
    said = olga.ok("verify", once).splitlines()
    assert said[-1] == "sound" and "an imported record" in said[1]


def test_the_club_match_holds_what_files_hold(olga: Operator) -> None:
    """Crawford, gammon, drop, take, redouble, dance, bar, off, hits; a replay draws the board at every step."""
    text = read_text(CLUB)
    for sign in ("Drops", "Takes", "=> 4", "Cannot Move", "25/2", "/0", "*", "and the match", "\r\n"):
        assert sign in text
    table_id = olga.imported(CLUB)
    replay = olga.ok("replay", table_id)
    decisions = sum(line.startswith(f"{table_id}  version") for line in replay.splitlines())
    made = plan("backgammon", text)
    assert decisions == len(made.versions)
    assert replay.count("┼ 13  14  15") == decisions - 1, "every decision but the opening of the table has a board"
    assert "Truus Bakker" in replay and "Crawford" in replay
    assert olga.ok("replay", table_id, "--no-pictures").count("┼ 13  14  15") == 1
    assert "closed" in olga.ok("replay", table_id, "--at", str(made.versions[-1]))


def test_an_illegal_move_is_told_and_opens_no_table(olga: Operator, tmp_path: Path) -> None:
    bad = tmp_path / "bad.mat"
    bad.write_text(read_text(CLUB).replace("22: 25/23 25/23 7/5 7/5", "22: 25/23 25/23 7/4 7/5"))
    before = olga.log()
    sentence = olga.fails(1, "record", "import", str(bad))
    assert "line 15, game 1, action 8: 22: 25/23 25/23 7/4 7/5 is not legal; legal: " in sentence
    assert "bar/23(2) 7/5(2)" in sentence and sentence.endswith("; nothing is imported")
    assert olga.log() == before


def test_only_operators_import(whole_stack: WholeStack, tmp_path: Path) -> None:
    ann = Person(whole_stack, tmp_path)
    assert "role operator" in ann.fails(1, "record", "import", str(CLUB))


def test_the_same_file_is_imported_once(olga: Operator) -> None:
    once = olga.imported(CLUB)
    said = olga.ok("record", "import", str(CLUB))
    assert once in said and "imported before" in said
    assert olga.imported(CLUB, "--again") != once


def test_what_is_wrong_without_harm_is_noted(olga: Operator, tmp_path: Path) -> None:
    file = tmp_path / "score.mat"
    file.write_text(
        read_text(CLUB).replace("Truus Bakker : 1               Odette van der Meer : 0", "A : 2      B : 0")
    )
    assert "note: line 22: the score before game 2 is 1:0, not 2:0" in olga.ok("record", "import", str(file))


def test_a_file_that_ends_in_mid_game(olga: Operator, tmp_path: Path) -> None:
    file, out, again = tmp_path / "half.mat", tmp_path / "out.mat", tmp_path / "again.mat"
    file.write_text("".join(read_text(CLUB).splitlines(keepends=True)[:40]))
    said = olga.ok("record", "import", str(file))
    assert "ends in mid-play" in said and "Truus Bakker 1, Odette van der Meer 0" in said
    olga.ok("record", said.split()[1], "-o", str(out))
    assert olga.ok("verify", said.split()[1]).splitlines()[-1] == "sound"
    assert score_sheet(out.read_text()) == score_sheet(file.read_text())
    olga.ok("record", olga.imported(out), "-o", str(again))
    assert again.read_bytes() == out.read_bytes()


# ------------------------------------------------------------------------------------------------------- breaks


@contextlib.asynccontextmanager
async def operator(stack: WholeStack, name: str) -> AsyncIterator[Client]:
    async with connect(stack.server) as client:
        client.account.adopt(session_by_keys(stack.data / "keys", name, ["operator"]))
        yield client


async def half_way(client: Client, made: Plan) -> None:
    """Until the table of an import has taken half of the record."""
    table_id, _ = await client.lobby.open_record(made.game, made.opening, made.options, f"{made.key}-0")
    async with contextlib.aclosing(client.tables.watch(table_id, as_public=True, from_version=0)) as updates:
        async for update in updates:
            if update.version > made.versions[len(made.versions) // 2]:
                return


async def exported(client: Client, found: Imported) -> str:
    view = await client.tables.view(found.table_id, as_public=True)
    assert view.state == table.TABLE_STATE_CLOSED
    return (await client.history.record(found.table_id)).text


async def test_an_import_whose_client_dies_goes_on_with_the_next_one(whole_stack: WholeStack) -> None:
    made = plan("backgammon", read_text(LONG))
    async with operator(whole_stack, "piet") as client, operator(whole_stack, "piet") as looking:
        importing = asyncio.create_task(bring(client, made))
        await half_way(looking, made)
        importing.cancel()
        await asyncio.gather(importing, return_exceptions=True)
        assert importing.cancelled(), "it was too fast to be cut off"
    async with operator(whole_stack, "piet") as client:
        found = await bring(client, made)
        assert 0 < found.sent < len(made.steps) // 2 + 2
        assert score_sheet(await exported(client, found)) == score_sheet(read_text(LONG))
        assert await bring(client, made) == Imported(found.table_id, 0)


async def test_two_imports_of_one_file_at_one_time_make_one_table(whole_stack: WholeStack) -> None:
    made = plan("backgammon", read_text(LONG))
    async with operator(whole_stack, "kees") as one, operator(whole_stack, "kees") as two:
        first, second = await asyncio.gather(bring(one, made), bring(two, made))
        assert first.table_id == second.table_id
        assert score_sheet(await exported(one, first)) == score_sheet(read_text(LONG))
        log = one.history.events(pb.ListEventsRequest(table_id=first.table_id))
        assert len([event async for event in log]) == made.versions[-1]


@pytest.mark.parametrize("process", ["gateway", "backgammon"])
async def test_an_import_outlives_a_killed_process(whole_stack: WholeStack, process: str) -> None:
    made = plan("backgammon", read_text(LONG))
    async with operator(whole_stack, process) as client, operator(whole_stack, process) as looking:
        importing = asyncio.create_task(bring(client, made))
        await half_way(looking, made)
        assert not importing.done(), "it was too fast to be disturbed"
        await asyncio.to_thread(whole_stack.kill, process)
        found = await importing
        assert found.sent == len(made.steps) + 2
        assert score_sheet(await exported(client, found)) == score_sheet(read_text(LONG))
    await asyncio.to_thread(whole_stack.wait_ready)


async def test_the_record_of_a_running_play_where_nothing_is_hidden(whole_stack: WholeStack) -> None:
    async with connect(whole_stack.server) as client:
        await client.sign_in_guest("Ann")
        table_id, seats = await set_up(client, Wish("backgammon", {"play": "match"}, (), hot_seat=True))
        for seat in seats:
            assert (await client.tables.act(table_id, seat, bg.Roll())).HasField("accepted")
        view = games.unpack("backgammon", (await client.tables.view(table_id)).game_view)
        assert isinstance(view, bg.View)
        shown = games.unpack("backgammon", (await client.tables.view(table_id, view.turn)).game_view)
        assert shown is not None
        play = screen.parse("#1", shown)
        assert (await client.tables.act(table_id, view.turn, play)).HasField("accepted")
        text = (await client.history.record(table_id)).text
        assert text.startswith(" 7 point match\n\n Game 1\n Ann : 0") and text.splitlines()[-1].startswith("  1) ")
        assert len(record.read(text).steps) == 3
        hidden, _ = await set_up(client, Wish("klaverjas", {}, (), hot_seat=True))
        with pytest.raises(NotPossible, match="when the play has ended"):
            await client.history.record(hidden)
