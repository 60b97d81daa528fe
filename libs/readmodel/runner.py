"""Folds one log into one build of a projection: every event once, rows and position in one transaction."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import msgspec

from libs.bus import Fact
from libs.log.sql import statements
from stamtafel.log.v1.log_pb2 import EventRecord

from .errors import Moved, OutOfOrder, Retired, is_poison
from .projection import STATEMENTS_FILE, Connection, Place, Projection

SQL = statements(STATEMENTS_FILE)
BATCH = 256
Notify = Callable[[Sequence[str]], None]


class Facts(Protocol):
    """Where events come from: `Feed`, or a list in a test."""

    @property
    def behind(self) -> int: ...

    async def take(self, most: int = 256) -> list[Fact]: ...

    async def close(self) -> None: ...


class Ports(msgspec.Struct, frozen=True):
    """What a runner uses.

    `pool` gives asyncpg connections with the build's schema first in `search_path`; `feed(position)` the events behind
    a position; `notify` is told the keys that changed, after each commit; `counted(folded, set_aside)` the numbers of
    events; `now_us` is the wall clock in microseconds.
    """

    pool: Any
    feed: Callable[[int], Facts]
    notify: Notify
    counted: Callable[[int, int], None] = lambda folded, aside: None
    now_us: Callable[[], int] = lambda: time.time_ns() // 1000


class Runner:
    """One at a time is active for a place: a second one waits at the checkpoint's row and then finds its work done."""

    def __init__(self, projection: Projection, place: Place, ports: Ports) -> None:
        """Nothing happens before `run` or `start`."""
        self.projection, self.place = projection, place
        self._pool, self._open, self._notify, self._now_us = ports.pool, ports.feed, ports.notify, ports.now_us
        self._counted = ports.counted
        self._feed: Facts | None = None
        self.position = 0
        self.folded = 0
        self.aside = 0
        self._at = 0

    @property
    def behind(self) -> int:
        """Events that the feed knows of and that are not folded."""
        return self._feed.behind if self._feed is not None else 0

    @property
    def lag_seconds(self) -> float:
        """Age of the event folded last while more wait; 0 when none does."""
        return max(0.0, (self._now_us() - self._at) / 1e6) if self._at and self.behind else 0.0

    async def run(self) -> None:
        """Fold until cancelled or retired. Raises what is not an event's own fault: start again then."""
        try:
            await self.start()
            while True:
                await self.step()
        except Retired:
            return
        finally:
            await self.close()

    async def start(self) -> None:
        """Find the checkpoint (make it, if there is none) and open the feed behind it. Raises `Retired`."""
        async with self._pool.acquire() as connection:
            await connection.execute(SQL["add_checkpoint"], *self.place.key)
            position = await connection.fetchval(SQL["position"], *self.place.key)
            if position is None:
                raise Retired(f"{self.place}")
            self.aside = await connection.fetchval(SQL["count_aside"], *self.place.key)
        self.position = position
        self._feed = self._open(position)

    async def step(self) -> int:
        """Fold what is there next, at most one batch; returns the number of events. Waits while there are none."""
        if self._feed is None:
            await self.start()
        assert self._feed is not None
        facts = await self._feed.take(BATCH)
        await self.fold(facts)
        return len(facts)

    async def close(self) -> None:
        """Stop reading."""
        feed, self._feed = self._feed, None
        if feed is not None:
            await feed.close()

    async def fold(self, facts: Sequence[Fact]) -> None:
        """Fold one batch in one transaction. If an event in it fails, fold again with a savepoint for each."""
        try:
            changed = await self._fold(facts, careful=False)
        except Exception as error:
            if not is_poison(error):
                raise
            changed = await self._fold(facts, careful=True)
        if changed:
            self._notify(list(changed))

    async def _fold(self, facts: Sequence[Fact], careful: bool) -> dict[str, None]:
        changed: dict[str, None] = {}
        set_aside = 0
        async with self._pool.acquire() as connection, connection.transaction():
            position = await connection.fetchval(SQL["lock_position"], *self.place.key)
            todo = self._todo(facts, position)
            if not todo:
                self.position = position
                return changed
            rows = await connection.fetch(SQL["aside_streams"], *self.place.key)
            waiting: set[str] = {row["stream"] for row in rows}
            at = self._at
            for fact in todo:
                if fact.stream in waiting:
                    await self._set_aside(connection, fact, "waits for an earlier event of its table")
                    set_aside += 1
                    continue
                try:
                    record = EventRecord.FromString(fact.data)
                    at = record.at_us
                    for key in await self._fold_one(connection, record, careful):
                        changed[key] = None
                except Exception as error:
                    if not careful or not is_poison(error):
                        raise
                    waiting.add(fact.stream)
                    await self._set_aside(connection, fact, f"{type(error).__name__}: {error}")
                    set_aside += 1
            await connection.execute(SQL["move_position"], *self.place.key, todo[-1].seq, at)
        self.position, self._at = todo[-1].seq, at
        self.folded += len(todo) - set_aside
        self.aside += set_aside
        self._counted(len(todo) - set_aside, set_aside)
        return changed

    def _todo(self, facts: Sequence[Fact], position: int | None) -> Sequence[Fact]:
        """Those behind the checkpoint; checks that they follow it, and each other."""
        if position is None:
            raise Retired(f"{self.place}")
        if position < self.position:
            raise Moved(f"{self.place}: the checkpoint went back from {self.position} to {position}")
        todo = [fact for fact in facts if fact.seq > position] if facts[0].seq <= position else facts
        before = position
        for fact in todo:
            if fact.seq <= before or (self.projection.kinds is None and fact.seq != before + 1):
                raise OutOfOrder(f"{self.place}: position {fact.seq} after {before}")
            before = fact.seq
        return todo

    async def _fold_one(self, connection: Connection, record: EventRecord, careful: bool) -> Iterable[str]:
        if not careful:
            return await self.projection.fold(connection, record)
        async with connection.transaction():
            return await self.projection.fold(connection, record)

    async def _set_aside(self, connection: Connection, fact: Fact, error: str) -> None:
        text = error.replace("\0", "")[:2000]
        await connection.execute(SQL["set_aside"], *self.place.key, fact.seq, fact.stream, text, fact.data)


class Retried(msgspec.Struct, frozen=True):
    """What became of events that had been set aside."""

    folded: int
    left: int


async def retry_poison(pool: Any, projection: Projection, place: Place) -> Retried:
    """Fold what was set aside, in order, in one transaction; a table whose event fails again goes on waiting.

    `pool` as in `Ports`. Call it after the cause was repaired; the runner may run meanwhile (it waits for the commit).
    """
    folded = left = 0
    async with pool.acquire() as connection, connection.transaction():
        await connection.fetchval(SQL["lock_position"], *place.key)
        waiting: set[str] = set()
        for pos, stream, _, data in await connection.fetch(SQL["aside"], *place.key):
            if stream in waiting:
                left += 1
                continue
            try:
                async with connection.transaction():
                    await projection.fold(connection, EventRecord.FromString(data))
                    await connection.execute(SQL["taken_back"], *place.key, pos)
                folded += 1
            except Exception as error:
                if not is_poison(error):
                    raise
                waiting.add(stream)
                left += 1
                text = f"{type(error).__name__}: {error}".replace("\0", "")[:2000]
                await connection.execute(SQL["still_wrong"], *place.key, pos, text)
    return Retried(folded, left)
