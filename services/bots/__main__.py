"""Wiring of `bots`."""

from __future__ import annotations

import asyncio
import secrets
import time
from functools import partial

from libs.bus import Bus, CommandSender
from libs.readmodel import Feed, StateRow
from libs.service import Metrics, Process, run
from libs.table.jobs import WorkerJobs
from services.bots.bots import KINDS, Bots, Ports
from services.bots.brains import Thinker
from services.bots.chair import Manners
from services.bots.migrate import SCHEMA
from services.bots.settings import BotsSettings


class Counts:
    """What the bots did, as metrics."""

    def __init__(self, metrics: Metrics) -> None:
        """Labels are bound when a code is met first."""
        self._metrics = metrics
        self._failures = metrics.counter("bot_failures", "Thoughts that ended in an exception.")

    def acted(self, code: str) -> None:
        """A command was answered."""
        self._metrics.counter("bot_acts", "Commands of bots by what became of them.", code=code).inc()

    def failed(self) -> None:
        """A brain or worker failed."""
        self._failures.inc()


async def main(process: Process[BotsSettings]) -> None:
    """Play for every seat that a computer player holds."""
    settings, metrics = process.settings, process.metrics
    bus = await Bus.connect(
        settings.nats_url, "bots", user=settings.nats_user or None, password=settings.nats_password or None
    )
    process.resources.push_async_callback(bus.close)
    sender = CommandSender(bus, "bots-" + settings.instance.replace(".", "-"))
    process.resources.callback(sender.close)
    jobs = WorkerJobs(settings.bot_workers)
    process.resources.callback(jobs.close)
    bots = Bots(
        settings.log_names,
        Ports(
            bus=bus,
            feed=lambda log, position: Feed(bus, log, position, KINDS),
            row=StateRow(settings.database_url, SCHEMA),
            now=time.monotonic,
            sleep=asyncio.sleep,
        ),
        Manners(
            thinker=Thinker(jobs),
            send=partial(sender.send, deadline_s=None),
            report=Counts(metrics),
            pace=settings.bot_pace,
            now=time.monotonic,
            sleep=asyncio.sleep,
            seed=lambda: secrets.randbits(64),
        ),
    )
    await bots.load()
    process.resources.push_async_callback(bots.close)
    metrics.watch("bot_tables", "Tables with computer players.", lambda: len(bots.census))
    bots.listen()
    for log in settings.log_names:
        metrics.watch(
            "reader_position",
            "Position up to which the reader folded.",
            lambda log=log: bots.census.positions.get(log, 0),
            consumer="bots",
            log=log,
        )
        process.supervise(f"follow {log}", partial(bots.follow, log))
    process.supervise("sweep", bots.sweep)

    async def keep() -> None:
        while True:
            await asyncio.sleep(settings.bot_save_seconds)
            await bots.save()

    process.supervise("save", keep)
    process.on_drain(bots.save)
    process.ready("bots")


if __name__ == "__main__":
    run(main, BotsSettings)
