"""The process of a game: wiring only. `services/<game>/__main__.py` calls `run_game(RULES, Settings)`."""

from __future__ import annotations

import gc
from typing import NoReturn

from libs.bus import Bus
from libs.log import BadBatch, open_log
from libs.service.instruments import LogInstruments
from libs.service.loops import LoopOptions
from libs.service.process import Process, run
from libs.table.jobs import WorkerJobs
from libs.table.queries import TableQueries
from libs.table.settings import GameSettings
from libs.table.standing import AnyRules
from libs.table.writer import Ports, Writer


def run_game(rules: AnyRules, settings: type[GameSettings]) -> NoReturn:
    """Runs a game's service until it is told to stop: a writer for each of its logs, owner or standing by."""

    async def serve(process: Process[GameSettings]) -> None:
        # Tables are many, long-lived and without cycles: rare collections save a tenth of the time of a command.
        gc.set_threshold(100_000, 50, 100)
        await _serve(rules, process)

    run(serve, settings)


async def _serve(rules: AnyRules, process: Process[GameSettings]) -> None:
    settings = process.settings
    bus = await Bus.connect(
        settings.nats_url,
        f"{rules.game}.{settings.instance}",
        user=settings.nats_user or None,
        password=settings.nats_password or None,
    )
    process.resources.push_async_callback(bus.close)
    log = await open_log(settings.database_url, rules.game)
    process.resources.push_async_callback(log.close)
    jobs = WorkerJobs(settings.workers)
    process.resources.callback(jobs.close)
    for shard in range(settings.shards):
        name = f"{rules.game}-{shard}"
        instruments = LogInstruments(process.metrics, name)
        writer = Writer(rules, name, settings.instance, Ports(log, bus, jobs, instruments))
        writer.serve_queries = TableQueries(writer, log).answer
        instruments.watch(
            position=lambda w=writer: w.head.pos if w.head else 0,
            relay_behind=writer.relay_behind,
            waiting=lambda w=writer: len(w.clerk.waiting_seqs),
            tables=lambda w=writer: len(w.shelf.tables),
        )
        process.on_drain(writer.drain)
        process.supervise(name, writer.run, LoopOptions(fatal=(BadBatch,)))
        await writer.stands_ready.wait()
