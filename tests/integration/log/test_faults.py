"""Connections that are lost, servers that freeze: the claim tells what was written, and nothing is written twice."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest
from msgspec.structs import replace

from libs.log import Fenced, OutcomeUnknown, PostgresLog, Unavailable, open_log
from tests.integration.log.conftest import PostgresWorld
from tests.unit.log.log_port import LOG, claimed
from tests.unit.log.samples import batch, event

WAITING_FOR_HEAD = """(SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%log_head%') = $1"""


async def writer_pid(world: PostgresWorld, log: PostgresLog) -> int:
    """The server process behind the log's writing connection."""
    connection = log._desks[LOG].connection
    assert connection is not None
    return (await connection.fetchrow("SELECT pg_backend_pid() AS pid"))["pid"]  # type: ignore[index]


async def test_a_claim_waits_for_a_lost_statement_that_still_commits(world: PostgresWorld) -> None:
    """The reproduced trap: a plain read says "not committed", then the lost statement commits."""
    anna = await world.open(deadline_s=0.5)
    bert = await world.open()
    head = await claimed(anna)
    blocker = await world.connect()
    async with blocker.transaction():
        await blocker.execute("SELECT 1 FROM log_head WHERE log = $1 FOR UPDATE", LOG)
        with pytest.raises(OutcomeUnknown):
            await anna.append(head, batch(1, event("t1", 1)))
        seen = await bert.head(LOG)
        assert seen is not None and seen.pos == 0, "a plain read is too early"
        claim = asyncio.create_task(bert.claim(LOG, "anna"))
        await world.until(WAITING_FOR_HEAD, 2)
    after = await claim
    assert after is not None and (after.pos, after.epoch) == (1, head.epoch + 1)
    assert [r.ver for r in await bert.read(LOG, 0, 9)] == [1]
    await blocker.close()


async def test_a_statement_that_was_killed_is_sent_again(world: PostgresWorld) -> None:
    log = await world.open()
    head = await claimed(log)
    pid = await writer_pid(world, log)
    blocker = await world.connect()
    async with blocker.transaction():
        await blocker.execute("SELECT 1 FROM log_head WHERE log = $1 FOR UPDATE", LOG)
        append = asyncio.create_task(log.append(head, batch(1, event("t1", 1))))
        await world.until(WAITING_FOR_HEAD, 1)
        await world.owner.execute("SELECT pg_terminate_backend($1)", pid)
        with pytest.raises(OutcomeUnknown):
            await append
    head = await claimed(log)
    assert head.pos == 0 and head.tries == 1
    head, records = await log.append(head, batch(1, event("t1", 1)))
    assert head.pos == 1 and await log.read(LOG, 0, 9) == records
    await blocker.close()


@pytest.mark.skipif("DATABASE_URL" in os.environ, reason="needs the embedded server's processes")
async def test_a_frozen_server_process_cannot_hold_the_writer(world: PostgresWorld) -> None:
    log = await world.open(deadline_s=0.5)
    head = await claimed(log)
    pid = await writer_pid(world, log)
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(OutcomeUnknown):
            await log.append(head, batch(1, event("t1", 1)))
        again = await claimed(log)
        assert again.pos == 0
        again, _ = await log.append(again, batch(2, event("t1", 1, data=b"again")))
    finally:
        os.kill(pid, signal.SIGCONT)
    await world.until("NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = $1)", pid)
    assert [r.data for r in await log.read(LOG, 0, 9)] == [b"again"], "the thawed statement had the old epoch"
    seen = await log.head(LOG)
    assert seen is not None and (seen.pos, seen.hash) == (1, again.hash)


@pytest.mark.skipif("DATABASE_URL" in os.environ, reason="needs the embedded server's processes")
async def test_closing_does_not_wait_for_a_frozen_server(world: PostgresWorld) -> None:
    log = await world.open(deadline_s=0.5, readers=1)
    await claimed(log)
    pids = [
        row["pid"]
        for row in await world.owner.fetch(
            "SELECT pid FROM pg_stat_activity WHERE application_name = $1", f"stamtafel.{world.schema}"
        )
    ]
    assert len(pids) == 2
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(Unavailable):
            await log.read(LOG, 0, 1)
        await log.close()
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


async def test_losing_every_connection_is_survived(world: PostgresWorld) -> None:
    log = await world.open()
    head, records = await log.append(await claimed(log), batch(1, event("t1", 1)))
    await world.owner.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
        f"stamtafel.{world.schema}",
    )
    await world.until(
        "NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = $1)", f"stamtafel.{world.schema}"
    )
    assert await log.read(LOG, 0, 9) == records
    try:
        head = await log.extend(head)
    except Unavailable:
        head = await claimed(log)
    head, _ = await log.append(head, batch(2, event("t1", 2)))
    assert head.pos == 2


async def test_a_cancelled_append_leaves_a_log_that_can_go_on(world: PostgresWorld) -> None:
    log = await world.open()
    head = await claimed(log)
    blocker = await world.connect()
    async with blocker.transaction():
        await blocker.execute("SELECT 1 FROM log_head WHERE log = $1 FOR UPDATE", LOG)
        append = asyncio.create_task(log.append(head, batch(1, event("t1", 1))))
        await world.until(WAITING_FOR_HEAD, 1)
        append.cancel()
        with pytest.raises(asyncio.CancelledError):
            await append
    head = await claimed(log)
    rows = await log.read(LOG, 0, 9)
    assert head.pos == len(rows)
    with pytest.raises(Fenced):
        await log.append(replace(head, epoch=head.epoch - 1), batch(2))
    await blocker.close()


async def test_a_server_that_cannot_be_reached_is_unavailable() -> None:
    with pytest.raises(Unavailable):
        await open_log("postgresql://nobody@127.0.0.1:1/none", "trictrac")


@pytest.mark.skipif("DATABASE_URL" in os.environ, reason="changes the server's settings")
async def test_a_server_that_forgets_what_it_acknowledged_is_refused(world: PostgresWorld) -> None:
    """P2: an acceptance is on disk before anyone hears of it."""
    await world.owner.execute("ALTER SYSTEM SET fsync = off")
    await world.owner.execute("SELECT pg_reload_conf()")
    try:
        await world.until("current_setting('fsync') = 'off'")
        with pytest.raises(RuntimeError, match="could be lost"):
            await open_log(world.dsn, world.schema)
    finally:
        await world.owner.execute("ALTER SYSTEM RESET fsync")
        await world.owner.execute("SELECT pg_reload_conf()")
    await world.until("current_setting('fsync') = 'on'")
