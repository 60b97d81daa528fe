import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from deploy.local.children import Child, ChildFailed, Command

SLEEPER = "import signal, sys; print('up', flush=True); signal.pause()"
STUBBORN = """
import signal
signal.signal(signal.SIGTERM, lambda *_: print("no", flush=True))
print("up", flush=True)
while True:
    signal.pause()
"""


class Nursery:
    """Makes children of a Python program and remembers what was said about them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.said, self.pids = folder, list[str](), list[int]()
        self._started = asyncio.Event()

    async def new_pid(self, known: int) -> None:
        """Wait until more than `known` processes have been started."""
        while len(self.pids) <= known:
            self._started.clear()
            await self._started.wait()

    def started(self, _command: Command, pid: int) -> None:
        self.pids.append(pid)
        self._started.set()

    def child(self, program: str, stop_seconds: float = 20.0) -> Child:
        log = self.folder / "child.log"
        command = Command("c", (sys.executable, "-c", program), dict(os.environ), log, stop_seconds=stop_seconds)

        async def is_up() -> bool:
            return log.exists() and log.read_text().count("up") == len(self.pids)

        return Child(command, is_up, self.said.append, self.started)


@pytest.fixture
def nursery(tmp_path: Path) -> Nursery:
    return Nursery(tmp_path)


async def test_a_child_is_ready_and_stops(nursery: Nursery) -> None:
    child = nursery.child(SLEEPER)
    child.start()
    await child.wait_ready(20)
    assert [child.pid] == nursery.pids
    await child.stop()
    assert (child.pid, child.starts, nursery.said) == (None, 1, [])


async def test_a_killed_child_starts_again(nursery: Nursery) -> None:
    child = nursery.child(SLEEPER)
    child.start()
    for number in (1, 2, 3, 4, 5, 6):
        await child.wait_ready(20)
        assert child.starts == number
        await child.kill(signal.SIGKILL, restart=True)
    await child.wait_ready(20)
    assert nursery.said[0] == "c ended with signal SIGKILL, starts again in 0.1 s"
    await child.stop()


async def test_one_that_was_ready_is_never_given_up(nursery: Nursery, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deploy.local.children.LONGEST_WAIT", 0.01)
    child = nursery.child(SLEEPER)
    child.start()
    for _ in range(6):
        await child.wait_ready(30)
        pid = child.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await nursery.new_pid(len(nursery.pids))
    await child.wait_ready(30)
    assert len(nursery.said) == 6
    await child.stop()


async def test_a_child_held_down_stays_down_until_it_is_revived(nursery: Nursery) -> None:
    child = nursery.child(SLEEPER)
    child.start()
    await child.wait_ready(20)
    await child.kill(signal.SIGKILL, restart=False)
    with pytest.raises(ProcessLookupError, match="c does not run"):
        await child.kill(signal.SIGKILL, restart=False)
    child.revive()
    await child.wait_ready(20)
    assert (child.starts, nursery.said) == (2, [])
    await child.stop()


async def test_bad_settings_are_not_tried_again(nursery: Nursery) -> None:
    child = nursery.child("import sys; print('settings: X is bad'); sys.exit(78)")
    child.start()
    with pytest.raises(ChildFailed, match=r"exit code 78(.|\n)*settings: X is bad"):
        await child.wait_ready(20)
    assert child.starts == 1
    await child.stop()


async def test_a_command_that_cannot_be_found_is_given_up(nursery: Nursery) -> None:
    child = nursery.child(SLEEPER)
    child.command = Command("c", ("/nowhere/at/all",), dict(os.environ), nursery.folder / "child.log")
    child.start()
    with pytest.raises(ChildFailed, match="never became ready"):
        await child.wait_ready(20)
    await child.stop()


async def test_one_that_does_not_stop_is_killed(nursery: Nursery) -> None:
    child = nursery.child(STUBBORN, stop_seconds=0.05)
    child.start()
    await child.wait_ready(20)
    await child.stop()
    assert child.pid is None
    assert nursery.said == ["c does not stop, killed"]


async def test_a_frozen_child_can_be_stopped(nursery: Nursery) -> None:
    child = nursery.child(SLEEPER)
    child.start()
    await child.wait_ready(20)
    await child.kill(signal.SIGSTOP, restart=True)
    await asyncio.wait_for(child.stop(), 20)
    assert child.pid is None
