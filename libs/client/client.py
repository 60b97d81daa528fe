"""A client of the gateway on grpc.aio: sign-in, calls that try again, streams, and the parts built on them.

    async with connect("127.0.0.1:7420") as client:
        await client.sign_in_guest("Ann")
        table_id = await client.lobby.open("trictrac", bots=["easy"])
        async for update in client.tables.watch(table_id):
            ...

Errors are those of `libs.client.errors`. One client belongs to one event loop; never fork a process that has one.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, Protocol, TypeVar, cast

import grpc
from google.protobuf.message import Message

from libs.client.account import Account
from libs.client.errors import ClientError, SignInNeeded, from_rpc
from libs.client.history import History
from libs.client.lobby import Lobby
from libs.client.operations import Operations
from libs.client.retry import PATIENCE_S, Backoff, Timing
from libs.client.tables import Tables
from libs.client.tokens import MemoryTokens, TokenStore
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.gateway.v1 import gateway_pb2_grpc as stubs

ATTEMPT_S = 15.0
"""One try of a call; a gateway answers within 10 s, if only that it does not know."""
MOST_BYTES = 16 * 1024 * 1024
CHANNEL_OPTIONS = [
    ("grpc.max_receive_message_length", MOST_BYTES),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    # a gateway that is gone without a word is noticed within half a minute; servers allow one ping in 5 s
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
]

Req = TypeVar("Req", bound=Message, contravariant=True)
Res = TypeVar("Res", bound=Message, covariant=True)


class Unary(Protocol[Req, Res]):
    """A method of a stub with one answer."""

    def __call__(self, request: Req, *, timeout: float, metadata: Any) -> Awaitable[Res]: ...


class Streaming(Protocol[Req, Res]):
    """A method of a stub with many answers."""

    def __call__(self, request: Req, *, metadata: Any) -> Any: ...


class Client:
    """One player's way to one gateway. `lobby`, `tables`, `history`, `operations` are the services of the gateway.

    `patience_s`: how long a call or a stream is tried when nobody answers.
    """

    def __init__(
        self, channel: Any, address: str, store: TokenStore | None = None, timing: Timing | None = None
    ) -> None:
        """`channel`: an open grpc.aio channel, closed by who opened it. `store` keeps tokens (default: in memory)."""
        self.address = address
        self.timing = timing or Timing()
        self.patience_s = PATIENCE_S
        self.account = Account(address, store or MemoryTokens(), self.timing, self._fresh)
        self._sessions = cast("stubs.SessionsServiceAsyncStub", stubs.SessionsServiceStub(channel))
        self.lobby = Lobby(self, cast("stubs.LobbyServiceAsyncStub", stubs.LobbyServiceStub(channel)))
        self.tables = Tables(self, cast("stubs.TablesServiceAsyncStub", stubs.TablesServiceStub(channel)))
        self.history = History(self, cast("stubs.HistoryServiceAsyncStub", stubs.HistoryServiceStub(channel)))
        self.operations = Operations(
            self, cast("stubs.OperationsServiceAsyncStub", stubs.OperationsServiceStub(channel))
        )

    # ------------------------------------------------------------------------------------------------- sessions

    async def sign_in_guest(self, name: str) -> pb.Player:
        """Become a new guest of this name (1..40 characters)."""
        reply = await self.call(self._sessions.SignInGuest, pb.SignInGuestRequest(name=name), signed_in=False)
        self.account.adopt(reply.session)
        return reply.session.player

    async def sign_in(self, id_token: str) -> pb.Player:
        """Sign in with the ID token of an issuer that the gateway knows."""
        reply = await self.call(self._sessions.SignIn, pb.SignInRequest(id_token=id_token), signed_in=False)
        self.account.adopt(reply.session)
        return reply.session.player

    async def self(self) -> pb.Player:
        """Who the gateway takes this client for. Raises SignInNeeded."""
        return (await self.call(self._sessions.GetSelf, pb.GetSelfRequest())).player

    async def _fresh(self, refresh_token: str) -> pb.Session:
        request = pb.RefreshTokenRequest(refresh_token=refresh_token)
        return (await self.call(self._sessions.RefreshToken, request, signed_in=False)).session

    # ---------------------------------------------------------------------------------------------------- calls

    async def call(self, method: Unary[Req, Res], request: Req, *, signed_in: bool = True) -> Res:
        """One call; the same request again for up to 60 s while nobody answers or too much was asked.

        Safe for commands because a request carries its command id. Raises ClientError.
        """
        backoff = Backoff(self.timing, self.patience_s)
        renewed = False
        while True:
            metadata = await self.account.metadata() if signed_in else ()
            try:
                return await method(request, timeout=ATTEMPT_S, metadata=metadata)
            except grpc.aio.AioRpcError as failed:
                error = from_rpc(failed)
            if isinstance(error, SignInNeeded) and signed_in and not renewed:
                renewed = True
                await self.account.renew()
            else:
                await backoff.after(error)

    async def stream(self, method: Streaming[Req, Any], request: Req) -> AsyncGenerator[Any]:
        """One stream of answers, as it comes; tried again only before its first answer. Raises ClientError."""
        backoff = Backoff(self.timing, self.patience_s)
        while True:
            begun = False
            try:
                async with contextlib.aclosing(
                    self.once(lambda metadata: method(request, metadata=metadata))
                ) as replies:
                    async for reply in replies:
                        begun = True
                        yield reply
                return
            except ClientError as error:
                if begun:
                    raise
                await backoff.after(error)

    async def once(self, start: Callable[[Any], Any]) -> AsyncGenerator[Any]:
        """The answers of one call that `start(metadata)` begins; cancelled when the reader goes. Raises ClientError.

        When the token does not count (any more) it is renewed, and the error says that trying again will help.
        """
        call = start(await self.account.metadata())
        try:
            async for reply in call:
                yield reply
            return
        except grpc.aio.AioRpcError as failed:
            error = from_rpc(failed)
        finally:
            call.cancel()
        if isinstance(error, SignInNeeded):
            await self.account.renew()
            error.retryable = True
        raise error

    @staticmethod
    def new_id() -> str:
        """A new command id."""
        return secrets.token_hex(12)


@contextlib.asynccontextmanager
async def connect(
    address: str, store: TokenStore | None = None, timing: Timing | None = None, tls: bytes | None = None
) -> AsyncGenerator[Client]:
    """A client of the gateway at `address` (`host:port`). `tls`: root certificates (PEM; empty: the system's own)."""
    if tls is None:
        channel = grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS)
    else:
        credentials = grpc.ssl_channel_credentials(tls or None)
        channel = grpc.aio.secure_channel(address, credentials, options=CHANNEL_OPTIONS)
    try:
        yield Client(channel, address, store, timing)
    finally:
        # what still runs on the channel is cancelled; waiting for it would hold up an exit
        await channel.close()
        await asyncio.sleep(0)
