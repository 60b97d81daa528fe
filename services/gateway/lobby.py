"""`LobbyService`: games, tables, and all that happens at a table except the play itself."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from services.gateway.catalog import Catalog
from services.gateway.errors import Denied, bad_shape
from services.gateway.lobby_watch import LobbyWatch, listing_of
from services.gateway.orders import Orders
from services.gateway.ports import LobbyDown, LobbyReader, Place
from services.gateway.rpc import Call
from services.gateway.shapes import CODE_CHARS, POSITION_CHARS, REASON_CHARS, known, missing, nonce, seat, text
from services.gateway.tokens import OPERATOR, Identity
from services.gateway.wire import answered
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table

MOST_PAGE = 200
USUAL_PAGE = 50
MATCH_ID_CHARS = 64
RECORD_NAME_CHARS = 100


class LobbyService:
    """Commands that every table has, and the list of tables. Commands give serialized responses."""

    def __init__(self, orders: Orders, catalog: Catalog, reader: LobbyReader, watch: LobbyWatch) -> None:
        self._orders = orders
        self._catalog = catalog
        self._reader = reader
        self._watch = watch

    async def list_games(self, _: pb.ListGamesRequest, __: Identity) -> pb.ListGamesResponse:
        """The games with their options and presets."""
        return pb.ListGamesResponse(games=await self._catalog.games())

    async def list_tables(self, request: pb.ListTablesRequest, who: Identity) -> pb.ListTablesResponse:
        """One page of tables, the newest event first."""
        if not 0 <= request.page_size <= MOST_PAGE:
            raise bad_shape("page_size", f"needs 0 to {MOST_PAGE}")
        size = request.page_size or USUAL_PAGE
        after = _place(request.page_token) if request.page_token else None
        try:
            found = await self._reader.page(listing_of(request.filter, who), after, size + 1)
        except LobbyDown as error:
            raise lobby_down() from error
        page = found[:size]
        reply = pb.ListTablesResponse(tables=page)
        if len(found) > size:
            last = page[-1]
            reply.next_page_token = _token(Place(last.at.ToMicroseconds(), last.table_id))
        return reply

    async def watch_tables(self, request: pb.WatchTablesRequest, who: Identity, call: Call) -> None:
        """All tables that the filter lets through, then each change."""
        try:
            await self._watch.serve(listing_of(request.filter, who), who, call)
        except LobbyDown as error:
            raise lobby_down() from error

    async def open_table(self, request: pb.OpenTableRequest, who: Identity) -> pb.OpenTableResponse:
        """Opens a table; a repeat names the same one."""
        opened = request.open
        self._check_open(request, who)
        command = self._orders.envelope(_Opening(request), who, operator=opened.imported)
        table_id = self._catalog.new_table(request.game, who.player_id, request.command_id)
        if opened.HasField("options"):
            self._catalog.check_package(request.game, opened.options, "open.options")
        command.table_id = table_id
        command.open_table.CopyFrom(opened)
        answer = table.Answer.FromString(await self._orders.send(command, who))
        return pb.OpenTableResponse(answer=answer, table_id=table_id)

    @staticmethod
    def _check_open(request: pb.OpenTableRequest, who: Identity) -> None:
        opened = request.open
        if not request.game:
            raise missing("game")
        known(opened)
        nonce("open.nonce", opened.nonce)
        text("open.position", opened.position, 0, POSITION_CHARS)
        if opened.HasField("seat"):
            seat("open.seat", opened.seat)
        if opened.HasField("match") and not opened.imported:
            raise bad_shape("open.match", "is for services of the platform only, but for imported tables")
        if opened.imported:
            who.need(OPERATOR)
            _check_record(opened.match)

    async def join_table(self, request: pb.JoinTableRequest, who: Identity) -> bytes:
        """Takes a seat."""
        sit = request.sit
        known(sit)
        nonce("sit.nonce", sit.nonce)
        text("sit.code", sit.code, 0, CODE_CHARS)
        if sit.HasField("seat"):
            seat("sit.seat", sit.seat)
        command = self._orders.envelope(request, who)
        command.sit.CopyFrom(sit)
        return await self._send(command, who)

    async def leave_table(self, request: pb.LeaveTableRequest, who: Identity) -> bytes:
        """Leaves a seat."""
        command = self._orders.envelope(request, who)
        command.leave.SetInParent()
        if request.HasField("seat"):
            seat("seat", request.seat)
            command.leave.seat = request.seat
        return await self._send(command, who)

    async def set_ready(self, request: pb.SetReadyRequest, who: Identity) -> bytes:
        """Ready for the next play, or not any more."""
        ready = request.ready
        if not request.HasField("ready"):
            raise missing("ready")
        known(ready)
        nonce("ready.nonce", ready.nonce)
        if ready.HasField("seat"):
            seat("ready.seat", ready.seat)
        command = self._orders.envelope(request, who)
        command.ready.CopyFrom(ready)
        return await self._send(command, who)

    async def start_table(self, request: pb.StartTableRequest, who: Identity) -> bytes:
        """Starts the play."""
        command = self._orders.envelope(request, who)
        command.start.SetInParent()
        return await self._send(command, who)

    async def set_options(self, request: pb.SetOptionsRequest, who: Identity) -> bytes:
        """Other options for the next play."""
        if not request.HasField("options"):
            raise missing("options")
        command = self._orders.envelope(request, who)
        self._catalog.check_package(self._catalog.game_of(request.table_id), request.options, "options")
        command.set_options.options.CopyFrom(request.options)
        return await self._send(command, who)

    async def seat_bot(self, request: pb.SeatBotRequest, who: Identity) -> bytes:
        """Gives a free seat to a computer player."""
        text("level", request.level, 1, 20)
        command = self._orders.envelope(request, who)
        command.seat_bot.level = request.level
        if request.HasField("seat"):
            seat("seat", request.seat)
            command.seat_bot.seat = request.seat
        return await self._send(command, who)

    async def remove_bot(self, request: pb.RemoveBotRequest, who: Identity) -> bytes:
        """Frees the seat of a computer player."""
        if not request.HasField("seat"):
            raise missing("seat")
        seat("seat", request.seat)
        command = self._orders.envelope(request, who)
        command.remove_bot.seat = request.seat
        return await self._send(command, who)

    async def renew_code(self, request: pb.RenewCodeRequest, who: Identity) -> bytes:
        """A new invitation code."""
        command = self._orders.envelope(request, who)
        command.renew_code.SetInParent()
        return await self._send(command, who)

    async def close_table(self, request: pb.CloseTableRequest, who: Identity) -> bytes:
        """Closes the table for good."""
        text("reason", request.reason, 0, REASON_CHARS)
        command = self._orders.envelope(request, who)
        command.close_table.reason = request.reason
        return await self._send(command, who)

    async def _send(self, command: table.Command, who: Identity) -> bytes:
        return answered(await self._orders.send(command, who))


def _check_record(match: table.Match) -> None:
    """Who plays in a record is nobody here: the ids tell it from every player's."""
    text("open.match.match_id", match.match_id, 0, MATCH_ID_CHARS)
    for number, one in enumerate(match.seats):
        field = f"open.match.seats[{number}]"
        if one.player != f"record:{number}":
            raise bad_shape(f"{field}.player", f"of a record is record:{number}")
        text(f"{field}.name", one.name, 1, RECORD_NAME_CHARS)
        if not one.name.isprintable():
            raise bad_shape(f"{field}.name", "must be printable")


class _Opening:
    """An OpenTableRequest as `Orders.envelope` takes requests: no table yet, no version."""

    def __init__(self, request: pb.OpenTableRequest) -> None:
        self.command_id = request.command_id
        self.table_id = ""

    def HasField(self, _: str) -> bool:
        """There is no expected version."""
        return False


def lobby_down() -> Denied:
    """The read model is away."""
    return Denied("NO_OWNER", "the list of tables cannot be read at the moment; try again", retry_after_s=1.0)


def _token(place: Place) -> str:
    return base64.urlsafe_b64encode(json.dumps([place.at_us, place.table_id]).encode()).decode().rstrip("=")


def _place(token: str) -> Place:
    try:
        found: Any = json.loads(base64.b64decode(token + "=" * (-len(token) % 4), b"-_", validate=True))
        at_us, table_id = found
        if type(at_us) is int and abs(at_us) < 2**62 and type(table_id) is str and "\0" not in table_id:
            return Place(at_us, table_id)
    except (ValueError, TypeError, binascii.Error, RecursionError):
        pass
    raise bad_shape("page_token", "is none that this server gave")
