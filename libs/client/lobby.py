"""Tables and seats: list, open, join, ready, leave, close. Refusals of a table are raised as `Refused`."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from libs.client.errors import accepted
from libs.table.life import any_of
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from libs.client.client import Client
    from stamtafel.gateway.v1 import gateway_pb2_grpc as stubs

NONCE_BYTES = 16


class Lobby:
    """See `gateway.v1.LobbyService`. Nonces for fair draws are made here."""

    def __init__(self, client: Client, stub: stubs.LobbyServiceAsyncStub) -> None:
        self._client = client
        self._stub = stub

    async def games(self) -> list[pb.GameInfo]:
        """The games that are offered. Needs no sign-in."""
        reply = await self._client.call(self._stub.ListGames, pb.ListGamesRequest(), signed_in=False)
        return list(reply.games)

    async def tables(self, wanted: pb.TableFilter) -> AsyncIterator[pb.TableSummary]:
        """All tables that the filter lets through, the newest event first, page by page."""
        token = ""
        while True:
            request = pb.ListTablesRequest(filter=wanted, page_size=200, page_token=token)
            page = await self._client.call(self._stub.ListTables, request)
            for summary in page.tables:
                yield summary
            token = page.next_page_token
            if not token:
                return

    async def open(
        self, game: str, how: table.OpenTable | None = None, options: Message | None = None, bots: Sequence[str] = ()
    ) -> str:
        """Open a table and take the host's seat; returns its id. `bots`: levels for the lowest free seats."""
        request = pb.OpenTableRequest(command_id=self._client.new_id(), game=game)
        request.open.CopyFrom(how or table.OpenTable())
        request.open.nonce = request.open.nonce or secrets.token_bytes(NONCE_BYTES)
        if options is not None:
            request.open.options.CopyFrom(any_of(options))
        reply = await self._client.call(self._stub.OpenTable, request)
        accepted(reply.answer)
        for level in bots:
            await self.seat_bot(reply.table_id, level)
        return reply.table_id

    async def open_record(
        self, game: str, how: table.OpenTable, options: Message, command_id: str
    ) -> tuple[str, table.Answer]:
        """Open a table for an imported record (operators): its id, the same for the same command id, and the answer."""
        request = pb.OpenTableRequest(command_id=command_id, game=game)
        request.open.CopyFrom(how)
        request.open.options.CopyFrom(any_of(options))
        reply = await self._client.call(self._stub.OpenTable, request)
        return reply.table_id, reply.answer

    async def join(self, table_id: str, seat: int | None = None, code: str = "") -> int:
        """Take a seat (None: the lowest free one); returns the table's version. `code`: of a private table."""
        request = pb.JoinTableRequest(command_id=self._client.new_id(), table_id=table_id)
        request.sit.code, request.sit.nonce = code, secrets.token_bytes(NONCE_BYTES)
        if seat is not None:
            request.sit.seat = seat
        return accepted((await self._client.call(self._stub.JoinTable, request)).answer)

    async def leave(self, table_id: str, seat: int | None = None) -> int:
        """Leave a seat (None: the only one held)."""
        request = pb.LeaveTableRequest(command_id=self._client.new_id(), table_id=table_id)
        if seat is not None:
            request.seat = seat
        return accepted((await self._client.call(self._stub.LeaveTable, request)).answer)

    async def ready(self, table_id: str, on: bool = True) -> int:
        """Ready for the next play with all seats that the caller holds; when everybody is, it starts."""
        ready = table.Ready(on=on, nonce=secrets.token_bytes(NONCE_BYTES))
        request = pb.SetReadyRequest(command_id=self._client.new_id(), table_id=table_id, ready=ready)
        return accepted((await self._client.call(self._stub.SetReady, request)).answer)

    async def start(self, table_id: str, expected_version: int | None = None) -> int:
        """Start the play (host); only if the table still has this version, if one is given."""
        request = pb.StartTableRequest(command_id=self._client.new_id(), table_id=table_id)
        if expected_version is not None:
            request.expected_version = expected_version
        return accepted((await self._client.call(self._stub.StartTable, request)).answer)

    async def seat_bot(self, table_id: str, level: str, seat: int | None = None) -> int:
        """Give a free seat (None: the lowest) to a computer player: `easy`, `normal` or `hard` (host)."""
        request = pb.SeatBotRequest(command_id=self._client.new_id(), table_id=table_id, level=level)
        if seat is not None:
            request.seat = seat
        return accepted((await self._client.call(self._stub.SeatBot, request)).answer)

    async def remove_bot(self, table_id: str, seat: int) -> int:
        """Free the seat of a computer player (host)."""
        request = pb.RemoveBotRequest(command_id=self._client.new_id(), table_id=table_id, seat=seat)
        return accepted((await self._client.call(self._stub.RemoveBot, request)).answer)

    async def close(self, table_id: str, reason: str = "") -> int:
        """Close a table for good (host, while no play runs)."""
        request = pb.CloseTableRequest(command_id=self._client.new_id(), table_id=table_id, reason=reason)
        return accepted((await self._client.call(self._stub.CloseTable, request)).answer)
