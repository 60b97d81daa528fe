"""Importing a record: what is sent, what happens after a break, and what is never sent twice."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from libs.client import games
from libs.client.client import Client
from libs.client.errors import NotPossible, NotReachable, Refused, accepted
from libs.client.importing import AT_ONCE, Imported, bring
from libs.client.records import Plan, plan, read_text
from libs.table.decide import decide
from libs.table.house import TableHouse
from libs.table.ids import table_id
from libs.table.life import CLOSED
from libs.table.rules import Refused as Refusal
from libs.table.tables import Table
from libs.table.views import table_view
from services.gateway.play import MOST_OPEN
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table
from tests.unit.client.fakes import FakeTime

MATCH = Path(__file__).parents[2] / "fixtures" / "records" / "gnubg_match_5.mat"
ME = table.Actor(id="op", name="Op", kind=table.ACTOR_KIND_OPERATOR)


class Server:
    """The parts of a `Client` that an import uses, over tables of the kit. `trouble` sees each command before it."""

    def __init__(self) -> None:
        self.tables_: dict[str, Table] = {}
        self.accepted = 0
        self.timing = FakeTime().timing()
        self.trouble: Callable[[int], None] = lambda _: None
        self.lobby = self.tables = self.operations = self
        self._ids = itertools.count(1)

    def new_id(self) -> str:
        return f"id-{next(self._ids)}"

    async def open_record(
        self, game: str, how: table.OpenTable, options: Any, command_id: str
    ) -> tuple[str, table.Answer]:
        name = table_id(game, 1, ME.id, command_id)
        found = self.tables_.setdefault(name, Table(games.rules(game), name))
        opened = table.OpenTable()
        opened.CopyFrom(how)
        opened.options.Pack(options)
        return name, self._take(found, table.Command(open_table=opened))

    async def start(self, name: str, expected_version: int) -> int:
        command = table.Command(start=table.Start(), expected_version=expected_version)
        return accepted(self._take(self.tables_[name], command))

    async def close(self, name: str, reason: str, expected_version: int | None = None) -> int:
        command = table.Command(close_table=table.CloseTable(reason=reason), expected_version=expected_version)
        return accepted(self._take(self.tables_[name], command))

    async def view(self, name: str, as_public: bool) -> table.TableView:
        assert as_public
        return table_view(self.tables_[name], None)

    @contextlib.asynccontextmanager
    async def play(self) -> AsyncIterator[Server]:
        yield self

    async def act(self, request: pb.ActRequest) -> table.Answer:
        self.trouble(self.accepted)
        act = table.Act(seat=request.seat, body=request.body, draws=request.draws)
        command = table.Command(act=act, expected_version=request.expected_version)
        return self._take(self.tables_[request.table_id], command)

    def _take(self, found: Table, command: table.Command) -> table.Answer:
        command.actor.CopyFrom(ME)
        try:
            draft = decide(found, found.seed, command, self.accepted, TableHouse())
        except Refusal as refusal:
            return table.Answer(refused=table.Refusal(code=refusal.code, message=refusal.message))
        found.adopt(draft, self.new_id())
        self.accepted += 1
        return table.Answer(accepted=table.Accepted(version=found.version))

    def break_at(self, *places: int, error: Exception | None = None) -> None:
        """Nobody answers once so many commands have been accepted; once for each place."""
        left = set(places)

        def trouble(count: int) -> None:
            if count in left:
                left.discard(count)
                raise error or NotReachable("UNAVAILABLE", "nobody answers")

        self.trouble = trouble


@pytest.fixture(scope="module")
def match() -> Plan:
    return plan("backgammon", read_text(MATCH))


async def import_(server: Server, match: Plan, anew: bool = False) -> Imported:
    return await bring(cast(Client, server), match, anew)


def whole(server: Server, match: Plan) -> Table:
    """The one table of the server, which has taken the whole record once."""
    (found,) = server.tables_.values()
    assert found.life.state == CLOSED and found.version == match.versions[-1]
    assert found.game.match_result.score == (3, 7)
    return found


async def test_every_command_is_taken_once_and_the_table_closed(match: Plan) -> None:
    server = Server()
    found = await import_(server, match)
    assert found.sent == len(match.steps) + 2 == server.accepted - 1
    assert [seat.name for seat in whole(server, match).life.seats] == ["Ann de Wit", "Karsten"]


async def test_the_same_file_is_imported_once_unless_it_is_wanted_again(match: Plan) -> None:
    server = Server()
    first = await import_(server, match)
    assert await import_(server, match) == Imported(first.table_id, 0)
    whole(server, match)
    again = await import_(server, match, anew=True)
    assert again.table_id != first.table_id and again.sent == first.sent
    assert len(server.tables_) == 2


@pytest.mark.parametrize("place", [2, 3, 150, 250, 398])
async def test_an_import_that_was_cut_off_goes_on(match: Plan, place: int) -> None:
    server = Server()
    server.break_at(place)
    with pytest.raises(NotReachable):
        await import_(server, match)
    taken = server.accepted
    assert taken == place
    found = await import_(server, match)
    assert found.sent == len(match.steps) + 3 - taken
    whole(server, match)


async def test_a_command_that_gets_lost_costs_only_time(match: Plan) -> None:
    """The ones behind it are refused, as they were made for later versions; then it goes on."""
    server = Server()
    lost = {5, 77, 300}
    takes = server._take  # pyright: ignore[reportPrivateUsage]

    def take(found: Table, command: table.Command) -> table.Answer:
        if server.accepted in lost:
            lost.discard(server.accepted)
            return table.Answer(refused=table.Refusal(code="busy"))
        return takes(found, command)

    server._take = take  # pyright: ignore[reportPrivateUsage]
    found = await import_(server, match)
    assert found.sent == len(match.steps) + 2 and not lost
    whole(server, match)


async def test_what_the_table_will_not_take_ends_the_import(match: Plan) -> None:
    server = Server()
    takes = server._take  # pyright: ignore[reportPrivateUsage]

    def take(found: Table, command: table.Command) -> table.Answer:
        if found.version > 100:
            return table.Answer(refused=table.Refusal(code="illegal_move", message="no"))
        return takes(found, command)

    server._take = take  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(Refused) as refused:
        await import_(server, match)
    assert refused.value.reason == "illegal_move"
    server._take = lambda found, command: (  # pyright: ignore[reportPrivateUsage]
        takes(found, command) if found.version == 0 else table.Answer(refused=table.Refusal(code="busy"))
    )
    with pytest.raises(Refused) as refused:
        await import_(server, match)
    assert refused.value.reason == "busy"


async def test_a_table_that_was_closed_too_early_gives_way_to_another(match: Plan) -> None:
    server = Server()
    server.break_at(200)
    with pytest.raises(NotReachable):
        await import_(server, match)
    (early,) = server.tables_
    await server.close(early, "tidying up")
    found = await import_(server, match)
    assert found.table_id != early and found.sent == len(match.steps) + 2
    assert await import_(server, match) == Imported(found.table_id, 0)
    assert len(server.tables_) == 2


async def test_a_table_that_somebody_changed_is_left_alone(match: Plan) -> None:
    server = Server()
    place = next(n for n in range(200, 300) if match.versions[n] - match.versions[n - 1] > 1)
    server.break_at(place)
    with pytest.raises(NotReachable):
        await import_(server, match)
    (name,) = server.tables_
    server._take(server.tables_[name], table.Command(pause=table.Pause()))  # pyright: ignore[reportPrivateUsage]
    stood = server.tables_[name].version
    assert stood == match.versions[place - 1] + 1
    with pytest.raises(NotPossible, match="operate close"):
        await import_(server, match)
    assert server.tables_[name].version == stood and len(server.tables_) == 1


async def test_an_unfinished_record_closes_its_table_in_mid_play() -> None:
    lines = read_text(MATCH).splitlines(keepends=True)
    cut = plan("backgammon", "".join(lines[:60]))
    assert not cut.ended and cut.score == (1, 2)
    server = Server()
    await import_(server, cut)
    (found,) = server.tables_.values()
    assert (found.life.state, found.version) == (CLOSED, cut.versions[-1])
    assert await import_(server, cut) == Imported(next(iter(server.tables_)), 0)


def test_the_gateway_takes_so_many_commands_at_one_time() -> None:
    assert AT_ONCE < MOST_OPEN
