"""Questions to the owners of logs, typed."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from libs.bus import BusError
from services.gateway.errors import from_bus, from_refusal, internal
from services.gateway.ports import QueryPort
from stamtafel.table.v1 import table_pb2 as table


class Owners:
    """Asks owners. Every method raises Denied: NO_OWNER, NO_ANSWER, or what the owner's refusal stands for."""

    def __init__(self, ask: QueryPort, timeout_s: float = 2.0) -> None:
        self._ask = ask
        self._timeout_s = timeout_s

    async def watch(self, log: str, request: table.WatchRequest) -> table.WatchResponse:
        """Register interest and catch up."""
        return (await self._query(log, table.Query(watch=request), "watch")).watch

    async def renew(self, log: str, request: table.RenewRequest) -> table.RenewResponse:
        """Keep interests alive."""
        return (await self._query(log, table.Query(renew=request), "renew")).renew

    async def get_view(self, log: str, request: table.GetViewRequest) -> table.GetViewResponse:
        """The present view."""
        return (await self._query(log, table.Query(get_view=request), "get_view")).get_view

    async def replay_view(self, log: str, request: table.ReplayViewRequest) -> table.ReplayViewResponse:
        """How a table stood."""
        return (await self._query(log, table.Query(replay_view=request), "replay_view")).replay_view

    async def read_events(self, log: str, request: table.ReadEventsRequest) -> table.ReadEventsResponse:
        """Events for an audience."""
        return (await self._query(log, table.Query(read_events=request), "read_events")).read_events

    async def read_log(self, log: str, request: table.ReadLogRequest) -> table.ReadLogResponse:
        """Stored events by position."""
        return (await self._query(log, table.Query(read_log=request), "read_log")).read_log

    async def read_table(self, log: str, request: table.ReadTableRequest) -> table.ReadTableResponse:
        """Stored events of one table."""
        return (await self._query(log, table.Query(read_table=request), "read_table")).read_table

    async def read_record(self, log: str, request: table.ReadRecordRequest) -> table.ReadRecordResponse:
        """A play in the game's notation."""
        return (await self._query(log, table.Query(read_record=request), "read_record")).read_record

    async def explain(self, log: str, table_id: str = "") -> table.ExplainResponse:
        """What the owner knows of its log, and of a table if one is named."""
        query = table.Query(explain=table.ExplainRequest(table_id=table_id))
        return (await self._query(log, query, "explain")).explain

    async def move_log(self, log: str, reason: str) -> None:
        """Ask the owner to let go."""
        await self._query(log, table.Query(move_log=table.MoveLogRequest(reason=reason)), "move_log")

    async def describe(self, log: str) -> table.DescribeResponse:
        """The game."""
        return (await self._query(log, table.Query(describe=table.DescribeRequest()), "describe")).describe

    async def _query(self, log: str, query: table.Query, expected: str) -> table.QueryReply:
        try:
            data = await self._ask(log, query.SerializeToString(), self._timeout_s)
            reply = table.QueryReply.FromString(data)
        except BusError as error:
            raise from_bus(error) from error
        except DecodeError as error:
            raise internal() from error
        kind = reply.WhichOneof("body")
        if kind == "refused":
            raise from_refusal(reply.refused)
        if kind != expected:
            raise internal()
        return reply
