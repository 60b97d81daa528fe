"""A connection to NATS: publish, subscribe, request, and what tells of breaks and returns."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import Callable
from urllib.parse import urlparse

from nats import errors as nats_errors

from libs.bus.client import BusClient
from libs.bus.commands import CommandReader
from libs.bus.errors import BusError, Disconnected, NoAnswer, QueryFailed, TooLarge, Unavailable
from libs.bus.events import EventReader
from libs.bus.ports import Gap, Handler, Position, ReadCommitted
from libs.bus.relay import Relay

CLOSE_S = 2.0

_log = logging.getLogger("stamtafel.bus")
_unfit = re.compile(r"[\s\x00-\x1f\x7f]").search


class Subscription:
    """A handler that hears a subject until it is closed."""

    def __init__(self, bus: Bus, sid: int) -> None:
        self._bus = bus
        self._sid = sid

    def close(self) -> None:
        """Stop hearing; nothing is delivered afterwards."""
        self._bus.unsubscribe(self._sid)


class Bus:
    """One connection that comes back by itself.

    Writes of one turn of the event loop leave as one socket write, in order. What is written while disconnected is
    dropped: senders repeat what was not answered, readers go on from their own position, so nothing late ever surprises
    anybody.
    """

    def __init__(self, client: BusClient, name: str, inbox: str) -> None:
        self._client = client
        self._loop = asyncio.get_running_loop()
        self._out: list[bytes] = []
        self._waiting: dict[bytes, asyncio.Future[tuple[bytes, bytes]]] = {}
        self._inbox = f"{inbox}.{secrets.token_hex(12)}"
        self._count = 0
        self._connected = asyncio.Event()
        self.name = name
        self.on_reconnect: list[Callable[[], None]] = []
        self.on_disconnect: list[Callable[[], None]] = []
        self.on_error: list[Callable[[Exception], None]] = []
        self.reconnects = 0
        self.dropped_writes = 0
        self._last_refusal = ""

    @classmethod
    async def connect(cls, url: str, name: str, *, user: str | None = None, password: str | None = None) -> Bus:
        """Connect to `url` (`nats://[user:password@]host:port`, several by commas); waits for a server.

        `name` is shown by the server. Replies come on `_INBOX_<user>.>`, or `_INBOX.>` without a user: permissions keep
        users out of each other's inboxes.
        """
        client = BusClient()
        servers = [part.strip() for part in url.split(",")]
        user = user or urlparse(servers[0]).username
        bus = cls(client, name, f"_INBOX_{user}" if user else "_INBOX")

        async def error(e: Exception) -> None:
            bus._on_error(e)

        async def disconnected() -> None:
            bus._lost()

        async def reconnected() -> None:
            bus._back()

        await client.connect(
            servers,
            name=name,
            user=user,
            password=password,
            error_cb=error,
            disconnected_cb=disconnected,
            reconnected_cb=reconnected,
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.1,  # pyright: ignore[reportArgumentType]
            connect_timeout=2,
            ping_interval=3,
            max_outstanding_pings=2,
            skip_subject_validation=True,
        )
        bus._connected.set()
        bus.subscribe(f"{bus._inbox}.*", bus._on_reply)
        return bus

    @property
    def is_connected(self) -> bool:
        """Whether a write now would go to a server, as far as the connection knows."""
        return self._client.is_connected

    async def wait_connected(self) -> None:
        """Wait until the connection stands."""
        await self._connected.wait()

    async def close(self) -> None:
        """Send what is queued and leave. Requests that wait for a reply fail with `Disconnected`."""
        self._flush()
        self._fail_waiting()
        try:
            async with asyncio.timeout(CLOSE_S):
                await self._client.close()
        except TimeoutError:  # a server that does not read
            self._client.abort()

    def publish(self, subject: str, data: bytes, reply: str = "") -> None:
        """Send `data` and forget it;

        Nothing happens while disconnected. Raises `TooLarge`, `BusError` for a bad subject.
        """
        if _unfit(subject) or _unfit(reply) or not subject:
            raise BusError(f"{subject!r} with reply {reply!r} is no subject")
        if len(data) > self._client.max_payload:
            raise TooLarge(f"{len(data)} bytes to {subject}; the server takes {self._client.max_payload}")
        self.write(f"PUB {subject} {reply} {len(data)}\r\n".encode() + data + b"\r\n")

    def publish_failure(self, reply: str) -> None:
        """Reply to a request that it failed: the asker gets `QueryFailed`."""
        header = b"NATS/1.0\r\nNats-Service-Error:failed\r\n\r\n"
        self.write(f"HPUB {reply} {len(header)} {len(header)}\r\n".encode() + header + b"\r\n")

    def write(self, chunk: bytes) -> None:
        """Send lines of the NATS protocol as they are, with all else that is written in this turn of the event loop."""
        out = self._out
        if not out:
            self._loop.call_soon(self._flush)
        out.append(chunk)

    def subscribe(self, subject: str, handler: Handler) -> Subscription:
        """Call the plain function `handler(subject, reply, data, headers)` for each message, in order of arrival."""
        sid, line = self._client.add(subject, handler)
        self.write(line)
        return Subscription(self, sid)

    def unsubscribe(self, sid: int) -> None:
        """End a subscription by its number (`Subscription.close` is the usual way)."""
        self.write(self._client.remove(sid))

    def fresh_inbox(self) -> str:
        """A subject that only this connection may hear; `<it>.*` too."""
        self._count += 1
        return f"{self._inbox}-{self._count}"

    def expect(self) -> tuple[str, asyncio.Future[tuple[bytes, bytes]]]:
        """A reply subject for one reply and the future of its (headers, data). Give it back with `forget`."""
        self._count += 1
        token = b"%d" % self._count
        future: asyncio.Future[tuple[bytes, bytes]] = self._loop.create_future()
        self._waiting[token] = future
        return f"{self._inbox}.{self._count}", future

    def forget(self, reply: str) -> None:
        """No longer wait for the reply on this subject."""
        self._waiting.pop(reply.rpartition(".")[2].encode(), None)

    async def request(self, subject: str, data: bytes, timeout_s: float = 2.0) -> bytes:
        """Send and wait for one reply.

        Raises `Disconnected` when there is no connection or it breaks, `Unavailable` when nobody listens, `NoAnswer`
        after `timeout_s` seconds, `QueryFailed` when the other side says it failed.
        """
        if not self.is_connected:
            raise Disconnected(f"no connection for a request to {subject}")
        reply, future = self.expect()
        try:
            self.publish(subject, data, reply)
            async with asyncio.timeout(timeout_s):
                header, body = await future
        except TimeoutError:
            raise NoAnswer(f"no reply from {subject} in {timeout_s} s") from None
        finally:
            self.forget(reply)
        if header:
            if header.startswith(b"NATS/1.0 503"):
                raise Unavailable(f"nobody listens on {subject}")
            if b"Nats-Service-Error:" in header:
                raise QueryFailed(f"{subject} failed")
        return body

    async def flushed(self) -> None:
        """Send what is queued and wait until the socket has room again (for bulk writers)."""
        self._flush()
        await self._client.drained()

    async def commands(
        self, log: str, position: Position, on_gap: Callable[[Gap], None] | None = None
    ) -> CommandReader:
        """A started `CommandReader`: the log's commands from `position` on. For the log's owner only."""
        reader = CommandReader(self, log, position, on_gap)
        await reader.start()
        return reader

    def events(self, log: str, after_seq: int, kinds: tuple[str, ...] | None = None) -> EventReader:
        """An `EventReader`: the log's events behind `after_seq`."""
        return EventReader(self, log, after_seq, kinds)

    def relay(self, log: str, read: ReadCommitted) -> Relay:
        """A `Relay`: copies the log's committed events to `EVT_<log>`. For the log's owner only."""
        return Relay(self, log, read)

    def _flush(self) -> None:
        out = self._out
        if out:
            data = b"".join(out)
            out.clear()
            if not self._client.write_now(data):
                self.dropped_writes += 1

    def _on_reply(self, subject: bytes, reply: bytes, data: bytes, header: bytes) -> None:
        future = self._waiting.pop(subject[subject.rindex(b".") + 1 :], None)
        if future is not None and not future.done():
            future.set_result((header, data))

    def _fail_waiting(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(Disconnected("the connection broke before the reply"))

    def _lost(self) -> None:
        self._connected.clear()
        self._fail_waiting()
        self._tell(self.on_disconnect)

    def _back(self) -> None:
        self.reconnects += 1
        self._connected.set()
        self._tell(self.on_reconnect)

    def _tell(self, hearers: list[Callable[[], None]]) -> None:
        for hear in list(hearers):
            try:
                hear()
            except Exception as error:  # nats-py would give up reconnecting
                self._on_error(error)

    def _on_error(self, error: Exception) -> None:
        text = str(error)
        if not isinstance(error, nats_errors.Error | OSError | TimeoutError | BusError):
            _log.error("a bug in a handler, as %s", self.name, exc_info=error)
        elif "uthorization" in text or "permissions" in text:
            level = logging.DEBUG if text == self._last_refusal else logging.WARNING  # once, not ten times a second
            self._last_refusal = text
            _log.log(level, "NATS refused %s: %s", self.name, text)
        else:
            _log.debug("nats, as %s: %s", self.name, text)
        for hear in self.on_error:
            hear(error)
