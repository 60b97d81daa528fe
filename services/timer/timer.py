"""The timer: follows the clock events of every log and sends `ExpireClock` when a clock is up.

It decides nothing. An expiry for a clock that does not run any more is refused by its table and changes nothing, so
sending one too many is harmless and sending late only gives a little time. It has no log: what it knows are the newest
sets of clocks, kept in one row together with the positions they were folded from.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import Protocol

import msgspec
from google.protobuf.message import DecodeError

from libs.bus import Backlog, Fact, NoAnswer
from libs.readmodel import Row
from libs.service import get_logger
from services.timer.clock import Time
from services.timer.deadlines import Deadline, Deadlines
from services.timer.saved import pack, unpack
from stamtafel.log.v1.log_pb2 import EventRecord
from stamtafel.table.v1.table_pb2 import ACTOR_KIND_TIMER, Actor, Answer, ClocksSet, Command, ExpireClock
from stamtafel.timer.v1.timer_pb2 import TimersSet

BATCH = 512
CATCHING_UP_US = 50_000
BACKLOG_US = 500_000
LONGEST_US = 30_000_000
KINDS = ("clock",)

_CLOCKS_SET = ClocksSet.DESCRIPTOR.full_name
_TIMERS_SET = TimersSet.DESCRIPTOR.full_name
_OVER = frozenset({"no_such_clock", "closed", "unknown_table"})
_ACTOR = Actor(id="timer", kind=ACTOR_KIND_TIMER)

Send = Callable[[str, str, Callable[[str], bytes]], Awaitable[bytes]]
"""`send(log, table, build)` sends until it is answered and returns the answer; `build(answer_to)` gives the command."""


class Facts(Protocol):
    """Events of one log."""

    async def take(self, most: int = 256) -> list[Fact]: ...

    async def close(self) -> None: ...


class Ports(msgspec.Struct, frozen=True):
    """What the timer uses. `feed(log, position)` opens a log's clock events; `late(seconds)` observes each firing."""

    feed: Callable[[str, int], Facts]
    send: Send
    row: Row
    time: Time
    late: Callable[[float], None] = lambda _: None


class Timer:
    """Load once, then run `follow` for each log, `fire`, and now and then `save`."""

    def __init__(self, logs: Sequence[str], ports: Ports) -> None:
        """Nothing happens before `load`."""
        self.logs = tuple(logs)
        self._ports = ports
        self._deadlines = Deadlines()
        self.positions: dict[str, int] = {}
        self._filling: set[str] = set()
        self._ringing: dict[tuple[str, str], asyncio.Task[int | None]] = {}
        self._answers: dict[tuple[str, str], int] = {}
        self._wake = asyncio.Event()
        self._waits_until: int | None = None
        self._saved = b""
        self._log = get_logger("timer")

    @property
    def pending(self) -> int:
        """Clocks that run."""
        return len(self._deadlines)

    @property
    def ringing(self) -> int:
        """Expiries that were sent and not answered yet."""
        return len(self._ringing)

    async def load(self) -> None:
        """Take up what the row says; the streams tell what happened since."""
        data = await self._ports.row.load()
        self.positions, self._deadlines = unpack(data)
        self._saved = data or b""

    async def save(self) -> bool:
        """Write the row if anything changed; returns whether it did."""
        data = pack(self.positions, self._deadlines)
        if data == self._saved:
            return False
        await self._ports.row.save(data)
        self._saved = data
        return True

    async def follow(self, log: str) -> None:
        """Fold the clock events of one log until cancelled. Raises the feed's errors; start it again then."""
        feed = self._ports.feed(log, self.positions.get(log, 0))
        try:
            while True:
                facts = await feed.take(BATCH)
                for fact in facts:
                    self._fold(log, fact)
                self.positions[log] = facts[-1].seq
                # In the middle of old events most clocks are long over: nothing is fired before the newest are read.
                if len(facts) >= BATCH:
                    self._filling.add(log)
                else:
                    self._filling.discard(log)
        finally:
            self._filling.discard(log)
            await feed.close()

    async def fire(self) -> None:
        """Send what is due, when it is due, until cancelled."""
        time = self._ports.time
        try:
            while True:
                self._wake.clear()
                now = time.now_us()
                for deadline in self._deadlines.take_due(now):
                    if deadline.log in self._filling:
                        self._deadlines.again(deadline, now + CATCHING_UP_US)
                    else:
                        self._ring(deadline)
                self._waits_until = self._deadlines.next_at()
                await time.wait(self._wake, self._waits_until)
        finally:
            await self._hush()

    def _fold(self, log: str, fact: Fact) -> None:
        try:
            record = EventRecord.FromString(fact.data)
            if record.type == _CLOCKS_SET:
                running = {clock.clock_id: clock.due_us for clock in ClocksSet.FromString(record.data).running}
            elif record.type == _TIMERS_SET:
                running = {timer.timer_id: timer.due_us for timer in TimersSet.FromString(record.data).running}
            else:
                return
        except DecodeError as error:
            # Nothing can be done with it here; the table's house clock and the operator are left.
            self._log.error("a clock event cannot be read", log=log, position=fact.seq, exc_info=error)
            return
        for clock_id in self._deadlines.put(log, fact.stream, running):
            self._answers.pop((fact.stream, clock_id), None)
            task = self._ringing.pop((fact.stream, clock_id), None)
            if task is not None:
                task.cancel()
        at = self._deadlines.next_at()
        if at is not None and (self._waits_until is None or at < self._waits_until):
            self._wake.set()

    def _ring(self, deadline: Deadline) -> None:
        key = (deadline.table, deadline.clock_id)
        if key in self._ringing:
            return
        task = asyncio.create_task(self._expire(deadline))
        self._ringing[key] = task

        def done(ended: asyncio.Task[int | None]) -> None:
            if self._ringing.get(key) is ended:
                del self._ringing[key]
            if ended.cancelled():
                return
            if (error := ended.exception()) is not None:
                self._log.error("an expiry failed", table=deadline.table, exc_info=error)
                self._put_off(deadline, self._ports.time.now_us() + LONGEST_US)
            elif (at := ended.result()) is not None:
                self._put_off(deadline, at)

        task.add_done_callback(done)

    async def _expire(self, deadline: Deadline) -> int | None:
        """Send one expiry until it is answered; returns when to ring again if the clock still runs then."""
        key = (deadline.table, deadline.clock_id)
        answers = self._answers.get(key, 0)
        command = Command(
            command_id=command_id(deadline, answers),
            table_id=deadline.table,
            actor=_ACTOR,
            expire_clock=ExpireClock(clock_id=deadline.clock_id),
        )

        def build(answer_to: str) -> bytes:
            if not answers:
                self._ports.late(max(0, self._ports.time.now_us() - deadline.due) / 1e6)
            command.answer_to = answer_to
            return command.SerializeToString()

        try:
            answer = Answer.FromString(await self._ports.send(deadline.log, deadline.table, build))
        except Backlog:
            return self._ports.time.now_us() + BACKLOG_US
        except NoAnswer:  # the sender was closed
            return None
        if answer.refused.code in _OVER:
            self._deadlines.drop(deadline)
            self._answers.pop(key, None)
            return None
        # An id that was answered gets the same answer again, so the next try is a new command.
        tries = self._answers[key] = self._answers.get(key, 0) + 1
        return self._ports.time.now_us() + self._rest_us(deadline, answer, tries)

    def _rest_us(self, deadline: Deadline, answer: Answer, tries: int) -> int:
        """How long to leave a clock alone after its expiry was answered for the `tries`th time."""
        refusal = answer.refused
        if answer.HasField("accepted"):  # the new set is on its way; should it never come, ask once more
            return LONGEST_US
        if refusal.code == "not_due":
            rest_ms = next((int(detail.value) for detail in refusal.details if detail.key == "rest_ms"), 1000)
            return max(1, rest_ms) * 1000
        if refusal.code == "repeated" and tries <= 3:
            return 0
        self._log.warning("an expiry was refused", table=deadline.table, code=refusal.code)
        return min(LONGEST_US, 1_000_000 << min(tries - 1, 5))

    def _put_off(self, deadline: Deadline, at: int) -> None:
        self._deadlines.again(deadline, at)
        if self._waits_until is None or at < self._waits_until:
            self._wake.set()

    async def _hush(self) -> None:
        """Stop what is being sent; it is due still, and rings again after a restart, with the same command ids."""
        tasks, self._ringing = list(self._ringing.values()), {}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def command_id(deadline: Deadline, answers: int = 0) -> str:
    """The same for every repeat of one due time, also after a restart; another one when the clock was moved.

    `answers` counts the answers to it that settled nothing (`not_due`, `busy`): they are given again to the same id.
    """
    text = f"{deadline.table} {deadline.clock_id} {deadline.due} {answers}"
    return "timer-" + sha256(text.encode()).hexdigest()[:32]
