"""What stops a call before a log: reasons, their gRPC codes, and how they look on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from libs.bus import Backlog as BusBacklog
from libs.bus import BusError, NoOwner
from libs.bus import TooLarge as BusTooLarge
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1.table_pb2 import Refusal

DOMAIN = "stamtafel"

CODES: dict[str, int] = {
    "TOKEN_MISSING": code_pb2.UNAUTHENTICATED,
    "TOKEN_INVALID": code_pb2.UNAUTHENTICATED,
    "TOKEN_EXPIRED": code_pb2.UNAUTHENTICATED,
    "ROLE_MISSING": code_pb2.PERMISSION_DENIED,
    "NOT_YOUR_SEAT": code_pb2.PERMISSION_DENIED,
    "BAD_SHAPE": code_pb2.INVALID_ARGUMENT,
    "UNKNOWN_TABLE": code_pb2.NOT_FOUND,
    "UNKNOWN_GAME": code_pb2.NOT_FOUND,
    "BAD_VERSION": code_pb2.OUT_OF_RANGE,
    "PLAY_RUNNING": code_pb2.FAILED_PRECONDITION,
    "NOT_OFFERED": code_pb2.FAILED_PRECONDITION,
    "RATE": code_pb2.RESOURCE_EXHAUSTED,
    "STREAMS": code_pb2.RESOURCE_EXHAUSTED,
    "BACKLOG": code_pb2.RESOURCE_EXHAUSTED,
    "TOO_SLOW": code_pb2.RESOURCE_EXHAUSTED,
    "TOO_LARGE": code_pb2.RESOURCE_EXHAUSTED,
    "NO_OWNER": code_pb2.UNAVAILABLE,
    "NO_ANSWER": code_pb2.UNAVAILABLE,
    "SHUTDOWN": code_pb2.UNAVAILABLE,
    "INTERNAL": code_pb2.INTERNAL,
}


class Violation(NamedTuple):
    """An argument at fault: its path in the request, and what is wrong."""

    field: str
    description: str


class Denied(Exception):
    """A call, a command in a stream or a watch that is stopped here. `reason` is a key of `CODES`.

    `message` is one sentence for a person; `retry_after_s` how long to wait before trying again (None: no use).
    """

    def __init__(
        self,
        reason: str,
        message: str,
        *,
        retry_after_s: float | None = None,
        violations: Sequence[Violation] = (),
    ) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.message = message
        self.retry_after_s = retry_after_s
        self.violations = tuple(violations)

    @property
    def code(self) -> int:
        """Number of the gRPC status code."""
        return CODES[self.reason]

    def status(self) -> grpc.Status:
        """As the status that ends a call: google.rpc.Status with ErrorInfo, BadRequest and RetryInfo."""
        details = [_packed(error_details_pb2.ErrorInfo(reason=self.reason, domain=DOMAIN))]
        if self.violations:
            bad = error_details_pb2.BadRequest()
            for violation in self.violations:
                bad.field_violations.add(field=violation.field, description=violation.description)
            details.append(_packed(bad))
        if self.retry_after_s is not None:
            details.append(_packed(error_details_pb2.RetryInfo(retry_delay=_duration(self.retry_after_s))))
        return cast(Any, rpc_status).to_status(status_pb2.Status(code=self.code, message=self.message, details=details))

    def problem(self) -> pb.Problem:
        """As a message inside a stream."""
        problem = pb.Problem(code=self.code, reason=self.reason, message=self.message)
        if self.retry_after_s is not None:
            problem.retry_after.CopyFrom(_duration(self.retry_after_s))
        for violation in self.violations:
            problem.violations.add(field=violation.field, description=violation.description)
        return problem


def bad_shape(field: str, description: str) -> Denied:
    """One argument at fault."""
    return Denied("BAD_SHAPE", f"{field}: {description}", violations=[Violation(field, description)])


def shutdown() -> Denied:
    """This gateway stops."""
    return Denied("SHUTDOWN", "this gateway is stopping; go on at another one", retry_after_s=0.5)


def internal() -> Denied:
    """A bug here; the log of the process has the trace, the client only this."""
    return Denied("INTERNAL", "something went wrong inside; it has been logged")


def from_bus(error: BusError) -> Denied:
    """What the bus could not do."""
    if isinstance(error, BusBacklog):
        return Denied("BACKLOG", "too many commands are waiting for this game", retry_after_s=1.0)
    if isinstance(error, BusTooLarge):
        return Denied("TOO_LARGE", "the message is too large")
    if isinstance(error, NoOwner):
        return Denied("NO_OWNER", "nobody serves this game at the moment; try again", retry_after_s=1.0)
    return Denied("NO_ANSWER", "no answer in time; the outcome is unknown: send the same again", retry_after_s=1.0)


_REFUSALS = {
    "unknown_table": "UNKNOWN_TABLE",
    "not_your_seat": "NOT_YOUR_SEAT",
    "unknown_seat": "NOT_YOUR_SEAT",
    "no_spectators": "NOT_YOUR_SEAT",
    "play_running": "PLAY_RUNNING",
    "bad_version": "BAD_VERSION",
    "not_offered": "NOT_OFFERED",
    "bad_argument": "BAD_SHAPE",
    "busy": "BACKLOG",
    "role_missing": "ROLE_MISSING",
}


def from_refusal(refusal: Refusal) -> Denied:
    """An owner's refusal of a query (not of a command: that is an answer)."""
    reason = _REFUSALS.get(refusal.code)
    if reason is None:
        return internal()
    return Denied(reason, refusal.message or refusal.code)


def _packed(
    message: error_details_pb2.ErrorInfo | error_details_pb2.BadRequest | error_details_pb2.RetryInfo,
) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(message)
    return packed


def _duration(seconds: float) -> Duration:
    micros = max(0, round(seconds * 1_000_000))
    return Duration(seconds=micros // 1_000_000, nanos=micros % 1_000_000 * 1000)
