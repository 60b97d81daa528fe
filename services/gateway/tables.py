"""`TablesService`: the play itself."""

from __future__ import annotations

import asyncio

from services.gateway.catalog import Catalog
from services.gateway.errors import Denied, internal
from services.gateway.outbox import Lane, Outbox
from services.gateway.owners import Owners
from services.gateway.play import Play, PlayParts
from services.gateway.rpc import Call
from services.gateway.tokens import Identity
from services.gateway.watching import too_slow, viewer
from services.gateway.wire import Chunk, answered
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table


class TablesService:
    """Acts, watches, views."""

    def __init__(self, parts: PlayParts, catalog: Catalog, owners: Owners) -> None:
        self._parts = parts
        self._catalog = catalog
        self._owners = owners

    async def act(self, request: pb.ActRequest, who: Identity) -> bytes:
        """One command of the game; a serialized ActResponse."""
        log, command = self._parts.orders.act(request, who)
        return answered(await self._parts.orders.deliver(log, command))

    async def play(self, who: Identity, call: Call) -> None:
        """Commands in, answers and updates out."""
        play = Play(self._parts, who, call)
        with self._parts.watching.held(play.outbox, who):
            await play.run()

    async def watch_table(self, request: pb.WatchTableRequest, who: Identity, call: Call) -> None:
        """A table from a version on, until it is closed."""
        outbox = Outbox()
        lane = Lane()

        def push(chunk: Chunk) -> bool:
            if lane.full:
                outbox.finish(too_slow())
                return False
            outbox.put(chunk.watch_response(), lane)
            if chunk.closed:
                outbox.finish()
                return False
            return True

        reader = self._parts.watching.reader(request, who, push, outbox.finish)
        hub = self._parts.hub

        async def join() -> None:
            try:
                await hub.join(reader)
            except Denied as denied:
                outbox.finish(denied)
            except Exception as error:
                self._parts.on_bug("WatchTable", error)
                outbox.finish(internal())

        with self._parts.watching.held(outbox, who):
            joining = asyncio.create_task(join())
            try:
                while (data := await outbox.take(1)) is not None:
                    await call.write(data)
            finally:
                hub.leave(reader)
                joining.cancel()
                await asyncio.gather(joining, return_exceptions=True)

    async def get_view(self, request: pb.GetViewRequest, who: Identity) -> pb.GetViewResponse:
        """The table as the caller sees it now."""
        log = self._catalog.log_of(request.table_id)
        asked = table.GetViewRequest(table_id=request.table_id, viewer=viewer(request, who))
        reply = await self._owners.get_view(log, asked)
        return pb.GetViewResponse(view=reply.view)
