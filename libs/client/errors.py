"""What can go wrong for a client, as exceptions with a reason: statuses of the gateway, and refusals of a table."""

from __future__ import annotations

from typing import Any, cast

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1.table_pb2 import Answer, Refusal


class ClientError(Exception):
    """Something went wrong. `reason` is the gateway's word (`TOKEN_EXPIRED`, `NO_ANSWER` ...), `message` one sentence.

    `retry_after_s`: wait so long before trying again (None: the server did not say). `violations`: arguments at fault
    as (field, what is wrong). `retryable`: trying the same again may help.
    """

    retryable = False

    def __init__(
        self,
        reason: str,
        message: str,
        retry_after_s: float | None = None,
        violations: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.retry_after_s = retry_after_s
        self.violations = violations


class SignInNeeded(ClientError):
    """No token, or one that does not count any more (UNAUTHENTICATED)."""


class NotAllowed(ClientError):
    """The token's player may not do that (PERMISSION_DENIED)."""


class BadArgument(ClientError):
    """The request is not of the contract's shape (INVALID_ARGUMENT, OUT_OF_RANGE)."""


class NotFound(ClientError):
    """There is no such table or game (NOT_FOUND)."""


class NotPossible(ClientError):
    """Not as things stand, e.g. the history of a running play (FAILED_PRECONDITION)."""


class TryLater(ClientError):
    """Too much was asked (RESOURCE_EXHAUSTED)."""

    retryable = True


class NotReachable(ClientError):
    """Nobody answered (UNAVAILABLE, or no answer in time). The outcome is unknown: send the same command id again."""

    retryable = True


class ServerFault(ClientError):
    """Something is broken at the other side."""


class Refused(ClientError):
    """A table's answer to a command was no. `reason` is the refusal's code, the rest as in the contract."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.code, refusal.message or refusal.code)
        self.field = refusal.field
        self.version = refusal.version
        self.details = {detail.key: detail.value for detail in refusal.details}


_KINDS: dict[int, type[ClientError]] = {
    4: NotReachable,
    16: SignInNeeded,
    7: NotAllowed,
    3: BadArgument,
    11: BadArgument,
    5: NotFound,
    9: NotPossible,
    8: TryLater,
    14: NotReachable,
}
_LARGE = "TOO_LARGE"
_WRITE_FAILED = "Internal error from Core"
"""What grpc.aio says when a write came after a stream's end, in the place of that end's status (grpc #36066)."""


def make(code: int, reason: str, message: str, **more: Any) -> ClientError:
    """The exception for a gRPC status code's number. What is too large stays so: that is no reason to try again."""
    kind = BadArgument if reason == _LARGE else _KINDS.get(code, ServerFault)
    return kind(reason, message, **more)


def from_rpc(failed: grpc.aio.AioRpcError) -> ClientError:
    """What a call ended with."""
    if failed.code() is grpc.StatusCode.INTERNAL and failed.details() == _WRITE_FAILED:
        return NotReachable("BROKEN", "the stream ended while it was written to")
    code = cast(Any, failed.code())
    number = int(code.value[0])
    reason, wait = str(code.name), None
    violations: tuple[tuple[str, str], ...] = ()
    for detail in _details(failed):
        info, bad, retry = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
        if detail.Unpack(info):
            reason = info.reason
        elif detail.Unpack(bad):
            violations = tuple((one.field, one.description) for one in bad.field_violations)
        elif detail.Unpack(retry):
            wait = retry.retry_delay.ToMicroseconds() / 1e6
    message = failed.details() or reason
    return make(number, reason, message, retry_after_s=wait, violations=violations)


def _details(failed: grpc.aio.AioRpcError) -> list[Any]:
    try:
        status = cast(Any, rpc_status).from_call(failed)
    except ValueError:  # a proxy's trailers, not ours
        return []
    return [] if status is None else list(status.details)


def from_problem(problem: pb.Problem) -> ClientError:
    """What stopped one command or one watch inside a stream."""
    wait = problem.retry_after.ToMicroseconds() / 1e6 if problem.HasField("retry_after") else None
    violations = tuple((one.field, one.description) for one in problem.violations)
    return make(problem.code, problem.reason, problem.message, retry_after_s=wait, violations=violations)


def accepted(answer: Answer) -> int:
    """The version that an accepted command made. Raises Refused."""
    if answer.HasField("refused"):
        raise Refused(answer.refused)
    return answer.accepted.version
