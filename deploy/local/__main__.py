"""`python -m deploy.local up | status | down`: run the whole of Stamtafel on this machine.

Exit codes of `up`: 0 stopped in order, 1 something did not come up, 3 it runs already.
"""

import argparse
import asyncio
import os
import signal
import sys
from pathlib import Path

import psutil

from deploy.catalog import find
from deploy.local.children import ChildFailed
from deploy.local.lock import Running, read_notes
from deploy.local.stack import LocalStack, StackOptions

DATA = Path(".stamtafel")
EXIT_FAILED, EXIT_RUNNING = 1, 3
DOWN_SECONDS = 60.0


def main(arguments: list[str] | None = None) -> int:
    """Parse and carry out; return the exit code."""
    parser = argparse.ArgumentParser(prog="stamtafel", description="Stamtafel on this machine.")
    words = {"up": "start and stay", "status": "tell what runs", "down": "stop what runs"}
    parser.add_argument(
        "action", choices=tuple(words), help="; ".join(f"{word}: {what}" for word, what in words.items())
    )
    parser.add_argument("--data", type=Path, default=DATA, help="where everything is kept (default: %(default)s)")
    parser.add_argument("--services", default="", help="only these, by name, with commas between (default: all)")
    parser.add_argument(
        "--log-level", default="info", choices=("debug", "info", "warning", "error"), help="of services"
    )
    given = parser.parse_args(arguments)
    if given.action == "status":
        return status(given.data)
    if given.action == "down":
        return down(given.data)
    try:
        names = [find(name).name for name in given.services.split(",") if name] or None
    except LookupError as bad:
        parser.error(str(bad))
    # the only place of deploy.local that reads the environment for settings
    options = StackOptions(
        database_url=os.environ.get("DATABASE_URL", ""),
        nats_url=os.environ.get("NATS_URL", ""),
        fixed_ports=True,
        log_level=given.log_level,
    )
    return asyncio.run(up(given.data, options, names))


async def up(data: Path, options: StackOptions, names: list[str] | None) -> int:
    """Start, say how to connect, stay until a signal, stop."""
    loop, end = asyncio.get_running_loop(), asyncio.Event()
    for signum in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signum, end.set)
    try:
        await _serve(data, options, names, end)
    except Running as who:
        print(f"stamtafel: {who}; `down` stops it, --data names another directory", file=sys.stderr)
        return EXIT_RUNNING
    except (ChildFailed, OSError) as bad:
        print(f"stamtafel: {bad}", file=sys.stderr)
        return EXIT_FAILED
    return 0


async def _serve(data: Path, options: StackOptions, names: list[str] | None, end: asyncio.Event) -> None:
    def say(line: str) -> None:
        print(line, flush=True)

    say(f"starting in {data}")
    async with LocalStack(data, options, say) as stack:
        start = asyncio.create_task(stack.start(names))
        stop = asyncio.create_task(end.wait())
        await asyncio.wait((start, stop), return_when=asyncio.FIRST_COMPLETED)
        if start.done():
            start.result()
            say(greeting(stack))
        start.cancel()
        await asyncio.gather(start, return_exceptions=True)
        await stop
        say("stopping")
    say("stopped")


def greeting(stack: LocalStack) -> str:
    """How to reach what runs."""
    rows = [f"Stamtafel is up: {', '.join(stack.names())}"]
    if "gateway" in stack.names():
        rows.append(f"  gateway   {stack.server}  (gRPC, no TLS)")
    if not stack.options.database_url:
        rows.append(f'  postgres  psql "{stack.database_url}"')
    if not stack.options.nats_url:
        rows.append(f"  nats      {stack.nats_url}")
    rows += [f"  metrics   http://127.0.0.1:{port}/metrics  ({name})" for name, port in stack.http_ports.items()]
    rows.append(f"  logs      {stack.data / 'logs'}; addresses in {stack.data / 'ports.json'}; Ctrl-C stops")
    return "\n".join(rows)


def status(data: Path) -> int:
    """Print what runs in a data directory."""
    notes = read_notes(data)
    if not psutil.pid_exists(notes.pid) or notes.pid == 0:
        print(f"nothing runs in {data}")
        return EXIT_FAILED
    print(f"process {notes.pid} runs Stamtafel in {data}, gateway at {notes.gateway}")
    for child in notes.children:
        print(f"  {child.name:<14} pid {child.pid}{'' if psutil.pid_exists(child.pid) else ' (down)'}")
    return 0


def down(data: Path) -> int:
    """Stop what runs in a data directory and wait for its end."""
    notes = read_notes(data)
    try:
        if notes.pid == 0:
            raise psutil.NoSuchProcess(0)
        process = psutil.Process(notes.pid)
        if process.create_time() > notes.since + 1:
            raise psutil.NoSuchProcess(notes.pid)  # the number was given to another program since
        process.terminate()
        process.wait(DOWN_SECONDS)
    except psutil.NoSuchProcess:
        print(f"nothing runs in {data}")
        return 0
    except psutil.TimeoutExpired:
        print(f"process {notes.pid} does not stop", file=sys.stderr)
        return EXIT_FAILED
    print("stopped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
