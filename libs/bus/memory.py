"""The bus inside one process: the same ports without a server, for fast tests of whatever uses them.

A `MemoryBroker` stands for the server, a `MemoryBus` for one connection to it. Delivery happens in later turns of the
event loop and in order, as over a socket. `disconnect`, `reconnect` and `wipe` play what a broker does to its clients.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence

from libs.bus.errors import BusError, Disconnected, Lost, NoAnswer, QueryFailed, TooLarge, Unavailable
from libs.bus.ports import Committed, Fact, Gap, Handler, Position, Raw, ReadCommitted

MAX_PAYLOAD = 1024 * 1024
_NOBODY = b"NATS/1.0 503\r\n\r\n"
_FAILURE = b"NATS/1.0\r\nNats-Service-Error:failed\r\n\r\n"


class _Stream:
    def __init__(self, created: int) -> None:
        self.created = created
        self.first = 1
        self.commands: list[Raw] = []
        self.changed: list[asyncio.Event] = []

    @property
    def last(self) -> int:
        return self.first + len(self.commands) - 1


class MemoryBroker:
    """What all connections share.

    `now` gives microseconds; the default counts one up at each call, so times are strictly increasing.
    """

    def __init__(self, now: Callable[[], int] | None = None) -> None:
        self._ticks = 1_700_000_000_000_000
        self._now = now or self._tick
        self._subscriptions: list[tuple[list[str], Handler, MemoryBus]] = []
        self._exact: dict[str, list[tuple[Handler, MemoryBus]]] = {}
        self.streams: dict[str, _Stream] = {}
        self.events: dict[str, list[Fact]] = {}
        self.events_changed: dict[str, list[asyncio.Event]] = {}
        self.most_commands = 1_000_000

    def connect(self, name: str = "memory") -> MemoryBus:
        """A connection."""
        return MemoryBus(self, name)

    def wipe(self) -> None:
        """Lose every stream, as a server without its disk: commands are gone, the relays fill the events again."""
        for stream in self.streams.values():
            for event in stream.changed:
                event.set()
        self.streams.clear()
        self.events.clear()
        for changed in self.events_changed.values():
            for event in changed:
                event.set()

    def expire(self, log: str, upto: int) -> None:
        """Let the commands up to this sequence leave the stream, as old age does."""
        stream = self.stream(log)
        gone = max(0, upto - stream.first + 1)
        del stream.commands[:gone]
        stream.first += gone

    def stream(self, log: str) -> _Stream:
        """The command stream of a log, made if missing."""
        found = self.streams.get(log)
        if found is None:
            found = self.streams[log] = _Stream(self._now())
        return found

    def add(self, subject: str, handler: Handler, bus: MemoryBus) -> Callable[[], None]:
        """Register a handler; returns what removes it."""
        if "*" not in subject and ">" not in subject:
            entry = (handler, bus)
            self._exact.setdefault(subject, []).append(entry)
            return lambda: self._exact[subject].remove(entry)
        wild = (subject.split("."), handler, bus)
        self._subscriptions.append(wild)
        return lambda: self._subscriptions.remove(wild)

    def publish(self, subject: str, data: bytes, reply: str, header: bytes = b"") -> None:
        """Store and deliver one message."""
        heard = False
        if subject.startswith("cmd."):
            _, log, table = subject.split(".")
            stream = self.streams.get(log)
            if stream is not None:
                heard = True
                self._store(stream, log, table, data, reply)
        raw = subject.encode()
        for handler, bus in list(self._exact.get(subject, ())):
            if bus.is_connected:
                heard = True
                handler(raw, reply.encode(), data, header)
        tokens = subject.split(".")
        for pattern, handler, bus in list(self._subscriptions):
            if bus.is_connected and _matches(pattern, tokens):
                heard = True
                handler(raw, reply.encode(), data, header)
        if not heard and reply:
            self.publish(reply, b"", "", _NOBODY)

    def relayed(self, log: str, facts: Sequence[Fact]) -> None:
        """Append to a log's events and wake its readers."""
        self.events.setdefault(log, []).extend(facts)
        for event in self.events_changed.get(log, ()):
            event.set()

    def _store(self, stream: _Stream, log: str, table: str, data: bytes, reply: str) -> None:
        if len(stream.commands) >= self.most_commands:
            if reply:
                text = b'{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"}}'
                self.publish(reply, text, "")
            return
        stream.commands.append(Raw(stream.last + 1, self._now(), table, data))
        for event in stream.changed:
            event.set()
        if reply:
            self.publish(reply, b'{"stream":"CMD_%b","seq":%d}' % (log.encode(), stream.last), "")

    def _tick(self) -> int:
        self._ticks += 1
        return self._ticks


class _Heard:
    def __init__(self, remove: Callable[[], None]) -> None:
        self._remove: Callable[[], None] | None = remove

    def close(self) -> None:
        if self._remove is not None:
            self._remove()
            self._remove = None


class MemoryBus:
    """One connection to a `MemoryBroker`."""

    def __init__(self, broker: MemoryBroker | None = None, name: str = "memory") -> None:
        self.broker = broker or MemoryBroker()
        self.name = name
        self.on_reconnect: list[Callable[[], None]] = []
        self.on_disconnect: list[Callable[[], None]] = []
        self._connected = True
        self._out: deque[tuple[str, bytes, str, bytes]] = deque()
        self._count = 0

    @property
    def is_connected(self) -> bool:
        """False between `disconnect` and `reconnect`."""
        return self._connected

    def disconnect(self) -> None:
        """Lose the connection: nothing goes out or comes in."""
        self._connected = False
        self._out.clear()
        for hear in list(self.on_disconnect):
            hear()

    def reconnect(self) -> None:
        """Have it again."""
        self._connected = True
        for hear in list(self.on_reconnect):
            hear()

    async def close(self) -> None:
        """Leave."""
        self._flush()
        self._connected = False

    def publish(self, subject: str, data: bytes, reply: str = "") -> None:
        """Send in the next turn of the event loop; nothing while disconnected."""
        if len(data) > MAX_PAYLOAD:
            raise TooLarge(f"{len(data)} bytes to {subject}; the server takes {MAX_PAYLOAD}")
        self._send(subject, data, reply, b"")

    def publish_failure(self, reply: str) -> None:
        """Reply to a request that it failed."""
        self._send(reply, b"", "", _FAILURE)

    def subscribe(self, subject: str, handler: Handler) -> _Heard:
        """Call `handler` for each message."""
        return _Heard(self.broker.add(subject, handler, self))

    async def request(self, subject: str, data: bytes, timeout_s: float = 2.0) -> bytes:
        """Send and wait for one reply."""
        if not self._connected:
            raise Disconnected(f"no connection for a request to {subject}")
        self._count += 1
        reply = f"_INBOX.{id(self)}.{self._count}"
        future: asyncio.Future[tuple[bytes, bytes]] = asyncio.get_running_loop().create_future()

        def hear(_subject: bytes, _reply: bytes, body: bytes, header: bytes) -> None:
            if not future.done():
                future.set_result((header, body))

        heard = self.subscribe(reply, hear)
        try:
            self.publish(subject, data, reply)
            async with asyncio.timeout(timeout_s):
                header, body = await future
        except TimeoutError:
            raise NoAnswer(f"no reply from {subject} in {timeout_s} s") from None
        finally:
            heard.close()
        if header.startswith(_NOBODY[:12]):
            raise Unavailable(f"nobody listens on {subject}")
        if header:
            raise QueryFailed(f"{subject} failed")
        return body

    async def commands(
        self, log: str, position: Position, on_gap: Callable[[Gap], None] | None = None
    ) -> MemoryCommands:
        """The commands of a log; makes the stream."""
        reader = MemoryCommands(self.broker, log, position, on_gap)
        await reader.start()
        return reader

    def events(self, log: str, after_seq: int, kinds: tuple[str, ...] | None = None) -> MemoryEvents:
        """The events of a log."""
        return MemoryEvents(self.broker, log, after_seq, kinds)

    def relay(self, log: str, read: ReadCommitted) -> MemoryRelay:
        """The relay of a log."""
        return MemoryRelay(self.broker, log, read)

    def _send(self, subject: str, data: bytes, reply: str, header: bytes) -> None:
        if not self._connected:
            return
        if not self._out:
            asyncio.get_running_loop().call_soon(self._flush)
        self._out.append((subject, data, reply, header))

    def _flush(self) -> None:
        out = self._out
        while out and self._connected:
            self.broker.publish(*out.popleft())


class MemoryCommands:
    """`CommandReader` without a server."""

    def __init__(
        self, broker: MemoryBroker, log: str, position: Position, on_gap: Callable[[Gap], None] | None = None
    ) -> None:
        self._broker = broker
        self._log = log
        self._position = position
        self._changed = asyncio.Event()
        self._followed: _Stream | None = None
        self.on_gap = on_gap

    @property
    def stream_created(self) -> int:
        """Creation time of the stream that the last `take` came from."""
        return self._position.stream_created

    async def start(self) -> None:
        """Make the stream."""
        self._follow()

    async def close(self) -> None:
        """Stop."""
        if self._followed is not None:
            self._followed.changed.remove(self._changed)
            self._followed = None

    async def take(self, most: int = 256) -> list[Raw]:
        """Wait for a command, then give all that are there, at most `most`."""
        while True:
            stream = self._follow()
            start = self._start(stream)
            taken = stream.commands[start : start + most]
            if taken:
                break
            self._changed.clear()
            await self._changed.wait()
        last = taken[-1]
        self._position = Position(stream.created, last.seq, last.at_us)
        return taken

    async def fetch(self, seqs: Sequence[int]) -> list[Raw]:
        """Particular commands again."""
        stream = self._follow()
        if stream.created != self._position.stream_created:
            return []
        return [stream.commands[seq - stream.first] for seq in seqs if stream.first <= seq <= stream.last]

    async def history(self, since_us: int, before_seq: int, most: int) -> list[Raw]:
        """The last commands before a sequence."""
        stream = self._follow()
        if stream.created != self._position.stream_created:
            return []
        end = max(0, min(before_seq - stream.first, len(stream.commands)))
        return [raw for raw in stream.commands[max(0, end - most) : end] if raw.at_us >= since_us]

    def _follow(self) -> _Stream:
        stream = self._broker.stream(self._log)
        if stream is not self._followed:
            if self._followed is not None:
                self._followed.changed.remove(self._changed)
            self._followed = stream
            stream.changed.append(self._changed)
        return stream

    def _start(self, stream: _Stream) -> int:
        position = self._position
        if stream.created == position.stream_created:
            start = position.seq + 1 - stream.first
            if start < 0:
                if self.on_gap is not None:
                    self.on_gap(Gap(self._log, position.seq + 1, stream.first - 1))
                self._position = Position(stream.created, stream.first - 1, position.at)
            return max(0, start)
        return bisect_right(stream.commands, position.at, key=lambda raw: raw.at_us)


class MemoryEvents:
    """`EventReader` without a server."""

    def __init__(self, broker: MemoryBroker, log: str, after_seq: int, kinds: tuple[str, ...] | None) -> None:
        self._broker = broker
        self._log = log
        self._after = after_seq
        self._kinds = kinds
        self._changed = asyncio.Event()
        broker.events_changed.setdefault(log, []).append(self._changed)

    async def close(self) -> None:
        """Stop."""
        self._broker.events_changed[self._log].remove(self._changed)

    async def take(self, most: int = 256) -> list[Fact]:
        """Wait for an event, then give all that are there, at most `most`. Raises `Lost`."""
        while True:
            facts = self._broker.events.get(self._log, [])
            if facts:
                first = facts[0].seq
                if first > self._after + 1:
                    raise Lost(f"EVT_{self._log}", self._after, first)
                fresh = facts[self._after + 1 - first :]
                found = [fact for fact in fresh if self._kinds is None or fact.kind in self._kinds][:most]
                if found:
                    self._after = found[-1].seq
                    return found
            self._changed.clear()
            await self._changed.wait()


class MemoryRelay:
    """`Relay` without a server."""

    def __init__(self, broker: MemoryBroker, log: str, read: ReadCommitted) -> None:
        self._broker = broker
        self._log = log
        self._read = read
        self._wake = asyncio.Event()
        self._moved = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def position(self) -> int:
        """The last position relayed."""
        facts = self._broker.events.get(self._log)
        return facts[-1].seq if facts else 0

    async def start(self) -> None:
        """Begin."""
        self._broker.events_changed.setdefault(self._log, []).append(self._wake)
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """Stop."""
        if self._task is not None:
            self._broker.events_changed[self._log].remove(self._wake)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def notify(self, records: Sequence[Committed]) -> None:
        """Something was committed."""
        self._wake.set()

    async def reached(self, position: int) -> None:
        """Wait until this position is relayed."""
        while self.position < position:
            self._moved.clear()
            await self._moved.wait()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            after = self.position
            batch = await self._read(after, 1000)
            if not batch:
                await self._wake.wait()
                continue
            if batch[0][0] != after + 1:
                raise BusError(f"the log {self._log} gave position {batch[0][0]} after {after}")
            if self.position == after:  # else another relay was faster
                self._broker.relayed(self._log, [Fact(*record) for record in batch])
            self._moved.set()


def _matches(pattern: list[str], tokens: list[str]) -> bool:
    for n, wanted in enumerate(pattern):
        if wanted == ">":
            return len(tokens) > n
        if n >= len(tokens) or (wanted != "*" and wanted != tokens[n]):
            return False
    return len(pattern) == len(tokens)
