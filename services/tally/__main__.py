"""Wiring of `tally`: read models of the lobby, of plays and of players."""

from __future__ import annotations

from libs.bus import Bus
from libs.readmodel import Feed, Host, HostPorts, Place
from libs.service import Process, run
from services.tally.instruments import TallyInstruments
from services.tally.lobby import Lobby
from services.tally.migrate import SCHEMA
from services.tally.notices import lobby_notice
from services.tally.plays import Plays
from services.tally.settings import TallySettings

PROJECTIONS = (Lobby(), Plays())


async def main(process: Process[TallySettings]) -> None:
    """Follow every log and keep the tables of schema `tally`."""
    settings = process.settings
    bus = await Bus.connect(
        settings.nats_url, "tally", user=settings.nats_user or None, password=settings.nats_password or None
    )
    process.resources.push_async_callback(bus.close)

    def failed(place: Place, error: Exception) -> None:
        process.log.warning("a projection starts again", projection=place.consumer, log=place.log, error=repr(error))

    instruments = TallyInstruments(process.metrics, [projection.name for projection in PROJECTIONS], settings.log_names)
    ports = HostPorts(
        feed=lambda log, position, kinds: Feed(bus, log, position, kinds, lambda: instruments.lost(log)),
        notify=lobby_notice(bus),
        failed=failed,
        counted=instruments.counted,
    )
    host = Host(settings.database_url, SCHEMA, PROJECTIONS, settings.log_names, ports)
    await host.tend()
    instruments.watch(host)
    process.supervise("projections", host.run)
    process.ready("tally")


if __name__ == "__main__":
    run(main, TallySettings)
