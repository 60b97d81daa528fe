import pytest

from libs.service import BatchReport, LogInstruments, Metrics, ReaderInstruments


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_labels_are_bound_once_and_shared() -> None:
    metrics = Metrics(process=False)
    metrics.counter("things", "Things.", kind="a").inc(2)
    metrics.counter("things", "Things.", kind="a").inc()
    metrics.counter("things", "Things.", kind="b").inc()
    page = metrics.render().decode()
    assert 'stamtafel_things_total{kind="a"} 3.0' in page
    assert 'stamtafel_things_total{kind="b"} 1.0' in page


def test_a_name_keeps_its_kind() -> None:
    metrics = Metrics(process=False)
    metrics.counter("things", "Things.")
    with pytest.raises(TypeError):
        metrics.gauge("things", "Things.")


def test_a_heartbeat_ages_until_it_beats() -> None:
    clock = Clock()
    metrics = Metrics(process=False, clock=clock)
    heartbeat = metrics.heartbeat("relay")
    clock.now += 2.5
    assert 'stamtafel_heartbeat_age_seconds{loop="relay"} 2.5' in metrics.render().decode()
    heartbeat.beat()
    assert heartbeat.age() == 0


def test_two_registries_do_not_meet() -> None:
    first, second = Metrics(), Metrics()
    first.gauge("things", "Things.").set(1)
    assert b"stamtafel_things" not in second.render()


def test_a_batch_is_observed_in_one_call() -> None:
    metrics = Metrics(process=False)
    log = LogInstruments(metrics, "trictrac-0")
    log.observe_batch(BatchReport(accepted=3, refused=1, events=5, commit_seconds=0.003, oldest_seconds=0.02))
    log.watch(position=lambda: 5, relay_behind=lambda: 2, waiting=lambda: 0, tables=lambda: 1)
    page = metrics.render().decode()
    assert 'stamtafel_commands_accepted_total{log="trictrac-0"} 3.0' in page
    assert 'stamtafel_batch_commands_bucket{le="4.0",log="trictrac-0"} 1.0' in page
    assert 'stamtafel_relay_behind_events{log="trictrac-0"} 2.0' in page


def test_a_reader_shows_its_lag() -> None:
    metrics = Metrics(process=False)
    ReaderInstruments(metrics, "tally.results", "trictrac-0").watch(
        position=lambda: 3, behind=lambda: 4, lag_seconds=lambda: 1.5
    )
    assert 'stamtafel_reader_behind_events{consumer="tally.results",log="trictrac-0"} 4.0' in metrics.render().decode()
