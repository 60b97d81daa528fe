"""From gRPC to plain methods: who calls, how often, in what shape, and what becomes of errors. The only place for all
that.

The services' methods are named as in the contract, in snake case, and take:
    one request, one response   async (request, who) -> message or serialized message
    server stream               async (request, who, call) -> None
    both ways                   async (who, call) -> None
They raise `Denied`; anything else is a bug: it is logged, and the client learns only that.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, cast

import grpc
import msgspec
from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from services.gateway.errors import Denied, internal, shutdown
from services.gateway.limits import Buckets, Streams
from services.gateway.shapes import read
from services.gateway.tokens import Identity, Tokens
from stamtafel.gateway.v1 import gateway_pb2 as pb

OPEN = frozenset(("SignInGuest", "SignIn", "RefreshToken", "ListGames"))
STRANGER = Identity(player_id="", name="", roles=frozenset())

Reply = Message | bytes
_EOF = cast(Any, grpc.aio).EOF  # the stubs do not have it


class Call(Protocol):
    """A stream, as the services see it."""

    async def read(self) -> bytes | None:
        """The next request's bytes; None: the client sends no more."""
        ...

    async def write(self, message: Reply) -> None:
        """Send one response; waits while the client does not read."""
        ...


class Context(Protocol):
    """The part of `grpc.aio.ServicerContext` that is used here."""

    def invocation_metadata(self) -> Any: ...
    def peer(self) -> str: ...
    async def read(self) -> Any: ...
    async def write(self, message: bytes) -> None: ...
    async def abort_with_status(self, status: grpc.Status) -> None: ...


class Limits(msgspec.Struct, frozen=True):
    """Sizes and counts. `request_bytes`: of one request. `streams`: open at one time for each player."""

    request_bytes: int = 64 * 1024
    streams: int = 32


class Door:
    """Lets calls in."""

    def __init__(
        self, tokens: Tokens, requests: Buckets, limits: Limits, on_bug: Callable[[str, Exception], None]
    ) -> None:
        """`requests` limits the calls of each player, and of each address for who has no token;

        `on_bug` hears of (method, error).
        """
        self._tokens = tokens
        self._requests = requests
        self._limits = limits
        self._on_bug = on_bug
        self.streams = Streams(limits.streams)
        self.closing = False

    def handlers(self, services: Mapping[str, object]) -> list[grpc.GenericRpcHandler]:
        """gRPC handlers for objects by their service's name in the contract (`SessionsService`...); all of them."""
        made: list[grpc.GenericRpcHandler] = []
        for name, service in pb.DESCRIPTOR.services_by_name.items():
            methods = {method.name: self._handler(method, services[name]) for method in service.methods}
            made.append(grpc.method_handlers_generic_handler(service.full_name, methods))
        return made

    def enter(self, context: Context, method: str) -> Identity:
        """Who calls. Raises Denied TOKEN_*, RATE, SHUTDOWN."""
        if self.closing:
            raise shutdown()
        if method in OPEN:
            self._requests.take(_address(context.peer()))
            return STRANGER
        who = self._tokens.access(_token(context))
        self._requests.take(who.player_id)
        return who

    def _handler(self, method: MethodDescriptor, service: object) -> grpc.RpcMethodHandler[bytes, bytes]:
        run = getattr(service, _snake(method.name))
        kind = message_factory.GetMessageClass(method.input_type)
        if method.client_streaming:
            return grpc.stream_stream_rpc_method_handler(self._both_ways(method.name, run))
        if method.server_streaming:
            return grpc.unary_stream_rpc_method_handler(self._stream(method.name, kind, run))
        return grpc.unary_unary_rpc_method_handler(self._unary(method.name, kind, run))

    def _unary(self, name: str, kind: type[Message], run: Callable[[Any, Identity], Awaitable[Reply]]) -> Any:
        most = self._limits.request_bytes

        async def answer(data: bytes, context: Context) -> bytes:
            try:
                who = self.enter(context, name)
                reply = await run(read(kind, data, most), who)
                return reply if isinstance(reply, bytes) else reply.SerializeToString()
            except Denied as denied:
                status = denied.status()
            except Exception as error:
                self._on_bug(name, error)
                status = internal().status()
            await context.abort_with_status(status)
            raise AssertionError("abort raises")

        return answer

    def _stream(self, name: str, kind: type[Message], run: Callable[[Any, Identity, Call], Awaitable[None]]) -> Any:
        most = self._limits.request_bytes

        async def serve(data: bytes, context: Context) -> None:
            async def go(who: Identity) -> None:
                await run(read(kind, data, most), who, GrpcCall(context, most))

            await self._held(name, context, go)

        return serve

    def _both_ways(self, name: str, run: Callable[[Identity, Call], Awaitable[None]]) -> Any:
        async def serve(_: Any, context: Context) -> None:
            await self._held(name, context, lambda who: run(who, GrpcCall(context, self._limits.request_bytes)))

        return serve

    async def _held(self, name: str, context: Context, run: Callable[[Identity], Awaitable[None]]) -> None:
        try:
            who = self.enter(context, name)
            with self.streams.hold(who.player_id):
                await run(who)
            return
        except Denied as denied:
            status = denied.status()
        except Exception as error:
            self._on_bug(name, error)
            status = internal().status()
        await context.abort_with_status(status)


class GrpcCall:
    """A `Call` on gRPC."""

    def __init__(self, context: Context, most_bytes: int) -> None:
        self._context = context
        self._most_bytes = most_bytes

    async def read(self) -> bytes | None:
        """The next request. Raises Denied TOO_LARGE."""
        data = await self._context.read()
        if data is _EOF:
            return None
        data = cast(bytes, data)
        if len(data) > self._most_bytes:
            raise Denied("TOO_LARGE", f"a request may have {self._most_bytes} bytes; this one has {len(data)}")
        return data

    async def write(self, message: Reply) -> None:
        """Send one response."""
        await self._context.write(message if isinstance(message, bytes) else message.SerializeToString())


def _token(context: Context) -> str:
    for key, value in context.invocation_metadata():
        if key == "authorization":
            scheme, _, token = value.partition(" ")
            if scheme.lower() != "bearer" or not token:
                raise Denied("TOKEN_INVALID", "the authorization metadata must be `Bearer <token>`")
            return token.strip()
    raise Denied("TOKEN_MISSING", "this call needs an access token in the authorization metadata")


def _address(peer: str) -> str:
    """`ipv4:10.0.0.1:50000` -> `ipv4:10.0.0.1`."""
    return peer.rpartition(":")[0] if peer.startswith(("ipv4:", "ipv6:")) else peer


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
