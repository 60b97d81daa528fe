"""Metrics of one process: one registry, bound once, read at one port (`libs.service.http`).

Prometheus' multiprocess files grow for ever, so a process has its own registry and port. Labels are bound when a
metric is made: on the hot path nothing is looked up. What is known anyway (a position, a heartbeat) is read when
somebody scrapes, and costs nothing before.
"""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

NAMESPACE = "stamtafel"
SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
M = TypeVar("M", Counter, Gauge, Histogram)
Number = Callable[[], float]


class Heartbeat:
    """When a loop last showed that it lives; `beat` is cheap enough for every turn of a loop."""

    __slots__ = ("_clock", "at")

    def __init__(self, clock: Number) -> None:
        self._clock = clock
        self.at = clock()

    def beat(self) -> None:
        """Say that the loop lives."""
        self.at = self._clock()

    def age(self) -> float:
        """Seconds since the last beat."""
        return self._clock() - self.at


class Metrics:
    """Makes and keeps the metrics of a process. Names come without the `stamtafel_` prefix."""

    def __init__(self, *, process: bool = True, clock: Number = time.monotonic) -> None:
        """`process` adds memory, file handles and garbage collection; `clock` gives seconds for heartbeats."""
        self.registry = CollectorRegistry()
        self.clock = clock
        self._families: dict[str, Counter | Gauge | Histogram] = {}
        if process:
            ProcessCollector(registry=self.registry)
            PlatformCollector(registry=self.registry)
            GCCollector(registry=self.registry)

    def counter(self, name: str, meaning: str, **labels: str) -> Counter:
        """A counter with its labels bound; the same name and labels give the same counter."""
        return self._bind(Counter, name, meaning, labels)

    def gauge(self, name: str, meaning: str, **labels: str) -> Gauge:
        """A gauge with its labels bound."""
        return self._bind(Gauge, name, meaning, labels)

    def histogram(self, name: str, meaning: str, buckets: Sequence[float] = SECONDS, **labels: str) -> Histogram:
        """A histogram with its labels bound; `buckets` are upper bounds in the metric's unit."""
        family = self._families.get(name)
        if family is None:
            family = Histogram(name, meaning, tuple(labels), NAMESPACE, buckets=buckets, registry=self.registry)
            self._families[name] = family
        return self._child(family, Histogram, labels)

    def watch(self, name: str, meaning: str, read: Number, **labels: str) -> None:
        """A gauge that asks `read` whenever it is scraped."""
        self.gauge(name, meaning, **labels).set_function(read)

    def heartbeat(self, loop: str) -> Heartbeat:
        """A heartbeat and its gauge `heartbeat_age_seconds{loop}`."""
        heartbeat = Heartbeat(self.clock)
        self.watch(
            "heartbeat_age_seconds", "Seconds since this loop last showed that it lives.", heartbeat.age, loop=loop
        )
        return heartbeat

    def render(self) -> bytes:
        """Everything in Prometheus' text format."""
        return generate_latest(self.registry)

    def _bind(self, kind: type[M], name: str, meaning: str, labels: dict[str, str]) -> M:
        family = self._families.get(name)
        if family is None:
            family = self._families[name] = kind(name, meaning, tuple(labels), NAMESPACE, registry=self.registry)
        return self._child(family, kind, labels)

    @staticmethod
    def _child(family: Counter | Gauge | Histogram, kind: type[M], labels: dict[str, str]) -> M:
        if not isinstance(family, kind):
            raise TypeError(f"{family} is no {kind.__name__}")
        return family.labels(**labels) if labels else family
