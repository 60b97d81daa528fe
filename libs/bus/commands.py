"""Reading the commands of a log, by the rules of the cursor (design: the writer, "Cursor")."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from libs.bus.errors import BusError
from libs.bus.feed import Feed, Tuning
from libs.bus.ports import Gap, Position, Raw
from libs.bus.streams import (
    commands_stream,
    ensure_commands,
    from_us,
    get_message,
    message_time,
    read_span,
    stream_info,
)

if TYPE_CHECKING:
    from libs.bus.connection import Bus

_log = logging.getLogger("stamtafel.bus")


class CommandReader:
    """The commands of one log from a position on, each once, in stream order.

    At every (re)connect the position decides where to go on: if the stream has the same creation time, and the message
    at the position's sequence has the position's time or the stream begins behind it, from the next sequence. Otherwise
    the stream is new or lost its tail, and the number means nothing: by start time, skipping what is not later than the
    position. The position is that of the last command this reader has received, so what lies in its queue is neither
    lost nor read twice.
    """

    def __init__(
        self,
        bus: Bus,
        log: str,
        position: Position,
        on_gap: Callable[[Gap], None] | None = None,
        tuning: Tuning | None = None,
    ) -> None:
        self._bus = bus
        self._log = log
        self._stream = commands_stream(log)
        self._prefix = len(f"cmd.{log}.")
        self._queue: deque[Raw] = deque()
        self._ready = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self._failure: BaseException | None = None
        self._born = position.stream_created
        self._seq = position.seq
        self._at = position.at
        self._skip_to = 0
        self._expected = 0
        self._taken_from = position.stream_created
        self.on_gap = on_gap
        self._feed = Feed(bus, self._stream, (), self, tuning or Tuning())

    @property
    def stream_created(self) -> int:
        """Creation time of the stream that the last `take` came from (before the first: the position's own)."""
        return self._taken_from

    @property
    def position(self) -> Position:
        """The last command received, taken or not."""
        return Position(self._born, self._seq, self._at)

    @property
    def lives(self) -> int:
        """How many consumers this reader has used: 1 when nothing ever broke."""
        return self._feed.lives

    async def start(self) -> None:
        """Begin reading ahead; returns once the stream exists and a consumer stands on it."""
        self._feed.start()
        await self._feed.begun.wait()
        if self._failure is not None:
            raise self._failure

    async def close(self) -> None:
        """Stop; what is queued can still be taken."""
        await self._feed.close()

    async def take(self, most: int = 256) -> list[Raw]:
        """Wait for a command, then give all that are queued, at most `most`. Cancelling it loses nothing.

        All of one list come from one life of the stream: `stream_created` says which.
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
            self._empty.set()
        else:
            taken = [queue.popleft() for _ in range(most)]
        self._taken_from = self._born
        self._feed.taken()
        return taken

    async def fetch(self, seqs: Sequence[int]) -> list[Raw]:
        """Read these commands again, in the order of `seqs`;

        Those that are gone, or of an earlier life of the stream, are left out.
        """
        info = await stream_info(self._bus, self._stream)
        if info is None or info.created != self._taken_from:
            return []
        found = await asyncio.gather(*(get_message(self._bus, self._stream, seq) for seq in seqs))
        return [raw for raw in found if raw is not None]

    async def history(self, since_us: int, before_seq: int, most: int) -> list[Raw]:
        """The last `most` commands below `before_seq` that are not older than `since_us`, oldest first.

        Of the present stream only: if it is not the one of the position, its commands all lie after the position.
        """
        info = await stream_info(self._bus, self._stream)
        if info is None or info.created != self._taken_from:
            return []
        last = min(before_seq - 1, info.last_seq)
        first = max(info.first_seq, last - most + 1, 1)
        span = await read_span(self._bus, self._stream, first, last) if first <= last else []
        return [raw for raw in span if raw.at_us >= since_us]

    async def plan(self) -> dict[str, Any] | None:
        """Where the next consumer starts (called by the feed)."""
        info = await stream_info(self._bus, self._stream)
        if info is None:
            info = await ensure_commands(self._bus, self._log)
        same = info.created == self._born
        if not same and self._queue:
            await self._empty.wait()  # one list never mixes two lives of a stream
        seq, at = self._seq, self._at
        self._skip_to = self._expected = 0
        if same and (info.first_seq > seq or await message_time(self._bus, self._stream, seq) == at):
            self._expected = seq + 1
            plan: dict[str, Any] = {"deliver_policy": "by_start_sequence", "opt_start_seq": seq + 1}
        elif at:
            _log.warning("%s is new or lost its tail: reading it by time", self._stream)
            self._skip_to = at
            plan = {"deliver_policy": "by_start_time", "opt_start_time": from_us(at)}
        else:
            plan = {"deliver_policy": "all"}
        self._born = info.created
        return plan

    async def confirm(self) -> bool:
        """Whether the consumer stands on the stream that was planned for (called by the feed)."""
        info = await stream_info(self._bus, self._stream)
        return info is not None and info.created == self._born

    def accept(self, seq: int, at_us: int, subject: bytes, data: bytes) -> None:
        """Queue a command (called by the feed)."""
        if at_us <= self._skip_to:
            return
        expected = self._expected
        if seq != expected and expected:
            gap = Gap(self._log, expected, seq - 1)
            _log.error("%s: commands %d..%d expired unread", self._stream, gap.first, gap.last)
            if self.on_gap is not None:
                self.on_gap(gap)
        self._expected = seq + 1
        self._seq = seq
        self._at = at_us
        queue = self._queue
        if not queue:
            self._ready.set()
            self._empty.clear()
        queue.append(Raw(seq, at_us, subject[self._prefix :].decode(), data))

    def queued(self) -> int:
        """How many commands wait (called by the feed)."""
        return len(self._queue)

    def fail(self, error: BaseException) -> None:
        """The feed ended: the next `take` raises (called by the feed)."""
        self._failure = error if isinstance(error, BusError) else BusError(f"{self._stream}: {error!r}")
        self._ready.set()
