"""What all watches have in common: from a request to a reader of the hub, and how a stream is ended from outside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager

from services.gateway.catalog import Catalog
from services.gateway.errors import Denied, shutdown
from services.gateway.feed import Reader
from services.gateway.outbox import MOST_UPDATES, Outbox
from services.gateway.shapes import seat
from services.gateway.tokens import Identity, Tokens
from services.gateway.wire import Chunk
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table


def too_slow() -> Denied:
    """The reader fell behind; it can go on at once from the version it has."""
    return Denied(
        "TOO_SLOW", f"{MOST_UPDATES} updates are waiting; watch again from your last version", retry_after_s=0.0
    )


def viewer(request: pb.WatchTableRequest | pb.GetViewRequest, who: Identity) -> table.Viewer:
    """Who looks, as the owner of the table is told. Raises Denied BAD_SHAPE."""
    found = table.Viewer(player=who.player_id, as_public=request.as_public)
    if request.HasField("seat"):
        seat("seat", request.seat)
        found.seat = request.seat
    return found


class Watching:
    """Makes readers, and ends streams when their token runs out or the gateway stops."""

    def __init__(self, catalog: Catalog, tokens: Tokens) -> None:
        self._catalog = catalog
        self._tokens = tokens
        self._outboxes: set[Outbox] = set()
        self._closing = False

    @property
    def open(self) -> int:
        """Streams that are held."""
        return len(self._outboxes)

    def reader(
        self,
        request: pb.WatchTableRequest,
        who: Identity,
        push: Callable[[Chunk], bool],
        end: Callable[[Denied], None],
    ) -> Reader:
        """A reader for the hub. Raises Denied BAD_SHAPE, UNKNOWN_TABLE."""
        log = self._catalog.log_of(request.table_id)
        asked = table.WatchRequest(table_id=request.table_id, viewer=viewer(request, who))
        if request.HasField("from_version"):
            asked.from_version = request.from_version
        return Reader(log, asked, push, end)

    @contextmanager
    def held(self, outbox: Outbox, who: Identity) -> Generator[None]:
        """While a stream runs:

        It ends with TOKEN_EXPIRED when its token does, and with SHUTDOWN when the gateway stops.
        """
        if self._closing:
            raise shutdown()
        loop = asyncio.get_running_loop()
        expired = Denied("TOKEN_EXPIRED", "the token has expired; refresh it and go on from your last version")
        timer = loop.call_later(max(0.0, self._tokens.left_s(who)), outbox.abort, expired)
        self._outboxes.add(outbox)
        try:
            yield
        finally:
            timer.cancel()
            self._outboxes.discard(outbox)

    def shut(self) -> None:
        """End all streams."""
        self._closing = True
        for outbox in self._outboxes:
            outbox.finish(shutdown())
