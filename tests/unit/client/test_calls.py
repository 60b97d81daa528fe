"""Calls: the same command id until it is answered or a minute is over; tokens renewed on the way."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import grpc
import pytest

from libs.client.client import Client
from libs.client.errors import BadArgument, NotAllowed, NotReachable, ServerFault, SignInNeeded, TryLater, from_rpc
from libs.client.tokens import FileTokens, Kept, MemoryTokens, TokenStore
from stamtafel.gateway.v1 import gateway_pb2 as pb
from tests.unit.client.fakes import FakeTime, rpc_error

UNAVAILABLE = grpc.StatusCode.UNAVAILABLE
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
ADDRESS = "here:1"


class NoChannel:
    """A channel for stubs that no test calls."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def session(number: int, now: float, lasts: float = 3600.0) -> pb.Session:
    made = pb.Session(access_token=f"access-{number}", refresh_token=f"refresh-{number}")
    made.access_expires.FromSeconds(int(now + lasts))
    made.player.player_id, made.player.name, made.player.guest = "g-1", "Ann", True
    return made


class Method:
    """A scripted method: raises or returns one after the other; remembers requests and metadata."""

    def __init__(self, *script: Any) -> None:
        self.script = list(script)
        self.requests: list[Any] = []
        self.tokens: list[str] = []

    async def __call__(self, request: Any, *, timeout: float, metadata: Any) -> Any:
        self.requests.append(request)
        self.tokens.append(dict(metadata).get("authorization", ""))
        item = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(item, Exception):
            raise item
        return item


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


def client_of(time: FakeTime, store: TokenStore | None = None) -> Client:
    client = Client(NoChannel(), ADDRESS, store or MemoryTokens(), time.timing())
    client.account.adopt(session(1, time.now))
    return client


async def test_the_same_id_until_it_is_answered(time: FakeTime) -> None:
    done = pb.ActResponse()
    no_answer = rpc_error(UNAVAILABLE, "NO_ANSWER", retry_after_s=1.0)
    method = Method(rpc_error(UNAVAILABLE), no_answer, rpc_error(EXHAUSTED, "RATE", 0.5), done)
    assert await client_of(time).call(method, pb.ActRequest(command_id="once")) is done
    assert [request.command_id for request in method.requests] == ["once"] * 4
    assert time.slept[0] < 0.2 and time.slept[1] >= 1.0 and time.slept[2] >= 0.5


async def test_a_minute_and_no_longer(time: FakeTime) -> None:
    began = time.now
    with pytest.raises(NotReachable) as raised:
        await client_of(time).call(Method(rpc_error(UNAVAILABLE, "NO_ANSWER")), pb.ActRequest(command_id="once"))
    assert raised.value.reason == "NO_ANSWER"
    assert 50 < time.now - began <= 60


@pytest.mark.parametrize(
    ("code", "reason", "kind"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, "BAD_SHAPE", BadArgument),
        (grpc.StatusCode.PERMISSION_DENIED, "ROLE_MISSING", NotAllowed),
        (EXHAUSTED, "TOO_LARGE", BadArgument),
        (grpc.StatusCode.INTERNAL, "INTERNAL", ServerFault),
        (grpc.StatusCode.UNIMPLEMENTED, "", ServerFault),
    ],
)
async def test_no_second_try_where_it_is_no_use(
    time: FakeTime, code: grpc.StatusCode, reason: str, kind: type[Exception]
) -> None:
    method = Method(rpc_error(code, reason))
    with pytest.raises(kind):
        await client_of(time).call(method, pb.ActRequest())
    assert len(method.requests) == 1 and time.slept == []


async def test_errors_say_what_the_gateway_said(time: FakeTime) -> None:
    client = client_of(time)
    client.patience_s = 0.0
    with pytest.raises(TryLater) as raised:
        await client.call(Method(rpc_error(EXHAUSTED, "BACKLOG", 1.0)), pb.ActRequest())
    error = raised.value
    assert (error.reason, error.message, error.retry_after_s) == ("BACKLOG", "the message of BACKLOG", 1.0)


async def test_a_token_is_renewed_before_it_runs_out(time: FakeTime) -> None:
    client = client_of(time)
    refresh = Method(pb.RefreshTokenResponse(session=session(2, time.now + 3000)))
    client._sessions.RefreshToken = refresh  # type: ignore[assignment]
    method = Method(pb.ActResponse())
    await client.call(method, pb.ActRequest())
    time.now += 3000
    await client.call(method, pb.ActRequest())
    assert method.tokens == ["Bearer access-1", "Bearer access-2"]
    assert refresh.requests[0].refresh_token == "refresh-1"


async def test_a_token_that_is_not_taken_is_renewed_once(time: FakeTime) -> None:
    client = client_of(time)
    client._sessions.RefreshToken = Method(pb.RefreshTokenResponse(session=session(2, time.now)))  # type: ignore[assignment]
    method = Method(rpc_error(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED"), pb.ActResponse())
    await client.call(method, pb.ActRequest())
    assert method.tokens == ["Bearer access-1", "Bearer access-2"]
    never = Method(rpc_error(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID"))
    with pytest.raises(SignInNeeded):
        await client.call(never, pb.ActRequest())
    assert len(never.requests) == 2


async def test_nobody_is_signed_in_at_first(time: FakeTime) -> None:
    client = Client(NoChannel(), ADDRESS, MemoryTokens(), time.timing())
    method = Method(pb.ActResponse())
    with pytest.raises(SignInNeeded):
        await client.call(method, pb.ActRequest())
    assert method.requests == []


def test_tokens_are_kept_by_gateway_in_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "tokens.json"
    store = FileTokens(path)
    assert store.load(ADDRESS) is None
    kept = Kept("a", "r", 1.0, "g-1", "Ann")
    store.save(ADDRESS, kept)
    store.save("there:2", Kept("b", "s", 2.0, "g-2", "Bob"))
    assert FileTokens(path).load(ADDRESS) == kept
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]
    assert "'a'" not in repr(kept) and "'r'" not in repr(kept)
    path.write_text("half a fi")
    assert FileTokens(path).load(ADDRESS) is None


def test_a_stream_that_ended_before_a_write_is_tried_again() -> None:
    masked = grpc.aio.AioRpcError(
        grpc.StatusCode.INTERNAL, grpc.aio.Metadata(), grpc.aio.Metadata(), "Internal error from Core"
    )
    found = from_rpc(masked)
    assert isinstance(found, NotReachable)
    assert found.retryable
