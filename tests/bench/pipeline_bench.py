"""The pipeline: command stream -> rules -> log -> relay, on real Postgres and NATS, with many tables.

A backlog of commands lies in the stream; measured is the time from the first of them to the last event in `EVT_<log>`.
Answers are published too; nobody watches.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Sequence

from google.protobuf.message import Message

from libs.bus import Bus, ensure_commands
from libs.log import EventRecord, PostgresLog, migrate, open_log
from libs.service.instruments import LogInstruments
from libs.service.metrics import Metrics
from libs.table.house import TableHouse
from libs.table.jobs import InlineJobs
from libs.table.standing import AnyRules, Standing
from libs.table.tables import fold_records
from libs.table.writer import Ports, Writer
from tests.bench.script import CountedSeeds, Script


async def publish_all(bus: Bus, log: str, commands: Sequence[tuple[str, bytes]]) -> None:
    """Puts the commands into the stream; returns when the server has them."""
    for number, (table, data) in enumerate(commands):
        bus.publish(f"cmd.{log}.{table}", data)
        if number % 1000 == 0:
            await bus.flushed()
            await asyncio.sleep(0)
    await bus.request(f"$JS.API.STREAM.INFO.CMD_{log}", b"")


async def bench_pipeline(
    dsn: str, nats_url: str, rules: AnyRules, options: Message, tables: int = 1000, acts: int = 40
) -> dict[str, float]:
    """Accepted commands and events per second through the whole pipeline; tables are open and started before."""
    gc.set_threshold(100_000, 50, 100)  # as the service does
    name = f"{rules.game}-0"
    script = Script(rules, name, options, tables, acts)
    await migrate(dsn, rules.game)
    bus = await Bus.connect(nats_url, "bench")
    log = await open_log(dsn, rules.game)
    writer = Writer(rules, name, "bench", Ports(log, bus, InlineJobs(), LogInstruments(Metrics(), name)))
    writer.house = TableHouse(CountedSeeds())
    writer.clerk._house = writer.house  # pyright: ignore[reportPrivateUsage]
    await ensure_commands(bus, name)
    await publish_all(bus, name, script.opening)
    running = asyncio.create_task(writer.run())
    await writer.owning.wait()
    await _reached(writer, len(script.opening))
    await writer.drain()
    await publish_all(bus, name, script.playing)
    writer = Writer(rules, name, "bench", Ports(log, bus, InlineJobs(), LogInstruments(Metrics(), name)))
    running = asyncio.create_task(writer.run())
    await writer.owning.wait()
    before = writer.head.pos if writer.head else 0
    began, cpu = time.perf_counter(), time.process_time()
    await _reached(writer, len(script.opening) + len(script.playing))
    took, cpu = time.perf_counter() - began, time.process_time() - cpu
    events = (writer.head.pos if writer.head else 0) - before
    await writer.drain()
    await running
    fold = await _fold(log, rules, name)
    await log.close()
    await bus.close()
    return {
        "pipeline_commands_per_s": len(script.playing) / took,
        "pipeline_events_per_s": events / took,
        "pipeline_writer_cpu_us_per_command": cpu / len(script.playing) * 1e6,
        "replay_fold_per_s": fold,
    }


async def _fold(log: PostgresLog, rules: AnyRules, name: str) -> float:
    """Events per second folded from stored bytes into tables (reading them is measured elsewhere)."""
    records: list[EventRecord] = []
    while page := await log.read(name, len(records), 5000):
        records.extend(page)
    streams: dict[str, list[EventRecord]] = {}
    for record in records:
        streams.setdefault(record.stream, []).append(record)
    began = time.perf_counter()
    for table_id, tail in streams.items():
        fold_records(Standing(rules, table_id), tail, lambda _: None)
    return len(records) / (time.perf_counter() - began)


async def _reached(writer: Writer, commands: int) -> None:
    """Waits until the writer has committed this many commands and relayed all of it."""
    while writer.head is None or writer.head.cursor.seq < commands or writer.relay_behind():
        await asyncio.sleep(0.002)
