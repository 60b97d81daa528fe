"""One Stamtafel at a time in a data directory, and an end to what an earlier one left behind.

The lock is held by the open file, so it ends with the process, however that dies. Beside it stand the children that
were started: where the kernel could not end them with their starter, the next start does.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import time
from pathlib import Path

import msgspec
import psutil

WAIT_SECONDS = 10.0


class Running(Exception):
    """Somebody else runs Stamtafel in this data directory."""


class Started(msgspec.Struct):
    """One child, recognised again by pid and start time; `signum` is what ends it kindly."""

    name: str
    pid: int
    created: float
    signum: int


class Notes(msgspec.Struct):
    """What is known about the present owner of a data directory."""

    pid: int = 0
    since: float = 0.0
    gateway: str = ""
    socket_dir: str = ""
    children: list[Started] = []


class DataLock:
    """The lock on a data directory and the notes in it."""

    def __init__(self, data: Path) -> None:
        """`data` is made when missing; nothing is locked yet."""
        self._path = data / "lock"
        self._notes_path = data / "running.json"
        self._file: int | None = None
        self.notes = Notes()

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._file is not None

    def acquire(self) -> None:
        """Take the lock and end what is left of an earlier owner; raise `Running` with who holds it."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            raise Running(self._who()) from None
        self._file = handle
        sweep(read_notes(self._notes_path.parent))
        self.notes = Notes(pid=os.getpid(), since=time.time())
        self.save()

    def note(self, name: str, pid: int, signum: int) -> None:
        """Remember a child that was just started in the place of an earlier one of that name."""
        with contextlib.suppress(psutil.NoSuchProcess):
            row = Started(name, pid, psutil.Process(pid).create_time(), signum)
            self.notes.children = [child for child in self.notes.children if child.name != name] + [row]
            self.save()

    def save(self) -> None:
        """Write the notes; a reader sees the old or the new ones, never half."""
        draft = self._notes_path.with_suffix(".new")
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(self.notes)))
        draft.replace(self._notes_path)

    def release(self) -> None:
        """Give the lock back and forget the notes."""
        if self._file is not None:
            self._notes_path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = None

    def _who(self) -> str:
        notes = read_notes(self._notes_path.parent)
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(notes.since)) if notes.since else "just now"
        where = f", gateway at {notes.gateway}" if notes.gateway else ""
        return f"process {notes.pid} runs Stamtafel in {self._path.parent} since {since}{where}"


def read_notes(data: Path) -> Notes:
    """The notes of a data directory; empty ones where there are none."""
    try:
        return msgspec.json.decode((data / "running.json").read_bytes(), type=Notes)
    except (FileNotFoundError, msgspec.DecodeError):
        return Notes()


def sweep(notes: Notes) -> None:
    """End the children of a dead owner, kindly at first, and remove its socket directory."""
    left: list[psutil.Process] = []
    for child in notes.children:
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(child.pid)
            if abs(process.create_time() - child.created) < 0.01:
                process.send_signal(child.signum)
                process.send_signal(signal.SIGCONT)  # one that was stopped hears nothing else
                left.append(process)
    _, alive = psutil.wait_procs(left, WAIT_SECONDS)
    for process in alive:
        process.kill()
    psutil.wait_procs(alive, WAIT_SECONDS)
    if notes.socket_dir:
        shutil.rmtree(notes.socket_dir, ignore_errors=True)
