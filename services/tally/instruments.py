"""What tally reports about itself: how far each projection is, and what it could not fold."""

from __future__ import annotations

from collections.abc import Sequence

from libs.readmodel import Host, Place
from libs.service import Metrics, ReaderInstruments


class TallyInstruments:
    """Metrics of every projection and log, under the names that alerts and dashboards use."""

    def __init__(self, metrics: Metrics, projections: Sequence[str], logs: Sequence[str]) -> None:
        """All labels are bound here."""
        self._metrics, self._logs = metrics, tuple(logs)
        self._readers = {
            (name, log): ReaderInstruments(metrics, f"tally.{name}", log) for name in projections for log in logs
        }
        self._lost = {log: ReaderInstruments(metrics, "tally", log).lost for log in logs}
        self._poison = {
            log: metrics.counter("poison", "Events set aside because folding them raised an exception.", log=log)
            for log in logs
        }

    def counted(self, place: Place, folded: int, set_aside: int) -> None:
        """After a commit: events folded, and events set aside (the alarm)."""
        self._readers[place.consumer, place.log].events.inc(folded)
        if set_aside:
            self._poison[place.log].inc(set_aside)

    def lost(self, log: str) -> None:
        """The event stream had no more what a projection needed."""
        self._lost[log].inc()

    def watch(self, host: Host) -> None:
        """Read at each scrape how far the shown builds are."""
        for (name, log), reader in self._readers.items():
            reader.watch(
                position=lambda name=name, log=log: host.measure(name, log).position,
                behind=lambda name=name, log=log: host.measure(name, log).behind,
                lag_seconds=lambda name=name, log=log: host.measure(name, log).lag_seconds,
            )
            self._metrics.watch(
                "reader_set_aside_events",
                "Events that could not be folded, and those of their tables that wait behind them.",
                lambda name=name, log=log: host.measure(name, log).aside,
                consumer=f"tally.{name}",
                log=log,
            )
