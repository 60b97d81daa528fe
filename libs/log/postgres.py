"""The event log in Postgres: one connection for each log that is written, a small pool for reading."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from .chain import link, start_hash
from .model import (
    BadBatch,
    Batch,
    Cursor,
    EventRecord,
    Fenced,
    Gap,
    Head,
    LinkedRecord,
    Loaded,
    OutcomeUnknown,
    Secret,
    Snapshot,
    Unavailable,
)
from .pg import LOST, REFUSED, Connection, Pool, Prepared, Row, connect, create_pool
from .port import DOWN_AFTER_US, LEASE_S
from .sql import check_schema, statements

T = TypeVar("T")

SQL = statements(Path(__file__).with_name("statements.sql"))

ROOM = 1_000_000
"""Partitions are made this many positions before they are needed."""


class Options(Struct, frozen=True):
    """How to connect. `deadline_s` is for each statement; `readers` the size of the pool."""

    deadline_s: float = 5.0
    readers: int = 3


async def open_log(dsn: str, schema: str, role: str | None = None, options: Options | None = None) -> PostgresLog:
    """Open the event log in `schema` (see `migrate`).

    Every connection does `SET ROLE` to `role` (default `<schema>_writer`), which can add events and not change them;
    the login in `dsn` must be a member of it. Raises `Unavailable`, and RuntimeError for a server with
    fsync or synchronous_commit off.
    """
    log = PostgresLog(dsn, check_schema(schema), role or f"{schema}_writer", options or Options())
    try:
        await log.start()
    except BaseException:
        await log.close()
        raise
    return log


class _Desk:
    """Where one log is written: its connection, who waits for it, what this process knows about the log."""

    def __init__(self) -> None:
        self.connection: Connection | None = None
        self.append: Prepared | None = None
        self.lock = asyncio.Lock()
        self.held = False
        self.lease_us = round(LEASE_S * 1e6)
        self.room_until = 0

    def terminate(self) -> None:
        """Drop the connection at once. The server may still finish what runs on it."""
        connection, self.connection, self.append = self.connection, None, None
        if connection is not None:
            connection.terminate()


class PostgresLog:
    """`libs.log.port.Log` on asyncpg. Made by `open_log`."""

    def __init__(self, dsn: str, schema: str, role: str, options: Options) -> None:
        self._dsn, self._role, self._options = dsn, role, options
        self._settings = {
            "search_path": schema,
            "synchronous_commit": "on",
            "jit": "off",
            "plan_cache_mode": "force_generic_plan",
            "application_name": f"stamtafel.{schema}",
        }
        self._pool: Pool | None = None
        self._desks: dict[str, _Desk] = {}

    async def start(self) -> None:
        """Connect the readers and look whether the server keeps what it acknowledges."""
        try:
            self._pool = await create_pool(
                self._dsn, self._settings, self._options.deadline_s, self._options.readers, self._prepare
            )
        except LOST as e:
            raise Unavailable(f"cannot connect: {e}") from e
        if not (await self._fetch("durability"))[0]["safe"]:
            raise RuntimeError("this Postgres runs with fsync or synchronous_commit off: an acceptance could be lost")

    async def close(self) -> None:
        for desk in self._desks.values():
            desk.terminate()
        if self._pool is not None:
            pool, self._pool = self._pool, None
            pool.terminate()

    async def _prepare(self, connection: Connection) -> None:
        await connection.execute(f'SET ROLE "{self._role}"')

    async def _furnish(self, connection: Connection) -> Prepared:
        await self._prepare(connection)
        return await connection.prepare(SQL["append"])

    # Writing

    async def claim(self, log: str, owner: str, lease_s: float = LEASE_S) -> Head | None:
        desk = self._desks.setdefault(log, _Desk())
        async with desk.lock:
            head = await self._on_desk(desk, lambda c: self._claim(c, desk, (log, owner, round(lease_s * 1e6))))
            desk.held = head is not None
            desk.lease_us = round(lease_s * 1e6)
            return head

    async def _claim(self, connection: Connection, desk: _Desk, wish: tuple[str, str, int]) -> Head | None:
        log, owner, lease_us = wish
        async with connection.transaction():
            await connection.execute(SQL["create_head"], log, start_hash(log))
            before = await connection.fetchrow(SQL["queue_for_head"], log)
            row = await connection.fetchrow(SQL["take_head"], log, owner, lease_us, 0 if desk.held else 1)
            if row is None or before is None:
                return None
            gap = _gap(before["alive_at"], row["alive_at"]) if before["epoch"] else None
            if gap is not None:
                await connection.execute(SQL["record_down"], log, *gap)
        for place in (row["pos"] + 1, row["pos"] + ROOM):
            await connection.execute(SQL["ensure_partition"], place)
        desk.room_until = row["pos"] + ROOM
        return _head(row, gap)

    async def append(self, head: Head, batch: Batch) -> tuple[Head, list[EventRecord]]:
        desk = self._desks.get(head.log)
        if desk is None:
            raise Fenced(f"{head.log} was never claimed here")
        records = link(head.log, head.pos, head.hash, batch.events)
        pos = head.pos + len(records)
        hash_ = records[-1].hash if records else head.hash
        arguments = _arguments(head, batch, records, desk.lease_us)
        async with desk.lock:
            if pos > desk.room_until:
                await self._on_desk(desk, lambda c: c.execute(SQL["ensure_partition"], pos + ROOM))
                desk.room_until = pos + ROOM
            try:
                row = await self._on_desk(desk, lambda _: _prepared(desk).fetchrow(*arguments))
            except REFUSED as e:
                raise BadBatch(str(e)) from e
            except OutcomeUnknown:
                raise
            except Unavailable as e:
                raise OutcomeUnknown(str(e)) from e
            if row is None:
                desk.held = False
                raise Fenced(f"{head.log} is not at epoch {head.epoch}, position {head.pos}")
        moved = Head(
            head.log,
            head.epoch,
            head.owner,
            pos,
            hash_,
            batch.cursor,
            row["tries"],
            row["lease_until"],
            _gap(row["alive_before"], row["alive_at"]),
        )
        return moved, records

    async def extend(self, head: Head, lease_s: float = LEASE_S, *, idle: bool = False) -> Head:
        desk = self._desks.setdefault(head.log, _Desk())
        async with desk.lock:
            desk.lease_us = round(lease_s * 1e6)
            row = await self._on_desk(
                desk, lambda c: c.fetchrow(SQL["extend"], head.log, head.epoch, desk.lease_us, DOWN_AFTER_US, idle)
            )
            if row is None:
                desk.held = False
                raise Fenced(f"{head.log} is not at epoch {head.epoch}")
        return Head(
            head.log,
            head.epoch,
            head.owner,
            head.pos,
            head.hash,
            head.cursor,
            row["tries"],
            row["lease_until"],
            _gap(row["alive_before"], row["alive_at"]),
        )

    async def release(self, head: Head) -> None:
        desk = self._desks.setdefault(head.log, _Desk())
        async with desk.lock:
            await self._on_desk(desk, lambda c: c.execute(SQL["release"], head.log, head.epoch))
            desk.held = False

    async def _on_desk(self, desk: _Desk, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Do `work` on the desk's connection within the deadline; a lost or late connection is terminated.

        The deadline closes the socket instead of cancelling: a cancel request would wait for the same frozen server.
        """
        try:
            if desk.connection is None or desk.connection.is_closed():
                desk.connection = await connect(self._dsn, self._settings, self._options.deadline_s)
                desk.append = await asyncio.wait_for(self._furnish(desk.connection), self._options.deadline_s)
        except LOST as e:
            desk.terminate()
            raise Unavailable(f"cannot connect: {e}") from e
        except BaseException:
            desk.terminate()
            raise
        connection = desk.connection
        deadline = asyncio.get_running_loop().call_later(self._options.deadline_s, connection.terminate)
        try:
            return await work(connection)
        except REFUSED:
            raise
        except LOST as e:
            desk.terminate()
            raise OutcomeUnknown(f"connection lost: {e}") from e
        except asyncio.CancelledError:
            desk.terminate()
            raise
        finally:
            deadline.cancel()

    # Reading

    async def read(self, log: str, after: int, limit: int) -> list[EventRecord]:
        records = [_record(row) for row in await self._fetch("read", log, after, limit)]
        for expected, r in enumerate(records, after + 1):
            if r.pos != expected:
                raise Gap(log, expected, r.pos)
        return records

    async def read_stream(self, stream: str, after_ver: int, limit: int) -> list[EventRecord]:
        records = [_record(row) for row in await self._fetch("read_stream", stream, after_ver, limit)]
        _follow(stream, after_ver, records)
        return records

    async def read_links(self, log: str, positions: Sequence[int]) -> list[LinkedRecord]:
        rows = await self._fetch("read_links", log, list(positions))
        links: list[LinkedRecord] = []
        for row in rows:
            values = tuple(row)
            record, prev_hash = EventRecord(*values[:-1]), values[-1]
            if prev_hash is None:
                if record.pos != 1:
                    raise Gap(log, record.pos - 1, record.pos)
                prev_hash = start_hash(log)
            links.append(LinkedRecord(prev_hash, record))
        return links

    async def load(self, streams: Sequence[str], fold: str) -> dict[str, Loaded]:
        snapshots: dict[str, Snapshot] = {}
        tails: dict[str, list[EventRecord]] = {}
        for row in await self._fetch("load", list(set(streams)), fold):
            r = _record(row)
            tail = tails.setdefault(r.stream, [])
            if r.pos:
                tail.append(r)
            else:
                snapshots[r.stream] = Snapshot(r.stream, r.ver, fold, r.data)
        loaded: dict[str, Loaded] = {}
        for stream, tail in tails.items():
            snapshot = snapshots.get(stream)
            _follow(stream, snapshot.ver if snapshot else 0, tail)
            loaded[stream] = Loaded(snapshot, tail)
        return loaded

    async def save_snapshots(self, snapshots: Sequence[Snapshot]) -> None:
        newest: dict[str, Snapshot] = {}
        for s in snapshots:
            if s.stream not in newest or newest[s.stream].ver <= s.ver:
                newest[s.stream] = s
        rows = [newest[stream] for stream in sorted(newest)]
        await self._fetch(
            "save_snapshots",
            [s.stream for s in rows],
            [s.ver for s in rows],
            [s.fold for s in rows],
            [s.data for s in rows],
        )

    async def head(self, log: str) -> Head | None:
        rows = await self._fetch("head", log)
        return _head(rows[0]) if rows else None

    async def heads(self) -> list[Head]:
        return [_head(row) for row in await self._fetch("heads")]

    async def downs(self, log: str) -> list[tuple[int, int]]:
        return [(row["from_at"], row["to_at"]) for row in await self._fetch("downs", log)]

    async def secret(self, stream: str, play: int) -> bytes | None:
        rows = await self._fetch("secret", stream, play)
        return rows[0]["seed"] if rows else None

    async def secrets(self, streams: Iterable[str]) -> list[Secret]:
        return [Secret(*row) for row in await self._fetch("secrets", list(streams))]

    async def checkpoints(self, consumer: str, version: int) -> dict[str, int]:
        return {row["log"]: row["pos"] for row in await self._fetch("checkpoints", consumer, version)}

    async def save_checkpoint(self, consumer: str, version: int, log: str, pos: int) -> None:
        await self._fetch("save_checkpoint", consumer, version, log, pos)

    async def _fetch(self, name: str, *arguments: Any) -> list[Row]:
        """Run a statement that may be repeated; again while connections of the pool turn out to be gone."""
        for again in range(self._options.readers, -1, -1):
            try:
                return await self._fetch_once(SQL[name], arguments)
            except REFUSED:
                raise
            except LOST as e:
                if not again or isinstance(e, TimeoutError):
                    raise Unavailable(f"{name}: {e}") from e
        raise AssertionError("unreachable")

    async def _fetch_once(self, sql: str, arguments: tuple[Any, ...]) -> list[Row]:
        if self._pool is None:
            raise Unavailable("the log is closed")
        late = False
        async with self._pool.acquire(timeout=self._options.deadline_s) as connection:

            def give_up() -> None:
                nonlocal late
                late = True
                connection.terminate()

            deadline = asyncio.get_running_loop().call_later(self._options.deadline_s, give_up)
            try:
                return await connection.fetch(sql, *arguments)
            except (*LOST, asyncio.CancelledError) as e:
                if late:  # the pool has taken the connection back already
                    raise TimeoutError(f"no answer in {self._options.deadline_s} s") from e
                connection.terminate()
                raise
            finally:
                deadline.cancel()


def _prepared(desk: _Desk) -> Prepared:
    assert desk.append is not None  # `_on_desk` prepares it with the connection
    return desk.append


def _record(row: Row) -> EventRecord:
    return EventRecord(*row)


def _follow(stream: str, after: int, records: list[EventRecord]) -> None:
    for expected, r in enumerate(records, after + 1):
        if r.ver != expected:
            raise Gap(stream, expected, r.ver)


def _gap(alive_before: int, alive_at: int) -> tuple[int, int] | None:
    return (alive_before, alive_at) if alive_at - alive_before > DOWN_AFTER_US else None


def _head(row: Row, gap: tuple[int, int] | None = None) -> Head:
    cursor = Cursor(row["cmd_stream"], row["cmd_seq"], row["cmd_at"], tuple(row["waiting"]))
    return Head(
        row["log"],
        row["epoch"],
        row["owner"],
        row["pos"],
        row["hash"],
        cursor,
        row["tries"],
        row["lease_until"],
        gap,
    )


def _arguments(head: Head, batch: Batch, records: list[EventRecord], lease_us: int) -> tuple[Any, ...]:
    """The arguments of statement `append`, events and secrets by column."""
    cursor, secrets = batch.cursor, batch.secrets
    return (
        head.log,
        head.epoch,
        head.pos,
        len(records),
        records[-1].hash if records else head.hash,
        cursor.stream_created,
        cursor.seq,
        cursor.at,
        cursor.waiting,
        lease_us,
        DOWN_AFTER_US,
        [r.stream for r in records],
        [r.ver for r in records],
        [r.kind for r in records],
        [r.type for r in records],
        [r.at for r in records],
        [r.command_id for r in records],
        [r.correlation_id for r in records],
        [r.causation_id for r in records],
        [r.actor for r in records],
        [r.draws for r in records],
        [r.data for r in records],
        [r.hash for r in records],
        [s.stream for s in secrets],
        [s.play for s in secrets],
        [s.seed for s in secrets],
    )
