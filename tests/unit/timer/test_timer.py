"""The timer on an in-memory bus and a clock that the test moves."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from libs.bus import CommandSender, MemoryBroker
from libs.readmodel import Feed, MemoryRow
from libs.testing.clock import ScriptedClock
from services.timer.deadlines import Deadline
from services.timer.timer import KINDS, Ports, Timer, command_id
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.timer.v1.timer_pb2 import Timer as Running
from stamtafel.timer.v1.timer_pb2 import TimersSet
from tests.unit.timer.owner import LOG, Owner, ScriptedTime


class World:
    """A broker, an owner, and timers that can be killed."""

    def __init__(self) -> None:
        self.clock = ScriptedClock()
        self.broker = MemoryBroker(self.clock.us)
        self.owner = Owner(self.broker.connect("owner"), now_us=self.clock.us)
        self.row = MemoryRow()
        self.late: list[float] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._count = 0

    def at(self, seconds: float) -> int:
        """The time so many seconds from now, in us."""
        return self.clock.us() + round(seconds * 1_000_000)

    async def timer(self, fire: bool = True) -> Timer:
        """A new timer process."""
        self._count += 1
        bus = self.broker.connect("timer")
        self.sender = CommandSender(bus, f"timer{self._count}", clock=self.clock)
        self.time = ScriptedTime(self.clock)
        timer = Timer(
            [LOG],
            Ports(
                feed=lambda log, position: Feed(bus, log, position, KINDS),
                send=partial(self.sender.send, deadline_s=None),
                row=self.row,
                time=self.time,
                late=self.late.append,
            ),
        )
        await timer.load()
        self._tasks.append(asyncio.create_task(timer.follow(LOG)))
        if fire:
            self._tasks.append(asyncio.create_task(timer.fire()))
        return timer

    async def kill(self) -> None:
        """Nothing is saved and nothing more is said."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        self.sender.close()

    async def until_read(self, timer: Timer) -> None:
        """The timer has folded everything and waits for its next deadline."""
        while timer.positions.get(LOG, 0) < len(self.owner.script.records):
            await turn()
        await turn()
        await self.time.waits.wait()

    def advance(self, seconds: float) -> None:
        """Move time, and let the sender look at it."""
        self.clock.advance(seconds)
        self.sender.tick()


async def turn() -> None:
    """Let everything that can run do so."""
    for _ in range(5):
        await asyncio.sleep(0)


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    made = World()
    await made.owner.start()
    try:
        yield made
    finally:
        await made.kill()
        await made.owner.stop()


async def test_fires_when_due_and_not_before() -> None:
    async with world() as w:
        timer = await w.timer()
        w.owner.set("t1", a=w.at(10), b=w.at(20))
        await w.until_read(timer)
        assert timer.pending == 2
        w.advance(9.999)
        await turn()
        assert not w.owner.seen
        w.advance(0.001)
        await w.owner.until(lambda: w.owner.effects == [("t1", "a")])
        w.advance(10)
        await w.owner.until(lambda: w.owner.effects == [("t1", "a"), ("t1", "b")])
        await w.until_read(timer)
        assert timer.pending == timer.ringing == 0
        assert w.late == [0, 0]
        command = w.owner.seen[0]
        assert (command.actor.id, command.actor.kind, command.valid_for_ms) == ("timer", pb.ACTOR_KIND_TIMER, 0)


async def test_a_new_set_replaces_the_old_one() -> None:
    async with world() as w:
        timer = await w.timer()
        w.owner.set("t1", a=w.at(10))
        await w.until_read(timer)
        w.owner.set("t1", b=w.at(30))
        await w.until_read(timer)
        w.advance(20)
        await turn()
        assert not w.owner.seen
        w.owner.set("t1", b=w.at(1))  # earlier than what it waits for
        await w.until_read(timer)
        w.advance(1)
        await w.owner.until(lambda: w.owner.effects == [("t1", "b")])


async def test_sends_again_until_the_set_changes_with_one_id() -> None:
    async with world() as w:
        timer = await w.timer()
        w.owner.set("t1", a=w.at(5))
        await w.until_read(timer)
        w.owner.hearing.clear()
        w.advance(5)
        await turn()
        for seconds in (1, 2, 4, 4):
            w.advance(seconds)
            await turn()
        assert timer.ringing == 1
        w.owner.set("t1", a=w.at(60))  # somebody acted after all
        await w.until_read(timer)
        assert timer.ringing == 0
        w.advance(30)
        await turn()
        w.owner.hearing.set()
        await w.owner.until(lambda: len(w.owner.seen) == 5)
        assert len({command.command_id for command in w.owner.seen}) == 1
        assert w.owner.effects == []  # the clock was moved: it is not due, and the copies get the same answer


async def test_not_due_rings_again_after_the_rest_with_a_new_id() -> None:
    async with world() as w:
        timer = await w.timer()
        refusals = [pb.Refusal(code="not_due", details=[pb.Detail(key="rest_ms", value="1500")])]
        w.owner.refuse = lambda _: refusals.pop() if refusals else None
        w.owner.set("t1", a=w.at(5))
        await w.until_read(timer)
        w.advance(5)
        await w.owner.until(lambda: len(w.owner.seen) == 1)
        while timer.ringing:
            await turn()
        await w.until_read(timer)
        w.advance(1.499)
        await turn()
        assert len(w.owner.seen) == 1
        w.advance(0.001)
        await w.owner.until(lambda: w.owner.effects == [("t1", "a")])
        assert len({command.command_id for command in w.owner.seen}) == 2


async def test_a_clock_that_is_gone_is_forgotten_and_a_busy_table_asked_again() -> None:
    async with world() as w:
        timer = await w.timer()
        w.owner.set("t1", a=w.at(5))
        w.owner.set("t2", a=w.at(5))
        await w.until_read(timer)
        w.owner.clocks["t1"] = {}
        busy = [pb.Refusal(code="busy"), pb.Refusal(code="repeated")]
        w.owner.refuse = lambda command: busy.pop(0) if command.table_id == "t2" and busy else None
        w.advance(5)
        await w.owner.until(lambda: len(w.owner.seen) == 2)
        while timer.ringing:
            await turn()
        await w.until_read(timer)
        assert timer.pending == 1
        w.advance(1)
        await w.owner.until(lambda: w.owner.effects == [("t2", "a")])


async def test_timers_of_other_logs_ring_the_same_way() -> None:
    async with world() as w:
        timer = await w.timer()
        w.owner.clocks["round1"] = {"check-in": w.at(3)}
        due = TimersSet(running=[Running(timer_id="check-in", due_us=w.at(3))])
        w.owner.script.add("round1", due, "clock")
        w.owner.script.add("round1", pb.ClockMissed(seat=1), "clock")
        w.owner._relay.notify([])
        await w.until_read(timer)
        w.advance(3)
        await w.owner.until(lambda: w.owner.effects == [("round1", "check-in")])


async def test_killed_before_it_saved_anything() -> None:
    async with world() as w:
        timer = await w.timer()
        w.owner.set("t1", a=w.at(5))
        w.owner.set("t2", a=w.at(8))
        await w.until_read(timer)
        await w.kill()
        w.advance(6)
        timer = await w.timer()
        await w.owner.until(lambda: w.owner.effects == [("t1", "a")])
        await w.until_read(timer)
        w.advance(2)
        await w.owner.until(lambda: w.owner.effects == [("t1", "a"), ("t2", "a")])
        assert w.late[0] == 1.0


async def test_a_row_older_than_the_stream() -> None:
    async with world() as w:
        timer = await w.timer()
        w.owner.set("t1", a=w.at(5))
        w.owner.set("t2", a=w.at(5))
        w.owner.set("t3", a=w.at(50))
        await w.until_read(timer)
        assert await timer.save()
        assert not await timer.save()
        w.owner.set("t2", b=w.at(70))
        await w.until_read(timer)
        w.advance(5)
        await w.owner.until(lambda: w.owner.effects == [("t1", "a")])
        await w.kill()  # the row still says t1:a, t2:a, t3:a
        w.owner.set("t3")
        timer = await w.timer()
        assert timer.positions == {LOG: 3}
        await w.until_read(timer)
        w.advance(65)
        await w.owner.until(lambda: len(w.owner.effects) == 2)
        assert w.owner.effects == [("t1", "a"), ("t2", "b")]
        await w.until_read(timer)
        assert timer.pending == 0


async def test_killed_after_it_fired_and_before_the_answer() -> None:
    async with world() as w:
        timer = await w.timer()
        w.owner.set("t1", a=w.at(5))
        await w.until_read(timer)
        await timer.save()
        w.owner.hearing.clear()
        w.advance(5)
        await turn()
        await w.kill()
        timer = await w.timer()
        await turn()
        w.owner.hearing.set()
        await w.owner.until(lambda: len(w.owner.seen) == 2)
        assert len({command.command_id for command in w.owner.seen}) == 1
        assert w.owner.effects == [("t1", "a")]


async def test_old_events_are_read_before_anything_fires() -> None:
    async with world() as w:
        for n in range(2000):
            w.owner.set(f"t{n % 50}", **{f"c{n}": w.at(1)})
        for n in range(50):
            w.owner.set(f"t{n}", last=w.at(10))
        w.clock.advance(5)
        timer = await w.timer()
        await w.until_read(timer)
        await turn()
        assert not w.owner.seen
        w.advance(5)
        await w.owner.until(lambda: len(w.owner.effects) == 50)
        assert len(w.owner.seen) == 50


async def test_ten_thousand_pending_all_fire_once() -> None:
    async with world() as w:
        for n in range(10_000):
            w.owner.set(f"t{n}", a=w.at(10 + n / 1000))
        timer = await w.timer()
        await w.until_read(timer)
        assert timer.pending == 10_000
        for _ in range(40):
            w.advance(0.5)
            await turn()
        await w.owner.until(lambda: len(w.owner.effects) == 10_000)
        assert len(set(w.owner.effects)) == 10_000
        assert max(w.late) <= 0.5


def test_ids_tell_due_times_apart_and_repeats_not() -> None:
    one = Deadline(LOG, "t1", "a", 5)
    assert command_id(one) == command_id(Deadline(LOG, "t1", "a", 5))
    others = {command_id(one._replace(due=6)), command_id(one._replace(table="t2")), command_id(one, 1)}
    assert len(others | {command_id(one)}) == 4
    assert len(command_id(one)) <= 64
