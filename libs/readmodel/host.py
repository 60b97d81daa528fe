"""Hosts projections in a process: one runner for each log and build, switches builds, starts again what failed."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from .builds import Build, build_schema, connected, drop_retired, ensure_builds, promote
from .projection import Place, Projection, driver
from .runner import Facts, Notify, Ports, Runner


class HostPorts(msgspec.Struct, frozen=True):
    """What a host uses.

    `feed(log, position, kinds)` opens a log's events behind a position. `notify(keys)` is told what readers should look
    at again; no keys: everything. `sleep` waits between looks at the builds and before a failed runner starts again;
    `failed(place, error)` reports, `counted(place, folded, set_aside)` counts events after each commit.
    """

    feed: Callable[[str, int, tuple[str, ...] | None], Facts]
    notify: Notify
    failed: Callable[[Place, Exception], None]
    counted: Callable[[Place, int, int], None] = lambda place, folded, aside: None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now_us: Callable[[], int] = lambda: time.time_ns() // 1000


class Measure(msgspec.Struct, frozen=True):
    """How the shown build of a projection stands in a log: position, events waiting, age in seconds, events aside."""

    position: int = 0
    behind: int = 0
    lag_seconds: float = 0.0
    aside: int = 0


class Host:
    """Keeps the projections of one schema up to date with a set of logs."""

    def __init__(self, dsn: str, schema: str, projections: Sequence[Projection], logs: Sequence[str], ports: HostPorts):
        """Nothing happens before `run` or `tend`. The schema must have been made by `migrate`."""
        self._dsn, self._schema, self._ports = dsn, schema, ports
        self.projections = {projection.name: projection for projection in projections}
        self.logs = tuple(logs)
        self.runners: dict[Place, Runner] = {}
        self._tasks: dict[Place, asyncio.Task[None]] = {}
        self._pools: dict[str, Any] = {}
        self._active: dict[str, int] = {}

    async def run(self, look_every_s: float = 1.0) -> None:
        """Tend the builds until cancelled."""
        try:
            while True:
                await self.tend()
                await self._ports.sleep(look_every_s)
        finally:
            await self.close()

    async def tend(self) -> None:
        """One look: make missing builds, start runners, show the builds that have caught up, drop retired ones."""
        async with connected(self._dsn, self._schema) as connection:
            wanted: set[Place] = set()
            for name, projection in self.projections.items():
                builds = await ensure_builds(connection, self._schema, projection)
                for build in builds:
                    if build.state == "building" and await promote(connection, self._schema, projection, build.build):
                        self._active[name] = build.build
                        self._ports.notify([])
                        builds = [b for b in builds if b.build == build.build]
                        break
                    if build.state == "active":
                        self._active[name] = build.build
                wanted |= {Place(name, build.build, log) for build in builds for log in self.logs}
                for build in builds:
                    await self._start(projection, build)
            for place in set(self._tasks) - wanted:
                await self._stop(place)
            await self._close_pools({build_schema(self._schema, p.consumer, p.build) for p in wanted})
            for name in self.projections:
                await drop_retired(connection, self._schema, name)

    def measure(self, name: str, log: str) -> Measure:
        """For the metrics."""
        runner = self.runners.get(Place(name, self._active.get(name, 0), log))
        if runner is None:
            return Measure()
        return Measure(runner.position, runner.behind, runner.lag_seconds, runner.aside)

    async def close(self) -> None:
        """Stop all runners."""
        for place in list(self._tasks):
            await self._stop(place)
        await self._close_pools(set())

    async def _start(self, projection: Projection, build: Build) -> None:
        tables = build_schema(self._schema, projection.name, build.build)
        for log in self.logs:
            place = Place(projection.name, build.build, log)
            if place in self._tasks:
                continue
            if tables not in self._pools:
                self._pools[tables] = await self._pool(tables)
            runner = Runner(projection, place, self._runner_ports(projection, place, tables))
            self.runners[place] = runner
            self._tasks[place] = asyncio.create_task(self._keep(runner), name=f"{place.consumer}-{build.build}-{log}")

    def _runner_ports(self, projection: Projection, place: Place, tables: str) -> Ports:
        def notify(keys: Sequence[str]) -> None:
            if self._active.get(place.consumer) == place.build:
                self._ports.notify(keys)

        return Ports(
            pool=self._pools[tables],
            feed=lambda position: self._ports.feed(place.log, position, projection.kinds),
            notify=notify,
            counted=lambda folded, aside: self._ports.counted(place, folded, aside),
            now_us=self._ports.now_us,
        )

    async def _pool(self, tables: str) -> Any:
        settings = {"search_path": f"{tables},{self._schema}", "client_min_messages": "warning"}
        return await driver.create_pool(self._dsn, min_size=0, max_size=2, command_timeout=30, server_settings=settings)

    async def _keep(self, runner: Runner) -> None:
        wait = 0.1
        while True:
            before = runner.folded
            try:
                return await runner.run()
            except Exception as error:
                self._ports.failed(runner.place, error)
                runner.position = 0  # what this process believes may be the mistake: the checkpoint tells
            wait = 0.1 if runner.folded > before else min(wait * 2, 10.0)
            await self._ports.sleep(wait)

    async def _stop(self, place: Place) -> None:
        task = self._tasks.pop(place)
        self.runners.pop(place, None)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    async def _close_pools(self, but: set[str]) -> None:
        for tables in set(self._pools) - but:
            self._pools.pop(tables).terminate()
