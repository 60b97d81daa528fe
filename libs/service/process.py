"""The life of a process: settings, logs, metrics, readiness, supervised loops, and an orderly end.

    def main() -> None:
        run(serve, TimerSettings)

    async def serve(process: Process[TimerSettings]) -> None:
        bus = await Bus.connect(process.settings.nats_url, "timer")
        process.resources.push_async_callback(bus.close)
        process.supervise("fire", timer.fire)
        process.on_drain(timer.save)
        process.ready("timer")

Order of a stop (SIGTERM, SIGINT, a fatal exception): not ready, `stopping` is set, drain callbacks in the order they
were added while loops still run (finish the batch, release the lease), loops cancelled, resources closed in reverse
order. A second signal ends it at once.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack
from http import HTTPStatus
from typing import Any, Generic, NoReturn, TypeVar

import uvloop

from libs.service import logs
from libs.service.http import HttpServer, exposition, text
from libs.service.loops import Factory, LoopOptions, Supervisor
from libs.service.metrics import Heartbeat, Metrics
from libs.service.settings import Settings, SettingsError, load

S = TypeVar("S", bound=Settings)
Drain = Callable[[], Awaitable[object]]

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_SETTINGS = 78  # EX_CONFIG of sysexits.h: starting again will not help
EXIT_FORCED = 130


class Process(Generic[S]):
    """What a service's `__main__` gets to hang its parts on."""

    def __init__(self, settings: S, metrics: Metrics | None = None) -> None:
        """Made by `run`; tests may make one inside a running event loop."""
        self.settings = settings
        self.metrics = metrics or Metrics()
        self.log = logs.get_logger("process")
        self.supervisor = Supervisor(self.metrics)
        self.stopping = asyncio.Event()
        self.resources = AsyncExitStack()
        self.http_port = 0
        self._http: HttpServer | None = None
        self._drains: list[Drain] = []
        self._waiting_for: dict[str, str] = {"main": "is starting"}
        self._is_ready = self.metrics.gauge("ready", "1 while the process takes work.")

    def ready(self, name: str = "main") -> None:
        """Say that the part `name` takes work; the process is ready when every part that ever said `not_ready` is."""
        self._waiting_for.pop(name, None)
        self._is_ready.set(self.is_ready)

    def not_ready(self, name: str, why: str) -> None:
        """Say that the part `name` takes no work, with the reason that /readyz shows."""
        self._waiting_for[name] = why
        self._is_ready.set(0)

    @property
    def is_ready(self) -> bool:
        """Whether all parts take work and no stop has begun."""
        return not self._waiting_for and not self.stopping.is_set()

    def on_drain(self, callback: Drain) -> None:
        """Await `callback()` when a stop begins, after those added before it, while loops still run."""
        self._drains.append(callback)

    def supervise(self, name: str, factory: Factory, options: LoopOptions | None = None) -> Heartbeat:
        """Run a loop until the process stops (`Supervisor.start`)."""
        return self.supervisor.start(name, factory, options)

    def stop(self) -> None:
        """Begin an orderly stop."""
        self.stopping.set()
        self._is_ready.set(0)

    async def serve_http(self) -> None:
        """Answer /metrics, /healthz and /readyz; raises OSError when the port is taken."""
        routes = {
            "/metrics": lambda: exposition(self.metrics.render()),
            "/healthz": self._health,
            "/readyz": self._readiness,
        }
        self._http = HttpServer(routes)
        self.http_port = await self._http.start(self.settings.http_host, self.settings.http_port)

    async def live(self, main: Callable[["Process[S]"], Coroutine[Any, Any, None]]) -> int:
        """Run `main`, wait for a stop, stop in order; return the exit code. `run` does this for a whole program."""
        code = EXIT_OK
        try:
            await self.serve_http()
            code = await self._until_stop(main)
        except Exception as error:
            self.log.error("the process failed", exc_info=error)
            code = EXIT_FAILED
        finally:
            await self._wind_down()
        return code

    async def _until_stop(self, main: Callable[["Process[S]"], Coroutine[Any, Any, None]]) -> int:
        work = asyncio.create_task(main(self), name="main")
        stop = asyncio.create_task(self.stopping.wait(), name="stop")
        failed = self.supervisor.failed
        try:
            await asyncio.wait((work, stop, failed), return_when=asyncio.FIRST_COMPLETED)
            if work.done() and not work.cancelled():
                work.result()
                self.ready()
                self.log.info("running", http_port=self.http_port, instance=self.settings.instance)
                await asyncio.wait((stop, failed), return_when=asyncio.FIRST_COMPLETED)
        finally:
            work.cancel()
            stop.cancel()
            await asyncio.gather(work, stop, return_exceptions=True)
        return EXIT_FAILED if failed.done() else EXIT_OK

    async def _wind_down(self) -> None:
        self.stop()
        self.log.info("stopping")
        limit = self.settings.shutdown_seconds
        try:
            async with asyncio.timeout(limit):
                for callback in self._drains:
                    await self._try(callback)
                await self.supervisor.stop()
                await self._try(self.resources.aclose)
        except TimeoutError:
            self.log.error("the stop took too long, dropping the rest", limit_seconds=limit)
        finally:
            if self._http is not None:
                await self._http.stop()

    async def _try(self, callback: Drain) -> None:
        try:
            await callback()
        except Exception as error:
            self.log.error("a step of the stop failed", exc_info=error)

    def _health(self) -> tuple[HTTPStatus, str, bytes]:
        stuck = self.supervisor.stuck()
        if not stuck:
            return text(HTTPStatus.OK, "ok\n")
        lines = "".join(f"loop {name} is stuck for {age:.1f} s\n" for name, age in stuck.items())
        return text(HTTPStatus.SERVICE_UNAVAILABLE, lines)

    def _readiness(self) -> tuple[HTTPStatus, str, bytes]:
        if self.is_ready:
            return text(HTTPStatus.OK, "ready\n")
        why = "stopping\n" if self.stopping.is_set() else ""
        why += "".join(f"{name}: {reason}\n" for name, reason in self._waiting_for.items())
        return text(HTTPStatus.SERVICE_UNAVAILABLE, why)


def run(main: Callable[[Process[S]], Coroutine[Any, Any, None]], settings: type[S] | S) -> NoReturn:
    """Run a service on uvloop until it is told to stop, and exit: 0 stopped, 1 failed, 78 bad settings, 130 second
    signal.

    `main` sets the service up and returns (or works until `process.stopping`); an exception in it ends the process.
    """
    try:
        loaded = load(settings) if isinstance(settings, type) else settings
    except SettingsError as bad:
        print(f"settings: {bad}", file=sys.stderr)
        sys.exit(EXIT_SETTINGS)
    logs.configure(loaded.service, loaded.log_level)

    async def program() -> int:
        process = Process(loaded)
        loop = asyncio.get_running_loop()

        def on_signal() -> None:
            if process.stopping.is_set():
                os._exit(EXIT_FORCED)
            process.stop()

        for signum in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(signum, on_signal)
        return await process.live(main)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        code = runner.run(program())
    sys.exit(code)
