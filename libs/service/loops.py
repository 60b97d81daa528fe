"""Supervised loops: named coroutines that are restarted when they fail, and all cancelled at the end."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import msgspec

from libs.service.logs import get_logger
from libs.service.metrics import Heartbeat, Metrics

Factory = Callable[[], Coroutine[Any, Any, None]]
Sleep = Callable[[float], Awaitable[None]]


class LoopOptions(msgspec.Struct, frozen=True):
    """How a loop is kept alive; times in seconds.

    `fatal`: exceptions that end the process instead of a restart. `stale_after`: without a beat for so long the loop
    counts as stuck and /healthz says so; None for loops that may wait for ever. A run of `healthy_after` forgets
    earlier failures.
    """

    fatal: tuple[type[BaseException], ...] = ()
    stale_after: float | None = None
    first_wait: float = 0.1
    longest_wait: float = 10.0
    healthy_after: float = 30.0


class Supervisor:
    """Runs loops until `stop`. The first fatal exception is kept in `failed`, a future that `Process` waits for."""

    def __init__(self, metrics: Metrics, sleep: Sleep = asyncio.sleep) -> None:
        """`sleep` waits between restarts; the clock is that of `metrics`."""
        self._metrics, self._sleep = metrics, sleep
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._beats: dict[str, tuple[Heartbeat, LoopOptions]] = {}
        self._log = get_logger("loops")
        self.failed: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()

    def start(self, name: str, factory: Factory, options: LoopOptions | None = None) -> Heartbeat:
        """Run `factory()` under `name`, again after every unexpected exception; return the heartbeat that the loop may
        beat.

        A loop that returns has done its work and is not started again. Raises ValueError for a name that runs already.
        """
        if name in self._tasks and not self._tasks[name].done():
            raise ValueError(f"loop {name} runs already")
        options = options or LoopOptions()
        heartbeat = self._beats[name][0] if name in self._beats else self._metrics.heartbeat(name)
        heartbeat.beat()
        self._beats[name] = (heartbeat, options)
        if options.stale_after is not None:
            limit = self._metrics.gauge("heartbeat_limit_seconds", "Age at which this loop counts as stuck.", loop=name)
            limit.set(options.stale_after)
        self._tasks[name] = asyncio.create_task(self._run(name, factory, options), name=name)
        return heartbeat

    def heartbeat(self, name: str) -> Heartbeat:
        """The heartbeat of a started loop."""
        return self._beats[name][0]

    def stuck(self) -> dict[str, float]:
        """Loops without a beat for longer than they may be, with the seconds since their last one."""
        return {
            name: heartbeat.age()
            for name, (heartbeat, options) in self._beats.items()
            if options.stale_after is not None
            and heartbeat.age() > options.stale_after
            and not self._tasks[name].done()
        }

    async def stop(self) -> None:
        """Cancel all loops and wait until they have ended."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, name: str, factory: Factory, options: LoopOptions) -> None:
        running = self._metrics.gauge(
            "loop_running", "1 while this loop runs, 0 between a failure and its restart.", loop=name
        )
        failures = self._metrics.counter("loop_failures", "Unexpected exceptions of this loop.", loop=name)
        wait = options.first_wait
        while True:
            began = self._metrics.clock()
            running.set(1)
            self.heartbeat(name).beat()
            try:
                await factory()
                return
            except options.fatal as error:
                self._log.error("loop ended the process", loop=name, exc_info=error)
                if not self.failed.done():
                    self.failed.set_result(error)
                return
            except Exception as error:
                failures.inc()
                if self._metrics.clock() - began >= options.healthy_after:
                    wait = options.first_wait
                self._log.error("loop failed, starts again", loop=name, wait_seconds=wait, exc_info=error)
            finally:
                running.set(0)
            await self._sleep(wait)
            wait = min(wait * 2, options.longest_wait)
