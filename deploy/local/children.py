"""One child of the local stack: started through the guard, watched, started again when it dies."""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from libs.service import parent

Probe = Callable[[], Awaitable[bool]]
Say = Callable[[str], None]

GUARD = parent.__file__
EXIT_SETTINGS = 78
CRASHES_BEFORE_READY = 5
FIRST_WAIT, LONGEST_WAIT, HEALTHY_AFTER = 0.1, 5.0, 10.0
POLL_SECONDS = 0.05
KEEP_LOG_BYTES = 20 * 1024 * 1024


class ChildFailed(Exception):
    """A child does not come up; the text has the last lines of its log."""


class Command(msgspec.Struct, frozen=True):
    """What to run: arguments, environment, log file, user (root only), the signal that ends it kindly and the last one.

    `death_signal` is what the kernel sends when the stack's process dies.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    log: Path
    user: str | None = None
    stop_signal: int = signal.SIGTERM
    death_signal: int = signal.SIGKILL
    stop_seconds: float = 20.0


class Child:
    """A process that is kept running until `stop`."""

    def __init__(self, command: Command, probe: Probe, say: Say, started: Callable[[Command, int], None]) -> None:
        """`probe` tells whether it takes work; `say` hears what people should know; `started` each new pid."""
        self.command, self._probe, self._say, self._started = command, probe, say, started
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._released = asyncio.Event()
        self._released.set()
        self._stopping = False
        self._killed = False
        self._failure: str | None = None
        self._crashes = 0
        self._was_ready = False
        self.starts = 0

    @property
    def pid(self) -> int | None:
        """The running process, or None between two."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    def start(self) -> None:
        """Begin to keep it running."""
        self._stopping, self._failure, self._crashes = False, None, 0
        self._task = asyncio.create_task(self._watch(), name=f"child {self.command.name}")

    async def wait_ready(self, timeout: float) -> None:
        """Wait until the probe agrees; raise `ChildFailed` when the child gives up or `timeout` seconds have passed."""
        try:
            async with asyncio.timeout(timeout):
                await self._until_ready()
        except TimeoutError:
            raise ChildFailed(self._describe(f"is not ready after {timeout:.0f} s")) from None

    async def kill(self, signum: int, *, restart: bool) -> None:
        """Send a signal and, where it ends a process, wait for the end.

        `restart` False: it stays down until `revive`.
        """
        process = self._process
        if process is None or process.returncode is not None:
            raise ProcessLookupError(f"{self.command.name} does not run")
        ends = signum in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGABRT)
        self._killed = ends
        if not restart:
            self._released.clear()
        _signal(process.pid, signum)
        if ends:
            await process.wait()

    def revive(self) -> None:
        """Let it run again after `kill(restart=False)`."""
        self._released.set()
        if self._task is None or self._task.done():
            self.start()

    async def stop(self) -> None:
        """End it: kindly, and after `stop_seconds` for good."""
        self._stopping = True
        process = self._process
        if process is not None and process.returncode is None:
            _signal(process.pid, self.command.stop_signal)
            _signal(process.pid, signal.SIGCONT)  # one that was stopped would not hear the other
            try:
                await asyncio.wait_for(process.wait(), self.command.stop_seconds)
            except TimeoutError:
                self._say(f"{self.command.name} does not stop, killed")
                _signal(process.pid, signal.SIGKILL)
                await process.wait()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        # a start that was under way when the task was cancelled
        if (late := self._process) is not None and late.returncode is None:
            _signal(late.pid, signal.SIGKILL)
            await late.wait()

    def tail(self, lines: int = 12) -> str:
        """The last lines of its log."""
        with suppress(FileNotFoundError):
            return "\n".join(self.command.log.read_text(errors="replace").splitlines()[-lines:])
        return ""

    async def _until_ready(self) -> None:
        while not (self.pid is not None and await self._probe()):
            if self._failure is not None:
                raise ChildFailed(self._failure)
            await asyncio.sleep(POLL_SECONDS)

    async def _note_ready(self) -> None:
        await self._until_ready()
        self._was_ready = True

    async def _watch(self) -> None:
        try:
            await self._keep()
        except Exception as error:  # it could not even be started
            self._failure = f"{self.command.name} cannot be started: {error!r}"
            self._say(self._failure)

    async def _keep(self) -> None:
        loop, wait = asyncio.get_running_loop(), FIRST_WAIT
        while not self._stopping:
            began = loop.time()
            code = await self._run()
            if self._stopping:
                return
            if not self._released.is_set():
                await self._released.wait()
                continue
            self._crashes += 0 if self._killed else 1
            # one that was ready is never given up: what it needs may be away for long, and come back
            if code == EXIT_SETTINGS or (self._crashes >= CRASHES_BEFORE_READY and not self._was_ready):
                self._failure = self._describe(f"never became ready and ended with {_ending(code)}")
                self._say(self._failure)
                return
            wait = FIRST_WAIT if self._killed or loop.time() - began >= HEALTHY_AFTER else wait
            self._killed = False
            self._say(f"{self.command.name} ended with {_ending(code)}, starts again in {wait:.1f} s")
            await asyncio.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT)

    async def _run(self) -> int:
        command = self.command
        argv = (sys.executable, "-I", "-S", GUARD, str(os.getpid()), str(int(command.death_signal)))
        with _open_log(command.log) as log:
            self._process = await asyncio.create_subprocess_exec(
                *argv,
                command.user or "-",
                *command.argv,
                env=dict(command.env),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C at a terminal is ours to pass on, in order
            )
        self.starts += 1
        self._started(command, self._process.pid)
        note = asyncio.create_task(self._note_ready())
        try:
            return await self._process.wait()
        finally:
            note.cancel()

    def _describe(self, what: str) -> str:
        return f"{self.command.name} {what}; its log {self.command.log} ends with:\n{self.tail()}"


def _open_log(path: Path):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > KEEP_LOG_BYTES:
        path.replace(path.with_suffix(".log.1"))
    return path.open("ab")


def _signal(pid: int, signum: int) -> None:
    """Not asyncio's `send_signal`: that polls first, and may so take the exit code away from the event loop."""
    with suppress(ProcessLookupError):
        os.kill(pid, signum)


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
