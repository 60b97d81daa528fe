import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from deploy.local.lock import DataLock, Notes, Running, Started, read_notes, sweep
from deploy.local.ports import HOST, Ports


def test_the_lock_is_taken_once_and_names_its_owner(tmp_path: Path) -> None:
    first, second = DataLock(tmp_path / "new" / "data"), DataLock(tmp_path / "new" / "data")
    first.acquire()
    first.notes.gateway = "127.0.0.1:7420"
    first.save()
    with pytest.raises(
        Running, match=rf"process {os.getpid()} runs Stamtafel in .* since .*, gateway at 127.0.0.1:7420"
    ):
        second.acquire()
    first.release()
    second.acquire()
    second.release()
    assert read_notes(tmp_path / "new" / "data") == Notes()


def test_what_a_dead_owner_left_is_ended(tmp_path: Path) -> None:
    left = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    stranger = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    left.send_signal(signal.SIGSTOP)
    sockets = tmp_path / "sockets"
    sockets.mkdir()
    created = psutil.Process(left.pid).create_time()
    children = [
        Started("left", left.pid, created, signal.SIGKILL),
        Started("reused number", stranger.pid, created - 1000, signal.SIGKILL),
        Started("gone", 2**22 - 1, 0.0, signal.SIGKILL),
    ]
    sweep(Notes(socket_dir=str(sockets), children=children))
    alive = stranger.poll() is None
    stranger.kill()
    stranger.wait(20)
    left.wait(20)
    assert alive
    assert not psutil.pid_exists(left.pid)
    assert not sockets.exists()


def test_ports_are_remembered_ones_where_free() -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        wanted = taken.getsockname()[1]
        assert Ports().take(wanted) not in (0, wanted)
    assert Ports().take(wanted) == wanted
    ports = Ports()
    assert ports.take(wanted) != ports.take(wanted)
    assert Ports(fixed=False).take(wanted) != wanted
