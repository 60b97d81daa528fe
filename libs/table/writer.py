"""The writer of one log: the only process that decides its tables' commands, as long as it holds the lease.

Claim, then read commands from the cursor, decide them in order, commit them as one statement, and only then answer,
show and relay. After any doubt it claims again; when another has the log it forgets everything and stands by.
See rules_protocol.md, section 4.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError

from libs.bus import Committed, Gap, Position, Raw, publish_live, publish_owner, serve
from libs.bus.errors import BusError
from libs.bus.ports import BusPort, Commands, Relaying
from libs.log.export import to_message
from libs.log.model import Batch, Cursor, EventRecord, Fenced, Head, OutcomeUnknown, Unavailable
from libs.log.port import Log
from libs.service.instruments import BatchReport, LogInstruments
from libs.table.clerk import Clerk
from libs.table.house import TableHouse
from libs.table.jobs import JobFailed, Jobs
from libs.table.life import CLOSED, RESTING
from libs.table.plan import Plan, Shown
from libs.table.rules import Job
from libs.table.standing import AnyRules
from libs.table.tables import Shelf, Table, memory_key
from libs.table.views import Updates, audience_name, audience_seat
from libs.table.watchers import Watchers
from stamtafel.table.v1 import table_pb2 as pb

_log = logging.getLogger("stamtafel.writer")

BATCH = 256
SNAPSHOT_EVERY = 500
EXTEND_S = 1.0
CLAIM_EVERY_S = 0.25
READ_BACK_US = 120 * 1_000_000
READ_BACK_MOST = 20_000
FAILED_CLAIMS_BEFORE_SKIP = 3


class Ports(NamedTuple):
    """What a writer works with."""

    log: Log
    bus: BusPort
    jobs: Jobs
    instruments: LogInstruments


class Ask(NamedTuple):
    """A question to be answered between two batches, when memory is what is on disk."""

    table_ids: Sequence[str]
    answer: Callable[[], Any]
    future: asyncio.Future[Any]


Serve = Callable[[bytes], Awaitable[bytes]]


class Writer:
    """Owns one log when it can. `owner` is this process's name among its replicas.

    `owning` is set while it does, `idle` while it has nothing of the log in memory, `stands_ready` once it has asked
    for the log, whoever has it.
    """

    def __init__(self, rules: AnyRules, log: str, owner: str, ports: Ports) -> None:
        self.rules = rules
        self.log = log
        self.owner = owner
        self.ports = ports
        self.house = TableHouse()
        self.shelf = Shelf(rules, ports.log)
        self.watchers = Watchers()
        self.clerk = Clerk(self.shelf, self.house, self._compute, self._now_us)
        self.head: Head | None = None
        self.serve_queries: Serve | None = None
        self.owning = asyncio.Event()
        self.stands_ready = asyncio.Event()
        self._wake = asyncio.Event()
        self._asks: list[Ask] = []
        self._finished: list[tuple[Table, Any]] = []
        self._life = 0
        self._draining = False
        self._moving = False
        self.idle = asyncio.Event()
        self.idle.set()
        self._relay: Relaying | None = None
        self._cursor = Cursor()
        self._background: set[asyncio.Task[Any]] = set()

    @staticmethod
    def _now_us() -> int:
        return time.time_ns() // 1000

    # --------------------------------------------------------------------------------------------------- life

    async def run(self) -> None:
        """Stands by for the log, owns it, stands by again; until drained. Raises BadBatch (a bug) only."""
        while not self._draining:
            head = await self._claim()
            if head is None:
                return
            try:
                await self._own(head)
            except Fenced as fenced:
                self.ports.instruments.lease_lost.inc()
                _log.warning("%s: stepped down: %s", self.log, fenced)
            finally:
                self._forget()

    def relay_behind(self) -> int:
        """Committed events that are not yet in the event stream; 0 when the log is not owned here."""
        position = getattr(self._relay, "position", -1)
        return self.head.pos - position if self.head is not None and position >= 0 else 0

    async def drain(self) -> None:
        """Finishes the batch, gives the log up, and returns when that is done."""
        self._draining = True
        self._wake.set()
        await self.idle.wait()

    async def move(self) -> None:
        """Lets another process have the log: releases it and stands by again after a pause."""
        self._moving = True
        self._wake.set()

    async def _claim(self) -> Head | None:
        """Waits until the log is free and claims it; None when draining."""
        while not self._draining:
            try:
                head = await self.ports.log.claim(self.log, self.owner)
            except Unavailable as error:
                _log.warning("%s: cannot claim: %s", self.log, error)
                head = None
            else:
                self.stands_ready.set()
            if head is not None:
                return head
            await asyncio.sleep(CLAIM_EVERY_S)
        return None

    def _forget(self) -> None:
        self._life += 1
        self.head = None
        self.idle.set()
        self.owning.clear()
        self.ports.instruments.owned.set(0)
        self.clerk.clear()
        self.watchers.clear()
        self._finished.clear()
        asks, self._asks = self._asks, []
        for ask in asks:
            if not ask.future.done():
                ask.future.set_exception(Fenced(f"{self.log} has another owner"))

    # -------------------------------------------------------------------------------------------------- owning

    async def _own(self, head: Head) -> None:
        self.head = head
        self.idle.clear()
        self._cursor = head.cursor
        ports = self.ports
        cursor = head.cursor
        reader = await ports.bus.commands(
            self.log, Position(cursor.stream_created, cursor.seq, cursor.at), self._on_gap
        )
        relay = ports.bus.relay(self.log, self._committed)
        self._relay = relay
        served = None
        try:
            await self._extending(reader.start())
            self.house.gaps = await ports.log.downs(self.log)
            await self._extending(self._read_back(reader, cursor))
            await relay.start()
            if self.serve_queries is not None:
                served = serve(ports.bus, self.log, self.serve_queries)
            publish_owner(ports.bus, self.log, self.owner.encode())
            ports.instruments.owned.set(1)
            self.owning.set()
            _log.info("%s: owned from position %d, epoch %d", self.log, head.pos, head.epoch)
            await self._loop(reader)
        finally:
            if served is not None:
                served.close()
            await reader.close()
            await relay.close()
            self._relay = None

    async def _extending(self, work: Awaitable[None]) -> None:
        """Does work that may take long (the bus is away) and keeps the lease meanwhile."""
        task = asyncio.ensure_future(work)
        while True:
            done, _ = await asyncio.wait((task,), timeout=EXTEND_S)
            if done:
                task.result()
                return
            try:
                await self._extend()
            except BaseException:
                task.cancel()
                raise

    async def _read_back(self, reader: Commands, cursor: Cursor) -> None:
        """Ids of commands before the cursor: one that no table accepted was refused. Waiting commands come first."""
        waiting = await reader.fetch(cursor.waiting) if cursor.waiting else []
        waits = {raw.seq for raw in waiting}
        if cursor.seq:
            for raw in await reader.history(cursor.at - READ_BACK_US, cursor.seq + 1, READ_BACK_MOST):
                if raw.seq not in waits:
                    try:
                        command = pb.Command.FromString(raw.data)
                    except DecodeError:
                        continue
                    self.clerk.read_back.add(memory_key(command.actor.id, command.command_id))
        if waiting:
            await self._decide(waiting)

    def _on_gap(self, gap: Gap) -> None:
        self.ports.instruments.command_gap.inc(gap.last - gap.first + 1)
        _log.error("%s: commands %d..%d expired unread; their senders ask again", self.log, gap.first, gap.last)

    async def _loop(self, reader: Commands) -> None:
        """Decides while the batch before is being committed; one commit at a time."""
        take: asyncio.Task[list[Raw]] | None = None
        commit: asyncio.Task[None] | None = None
        wake = self._wake
        loop = asyncio.get_running_loop()
        last_write = loop.time()
        ticker = loop.call_later(EXTEND_S, wake.set)
        failed = max(0, (self.head.tries if self.head else 1) - 1)
        try:
            while True:
                if take is None:
                    take = loop.create_task(reader.take(1 if failed else BATCH))
                    take.add_done_callback(self._wake_up)
                await wake.wait()
                wake.clear()
                if commit is not None and commit.done():
                    commit.result()
                    commit = None
                    failed = 0
                    last_write = loop.time()
                clean = commit is None and not self.clerk.plan.commands
                if self._asks and clean:
                    await self._answer_asks()
                if not self._asks and not self._stopping:
                    self._resume_finished()
                    if take.done() and self.clerk.plan.commands < BATCH:
                        raws = take.result()
                        take = None
                        wake.set()
                        await self._decide(raws, skip=failed >= FAILED_CLAIMS_BEFORE_SKIP)
                        self._cursor = Cursor(reader.stream_created, raws[-1].seq, raws[-1].at_us)
                if commit is None and self.clerk.plan.commands:
                    commit = loop.create_task(self._commit(self._close_plan()))
                    commit.add_done_callback(self._wake_up)
                    if take is not None and take.done():
                        wake.set()
                if commit is None and self._stopping:
                    await self._give_up()
                    return
                if commit is None and loop.time() - last_write >= EXTEND_S:
                    commit = loop.create_task(self._extend_and_tidy())
                    commit.add_done_callback(self._wake_up)
                if ticker.when() <= loop.time():
                    ticker = loop.call_later(EXTEND_S, wake.set)
        finally:
            ticker.cancel()
            if commit is not None:
                await asyncio.gather(commit, return_exceptions=True)
            if take is not None and not take.done():
                take.cancel()

    @property
    def _stopping(self) -> bool:
        return self._draining or self._moving

    def _wake_up(self, _: object) -> None:
        self._wake.set()

    async def _give_up(self) -> None:
        head = self.head
        if head is not None:
            await self.ports.log.release(head)
        if self._moving:
            self._moving = False
            self.owning.clear()
            await asyncio.sleep(2 * CLAIM_EVERY_S)

    # ------------------------------------------------------------------------------------------------ deciding

    async def _decide(self, raws: Sequence[Raw], skip: bool = False) -> None:
        clerk = self.clerk
        clerk.turn += 1
        missing = clerk.missing(raws)
        if missing:
            await self._load(missing)
        for raw in raws:
            if skip:
                clerk.skip(raw)
            else:
                clerk.take(raw)

    async def _load(self, table_ids: Sequence[str]) -> None:
        """Loads tables; while the database is away it waits, as every command does."""
        while True:
            try:
                await self.shelf.load(table_ids)
                break
            except Unavailable as error:
                _log.warning("%s: cannot load tables: %s", self.log, error)
                await asyncio.sleep(CLAIM_EVERY_S)
        for table_id in table_ids:
            table = self.shelf.tables.get(table_id)
            if table is not None and table.set_aside:
                self.ports.instruments.poison.inc()
        self.clerk.note_unknown(table_ids)

    def _resume_finished(self) -> None:
        finished, self._finished = self._finished, []
        for table, outcome in finished:
            self.clerk.resume(table, outcome)

    def _compute(self, table: Table, job: Job) -> None:
        task = asyncio.get_running_loop().create_task(self._computed(self._life, table, job))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _computed(self, life: int, table: Table, job: Job) -> None:
        try:
            outcome: Any = await self.ports.jobs.run(job)
        except JobFailed as failed:
            outcome = failed
        if life == self._life:
            self._finished.append((table, outcome))
            self._wake.set()

    # ------------------------------------------------------------------------------------------------- commits

    def _close_plan(self) -> Plan:
        """The plan as it will be committed, with the tables that are watched as they stand now."""
        clerk = self.clerk
        plan, clerk.plan = clerk.plan, Plan()
        cursor = self._cursor
        plan.cursor = Cursor(cursor.stream_created, cursor.seq, cursor.at, tuple(sorted(clerk.waiting_seqs)))
        tables, watchers = self.shelf.tables, self.watchers
        for table_id, (from_version, happened) in plan.touched.items():
            table = tables[table_id]
            if watchers.watched(table_id) or any(seat.bot or seat.entrusted for seat in table.life.seats):
                plan.shown.append(Shown(table.frozen(), from_version, happened))
            since = table.version - table.snapped
            if since >= SNAPSHOT_EVERY or (since > 50 and table.life.state in (RESTING, CLOSED)):
                plan.snaps.append(self.shelf.snapshot(table))
        return plan

    async def _commit(self, plan: Plan) -> None:
        head = self.head
        assert head is not None
        began = time.perf_counter()
        batch = Batch(plan.events, plan.cursor, plan.secrets)
        try:
            head, records = await self.ports.log.append(head, batch)
        except (OutcomeUnknown, Unavailable) as doubt:
            _log.warning("%s: a commit is in doubt: %s", self.log, doubt)
            head, records = await self._settle(head, batch)
        self._moved(head)
        self._after(plan, records)
        self.ports.instruments.observe_batch(
            BatchReport(
                accepted=plan.accepted,
                refused=plan.commands - plan.accepted,
                events=len(records),
                commit_seconds=time.perf_counter() - began,
                oldest_seconds=max(0, self._now_us() - plan.oldest) / 1e6 if plan.oldest else 0.0,
            )
        )

    async def _settle(self, head: Head, batch: Batch) -> tuple[Head, list[EventRecord]]:
        """After doubt: claim, which waits for the lost statement; then the position tells. Raises Fenced."""
        log = self.ports.log
        while True:
            try:
                claimed = await log.claim(self.log, self.owner)
                if claimed is None:
                    raise Fenced(f"{self.log} has another owner")
                if claimed.pos == head.pos + len(batch.events) and claimed.cursor == batch.cursor:
                    return claimed, await log.read(self.log, head.pos, len(batch.events)) if batch.events else []
                if claimed.pos != head.pos or claimed.cursor != head.cursor:
                    raise Fenced(f"{self.log} went on without this process")
                self._moved(claimed)
                return await log.append(claimed, batch)
            except (OutcomeUnknown, Unavailable) as error:
                _log.warning("%s: still in doubt: %s", self.log, error)
                await asyncio.sleep(CLAIM_EVERY_S)

    async def _extend(self) -> None:
        head = self.head
        assert head is not None
        try:
            idle = not self.clerk.plan.commands and not self.clerk.waiting_seqs
            self._moved(await self.ports.log.extend(head, idle=idle))
        except Unavailable:
            head, _ = await self._settle(head, Batch([], head.cursor))
            self._moved(head)

    async def _extend_and_tidy(self) -> None:
        await self._extend()
        self.watchers.sweep(time.monotonic())
        evicted = [table for table in self.shelf.to_evict() if table.touched < self.clerk.turn - 2]
        if evicted:
            await self.ports.log.save_snapshots([self.shelf.snapshot(t) for t in evicted if t.version > t.snapped])
            for table in evicted:
                self.shelf.tables.pop(table.table_id, None)

    def _moved(self, head: Head) -> None:
        if head.gap is not None:
            self.house.gaps = [*self.house.gaps, head.gap]
        self.head = head

    # -------------------------------------------------------------------------------------- after the commit

    def _after(self, plan: Plan, records: Sequence[EventRecord]) -> None:
        bus = self.ports.bus
        for reply_to, answer in plan.answers:
            bus.publish(reply_to, answer)
        now = time.monotonic()
        for shown in plan.shown:
            self._show(shown, now)
        if records and self._relay is not None:
            self._relay.notify([committed(record) for record in records])
        if plan.snaps:
            self._in_background(self.ports.log.save_snapshots(plan.snaps))

    def _in_background(self, work: Awaitable[Any]) -> None:
        async def quietly() -> None:
            try:
                await work
            except Unavailable as error:
                _log.warning("%s: snapshots are not kept this time: %s", self.log, error)

        task = asyncio.get_running_loop().create_task(quietly())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def _show(self, shown: Shown, now: float) -> None:
        standing = shown.standing
        audiences = list(self.watchers.audiences(standing.table_id, now))
        audiences.extend(
            audience_name(number, bot=True)
            for number, seat in enumerate(standing.life.seats)
            if seat.bot or seat.entrusted
        )
        if not audiences:
            return
        try:
            updates = Updates(standing, shown.from_version, shown.happened)
            for name in audiences:
                data = updates.of(audience_seat(name))
                publish_live(self.ports.bus, self.log, standing.table_id, name, data)
        except BusError as error:
            _log.warning("%s: an update could not be sent: %s", self.log, error)
        except Exception:
            self.ports.instruments.poison.inc()
            _log.exception("%s: table %s cannot be shown and is set aside", self.log, standing.table_id)
            table = self.shelf.tables.get(standing.table_id)
            if table is not None:
                table.set_aside = "its view cannot be made"

    async def _committed(self, after: int, limit: int) -> Sequence[Committed]:
        return [committed(record) for record in await self.ports.log.read(self.log, after, limit)]

    # ------------------------------------------------------------------------------------------------- asking

    async def at_rest(self, table_ids: Sequence[str], answer: Callable[[], Any]) -> Any:
        """`answer()` called between two batches, when memory is what is on disk and these tables are loaded.

        Raises Fenced when the log is lost meanwhile.
        """
        if self.head is None:
            raise Fenced(f"{self.log} is not owned here")
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asks.append(Ask(table_ids, answer, future))
        self._wake.set()
        return await future

    async def _answer_asks(self) -> None:
        asks, self._asks = self._asks, []
        wanted = {table_id for ask in asks for table_id in ask.table_ids if table_id not in self.shelf.tables}
        if wanted:
            await self._load(sorted(wanted))
        for ask in asks:
            if ask.future.done():
                continue
            try:
                ask.future.set_result(ask.answer())
            except Exception as error:
                ask.future.set_exception(error)


def committed(record: EventRecord) -> Committed:
    """A stored event as the relay sends it."""
    return record.pos, record.stream, record.kind, to_message(record).SerializeToString()
