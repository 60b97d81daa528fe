"""The log on Postgres: the port's test case, partitions, and readers that notice what a database must not do."""

from __future__ import annotations

import asyncio

import pytest

from libs.log import BrokenChain, Gap, LinkedRecord, verify_log
from tests.integration.log.conftest import PostgresWorld
from tests.unit.log.log_port import LOG, LogPort, claimed
from tests.unit.log.samples import batch, event


class TestPostgresLog(LogPort):
    pass


async def test_positions_go_on_over_a_partition_boundary(world: PostgresWorld) -> None:
    log = await world.open()
    await claimed(log)
    await world.owner.execute("UPDATE log_head SET pos = 9999998 WHERE log = $1", LOG)
    head = await claimed(log)
    head, _ = await log.append(head, batch(1, *[event("t1", v) for v in range(1, 5)]))
    assert head.pos == 10_000_002
    assert [r.pos for r in await log.read(LOG, 9_999_998, 10)] == list(range(9_999_999, 10_000_003))
    assert [r.ver for r in await log.read_stream("t1", 0, 10)] == [1, 2, 3, 4]
    rows = await world.owner.fetch("SELECT tableoid::regclass::text AS part, count(*) FROM event GROUP BY 1 ORDER BY 1")
    assert [tuple(row) for row in rows] == [("event_p000000", 1), ("event_p000001", 3)]


async def test_room_is_made_ahead_of_time_while_appending(world: PostgresWorld) -> None:
    log = await world.open()
    await claimed(log)
    await world.owner.execute("UPDATE log_head SET pos = 8999998 WHERE log = $1", LOG)
    head = await claimed(log)
    parts = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'event'::regclass"
    assert await world.owner.fetchval(parts) == 1
    log._desks[LOG].room_until = head.pos + 1
    await log.append(head, batch(1, event("t1", 1), event("t1", 2), event("t1", 3)))
    assert await world.owner.fetchval(parts) == 2


async def test_many_can_make_the_same_room_at_once(world: PostgresWorld) -> None:
    logs = [await world.open() for _ in range(4)]
    heads = await asyncio.gather(*[claimed(log, name=f"trictrac-{i}") for i, log in enumerate(logs)])
    assert [head.pos for head in heads] == [0] * 4


async def test_only_one_of_many_gets_the_log(world: PostgresWorld) -> None:
    logs = [await world.open() for _ in range(4)]
    heads = await asyncio.gather(*[log.claim(LOG, f"owner-{i}") for i, log in enumerate(logs)])
    assert len([head for head in heads if head is not None]) == 1


async def test_a_lost_event_is_noticed(world: PostgresWorld) -> None:
    log = await world.open()
    await log.append(await claimed(log), batch(1, *[event("t1", v) for v in range(1, 5)]))
    await world.owner.execute("SET session_replication_role = replica; DELETE FROM event WHERE pos = 3")
    with pytest.raises(Gap, match="trictrac-0: expected 3, found 4"):
        await log.read(LOG, 0, 10)
    with pytest.raises(Gap, match="t1: expected 3, found 4"):
        await log.read_stream("t1", 1, 10)
    with pytest.raises(Gap):
        await log.load(["t1"], "fold-1")
    with pytest.raises(Gap):
        await log.read_links(LOG, [4])
    with pytest.raises(Gap):
        await verify_log(log, LOG)


async def test_a_lost_tail_is_noticed(world: PostgresWorld) -> None:
    log = await world.open()
    await log.append(await claimed(log), batch(1, *[event("t1", v) for v in range(1, 5)]))
    await world.owner.execute("SET session_replication_role = replica; DELETE FROM event WHERE pos = 4")
    with pytest.raises(BrokenChain, match="position 4: is missing"):
        await verify_log(log, LOG)


@pytest.mark.parametrize("change", ["data = '\\x0806'", "actor = 'player:bert'", "at = at + 1", "hash = data"])
async def test_a_changed_event_is_found(world: PostgresWorld, change: str) -> None:
    log = await world.open()
    await log.append(await claimed(log), batch(1, *[event("t1", v) for v in range(1, 5)]))
    await verify_log(log, LOG)
    await world.owner.execute(f"SET session_replication_role = replica; UPDATE event SET {change} WHERE pos = 2")
    with pytest.raises(BrokenChain, match="position 2"):
        await verify_log(log, LOG)
    [link] = await log.read_links(LOG, [4])
    assert isinstance(link, LinkedRecord)


async def test_a_whole_history_made_again_does_not_fit_its_head(world: PostgresWorld) -> None:
    log = await world.open()
    head, _ = await log.append(await claimed(log), batch(1, event("t1", 1)))
    await world.owner.execute("UPDATE log_head SET hash = $1", bytes(32))
    with pytest.raises(BrokenChain, match="head names"):
        await verify_log(log, LOG)
    assert head.hash != bytes(32)


async def test_repeated_closing_is_fine(world: PostgresWorld) -> None:
    log = await world.open()
    await claimed(log)
    await log.close()
    await log.close()
