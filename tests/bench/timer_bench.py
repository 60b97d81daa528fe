"""How late clocks fire with ten thousand pending, 500 of them due each second."""

from __future__ import annotations

import asyncio
import time
from functools import partial

from libs.bus import Bus, CommandSender
from libs.readmodel import Feed, MemoryRow
from services.timer.clock import WallTime
from services.timer.timer import KINDS, Ports, Timer
from tests.unit.timer.owner import Owner

PENDING = 10_000
FIRED = 2_000
PER_SECOND = 500


async def bench_timer(url: str) -> dict[str, float]:
    """Lateness from due to the command's publish, in ms. The tables' owner runs in the same process."""
    log = f"timerbench-{time.time_ns()}"
    owner_bus, bus = await Bus.connect(url, "owner"), await Bus.connect(url, "timer")
    owner = Owner(owner_bus, log, lambda: time.time_ns() // 1000)
    await owner.start()
    begin = time.time_ns() // 1000 + 4_000_000
    for n in range(PENDING):
        owner.set(f"t{n}", a=begin + n * 1_000_000 // PER_SECOND)
    late: list[float] = []
    sender = CommandSender(bus, f"timer{log}")
    feed = lambda name, position: Feed(bus, name, position, KINDS)  # noqa: E731
    ports = Ports(feed, partial(sender.send, deadline_s=None), MemoryRow(), WallTime(), late.append)
    timer = Timer([log], ports)
    tasks = [asyncio.create_task(timer.follow(log)), asyncio.create_task(timer.fire())]
    await owner.until(lambda: len(owner.effects) >= FIRED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    sender.close()
    await owner.stop()
    await bus.close()
    await owner_bus.close()
    late.sort()
    return {
        "timer_pending": float(PENDING),
        "timer_late_p50_ms": late[len(late) // 2] * 1e3,
        "timer_late_p99_ms": late[len(late) * 99 // 100] * 1e3,
        "timer_late_max_ms": late[-1] * 1e3,
    }
