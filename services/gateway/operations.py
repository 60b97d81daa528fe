"""`OperationsService`:

What operators do. Pause and resume also for hosts of private tables; the table decides who is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from services.gateway.catalog import Catalog
from services.gateway.errors import Denied
from services.gateway.orders import Orders
from services.gateway.owners import Owners
from services.gateway.shapes import REASON_CHARS, text
from services.gateway.tokens import OPERATOR, Identity
from services.gateway.wire import answered
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table

CLOCK_ID_CHARS = 64
MOST_MS = 24 * 3600 * 1000

Note = Callable[[str, Identity, str, str], None]
"""Called with (rpc, operator, table or log, reason): what operators do is logged."""


class OperationsService:
    """Commands give serialized responses."""

    def __init__(self, orders: Orders, owners: Owners, catalog: Catalog, note: Note) -> None:
        self._orders = orders
        self._owners = owners
        self._catalog = catalog
        self._note = note

    async def list_logs(self, _: pb.ListLogsRequest, who: Identity) -> pb.ListLogsResponse:
        """All logs with their owners."""
        who.need(OPERATOR)
        return pb.ListLogsResponse(logs=await asyncio.gather(*(self._log(log) for log in self._catalog.logs)))

    async def explain_table(self, request: pb.ExplainTableRequest, who: Identity) -> pb.ExplainTableResponse:
        """What the owner of a table knows about it."""
        who.need(OPERATOR)
        known = await self._owners.explain(self._catalog.log_of(request.table_id), request.table_id)
        return pb.ExplainTableResponse(
            log=_info(known),
            view=known.view if known.HasField("view") else None,
            set_aside=known.set_aside,
            parked=known.parked,
        )

    async def pause_table(self, request: pb.PauseTableRequest, who: Identity) -> bytes:
        """Stops all clocks."""
        command = self._orders.envelope(request, who, operator=OPERATOR in who.roles)
        command.pause.SetInParent()
        return await self._send(command, who)

    async def resume_table(self, request: pb.ResumeTableRequest, who: Identity) -> bytes:
        """Lets the clocks run on."""
        command = self._orders.envelope(request, who, operator=OPERATOR in who.roles)
        command.resume.SetInParent()
        return await self._send(command, who)

    async def adjust_clock(self, request: pb.AdjustClockRequest, who: Identity) -> bytes:
        """Moves a running clock."""
        who.need(OPERATOR)
        text("reason", request.reason, 1, REASON_CHARS)
        text("clock_id", request.clock_id, 1, CLOCK_ID_CHARS)
        if not 0 < abs(request.by_ms) <= MOST_MS:
            raise Denied("BAD_SHAPE", f"by_ms needs 1 to {MOST_MS}, or as much with a minus")
        command = self._orders.envelope(request, who, operator=True)
        command.adjust_clock.clock_id = request.clock_id
        command.adjust_clock.by_ms = request.by_ms
        command.adjust_clock.reason = request.reason
        self._note("AdjustClock", who, request.table_id, request.reason)
        return await self._send(command, who)

    async def void_play(self, request: pb.VoidPlayRequest, who: Identity) -> bytes:
        """Voids the play that runs."""
        who.need(OPERATOR)
        text("reason", request.reason, 1, REASON_CHARS)
        command = self._orders.envelope(request, who, operator=True)
        command.void_play.reason = request.reason
        self._note("VoidPlay", who, request.table_id, request.reason)
        return await self._send(command, who)

    async def close_table(self, request: pb.OperationsServiceCloseTableRequest, who: Identity) -> bytes:
        """Closes a table at any time."""
        who.need(OPERATOR)
        text("reason", request.reason, 1, REASON_CHARS)
        command = self._orders.envelope(request, who, operator=True)
        command.close_table.reason = request.reason
        self._note("CloseTable", who, request.table_id, request.reason)
        return await self._send(command, who)

    async def move_log(self, request: pb.MoveLogRequest, who: Identity) -> pb.MoveLogResponse:
        """Asks the owner of a log to hand it over."""
        who.need(OPERATOR)
        text("reason", request.reason, 1, REASON_CHARS)
        self._catalog.need_log(request.log)
        self._note("MoveLog", who, request.log, request.reason)
        await self._owners.move_log(request.log, request.reason)
        return pb.MoveLogResponse()

    async def _log(self, log: str) -> pb.LogInfo:
        try:
            return _info(await self._owners.explain(log))
        except Denied:
            return pb.LogInfo(log=log, available=False)

    async def _send(self, command: table.Command, who: Identity) -> bytes:
        return answered(await self._orders.send(command, who))


def _info(known: table.ExplainResponse) -> pb.LogInfo:
    return pb.LogInfo(
        log=known.log,
        available=True,
        owner=known.owner,
        epoch=known.epoch,
        pos=known.pos,
        command_seq=known.command_seq,
        tables=known.tables,
    )
