"""The play itself: commands, watches, `Play` sessions, views."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from google.protobuf.message import Message

from libs.client.play import Play
from libs.client.retry import Backoff
from libs.client.watch import follow
from libs.table.life import any_of
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1.table_pb2 import Answer, TableView, Update

if TYPE_CHECKING:
    from libs.client.client import Client
    from stamtafel.gateway.v1 import gateway_pb2_grpc as stubs


def viewing(table_id: str, seat: int | None, as_public: bool, from_version: int | None) -> pb.WatchTableRequest:
    """A request to follow a table. `seat` None: any seat that the caller holds, else the public."""
    request = pb.WatchTableRequest(table_id=table_id, as_public=as_public)
    if seat is not None:
        request.seat = seat
    if from_version is not None:
        request.from_version = from_version
    return request


class Tables:
    """See `gateway.v1.TablesService`."""

    def __init__(self, client: Client, stub: stubs.TablesServiceAsyncStub) -> None:
        self._client = client
        self._stub = stub

    async def act(self, table_id: str, seat: int, command: Message, command_id: str = "") -> Answer:
        """One command of the game; tried again with the same id for up to 60 s. A refusal is an answer."""
        request = act_request(table_id, seat, command, command_id or self._client.new_id())
        return (await self._client.call(self._stub.Act, request)).answer

    async def view(self, table_id: str, seat: int | None = None, as_public: bool = False) -> TableView:
        """The table as the caller sees it now."""
        request = pb.GetViewRequest(table_id=table_id, as_public=as_public)
        if seat is not None:
            request.seat = seat
        return (await self._client.call(self._stub.GetView, request)).view

    def watch(
        self, table_id: str, seat: int | None = None, as_public: bool = False, from_version: int | None = None
    ) -> AsyncGenerator[Update]:
        """Follow a table through lost connections; see `libs.client.watch.follow`. Close it when you stop early."""

        def open_watch(request: pb.WatchTableRequest) -> AsyncGenerator[pb.WatchTableResponse]:
            return self._client.once(lambda metadata: self._stub.WatchTable(request, metadata=metadata))

        request = viewing(table_id, seat, as_public, from_version)
        return follow(open_watch, request, lambda: Backoff(self._client.timing, self._client.patience_s))

    def play(self) -> Play:
        """A session of commands and watches on one stream that mends itself; see `libs.client.play.Play`."""
        client, stub = self._client, self._stub
        return Play(lambda asked: client.once(lambda metadata: stub.Play(asked(), metadata=metadata)), client.timing)


def act_request(table_id: str, seat: int, command: Message, command_id: str) -> pb.ActRequest:
    """A command of a game as a request."""
    return pb.ActRequest(command_id=command_id, table_id=table_id, seat=seat, body=any_of(command))
