"""Wiring of `tally`: read models of the lobby, of plays and of players."""

from __future__ import annotations

from libs.bus import Bus
from libs.readmodel import Feed, Host, HostPorts, Place
from libs.service import Process, ReaderInstruments, run
from services.tally.lobby import Lobby
from services.tally.migrate import SCHEMA
from services.tally.notices import lobby_notice
from services.tally.plays import Plays
from services.tally.settings import TallySettings

PROJECTIONS = (Lobby(), Plays())


async def main(process: Process[TallySettings]) -> None:
    """Follow every log and keep the tables of schema `tally`."""
    settings, metrics = process.settings, process.metrics
    bus = await Bus.connect(
        settings.nats_url, "tally", user=settings.nats_user or None, password=settings.nats_password or None
    )
    process.resources.push_async_callback(bus.close)

    def failed(place: Place, error: Exception) -> None:
        process.log.warning("a projection starts again", projection=place.consumer, log=place.log, error=repr(error))

    ports = HostPorts(
        feed=lambda log, position, kinds: Feed(bus, log, position, kinds), notify=lobby_notice(bus), failed=failed
    )
    host = Host(settings.database_url, SCHEMA, PROJECTIONS, settings.log_names, ports)
    await host.tend()
    for name in host.projections:
        for log in settings.log_names:
            reader = ReaderInstruments(metrics, f"tally.{name}", log)
            reader.watch(
                position=lambda name=name, log=log: host.measure(name, log).position,
                behind=lambda name=name, log=log: host.measure(name, log).behind,
                lag_seconds=lambda name=name, log=log: host.measure(name, log).lag_seconds,
            )
            metrics.watch(
                "reader_set_aside_events",
                "Events that could not be folded, and those of their tables that wait behind them.",
                lambda name=name, log=log: host.measure(name, log).aside,
                consumer=f"tally.{name}",
                log=log,
            )
    process.supervise("projections", host.run)
    process.ready("tally")


if __name__ == "__main__":
    run(main, TallySettings)
