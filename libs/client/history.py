"""What happened: events, replays, exports, records, the server's own check."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1.table_pb2 import EventView

if TYPE_CHECKING:
    from libs.client.client import Client
    from stamtafel.gateway.v1 import gateway_pb2_grpc as stubs


class History:
    """See `gateway.v1.HistoryService`."""

    def __init__(self, client: Client, stub: stubs.HistoryServiceAsyncStub) -> None:
        self._client = client
        self._stub = stub

    async def events(self, request: pb.ListEventsRequest) -> AsyncIterator[EventView]:
        """Events of a table, as the caller may know them."""
        async with contextlib.aclosing(self._client.stream(self._stub.ListEvents, request)) as pages:
            async for page in pages:
                for event in page.events:
                    yield event

    async def replay(self, request: pb.ReplayTableRequest) -> AsyncIterator[pb.ReplayTableResponse]:
        """How a table stood, decision by decision."""
        async with contextlib.aclosing(self._client.stream(self._stub.ReplayTable, request)) as replies:
            async for reply in replies:
                yield reply

    async def export(self, request: pb.ExportLogRequest) -> AsyncIterator[bytes]:
        """Pieces of an export file, to be put together as they come. Whole lines each."""
        async with contextlib.aclosing(self._client.stream(self._stub.ExportLog, request)) as pieces:
            async for piece in pieces:
                yield piece.lines

    async def record(self, table_id: str, play: int = 0) -> pb.GetRecordResponse:
        """The record of a play in the game's own notation; 0: the last one that ended."""
        return await self._client.call(self._stub.GetRecord, pb.GetRecordRequest(table_id=table_id, play=play))

    async def verify(self, table_id: str) -> pb.VerifyTableResponse:
        """What the server itself finds; `libs.client.checking` checks an export without it."""
        return await self._client.call(self._stub.VerifyTable, pb.VerifyTableRequest(table_id=table_id))
