"""Wiring of `timer`."""

from __future__ import annotations

import asyncio
from functools import partial

from libs.bus import Bus, CommandSender
from libs.readmodel import Feed, StateRow
from libs.service import Process, run
from services.timer.clock import WallTime
from services.timer.migrate import SCHEMA
from services.timer.settings import TimerSettings
from services.timer.timer import KINDS, Ports, Timer


async def main(process: Process[TimerSettings]) -> None:
    """Follow the clocks of every log and fire them."""
    settings, metrics = process.settings, process.metrics
    bus = await Bus.connect(
        settings.nats_url, "timer", user=settings.nats_user or None, password=settings.nats_password or None
    )
    process.resources.push_async_callback(bus.close)
    sender = CommandSender(bus, "timer-" + settings.instance.replace(".", "-"))
    process.resources.callback(sender.close)
    late = metrics.histogram("timer_lateness_seconds", "Time between a clock's due and its first expiry command.")
    timer = Timer(
        settings.log_names,
        Ports(
            feed=lambda log, position: Feed(bus, log, position, KINDS),
            send=partial(sender.send, deadline_s=None),
            row=StateRow(settings.database_url, SCHEMA),
            time=WallTime(),
            late=late.observe,
        ),
    )
    await timer.load()
    metrics.watch("timer_pending_clocks", "Clocks that run.", lambda: timer.pending)
    metrics.watch("timer_ringing_clocks", "Expiries sent and not yet answered.", lambda: timer.ringing)
    for log in settings.log_names:
        metrics.watch(
            "reader_position",
            "Position up to which the reader folded.",
            lambda log=log: timer.positions.get(log, 0),
            consumer="timer",
            log=log,
        )
        process.supervise(f"follow {log}", partial(timer.follow, log))
    process.supervise("fire", timer.fire)

    async def keep() -> None:
        while True:
            await asyncio.sleep(settings.timer_save_seconds)
            await timer.save()

    process.supervise("save", keep)
    process.on_drain(timer.save)
    process.ready("timer")


if __name__ == "__main__":
    run(main, TimerSettings)
