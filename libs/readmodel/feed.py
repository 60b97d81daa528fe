"""The events of one log from a position on, wherever they still are: in the event stream, or with the log's owner."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from libs.bus import BusPort, Events, Fact, Lost, ask
from stamtafel.log.v1.log_pb2 import EventRecord
from stamtafel.table.v1.table_pb2 import Query, QueryReply, ReadLogRequest

PAGE = 1000


class LogRefused(Exception):
    """The owner of the log did not give its events: code and sentence of its refusal."""


class Feed:
    """Reads `EVT_<log>`; what the stream has no more comes from the owner by `ReadLog`, a page at a time.

    Positions only grow; nothing is left out between two of them but kinds that were not asked for.
    """

    def __init__(
        self,
        bus: BusPort,
        log: str,
        after: int,
        kinds: tuple[str, ...] | None,
        on_lost: Callable[[], object] = lambda: None,
    ) -> None:
        """`after` is the position of the last event that the reader has; 0 for none. `on_lost`: it fell behind."""
        self._on_lost = on_lost
        self._bus, self._log, self._after, self._kinds = bus, log, after, kinds
        self._events: Events | None = None
        self._old: deque[Fact] = deque()
        self._old_until = 0
        self.lost = 0

    @property
    def behind(self) -> int:
        """Events that the stream still has for us, as far as it has said."""
        return len(self._old) + int(getattr(self._events, "pending", 0))

    async def take(self, most: int = 256) -> list[Fact]:
        """Wait for an event, then give what is there, at most `most`. Raises `LogRefused`, and the bus's errors."""
        while True:
            if self._old:
                return [self._old.popleft() for _ in range(min(most, len(self._old)))]
            if self._after < self._old_until:
                await self._page()
                continue
            if self._events is None:
                self._events = self._bus.events(self._log, self._after, self._kinds)
            try:
                facts = await self._events.take(most)
            except Lost as lost:
                self.lost += 1
                self._on_lost()
                self._old_until = lost.first_available - 1
                await self.close()
                continue
            self._after = facts[-1].seq
            return facts

    async def close(self) -> None:
        """Stop reading."""
        events, self._events = self._events, None
        if events is not None:
            await events.close()

    async def _page(self) -> None:
        query = Query(read_log=ReadLogRequest(after=self._after, limit=PAGE, kinds=self._kinds or ()))
        reply = QueryReply.FromString(await ask(self._bus, self._log, query.SerializeToString(), 10.0))
        if reply.WhichOneof("body") != "read_log":
            raise LogRefused(f"{reply.refused.code}: {reply.refused.message}")
        found = reply.read_log
        if found.last <= self._after:
            raise LogRefused(f"{self._log}: the owner has no events behind {self._after}, the stream neither")
        for data in found.records:
            record = EventRecord.FromString(data)
            self._old.append(Fact(record.position, record.stream, record.kind, data))
        self._after = found.last
