"""What operators do. Refusals of a table are raised as `Refused`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libs.client.errors import accepted
from stamtafel.gateway.v1 import gateway_pb2 as pb

if TYPE_CHECKING:
    from libs.client.client import Client
    from stamtafel.gateway.v1 import gateway_pb2_grpc as stubs


class Operations:
    """See `gateway.v1.OperationsService`."""

    def __init__(self, client: Client, stub: stubs.OperationsServiceAsyncStub) -> None:
        self._client = client
        self._stub = stub

    async def logs(self) -> list[pb.LogInfo]:
        """All logs with their owners."""
        return list((await self._client.call(self._stub.ListLogs, pb.ListLogsRequest())).logs)

    async def explain(self, table_id: str) -> pb.ExplainTableResponse:
        """What the owner of a table knows about it."""
        return await self._client.call(self._stub.ExplainTable, pb.ExplainTableRequest(table_id=table_id))

    async def pause(self, table_id: str) -> int:
        """Stop all clocks of a table."""
        request = pb.PauseTableRequest(command_id=self._client.new_id(), table_id=table_id)
        return accepted((await self._client.call(self._stub.PauseTable, request)).answer)

    async def resume(self, table_id: str) -> int:
        """Let them run on."""
        request = pb.ResumeTableRequest(command_id=self._client.new_id(), table_id=table_id)
        return accepted((await self._client.call(self._stub.ResumeTable, request)).answer)

    async def adjust_clock(self, table_id: str, clock_id: str, by_ms: int, reason: str) -> int:
        """Move a running clock by so many ms (negative: earlier)."""
        request = pb.AdjustClockRequest(
            command_id=self._client.new_id(), table_id=table_id, clock_id=clock_id, by_ms=by_ms, reason=reason
        )
        return accepted((await self._client.call(self._stub.AdjustClock, request)).answer)

    async def void(self, table_id: str, reason: str) -> int:
        """Void the play that runs."""
        request = pb.VoidPlayRequest(command_id=self._client.new_id(), table_id=table_id, reason=reason)
        return accepted((await self._client.call(self._stub.VoidPlay, request)).answer)

    async def close(self, table_id: str, reason: str, expected_version: int | None = None) -> int:
        """Close a table at any time; only if it still has this version, if one is given."""
        request = pb.OperationsServiceCloseTableRequest(
            command_id=self._client.new_id(), table_id=table_id, reason=reason
        )
        if expected_version is not None:
            request.expected_version = expected_version
        return accepted((await self._client.call(self._stub.CloseTable, request)).answer)

    async def move(self, log: str, reason: str) -> None:
        """Ask the owner of a log to hand it over."""
        await self._client.call(self._stub.MoveLog, pb.MoveLogRequest(log=log, reason=reason))
