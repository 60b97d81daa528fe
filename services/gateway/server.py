"""The gRPC server: limits, TLS, health, reflection, and an orderly end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import grpc
import msgspec
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from services.gateway.contracts import load_contracts
from stamtafel.gateway.v1 import gateway_pb2 as pb

HARD_LIMIT_BYTES = 4 * 1024 * 1024


class ServerOptions(msgspec.Struct, frozen=True):
    """`address` is `host:port`;

    Port 0 takes a free one. `tls`: (private key, certificate chain) as PEM, None: plain.
    """

    address: str
    tls: tuple[bytes, bytes] | None = None
    streams_per_connection: int = 1000


def channel_options(streams_per_connection: int) -> list[tuple[str, int]]:
    """What a connection may do.

    Larger messages than the hard limit are refused by gRPC itself, before they are read.
    """
    return [
        ("grpc.max_receive_message_length", HARD_LIMIT_BYTES),
        ("grpc.max_concurrent_streams", streams_per_connection),
        ("grpc.max_metadata_size", 16 * 1024),
        ("grpc.so_reuseport", 0),
        # a client that is gone is noticed within half a minute, and one that pings all the time is sent away
        ("grpc.keepalive_time_ms", 20_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
        ("grpc.http2.max_ping_strikes", 3),
    ]


class GatewayServer:
    """Serves handlers until it is stopped."""

    def __init__(
        self, options: ServerOptions, handlers: Sequence[grpc.GenericRpcHandler], on_stop: Callable[[], None]
    ) -> None:
        """`on_stop` is called when a stop begins: it ends the streams."""
        self._options = options
        self._on_stop = on_stop
        self._server: Any = grpc.aio.server(options=channel_options(options.streams_per_connection))
        self._server.add_generic_rpc_handlers(tuple(handlers))
        self._health: Any = cast(Any, health).aio.HealthServicer()
        cast(Any, health_pb2_grpc).add_HealthServicer_to_server(self._health, self._server)
        load_contracts()
        names = [service.full_name for service in pb.DESCRIPTOR.services_by_name.values()]
        self._names = ("", *names)
        reflection.enable_server_reflection((*names, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server)

    async def start(self) -> int:
        """Listen; returns the port. Raises OSError when it is taken."""
        try:
            if self._options.tls is None:
                port = self._server.add_insecure_port(self._options.address)
            else:
                port = self._server.add_secure_port(
                    self._options.address, grpc.ssl_server_credentials([self._options.tls])
                )
        except RuntimeError as error:
            raise OSError(f"cannot listen on {self._options.address}: {error}") from error
        await self._server.start()
        await self.set_serving(True)
        return int(port)

    async def set_serving(self, serving: bool) -> None:
        """What the health service says."""
        status = health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING
        for name in self._names:
            await self._health.set(name, status)

    async def stop(self, grace_s: float) -> None:
        """Say that it stops, end the streams, let calls finish within `grace_s` seconds."""
        await self._health.enter_graceful_shutdown()
        self._on_stop()
        await self._server.stop(grace_s)
