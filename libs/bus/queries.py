"""Questions to the owner of a log, `qry.<log>`: asked and answered, kept by nobody. Only the owner serves."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from libs.bus.errors import BusError, NoOwner, Unavailable
from libs.bus.ports import Wire

_log = logging.getLogger("stamtafel.bus")


class Served:
    """A subject that is being served; `close` hands it over."""

    def __init__(self, bus: Wire, log: str, handler: Callable[[bytes], Awaitable[bytes]]) -> None:
        self._bus = bus
        self._log = log
        self._handler = handler
        self._running: set[asyncio.Task[None]] = set()
        self._heard = bus.subscribe(f"qry.{log}", self._on_message)

    def close(self) -> None:
        """Stop serving; questions that came before are still answered."""
        self._heard.close()

    def _on_message(self, subject: bytes, reply: bytes, data: bytes, header: bytes) -> None:
        if not reply:
            return
        task = asyncio.get_running_loop().create_task(self._reply(reply.decode(), data))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _reply(self, reply_to: str, data: bytes) -> None:
        try:
            found = await self._handler(data)
        except Exception:
            _log.exception("a query to %s failed", self._log)
            self._bus.publish_failure(reply_to)
            return
        try:
            self._bus.publish(reply_to, found)
        except BusError:  # too large
            _log.exception("the answer to a query to %s cannot be sent", self._log)
            self._bus.publish_failure(reply_to)


def serve(bus: Wire, log: str, handler: Callable[[bytes], Awaitable[bytes]]) -> Served:
    """Answer the questions to `qry.<log>` with `handler`, each in a task of its own."""
    return Served(bus, log, handler)


async def ask(bus: Wire, log: str, data: bytes, timeout_s: float = 2.0) -> bytes:
    """Ask the owner of the log. Raises `NoOwner` when nobody serves it, `NoAnswer`, `Disconnected`, `QueryFailed`."""
    try:
        return await bus.request(f"qry.{log}", data, timeout_s)
    except Unavailable:
        raise NoOwner(f"no process serves the log {log}") from None
