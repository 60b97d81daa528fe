"""Following a table through lost connections: each update once, in order, without a gap."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Callable

from libs.client.errors import ClientError
from libs.client.retry import Backoff
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1.table_pb2 import Update

OpenWatch = Callable[[pb.WatchTableRequest], AsyncGenerator[pb.WatchTableResponse]]
"""Opens one stream. It raises ClientErrors and ends when the table is closed."""


class Gap(Exception):
    """An update does not join the one before it: ask again from the version that is known."""


class Follower:
    """Joins updates. `version`: the one that its owner has; None: nothing yet."""

    def __init__(self, version: int | None = None) -> None:
        self.version = version

    def take(self, update: Update) -> Update | None:
        """The update if it is new, cut to what is new in it; None: all of it is known. Raises Gap."""
        known = self.version
        if known is not None:
            if update.version <= known:
                return None
            if update.from_version > known and not update.reset:
                raise Gap
            if update.from_version < known and not update.reset:
                update = _cut(update, known)
        self.version = update.version
        return update


def _cut(update: Update, known: int) -> Update:
    """The part of an update behind a version inside it."""
    new = Update()
    new.CopyFrom(update)
    del new.events[:]
    new.events.extend(event for event in update.events if event.version > known)
    new.from_version = known
    return new


async def follow(
    open_watch: OpenWatch, request: pb.WatchTableRequest, backoff: Callable[[], Backoff]
) -> AsyncGenerator[Update]:
    """The updates of a table from `request.from_version` on (unset: the present view first).

    Ends when the table is closed. Raises the ClientError that waiting does not mend, or that outlived all patience;
    patience counts anew from each update.
    """
    place = Follower(request.from_version if request.HasField("from_version") else None)
    patience = backoff()
    while True:
        asked = pb.WatchTableRequest()
        asked.CopyFrom(request)
        if place.version is not None:
            asked.from_version = place.version
        try:
            async with contextlib.aclosing(open_watch(asked)) as replies:
                async for reply in replies:
                    update = place.take(reply.update)
                    if update is not None:
                        patience.reset()
                        yield update
            return
        except Gap:
            continue
        except ClientError as error:
            await patience.after(error)
