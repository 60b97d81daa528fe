"""The event log in memory: the same behaviour as on Postgres, for tests and for running without a database.

Several `MemoryLog`s on one `MemoryStore` are several processes on one database.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from .chain import link, start_hash
from .model import (
    BadBatch,
    Batch,
    Cursor,
    EventRecord,
    Fenced,
    Head,
    LinkedRecord,
    Loaded,
    OutcomeUnknown,
    Secret,
    Snapshot,
    Unavailable,
)
from .port import DOWN_AFTER_US, LEASE_S


def _system_clock() -> int:
    return time.time_ns() // 1000


class MemoryStore:
    """What the database would hold. `now` is the database's clock (microseconds)."""

    def __init__(self, now: Callable[[], int] = _system_clock) -> None:
        self.now = now
        self.heads: dict[str, Head] = {}
        self.alive_at: dict[str, int] = {}
        self.events: dict[str, list[EventRecord]] = {}
        self.streams: dict[str, list[EventRecord]] = {}
        self.seeds: dict[tuple[str, int], bytes] = {}
        self.down: dict[str, list[tuple[int, int]]] = {}
        self.snapshots: dict[str, Snapshot] = {}
        self.checkpoints: dict[tuple[str, int], dict[str, int]] = {}

    def sign_of_life(self, log: str, note: bool = True) -> tuple[int, int] | None:
        """The log's owner is there now; the gap since the last sign if it is too long, recorded if `note`."""
        now = self.now()
        before = self.alive_at.get(log, now)
        self.alive_at[log] = now
        if not note or now - before <= DOWN_AFTER_US:
            return None
        self.down.setdefault(log, []).append((before, now))
        return before, now


class MemoryLog:
    """`libs.log.port.Log` in memory.

    `lose_next(stored)` makes the next append end as `OutcomeUnknown`, with the batch stored or not; while `away` is
    true everything raises `Unavailable`.
    """

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.store = store or MemoryStore()
        self.away = False
        self._held: set[str] = set()
        self._lease_us: dict[str, int] = {}
        self._lose: list[bool] = []

    def lose_next(self, stored: bool) -> None:
        """The next append loses its connection after (`stored`) or before the commit."""
        self._lose.append(stored)

    def _reach(self) -> MemoryStore:
        if self.away:
            raise Unavailable("the log is away")
        return self.store

    async def claim(self, log: str, owner: str, lease_s: float = LEASE_S) -> Head | None:
        store = self._reach()
        old = store.heads.get(log) or Head(log, 0, "", 0, start_hash(log), Cursor(), 0, 0)
        store.heads[log] = old
        now = store.now()
        if old.owner != owner and old.lease_until > now:
            self._held.discard(log)
            return None
        gap = store.sign_of_life(log, note=old.epoch > 0)
        self._lease_us[log] = round(lease_s * 1e6)
        head = replace(
            old,
            epoch=old.epoch + 1,
            owner=owner,
            lease_until=now + self._lease_us[log],
            tries=old.tries + (log not in self._held),
        )
        self._held.add(log)
        store.heads[log] = head
        return replace(head, gap=gap)

    async def append(self, head: Head, batch: Batch) -> tuple[Head, list[EventRecord]]:
        lose = self._lose.pop(0) if self._lose else None
        store = self._reach()
        if head.log not in self._lease_us:
            raise Fenced(f"{head.log} was never claimed here")
        records = link(head.log, head.pos, head.hash, batch.events)
        if lose is False:
            raise OutcomeUnknown("connection lost before the commit")
        old = store.heads[head.log]
        if (old.epoch, old.pos) != (head.epoch, head.pos):
            self._held.discard(head.log)
            raise Fenced(f"{head.log} is not at epoch {head.epoch}, position {head.pos}")
        self._check(records, batch.secrets)
        gap = store.sign_of_life(head.log)
        moved = replace(
            old,
            pos=old.pos + len(records),
            hash=records[-1].hash if records else old.hash,
            cursor=batch.cursor,
            tries=old.tries if _same_place(old.cursor, batch.cursor) else 0,
            lease_until=store.now() + self._lease_us[head.log],
        )
        store.heads[head.log] = moved
        store.events.setdefault(head.log, []).extend(records)
        for r in records:
            store.streams.setdefault(r.stream, []).append(r)
        for s in batch.secrets:
            store.seeds[s.stream, s.play] = s.seed
        if lose:
            raise OutcomeUnknown("connection lost after the commit")
        return replace(moved, gap=gap), records

    def _check(self, records: Sequence[EventRecord], secrets: Sequence[Secret]) -> None:
        """Refuse what the database's constraints would refuse."""
        versions: dict[str, set[int]] = {}
        for r in records:
            texts = (r.stream, r.kind, r.type, r.command_id, r.correlation_id, r.causation_id, r.actor)
            if any("\0" in text for text in texts):
                raise BadBatch(f"{r.stream} version {r.ver}: text with a NUL")
            if not (r.ver < 2**31 and r.draws < 2**31):
                raise BadBatch(f"{r.stream} version {r.ver}: number out of range")
            taken = versions.setdefault(r.stream, {e.ver for e in self.store.streams.get(r.stream, ())})
            if r.ver in taken:
                raise BadBatch(f"{r.stream} has a version {r.ver} already")
            taken.add(r.ver)
        keys = [(s.stream, s.play) for s in secrets]
        if len(set(keys)) < len(keys) or any(key in self.store.seeds for key in keys):
            raise BadBatch("a play has one seed")

    async def extend(self, head: Head, lease_s: float = LEASE_S, *, idle: bool = False) -> Head:
        store = self._reach()
        old = store.heads.get(head.log)
        if old is None or old.epoch != head.epoch:
            self._held.discard(head.log)
            raise Fenced(f"{head.log} is not at epoch {head.epoch}")
        gap = store.sign_of_life(head.log)
        self._lease_us[head.log] = round(lease_s * 1e6)
        kept = replace(old, lease_until=store.now() + self._lease_us[head.log], tries=0 if idle else old.tries)
        store.heads[head.log] = kept
        return replace(head, lease_until=kept.lease_until, tries=kept.tries, gap=gap)

    async def release(self, head: Head) -> None:
        store = self._reach()
        self._held.discard(head.log)
        old = store.heads.get(head.log)
        if old is not None and old.epoch == head.epoch:
            store.heads[head.log] = replace(old, lease_until=store.now(), tries=0)
            store.alive_at[head.log] = store.now()

    async def read(self, log: str, after: int, limit: int) -> list[EventRecord]:
        return self._reach().events.get(log, [])[after : after + limit]

    async def read_stream(self, stream: str, after_ver: int, limit: int) -> list[EventRecord]:
        return self._reach().streams.get(stream, [])[after_ver : after_ver + limit]

    async def read_links(self, log: str, positions: Sequence[int]) -> list[LinkedRecord]:
        events = self._reach().events.get(log, [])
        return [
            LinkedRecord(events[pos - 2].hash if pos > 1 else start_hash(log), events[pos - 1])
            for pos in sorted(set(positions))
            if 0 < pos <= len(events)
        ]

    async def load(self, streams: Sequence[str], fold: str) -> dict[str, Loaded]:
        store = self._reach()
        loaded: dict[str, Loaded] = {}
        for stream in set(streams):
            records = store.streams.get(stream, [])
            snapshot = store.snapshots.get(stream)
            if snapshot is not None and (snapshot.fold != fold or all(r.ver != snapshot.ver for r in records)):
                snapshot = None
            if records:
                after = bisect_right(records, snapshot.ver if snapshot else 0, key=lambda r: r.ver)
                loaded[stream] = Loaded(snapshot, records[after:])
        return loaded

    async def save_snapshots(self, snapshots: Sequence[Snapshot]) -> None:
        store = self._reach()
        for s in snapshots:
            kept = store.snapshots.get(s.stream)
            if kept is None or kept.fold != s.fold or kept.ver < s.ver:
                store.snapshots[s.stream] = s

    async def head(self, log: str) -> Head | None:
        return self._reach().heads.get(log)

    async def heads(self) -> list[Head]:
        return [head for _, head in sorted(self._reach().heads.items())]

    async def downs(self, log: str) -> list[tuple[int, int]]:
        return list(self._reach().down.get(log, ()))

    async def secret(self, stream: str, play: int) -> bytes | None:
        return self._reach().seeds.get((stream, play))

    async def secrets(self, streams: Iterable[str]) -> list[Secret]:
        wanted = set(streams)
        return [
            Secret(stream, play, seed)
            for (stream, play), seed in sorted(self._reach().seeds.items())
            if stream in wanted
        ]

    async def checkpoints(self, consumer: str, version: int) -> dict[str, int]:
        return dict(self._reach().checkpoints.get((consumer, version), {}))

    async def save_checkpoint(self, consumer: str, version: int, log: str, pos: int) -> None:
        kept = self._reach().checkpoints.setdefault((consumer, version), {})
        kept[log] = max(pos, kept.get(log, pos))

    async def close(self) -> None:
        self._held.clear()


def _same_place(a: Cursor, b: Cursor) -> bool:
    return (a.stream_created, a.seq, a.waiting) == (b.stream_created, b.seq, b.waiting)
