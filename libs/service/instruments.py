"""The measurements that every log and every reader of a log has, under the names that alerts and dashboards use.

A writer calls `observe_batch` once for each batch, never once for each command (platform.md section 2, budget).
"""

from collections.abc import Callable

import msgspec

from libs.service.metrics import SIZES, Metrics

Number = Callable[[], float]


class BatchReport(msgspec.Struct, frozen=True):
    """One committed batch: numbers of commands by answer, of events, and seconds that it took."""

    accepted: int
    refused: int
    events: int
    commit_seconds: float
    oldest_seconds: float


class LogInstruments:
    """What the owner (or a standby) of one log reports."""

    def __init__(self, metrics: Metrics, log: str) -> None:
        """`log` is the log's name, `trictrac-0`."""
        self._metrics, self._log = metrics, log
        counter, gauge, histogram = metrics.counter, metrics.gauge, metrics.histogram
        self.owned = gauge("log_owned", "1 while this process owns the log, 0 while it stands by.", log=log)
        self.accepted = counter("commands_accepted", "Commands accepted.", log=log)
        self.refused = counter("commands_refused", "Commands refused.", log=log)
        self.events = counter("events_committed", "Events committed.", log=log)
        self.poison = counter("poison", "Commands and tables set aside because the rules raised an exception.", log=log)
        self.command_gap = counter("command_gap", "Commands that expired unread: jumps in the command stream.", log=log)
        self.lease_lost = counter(
            "lease_lost", "Times this process lost the log to another owner or to doubt.", log=log
        )
        self.batch = histogram("batch_commands", "Commands in one batch.", SIZES, log=log)
        self.commit = histogram("commit_seconds", "Time of one commit.", log=log)
        self.age = histogram("command_age_seconds", "Age of a batch's oldest command when it was answered.", log=log)

    def observe_batch(self, report: BatchReport) -> None:
        """Count one committed batch."""
        self.accepted.inc(report.accepted)
        self.refused.inc(report.refused)
        self.events.inc(report.events)
        self.batch.observe(report.accepted + report.refused)
        self.commit.observe(report.commit_seconds)
        self.age.observe(report.oldest_seconds)

    def watch(self, *, position: Number, relay_behind: Number, waiting: Number, tables: Number) -> None:
        """Read at each scrape: log position, events not yet in the stream, commands parked or queued, tables in
        memory."""
        self._metrics.watch("log_position", "Position of the log's last event.", position, log=self._log)
        self._metrics.watch("relay_behind_events", "Events not yet in the event stream.", relay_behind, log=self._log)
        self._metrics.watch("commands_waiting", "Commands read and not yet answered.", waiting, log=self._log)
        self._metrics.watch("tables_loaded", "Tables in memory.", tables, log=self._log)


class ReaderInstruments:
    """What a projection or reactor reports about its place in one log."""

    def __init__(self, metrics: Metrics, consumer: str, log: str) -> None:
        """`consumer` names the reader, `tally.results`; `log` the log it reads."""
        self._metrics, self._labels = metrics, {"consumer": consumer, "log": log}
        self.events = metrics.counter("reader_events", "Events folded.", **self._labels)
        self.lost = metrics.counter("reader_lost", "Times a reader fell behind the stream's beginning.", **self._labels)

    def watch(self, *, position: Number, behind: Number, lag_seconds: Number) -> None:
        """Read at each scrape: position reached, events behind the stream, age of the last folded event while
        behind."""
        self._metrics.watch("reader_position", "Position up to which the reader folded.", position, **self._labels)
        self._metrics.watch("reader_behind_events", "Events between reader and stream end.", behind, **self._labels)
        self._metrics.watch("reader_lag_seconds", "Delay of a reader behind its log.", lag_seconds, **self._labels)
