"""The read models of tally: what the rows say after a life of tables, and the notices that go with them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import msgspec
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from libs.bus import Live, MemoryBroker, subscribe_live
from libs.readmodel import Feed, Host, HostPorts, migrate
from libs.table.life import any_of
from services.tally.lobby import Lobby
from services.tally.notices import lobby_notice
from services.tally.plays import Plays
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt
from tests.unit.readmodel.records import Script

SCHEMA = "tally"
OPTIONS = any_of(tt.Options(seats=2, points=3))


class Tally:
    """A host of both projections on an in-memory bus and a real database."""

    def __init__(self, dsn: str) -> None:
        self.dsn, self.script, self.broker = dsn, Script(), MemoryBroker()
        self.notices: list[set[str]] = []
        self.failed: list[Exception] = []
        bus = self.broker.connect("tally")
        subscribe_live(self.broker.connect("gateway"), "tally", "lobby", "public", self._hear)
        ports = HostPorts(
            feed=lambda log, position, kinds: Feed(bus, log, position, kinds),
            notify=lobby_notice(bus),
            failed=lambda _, error: self.failed.append(error),
        )
        self.host = Host(dsn, SCHEMA, [Lobby(), Plays()], [self.script.log], ports)

    def _hear(self, live: Live) -> None:
        self.notices.append(set(live.data.decode().split("\n")))

    async def tell(self, stream: str, *bodies: Message) -> None:
        """Append events and wait until both projections have them."""
        before = len(self.script.records)
        for body in bodies:
            self.script.add(stream, body)
        self.broker.relayed(self.script.log, self.script.facts(before))
        last = len(self.script.records)
        async with asyncio.timeout(20):
            for name in self.host.projections:
                while self.host.measure(name, self.script.log).position < last:
                    await asyncio.sleep(0)

    async def rows(self, query: str) -> list[dict[str, Any]]:
        """What the reading role sees."""
        connection = await asyncpg.connect(self.dsn)
        try:
            await connection.execute(f"SET ROLE {SCHEMA}_reader")
            return [dict(row) for row in await connection.fetch(query)]
        finally:
            await connection.close()

    async def table(self, table: str) -> dict[str, Any]:
        """One row of the lobby, seats and summary decoded."""
        (row,) = await self.rows(f"SELECT * FROM {SCHEMA}.lobby_table WHERE table_id = '{table}'")
        return row | {"seats": msgspec.json.decode(row["seats"]), "summary": msgspec.json.decode(row["summary"])}


@asynccontextmanager
async def tally(dsn: str) -> AsyncIterator[Tally]:
    await migrate(dsn, SCHEMA)
    made = Tally(dsn)
    await made.host.tend()
    try:
        yield made
        assert not made.failed
    finally:
        await made.host.close()


def opened(**more: Any) -> pb.TableOpened:
    return pb.TableOpened(game="trictrac", options=OPTIONS, seats=2, **more)


async def test_the_life_of_a_table_in_the_lobby(fresh_db: str) -> None:
    async with tally(fresh_db) as t:
        await t.tell("t1", opened(private=True, spectators=pb.SPECTATORS_REFUSED, code="X"))
        row = await t.table("t1")
        assert (row["state"], row["free"], row["private"], row["spectators"]) == ("gathering", 2, True, False)
        assert row["summary"] == {"seats": 2, "points": 3}
        assert AnyMessage.FromString(row["options"]) == OPTIONS
        await t.tell("t1", pb.SeatTaken(seat=0, player="ann", name="Ann"), pb.HostMoved(seat=0))
        await t.tell("t1", pb.BotSeated(seat=1, level="hard", name="Klaas"))
        row = await t.table("t1")
        assert row["free"] == 0
        assert row["seats"][0] == {
            "player": "ann",
            "name": "Ann",
            "bot": "",
            "ready": False,
            "away": False,
            "entrusted": False,
            "host": True,
        }
        assert (row["seats"][1]["bot"], row["seats"][1]["ready"]) == ("hard", True)
        await t.tell("t1", pb.PlayBegan(play=1, options=OPTIONS, players=["ann", "bot:hard"]), pb.TablePaused(by="ann"))
        row = await t.table("t1")
        assert (row["state"], row["play"], row["paused"]) == ("playing", 1, True)
        await t.tell("t1", pb.TableResumed(), pb.SeatEntrusted(seat=0, level="easy"))
        assert (await t.table("t1"))["seats"][0]["entrusted"]
        await t.tell("t1", pb.PlayEnded(play=1, result=pb.Result(places=[2, 1])), pb.SeatLeft(seat=0, player="ann"))
        row = await t.table("t1")
        assert (row["state"], row["free"], row["version"]) == ("resting", 1, len(t.script.records))
        assert row["at"] == t.script.records[-1].at_us
        assert row["opened_at"] == t.script.records[0].at_us
        await t.tell("t1", pb.TableClosed(reason="host"))
        assert (await t.table("t1"))["state"] == "closed"
        assert {frozenset(notice) for notice in t.notices} == {frozenset({"t1"})}


async def test_finished_plays_and_records(fresh_db: str) -> None:
    async with tally(fresh_db) as t:
        await t.tell("t1", opened(), pb.SeatTaken(seat=0, player="ann", name="Ann"))
        await t.tell("t1", pb.SeatTaken(seat=1, player="ben", name="Ben"))
        for play, places in ((1, (1, 2)), (2, (2, 1)), (3, (1, 2))):
            await t.tell("t1", pb.PlayBegan(play=play, options=OPTIONS, players=["ann", "ben"]))
            result = pb.Result(places=places, sides=[0, 1], points=[5, -5])
            await t.tell("t1", pb.PlayEnded(play=play, result=result))
        await t.tell("t1", pb.PlayBegan(play=4, players=["ann", "ben"]), pb.PlayVoided(play=4, reason="storm"))
        plays = await t.rows(f"SELECT * FROM {SCHEMA}.play ORDER BY play")
        assert [(p["play"], p["places"], p["voided"]) for p in plays] == [
            (1, [1, 2], False),
            (2, [2, 1], False),
            (3, [1, 2], False),
            (4, None, True),
        ]
        assert plays[0]["players"] == ["ann", "ben"]
        assert plays[0]["names"] == ["Ann", "Ben"]
        assert plays[0]["points"] == [5, -5]
        assert plays[0]["ended_at"] - plays[0]["began_at"] == 1_000_000
        games = await t.rows(f"SELECT * FROM {SCHEMA}.player_game ORDER BY player")
        assert [(g["player"], g["plays"], g["wins"]) for g in games] == [("ann", 3, 2), ("ben", 3, 1)]
        places = await t.rows(f"SELECT * FROM {SCHEMA}.player_place ORDER BY player, place")
        assert [(p["player"], p["place"], p["plays"]) for p in places] == [
            ("ann", 1, 2),
            ("ann", 2, 1),
            ("ben", 1, 1),
            ("ben", 2, 2),
        ]


async def test_what_enters_no_record(fresh_db: str) -> None:
    async with tally(fresh_db) as t:
        for n, more in enumerate(({"hot_seat": True}, {"imported": True}, {"position": "{}"})):
            await t.tell(f"t{n}", opened(**more), pb.PlayBegan(play=1, players=["ann", "ben"]))
            await t.tell(f"t{n}", pb.PlayEnded(play=1, result=pb.Result(places=[1, 2])))
        await t.tell("t9", opened(), pb.PlayBegan(play=1, players=["bot:easy", "bot:hard"]))
        await t.tell("t9", pb.PlayEnded(play=1, result=pb.Result(places=[1, 2])))
        assert len(await t.rows(f"SELECT 1 FROM {SCHEMA}.play WHERE ended_at IS NOT NULL")) == 4
        assert await t.rows(f"SELECT * FROM {SCHEMA}.player_game") == []


async def test_a_game_without_a_contract_here_is_listed_all_the_same(fresh_db: str) -> None:
    async with tally(fresh_db) as t:
        options = AnyMessage(type_url="type.googleapis.com/stamtafel.ludo.v1.Options", value=b"\x08\x01")
        await t.tell("t1", pb.TableOpened(game="ludo", options=options, seats=4))
        row = await t.table("t1")
        assert (row["game"], row["summary"], row["free"]) == ("ludo", {}, 4)
