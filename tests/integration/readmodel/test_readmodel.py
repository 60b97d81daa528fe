"""Projections on a real Postgres: once each, one active runner, poison, rebuild to the same rows, new versions."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from libs.bus import Bus, Fact
from libs.readmodel import (
    Feed,
    Host,
    HostPorts,
    Moved,
    OutOfOrder,
    Place,
    Ports,
    Runner,
    build_schema,
    connected,
    migrate,
    request_rebuild,
    retry_poison,
    standings,
)
from libs.readmodel.builds import drop_retired, ensure_builds, promote
from services.tally.lobby import Lobby
from services.tally.plays import Plays
from stamtafel.log.v1.log_pb2 import EventRecord
from stamtafel.table.v1.table_pb2 import SeatLeft
from tests.integration.readmodel.tables import evening, rows
from tests.unit.readmodel.records import Script

SCHEMA = "readtest"
ALL = ("lobby_table", "play", "player_game", "player_place")


class Journal:
    """A projection that lists every event, so a lost or doubled one shows; it can be told to fail at a stream."""

    name = "journal"
    version = 1
    kinds: tuple[str, ...] | None = None
    tables = ("journal",)
    ddl = "CREATE TABLE journal (log text, pos bigint, stream text, PRIMARY KEY (log, pos))"

    def __init__(self) -> None:
        self.bad: set[int] = set()

    async def fold(self, connection: Any, record: EventRecord) -> list[str]:
        await connection.execute("INSERT INTO journal VALUES ($1, $2, $3)", record.log, record.position, record.stream)
        if record.position in self.bad:
            await connection.execute("SELECT 1 / 0")
        return [record.stream]


class Given:
    """A feed of facts at hand."""

    behind = 0

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._facts = list(facts)

    async def take(self, most: int = 256) -> list[Fact]:
        taken, self._facts = self._facts[:most], self._facts[most:]
        if not taken:
            await asyncio.Event().wait()
        return taken

    async def close(self) -> None: ...


@asynccontextmanager
async def placed(dsn: str, projection: Any, log: str) -> AsyncIterator[tuple[Place, Any]]:
    """A fresh first build of a projection, and a pool for its runners."""
    await migrate(dsn, SCHEMA)
    async with connected(dsn, SCHEMA) as connection:
        (build,) = await ensure_builds(connection, SCHEMA, projection)
    path = f"{build_schema(SCHEMA, projection.name, build.build)},{SCHEMA}"
    pool = await asyncpg.create_pool(dsn, min_size=0, max_size=4, server_settings={"search_path": path})
    try:
        yield Place(projection.name, build.build, log), pool
    finally:
        await pool.close()


def ports(pool: Any, facts: Callable[[int], Sequence[Fact]], told: list[str] | None = None) -> Ports:
    heard: list[str] = [] if told is None else told
    return Ports(pool=pool, feed=lambda position: Given(facts(position)), notify=heard.extend)


def numbered(n: int) -> Script:
    script = Script()
    for i in range(n):
        script.add(f"t{i % 3}", SeatLeft(seat=i % 4))
    return script


async def test_every_event_once_over_restarts(fresh_db: str) -> None:
    script, told = numbered(700), list[str]()
    async with placed(fresh_db, Journal(), script.log) as (place, pool):
        for _ in range(3):  # each runner is abandoned after a batch, as a killed process is
            assert await Runner(Journal(), place, ports(pool, script.facts, told)).step() in (256, 188)
        seen = await pool.fetch("SELECT pos FROM journal ORDER BY pos")
        assert [row["pos"] for row in seen] == list(range(1, 701))
        assert set(told) == {"t0", "t1", "t2"}


async def test_a_second_runner_finds_the_work_done(fresh_db: str) -> None:
    script = numbered(300)
    async with placed(fresh_db, Journal(), script.log) as (place, pool):
        runners = [Runner(Journal(), place, ports(pool, script.facts)) for _ in range(3)]
        for runner in runners:
            await runner.start()
        for _ in range(2):
            await asyncio.gather(*(runner.step() for runner in runners))
        assert await pool.fetchval("SELECT count(*) FROM journal") == 300
        assert sum(runner.folded for runner in runners) == 300
        assert {runner.position for runner in runners} == {300}


async def test_gaps_and_a_checkpoint_that_went_back_stop_it(fresh_db: str) -> None:
    script = numbered(20)
    async with placed(fresh_db, Journal(), script.log) as (place, pool):
        runner = Runner(Journal(), place, ports(pool, script.facts))
        await runner.start()
        await runner.fold(script.facts()[:5])
        with pytest.raises(OutOfOrder, match="7 after 5"):
            await runner.fold(script.facts()[6:8])
        await pool.execute("UPDATE checkpoint SET pos = 3")
        with pytest.raises(Moved, match="from 5 to 3"):
            await runner.fold(script.facts()[5:8])
        assert await pool.fetchval("SELECT count(*) FROM journal") == 5


async def test_poison_stops_its_table_only_and_is_folded_later(fresh_db: str) -> None:
    script, journal = numbered(30), Journal()
    journal.bad = {5, 6}
    async with placed(fresh_db, journal, script.log) as (place, pool):
        facts = script.facts()
        facts[8] = Fact(9, "t2", "table", b"\xff\xff")  # no record at all; t2 waits already
        facts[9] = Fact(10, "t0", "table", b"\xff\xff")
        runner = Runner(journal, place, ports(pool, lambda _: facts))
        await runner.start()
        await runner.step()
        seen = [row["pos"] for row in await pool.fetch("SELECT pos FROM journal ORDER BY pos")]
        assert seen == [1, 2, 3, 4, 7]
        assert runner.aside == 25
        assert runner.position == 30
        async with connected(fresh_db, SCHEMA) as connection:
            (standing,) = await standings(connection)
        assert (standing.pos, standing.aside) == (30, 25)
        first = await pool.fetchrow("SELECT * FROM poison ORDER BY pos LIMIT 1")
        assert (first["pos"], first["stream"]) == (5, "t1")
        assert "division by zero" in first["error"]

        journal.bad = {6}
        assert (await retry_poison(pool, journal, place)).folded == 9  # all of t1; t2 fails again, t0 cannot be read
        seen = [row["pos"] for row in await pool.fetch("SELECT pos FROM journal WHERE stream = 't1' ORDER BY pos")]
        assert seen == [2, 5, 8, 11, 14, 17, 20, 23, 26, 29]
        journal.bad = set()
        await pool.execute("UPDATE poison SET record = $1 WHERE pos = 9", script.facts()[8].data)
        await pool.execute("UPDATE poison SET record = $1 WHERE pos = 10", script.facts()[9].data)
        assert (await retry_poison(pool, journal, place)).left == 0
        seen = [row["pos"] for row in await pool.fetch("SELECT pos FROM journal ORDER BY pos")]
        assert seen == list(range(1, 31))


async def test_a_missing_table_is_not_the_events_fault(fresh_db: str) -> None:
    script = numbered(5)
    async with placed(fresh_db, Journal(), script.log) as (place, pool):
        await pool.execute("DROP TABLE journal CASCADE")
        runner = Runner(Journal(), place, ports(pool, script.facts))
        with pytest.raises(asyncpg.UndefinedTableError):
            await runner.step()
        assert await pool.fetchval("SELECT pos FROM checkpoint") == 0


async def fill(dsn: str, scripts: Sequence[Script], projections: Sequence[Any]) -> None:
    """Fold everything into every build that today's code fills."""
    async with connected(dsn, SCHEMA) as connection:
        places = [
            (projection, build.build, script)
            for projection in projections
            for build in await ensure_builds(connection, SCHEMA, projection)
            for script in scripts
        ]
    for projection, build, script in places:
        path = f"{build_schema(SCHEMA, projection.name, build)},{SCHEMA}"
        async with asyncpg.create_pool(dsn, min_size=0, max_size=1, server_settings={"search_path": path}) as pool:
            runner = Runner(projection, Place(projection.name, build, script.log), ports(pool, lambda _: []))
            await runner.start()
            kept = [f for f in script.facts() if projection.kinds is None or f.kind in projection.kinds]
            await runner.fold(kept)


async def test_a_rebuild_gives_the_same_rows(fresh_db: str) -> None:
    scripts, projections = [evening(1), evening(2, log="trictrac-1")], [Lobby(), Plays()]
    await migrate(fresh_db, SCHEMA)
    await fill(fresh_db, scripts, projections)
    before = await rows(fresh_db, SCHEMA, *ALL)
    assert all(before.values())
    async with connected(fresh_db, SCHEMA) as connection:
        for projection in projections:
            build = await request_rebuild(connection, SCHEMA, projection)
            assert (build.build, build.state) == (2, "building")
            assert await request_rebuild(connection, SCHEMA, projection) == build
            assert not await promote(connection, SCHEMA, projection, 2)
        await fill(fresh_db, scripts[::-1], projections)  # another order between the logs
        for projection in projections:
            assert await promote(connection, SCHEMA, projection, 2)
            assert await drop_retired(connection, SCHEMA, projection.name) == 1
        assert {(s.build.build, s.build.state) for s in await standings(connection)} == {(2, "active")}
    assert await rows(fresh_db, SCHEMA, *ALL) == before


async def test_the_reading_role_sees_the_views_and_nothing_else(fresh_db: str) -> None:
    await migrate(fresh_db, SCHEMA)
    await fill(fresh_db, [evening(1)], [Lobby(), Plays()])
    connection = await asyncpg.connect(fresh_db)
    try:
        await connection.execute(f"SET ROLE {SCHEMA}_reader")
        assert await connection.fetchval(f"SELECT count(*) FROM {SCHEMA}.lobby_table") == 4
        for refused in (
            f"DELETE FROM {SCHEMA}.lobby_table",
            f"UPDATE {SCHEMA}.checkpoint SET pos = 0",
            f"SELECT * FROM {SCHEMA}_lobby_b1.lobby_table",
        ):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(refused)
    finally:
        await connection.close()


async def test_no_code_and_no_nonce_in_the_rows(fresh_db: str) -> None:
    await migrate(fresh_db, SCHEMA)
    await fill(fresh_db, [evening(5)], [Lobby(), Plays()])
    text = "".join(line for lines in (await rows(fresh_db, SCHEMA, *ALL)).values() for line in lines)
    for secret in (b"SECRETCODE", b"NONCENONCE"):
        assert secret.decode() not in text
        assert secret.hex() not in text


class Watcher:
    """Waits for what a host says, instead of for time."""

    def __init__(self) -> None:
        self.told: list[list[str]] = []
        self._turn = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    def notify(self, keys: Sequence[str]) -> None:
        self.told.append(list(keys))
        task = asyncio.create_task(self._wake())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _wake(self) -> None:
        async with self._turn:
            self._turn.notify_all()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with self._turn:
            await self._turn.wait_for(condition)


async def test_a_host_over_nats_with_rebuild_new_version_and_lost_stream(fresh_db: str, nats_server: Any) -> None:
    script = evening(3, tables=6)
    await migrate(fresh_db, SCHEMA)
    owner, bus = await Bus.connect(nats_server.url, "owner"), await Bus.connect(nats_server.url, "reader")
    relay = owner.relay(script.log, script.read)
    await relay.start()
    served = script.serve(owner)
    watcher = Watcher()
    last = max(r.position for r in script.records if r.kind == "table")
    host_ports = HostPorts(
        feed=lambda log, position, kinds: Feed(bus, log, position, kinds),
        notify=watcher.notify,
        failed=lambda place, error: pytest.fail(f"{place}: {error!r}"),
    )

    def host(lobby: Lobby) -> Host:
        return Host(fresh_db, SCHEMA, [lobby, Plays()], [script.log], host_ports)

    first = host(Lobby())
    await first.tend()
    await watcher.until(lambda: first.measure("lobby", script.log).position == last)
    before = (await rows(fresh_db, SCHEMA, "lobby_table"))["lobby_table"]
    assert len(before) == 6
    assert first.measure("lobby", script.log).behind == 0
    async with connected(fresh_db, SCHEMA) as connection:
        await request_rebuild(connection, SCHEMA, first.projections["lobby"])
    watcher.told.clear()
    while [] not in watcher.told:  # the notice of a switch has no keys
        await first.tend()
    assert (await rows(fresh_db, SCHEMA, "lobby_table"))["lobby_table"] == before
    await first.close()

    # a new version, while the stream has lost its beginning: it is read from the owner
    await owner.request(f"$JS.API.STREAM.PURGE.EVT_{script.log}", b'{"seq":%d}' % (last - 3))
    new = Lobby()
    new.version = 2
    second = host(new)
    watcher.told.clear()
    while [] not in watcher.told:
        await second.tend()
    async with connected(fresh_db, SCHEMA) as connection:
        found = {(s.build.consumer, s.build.build, s.build.version, s.pos) for s in await standings(connection)}
    assert ("lobby", 3, 2, last) in found
    assert (await rows(fresh_db, SCHEMA, "lobby_table"))["lobby_table"] == before
    await second.close()
    served.close()
    await relay.close()
    await bus.close()
    await owner.close()
