"""What one stream still has to send: bounded, in order, and sent as few messages as possible."""

from __future__ import annotations

import asyncio
from collections import deque

from services.gateway.errors import Denied

MOST_UPDATES = 64
MOST_BYTES = 256 * 1024


class Lane:
    """One watch's share of an outbox."""

    __slots__ = ("waiting",)

    def __init__(self) -> None:
        self.waiting = 0

    @property
    def full(self) -> bool:
        """The reader is 64 updates behind."""
        return self.waiting >= MOST_UPDATES


class Outbox:
    """Pieces of bytes that can be joined (`PlayResponse`s), or sent one by one (`WatchTableResponse`s)."""

    def __init__(self) -> None:
        self._pieces: deque[tuple[bytes, Lane | None]] = deque()
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Future[None] | None = None  # cheaper than an Event, which looks up its loop at each wait
        self._outcome: Denied | None = None
        self._last = False

    def __len__(self) -> int:
        return len(self._pieces)

    def put(self, piece: bytes, lane: Lane | None = None) -> None:
        """Queue a piece, on the account of a watch if `lane` is given."""
        if lane is not None:
            lane.waiting += 1
        self._pieces.append((piece, lane))
        if self._waiter is not None:
            self._wake()

    def finish(self, outcome: Denied | None = None) -> None:
        """What is queued is the last; then the stream ends, with this status if it is one. The first call counts."""
        if not self._last:
            self._last = True
            self._outcome = outcome
            self._wake()

    def abort(self, outcome: Denied) -> None:
        """End now; what is queued is dropped."""
        self._pieces.clear()
        self._last = True
        self._outcome = outcome
        self._wake()

    async def take(self, most_bytes: int = MOST_BYTES) -> bytes | None:
        """Wait for pieces and take as many as fit, joined (at least one); None: the stream is over.

        Raises the outcome once all is taken. `most_bytes` 1 takes one piece at a time.
        """
        pieces = self._pieces
        while not pieces:
            if self._last:
                if self._outcome is not None:
                    raise self._outcome
                return None
            waiter = self._waiter = self._loop.create_future()
            await waiter
        taken: list[bytes] = []
        size = 0
        while pieces and (not taken or size + len(pieces[0][0]) <= most_bytes):
            piece, lane = pieces.popleft()
            if lane is not None:
                lane.waiting -= 1
            taken.append(piece)
            size += len(piece)
        return taken[0] if len(taken) == 1 else b"".join(taken)

    def _wake(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)
