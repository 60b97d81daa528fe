"""The gateway before a real game service, Postgres and NATS: people open, join, play and look back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from deploy.local.stack import LocalStack, StackOptions
from libs.log.export import from_json, verify_export
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.gateway.v1 import gateway_pb2_grpc as stubs
from stamtafel.table.v1 import table_pb2 as table
from stamtafel.trictrac.v1 import trictrac_pb2 as trictrac


class Person:
    """A guest with stubs of all services."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.channel = channel
        self.sessions = stubs.SessionsServiceStub(channel)
        self.lobby = stubs.LobbyServiceStub(channel)
        self.tables = stubs.TablesServiceStub(channel)
        self.history = stubs.HistoryServiceStub(channel)
        self.metadata: tuple[tuple[str, str], ...] = ()
        self.id = ""
        self._count = 0

    async def sign_in(self, name: str) -> Person:
        session = (await self.sessions.SignInGuest(pb.SignInGuestRequest(name=name))).session
        self.metadata = (("authorization", f"Bearer {session.access_token}"),)
        self.id = session.player.player_id
        return self

    def command_id(self) -> str:
        self._count += 1
        return f"{self.id}-{self._count}"

    async def join(self, table_id: str) -> table.Answer:
        request = pb.JoinTableRequest(command_id=self.command_id(), table_id=table_id)
        return (await self.lobby.JoinTable(request, metadata=self.metadata)).answer

    async def ready(self, table_id: str) -> table.Answer:
        request = pb.SetReadyRequest(command_id=self.command_id(), table_id=table_id, ready=table.Ready(on=True))
        return (await self.lobby.SetReady(request, metadata=self.metadata)).answer


@pytest.fixture(scope="module")
def options() -> StackOptions:
    return StackOptions(env={"STAMTAFEL_COMMANDS_PER_SECOND": "100000", "STAMTAFEL_REQUESTS_PER_SECOND": "100000"})


@pytest.fixture
async def stack(tmp_path: Path, options: StackOptions) -> AsyncIterator[LocalStack]:
    async with LocalStack(tmp_path, options) as made:
        await made.start(["trictrac", "tally", "gateway"])
        yield made


async def play_out(person: Person, table_id: str) -> int:
    """One person plays a table by Play, seat by seat as they are to act, until the play is over. Last version."""
    call = person.tables.Play(metadata=person.metadata)
    await call.write(pb.PlayRequest(watch=pb.WatchTableRequest(table_id=table_id)))
    done = 0
    seen = 0
    while True:
        response = await call.read()
        assert response is not grpc.aio.EOF
        for item in response.items:
            if item.WhichOneof("body") != "update":
                assert item.answer.HasField("accepted"), item
                continue
            update = item.update
            assert update.from_version == seen or update.reset, (seen, update.from_version)
            seen = update.version
            view = update.view
            if view.state == table.TABLE_STATE_RESTING:
                await call.done_writing()
                call.cancel()
                return seen
            for seat in view.to_act:
                if seen > done:
                    act = pb.ActRequest(command_id=f"{table_id}-{seen}", table_id=table_id, seat=seat)
                    act.body.Pack(trictrac.Throw(style="throw"))
                    await call.write(pb.PlayRequest(act=act))
                    done = seen


async def test_people_play_and_look_back(stack: LocalStack) -> None:
    async with grpc.aio.insecure_channel(stack.server) as channel:
        ann = await Person(channel).sign_in("Ann")
        bob = await Person(channel).sign_in("Bob")
        games = (await ann.lobby.ListGames(pb.ListGamesRequest())).games
        assert [(game.game, game.available) for game in games] == [("trictrac", True)]
        assert "seats" in {option.name for option in games[0].options}

        request = pb.OpenTableRequest(command_id="open-1", game="trictrac")
        request.open.options.Pack(trictrac.Options(seats=2, points=1))
        request.open.hot_seat = True
        opened = await ann.lobby.OpenTable(request, metadata=ann.metadata)
        table_id = opened.table_id
        assert opened.answer.HasField("accepted"), opened
        assert (await ann.lobby.OpenTable(request, metadata=ann.metadata)) == opened
        assert (await ann.join(table_id)).HasField("accepted")
        assert (await bob.join(table_id)).refused.code == "table_full"
        public = bob.tables.WatchTable(pb.WatchTableRequest(table_id=table_id), metadata=bob.metadata)
        first = await public.read()
        assert first.update.view.state == table.TABLE_STATE_GATHERING
        assert (await ann.ready(table_id)).HasField("accepted")
        last = await play_out(ann, table_id)

        versions = [first.update.version]
        while versions[-1] < last:
            update = (await public.read()).update
            assert update.from_version == versions[-1]
            versions.append(update.version)

        replay = ann.history.ReplayTable(pb.ReplayTableRequest(table_id=table_id), metadata=ann.metadata)
        views = [reply.view async for reply in replay]
        assert [view.version for view in views][-1] == last
        assert views[-1].state == table.TABLE_STATE_RESTING
        events = ann.history.ListEvents(pb.ListEventsRequest(table_id=table_id), metadata=ann.metadata)
        found = [event.version async for page in events for event in page.events]
        assert found == sorted(found) and found[-1] <= last

        export = ann.history.ExportLog(pb.ExportLogRequest(table_id=table_id), metadata=ann.metadata)
        text = b"".join([piece.lines async for piece in export]).decode()
        assert verify_export(from_json(line) for line in text.splitlines()).events == last
        assert json.loads(text.splitlines()[0])["header"]["log"] == "trictrac-0"
        checked = await ann.history.VerifyTable(pb.VerifyTableRequest(table_id=table_id), metadata=ann.metadata)
        assert (checked.sound, checked.events) == (True, last), checked

        listed = ann.lobby.WatchTables(pb.WatchTablesRequest(filter=pb.TableFilter(mine=True)), metadata=ann.metadata)
        async for change in listed:
            if change.table.table_id == table_id and change.table.state == table.TABLE_STATE_RESTING:
                break
        page = await ann.lobby.ListTables(pb.ListTablesRequest(filter=pb.TableFilter(mine=True)), metadata=ann.metadata)
        assert [row.table_id for row in page.tables] == [table_id]


async def test_watches_and_commands_survive_a_killed_game_and_a_killed_gateway(stack: LocalStack) -> None:
    async with grpc.aio.insecure_channel(stack.server) as channel:
        ann = await Person(channel).sign_in("Ann")
        request = pb.OpenTableRequest(command_id="open-1", game="trictrac")
        request.open.options.Pack(trictrac.Options(seats=2, points=3))
        request.open.hot_seat = True
        opened = await ann.lobby.OpenTable(request, metadata=ann.metadata)
        await ann.join(opened.table_id)
        watch = ann.tables.WatchTable(pb.WatchTableRequest(table_id=opened.table_id), metadata=ann.metadata)
        seen = (await watch.read()).update.version
        await stack.kill("trictrac")
        answer = await ann.ready(opened.table_id)
        assert answer.HasField("accepted"), answer
        while seen < answer.accepted.version:
            update = (await watch.read()).update
            assert update.from_version == seen
            seen = update.version

        await stack.kill("gateway")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await watch.read()
            raise AssertionError("the stream goes on")
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        await stack.wait_ready()
        again = ann.tables.WatchTable(
            pb.WatchTableRequest(table_id=opened.table_id, from_version=seen),
            metadata=ann.metadata,
            wait_for_ready=True,
        )
        first = (await asyncio.wait_for(again.read(), 30)).update
        assert (first.from_version, first.version) == (seen, seen)
