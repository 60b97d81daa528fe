"""A clock that moves only by sleeping, and gRPC errors as a gateway sends them."""

from __future__ import annotations

import asyncio

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2
from grpc.aio import AioRpcError, Metadata

from libs.client.retry import Timing
from stamtafel.table.v1.table_pb2 import EventView, TableView, Update


class FakeTime:
    """Seconds that pass only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def timing(self) -> Timing:
        return Timing(clock=lambda: self.now, now=lambda: self.now, sleep=self.sleep, chance=lambda: 0.5)


def rpc_error(code: grpc.StatusCode, reason: str = "", retry_after_s: float | None = None) -> AioRpcError:
    """What a call ends with; without a reason as a proxy or a dead server would have it."""
    trailers: Metadata = Metadata()
    if reason:
        details: list[AnyMessage] = []
        for detail in (
            error_details_pb2.ErrorInfo(reason=reason, domain="stamtafel"),
            None
            if retry_after_s is None
            else error_details_pb2.RetryInfo(retry_delay=Duration(nanos=round(retry_after_s * 1e9))),
        ):
            if detail is not None:
                packed = AnyMessage()
                packed.Pack(detail)
                details.append(packed)
        status = status_pb2.Status(code=code.value[0], message=f"the message of {reason}", details=details)
        trailers = Metadata(("grpc-status-details-bin", status.SerializeToString()))
    return AioRpcError(code, Metadata(), trailers, f"the message of {reason}" if reason else "connection refused")


def update(before: int, version: int, reset: bool = False) -> Update:
    """An update with an event for each version."""
    events = [EventView(version=number) for number in range(before + 1, version + 1)]
    view = TableView(table_id="t", version=version)
    return Update(table_id="t", from_version=before, version=version, events=events, view=view, reset=reset)
