"""Reading the events of a log from its stream: the stream's sequence is the position in the log."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

from libs.bus.errors import BusError, Lost
from libs.bus.feed import Feed, Tuning
from libs.bus.ports import Fact
from libs.bus.streams import events_stream, stream_info

if TYPE_CHECKING:
    from libs.bus.connection import Bus


class EventReader:
    """The events of one log behind a position, each once, in order.

    A full reader asserts that positions follow each other. One that asks for `kinds` cannot; it relies on the
    consumer's own sequence, and goes on behind the last event it has when that jumps. When the stream lost its tail or
    was made anew, the reader waits until the relay has filled it up to its position: the numbers mean the same events
    again.
    """

    def __init__(
        self,
        bus: Bus,
        log: str,
        after_seq: int,
        kinds: tuple[str, ...] | None = None,
        tuning: Tuning | None = None,
    ) -> None:
        self._bus = bus
        self._stream = events_stream(log)
        self._prefix = len(f"evt.{log}.")
        self._queue: deque[Fact] = deque()
        self._ready = asyncio.Event()
        self._failure: BaseException | None = None
        self._after = after_seq
        self._full = kinds is None
        self._kinds: dict[bytes, str] = {}
        filters = () if kinds is None else tuple(f"evt.{log}.*.{kind}" for kind in kinds)
        self._feed = Feed(bus, self._stream, filters, self, tuning or Tuning())

    @property
    def position(self) -> int:
        """The position of the last event received, taken or not."""
        return self._after

    @property
    def pending(self) -> int:
        """Events that wait to be taken, here and in the stream as far as the server has said."""
        return self._feed.pending + len(self._queue)

    @property
    def lives(self) -> int:
        """How many consumers this reader has used: 1 when nothing ever broke."""
        return self._feed.lives

    async def start(self) -> None:
        """Begin reading ahead;

        `take` does it too. Returns at once: the stream may not have reached the position yet.
        """
        self._feed.start()

    async def close(self) -> None:
        """Stop; what is queued can still be taken."""
        await self._feed.close()

    async def take(self, most: int = 256) -> list[Fact]:
        """Wait for an event, then give all that are queued, at most `most`. Cancelling it loses nothing.

        Raises `Lost` once the stream no longer holds the next position: read the log itself up to `first_available`,
        then make a new reader.
        """
        self._feed.start()
        queue = self._queue
        while not queue:
            if self._failure is not None:
                raise self._failure
            self._ready.clear()
            await self._ready.wait()
        if len(queue) <= most:
            taken = list(queue)
            queue.clear()
        else:
            taken = [queue.popleft() for _ in range(most)]
        self._feed.taken()
        return taken

    async def plan(self) -> dict[str, Any] | None:
        """Where the next consumer starts (called by the feed)."""
        info = await stream_info(self._bus, self._stream)
        if info is None:
            return None
        if info.first_seq > self._after + 1:
            raise Lost(self._stream, self._after, info.first_seq)
        if info.last_seq < self._after:
            return None  # a consumer beyond the end would be silent for ever: wait for the relay
        return {"deliver_policy": "by_start_sequence", "opt_start_seq": self._after + 1}

    async def confirm(self) -> bool:
        """Whether the consumer does not stand beyond the stream's end after all (called by the feed)."""
        info = await stream_info(self._bus, self._stream)
        return info is not None and info.last_seq >= self._after

    def accept(self, seq: int, at_us: int, subject: bytes, data: bytes) -> None:
        """Queue an event (called by the feed)."""
        if self._full and seq != self._after + 1:
            self.fail(Lost(self._stream, self._after, seq))
            self._feed.break_off("positions are missing")
            return
        self._after = seq
        queue = self._queue
        if not queue:
            self._ready.set()
        table, kind = subject[self._prefix :].split(b".")
        name = self._kinds.get(kind)
        if name is None:
            name = self._kinds[kind] = kind.decode()
        queue.append(Fact(seq, table.decode(), name, data))

    def queued(self) -> int:
        """How many events wait (called by the feed)."""
        return len(self._queue)

    def fail(self, error: BaseException) -> None:
        """The feed ended: `take` raises when the queue is empty (called by the feed)."""
        self._failure = error if isinstance(error, BusError) else BusError(f"{self._stream}: {error!r}")
        self._ready.set()
