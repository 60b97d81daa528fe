"""The relay: a log's committed events into `EVT_<log>`, so that a stream's sequence is the log's position.

Each event expects the one before it in the stream: of two relays one is refused (10071) and looks again, and neither
can leave a gap or a double. The lines of the protocol are written here, a thousand at a time: through nats-py's publish
it would be a fifth as fast.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from libs.bus.errors import WRONG_LAST_SEQUENCE, ApiError, BusError, Disconnected, NoAnswer, Unavailable
from libs.bus.ports import Committed, ReadCommitted
from libs.bus.streams import ensure_events, events_stream, stream_info

if TYPE_CHECKING:
    from libs.bus.connection import Bus

_log = logging.getLogger("stamtafel.bus")
_decode = msgspec.json.Decoder().decode

MOST_IN_BATCH = 1000  # so many events wait for one ack
MOST_BYTES_IN_BATCH = 4 * 1024 * 1024
MOST_HINTS = 20_000
MOST_PAUSE_S = 2.0


class _UnderWay(NamedTuple):
    """A batch that was written: where its ack comes, and the sequences before and after it."""

    reply: str
    future: asyncio.Future[tuple[bytes, bytes]]
    last: int
    until: int


class Relay:
    """Keeps `EVT_<log>` equal to the committed log.

    `read(after, limit)` gives committed events from the log; `notify` hands over what was just committed, so that it
    need not be read back. A missing stream is made with sequence `first_seq` next; one that lost its tail is filled
    again with the same numbers.
    """

    def __init__(self, bus: Bus, log: str, read: ReadCommitted, first_seq: int = 1, retry_s: float = 0.25) -> None:
        self._bus = bus
        self._log = log
        self._stream = events_stream(log)
        self._read = read
        self._first_seq = first_seq
        self._retry_s = retry_s
        self._hints: deque[Committed] = deque()
        self._wake = asyncio.Event()
        self._doubted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._last = -1  # the stream's last sequence; -1: ask
        self._told = -1  # the log's last position as far as is known here; -1: read
        self._moved = asyncio.Event()
        self._idle = False
        self._under_way: _UnderWay | None = None

    @property
    def position(self) -> int:
        """The last position that the stream is known to hold; -1 while that is unknown."""
        return self._last

    async def start(self) -> None:
        """Begin; returns at once."""
        if self._task is None:
            self._bus.on_reconnect.append(self._doubt)
            self._task = asyncio.get_running_loop().create_task(self._run(), name=f"relay {self._log}")

    async def close(self) -> None:
        """Stop. What is not sent yet is sent by the next relay."""
        if self._task is not None:
            self._bus.on_reconnect.remove(self._doubt)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def notify(self, records: Sequence[Committed]) -> None:
        """These events were just committed, in order of position.

        While the relay is far behind they are dropped and read back later. While it has nothing to do they are written
        at once, so that they leave in one piece with the answers and updates of the same commit.
        """
        if not records:
            return
        self._told = records[-1][0]
        if self._idle and records[0][0] == self._last + 1 and len(records) <= MOST_IN_BATCH and self._bus.is_connected:
            self._idle = False
            self._under_way = self._begin(records, self._last)
            self._wake.set()
            return
        hints = self._hints
        if len(hints) < MOST_HINTS and (not hints or hints[-1][0] + 1 == records[0][0]):
            hints.extend(records)
        self._wake.set()

    async def reached(self, position: int) -> None:
        """Wait until the stream holds this position (drain, tests)."""
        while self._last < position:
            self._moved.clear()
            await self._moved.wait()

    def _doubt(self) -> None:
        """After a reconnect the stream may have lost its tail."""
        self._last = -1
        self._doubted.set()
        self._wake.set()

    async def _run(self) -> None:
        failures = 0
        while True:
            await self._bus.wait_connected()
            try:
                await self._step()
                failures = 0
            except Exception as error:  # the broker's trouble or the log's; the relay must not die of either
                self._last = -1
                failures += 1
                quiet = failures > 1 or isinstance(error, Disconnected | NoAnswer | Unavailable)
                _log.log(
                    logging.DEBUG if quiet else logging.ERROR,
                    "%s: the relay tries again after: %r",
                    self._stream,
                    error,
                )
                await self._pause(min(MOST_PAUSE_S, self._retry_s * 2 ** min(failures - 1, 8)))

    async def _step(self) -> None:
        if self._last < 0:
            await self._look()
        last = self._last
        self._wake.clear()
        sent, self._under_way = self._under_way, None
        if sent is None:
            batch = self._hinted(last)
            if not batch and (self._told < 0 or last < self._told):
                batch = list(await self._read(last, MOST_IN_BATCH))
            if not batch:
                self._told = max(self._told, last)
                self._idle = True
                try:
                    await self._wake.wait()
                finally:
                    self._idle = False
                return
            if batch[0][0] != last + 1:
                raise BusError(f"the log {self._log} gave position {batch[0][0]} after {last}")
            sent = self._begin(_at_most(batch, MOST_BYTES_IN_BATCH), last)
            await self._bus.flushed()
        try:
            reached = await self._acked(sent)
        except ApiError as error:
            if error.err_code != WRONG_LAST_SEQUENCE:
                raise
            await self._look()  # another relay was here, or the tail is gone
            return
        if self._last == last:  # else a reconnect came between, and the stream must be asked
            self._last = reached
            self._moved.set()

    async def _look(self) -> None:
        info = await stream_info(self._bus, self._stream)
        if info is None:
            info = await ensure_events(self._bus, self._log, self._first_seq)
        last = max(info.last_seq, self._first_seq - 1 if not info.messages else 0)
        if last and not await self._read(last - 1, 1):
            # nothing uncommitted is ever relayed, so the log was set back: readers have seen events that are no more
            raise BusError(f"{self._stream} stands at {last}, which is ahead of the log {self._log}")
        self._last = last
        self._moved.set()

    def _hinted(self, last: int) -> list[Committed]:
        hints = self._hints
        while hints and hints[0][0] <= last:
            hints.popleft()
        if not hints or hints[0][0] != last + 1:
            return []
        return list(islice(hints, MOST_IN_BATCH))

    def _begin(self, batch: Sequence[Committed], last: int) -> _UnderWay:
        """Write one batch; its ack comes later."""
        reply, future = self._bus.expect()
        self._bus.write(_lines(self._log, batch, last, reply))
        return _UnderWay(reply, future, last, last + len(batch))

    async def _acked(self, sent: _UnderWay) -> int:
        """Wait for the ack of a batch; returns the stream's last sequence afterwards."""
        last, until = sent.last, sent.until
        try:
            async with asyncio.timeout(5.0):
                header, data = await sent.future
        except TimeoutError:
            raise NoAnswer(f"no ack from {self._stream} for {until - last} events behind {last}") from None
        finally:
            self._bus.forget(sent.reply)
        if header.startswith(b"NATS/1.0 503"):
            raise Unavailable(f"{self._stream} does not take events")
        ack = _decode(data)
        error = ack.get("error")
        if error is not None:
            raise ApiError(error.get("code", 0), error.get("err_code", 0), error.get("description", ""))
        reached: int = ack["seq"]
        if reached != until:
            raise BusError(f"{self._stream} stands at {reached}, expected {until}")
        return reached

    async def _pause(self, seconds: float) -> None:
        """Wait, less if the connection comes back."""
        self._doubted.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._doubted.wait()
        except TimeoutError:
            pass


def _at_most(batch: list[Committed], most_bytes: int) -> list[Committed]:
    """The beginning of `batch` that stays below `most_bytes` of data, at least one event."""
    size = 0
    for n, record in enumerate(batch):
        size += len(record[3])
        if size > most_bytes and n:
            return batch[:n]
    return batch


def _lines(log: str, batch: Sequence[Committed], last: int, reply: str) -> bytes:
    """The protocol lines of one batch: each event expects the one before, and only the last one is acknowledged.

    So an ack of the last says that all are there. (An atomic batch says the same, but costs the server several times
    as much while batches are small: 1.3 ms of its CPU a move at one table, measured.)
    """
    parts: list[bytes] = []
    add = parts.append
    final = last + len(batch)
    expected = last
    for _, stream, kind, data in batch:
        header = f"NATS/1.0\r\nNats-Expected-Last-Sequence:{expected}\r\n\r\n"
        expected += 1
        to = f"{reply} " if expected == final else ""
        head = len(header)
        add(f"HPUB evt.{log}.{stream}.{kind} {to}{head} {head + len(data)}\r\n{header}".encode())
        add(data)
        add(b"\r\n")
    return b"".join(parts)
