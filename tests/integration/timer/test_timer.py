"""The timer on a real NATS and Postgres: killed at any point, with a lost broker, with ten thousand clocks pending."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from libs.bus import Bus, CommandSender
from libs.readmodel import Feed, StateRow, migrate_state
from services.timer.clock import WallTime
from services.timer.timer import KINDS, Ports, Timer
from tests.unit.timer.owner import Owner

SCHEMA = "timer"


def now_us() -> int:
    return time.time_ns() // 1000


async def eventually(condition: Callable[[], bool]) -> None:
    """Turns of the loop until it is so."""
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0)


class Process:
    """A timer process; `kill` abandons it as it is."""

    def __init__(self, url: str, dsn: str, log: str, number: int) -> None:
        self.url, self.dsn, self.log, self.number = url, dsn, log, number
        self.late: list[float] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def start(self) -> Timer:
        self.bus = await Bus.connect(self.url, "timer")
        self.sender = CommandSender(self.bus, f"timer{self.log}{self.number}")
        timer = Timer(
            [self.log],
            Ports(
                feed=lambda log, position: Feed(self.bus, log, position, KINDS),
                send=partial(self.sender.send, deadline_s=None),
                row=StateRow(self.dsn, SCHEMA),
                time=WallTime(),
                late=self.late.append,
            ),
        )
        await timer.load()
        self.tasks = [asyncio.create_task(timer.follow(self.log)), asyncio.create_task(timer.fire())]
        return timer

    async def kill(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.sender.close()
        await self.bus.close()


@asynccontextmanager
async def owning(url: str, log: str) -> AsyncIterator[Owner]:
    bus = await Bus.connect(url, "owner")
    owner = Owner(bus, log, now_us)
    await owner.start()
    try:
        yield owner
    finally:
        await owner.stop()
        await bus.close()


async def test_killed_between_save_and_answer(nats_url: str, fresh_db: str) -> None:
    await migrate_state(fresh_db, SCHEMA)
    log = "timerkill-0"
    async with owning(nats_url, log) as owner:
        first = Process(nats_url, fresh_db, log, 1)
        timer = await first.start()
        soon = now_us() + 300_000
        owner.set("t1", a=soon)
        owner.set("t2", a=soon)
        await eventually(lambda: timer.positions.get(log, 0) >= 2)
        assert await timer.save()
        owner.set("t2", b=soon)  # the row is older than the stream
        owner.hearing.clear()
        await eventually(lambda: timer.ringing > 0)
        await first.kill()
        second = Process(nats_url, fresh_db, log, 2)
        timer = await second.start()
        assert timer.positions == {log: 2}
        owner.hearing.set()
        await owner.until(lambda: len(owner.effects) == 2)
        assert sorted(owner.effects) == [("t1", "a"), ("t2", "b")]
        await eventually(lambda: timer.pending == 0)
        assert timer.ringing == 0
        await second.kill()


async def test_a_broker_that_loses_everything(nats_server: Any, fresh_db: str) -> None:
    await migrate_state(fresh_db, SCHEMA)
    log = "timerwipe-0"
    async with owning(nats_server.url, log) as owner:
        process = Process(nats_server.url, fresh_db, log, 1)
        timer = await process.start()
        owner.set("t1", a=now_us() + 1_000_000)
        owner.set("t2", a=now_us() + 3_600_000_000)
        await eventually(lambda: timer.pending >= 2)
        nats_server.kill()
        nats_server.wipe()
        nats_server.start()
        owner.set("t2", a=now_us() + 2_000_000)
        await owner.until(lambda: len(owner.effects) == 2)
        assert sorted(owner.effects) == [("t1", "a"), ("t2", "a")]
        await process.kill()


async def test_every_clock_of_many_fires_once(nats_url: str, fresh_db: str) -> None:
    await migrate_state(fresh_db, SCHEMA)
    log = "timermany-0"
    async with owning(nats_url, log) as owner:
        begin = now_us() + 1_500_000
        for n in range(10_000):
            owner.set(f"t{n}", a=begin + (n * 100 if n < 2_000 else 3_600_000_000))
        process = Process(nats_url, fresh_db, log, 1)
        timer = await process.start()
        await owner.until(lambda: len(owner.effects) == 2_000)
        assert len(set(owner.effects)) == 2_000
        await eventually(lambda: timer.pending <= 8_000)
        assert timer.pending == 8_000
        assert len(process.late) == 2_000
        await process.kill()
