"""A gateway on the in-memory bus behind a real gRPC port, with an owner, a list of tables and clients."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from libs.bus import MemoryBroker
from services.gateway.assembly import Gateway, Ports, Rules
from services.gateway.keys import Key, KeyRing
from services.gateway.lobby_watch import shown
from services.gateway.ports import Listing, LobbyDown, Place
from services.gateway.server import GatewayServer, ServerOptions
from services.gateway.tokens import PLAYER, Identity
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.gateway.v1 import gateway_pb2_grpc as stubs
from tests.unit.gateway.owner import Owner

RULES = Rules(games={"trictrac": 1})


class LobbyTwin:
    """`LobbyReader` in memory."""

    def __init__(self) -> None:
        self.rows: dict[str, pb.TableSummary] = {}
        self.down = False

    def put(self, table_id: str, at: int, **fields: Any) -> None:
        """A table as it is now."""
        row = pb.TableSummary(table_id=table_id, game="trictrac", version=at, **fields)
        row.at.FromMicroseconds(at)
        self.rows[table_id] = row

    async def page(self, listing: Listing, after: Place | None, limit: int) -> list[pb.TableSummary]:
        """See the port."""
        self._check()
        rows = sorted(self.rows.values(), key=_key, reverse=True)
        place = (after.at_us, after.table_id) if after else (2**62, "")
        return [row for row in rows if shown(listing, row) and _key(row) < place][:limit]

    async def get(self, table_ids: Sequence[str]) -> list[pb.TableSummary]:
        """See the port."""
        self._check()
        return [self.rows[table_id] for table_id in table_ids if table_id in self.rows]

    def _check(self) -> None:
        if self.down:
            raise LobbyDown("the database is away")


def _key(row: pb.TableSummary) -> tuple[int, str]:
    return (row.at.ToMicroseconds(), row.table_id)


class Client:
    """Stubs of all services with a player's token."""

    def __init__(self, channel: grpc.aio.Channel, token: str, player: str) -> None:
        self.channel = channel
        self.player = player
        self.metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self.sessions = stubs.SessionsServiceStub(channel)
        self.lobby = stubs.LobbyServiceStub(channel)
        self.tables = stubs.TablesServiceStub(channel)
        self.history = stubs.HistoryServiceStub(channel)
        self.operations = stubs.OperationsServiceStub(channel)

    async def raw(self, method: str, data: bytes) -> bytes:
        """A unary call with any bytes."""
        return await self.channel.unary_unary(f"/stamtafel.gateway.v1.{method}")(data, metadata=self.metadata)


class World:
    """Everything, and the clock."""

    def __init__(self, rules: Rules) -> None:
        self.now = 1_700_000_000.0
        self.bugs: list[tuple[str, Exception]] = []
        self.notes: list[tuple[str, str, str]] = []
        self.broker = MemoryBroker()
        self.bus = self.broker.connect("gateway")
        self.owner = Owner(self.broker.connect("owner"))
        self.lobby = LobbyTwin()
        self.ring = KeyRing([Key.fresh()])
        ports = Ports(
            bus=self.bus,
            name="gateway-1",
            ring=self.ring,
            lobby=self.lobby,
            on_bug=lambda method, error: self.bugs.append((method, error)),
            note=lambda rpc, who, what, why: self.notes.append((rpc, who.player_id, what)),
            now=lambda: self.now,
            clock=lambda: self.now,
        )
        self.gateway = Gateway(rules, ports)
        self.server = GatewayServer(ServerOptions("127.0.0.1:0"), self.gateway.handlers(), self.gateway.shut)
        self.port = 0
        self._channels: list[grpc.aio.Channel] = []
        self._names = itertools.count(1)

    def token(self, player: str, *roles: str) -> str:
        """An access token."""
        who = Identity(player_id=player, name=player.title(), roles=frozenset((PLAYER, *roles)))
        return self.gateway.tokens.session(who).access_token

    def client(self, player: str = "ann", *roles: str, token: str | None = None) -> Client:
        """A client on a channel of its own; `token` replaces the player's."""
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{self.port}", options=options)
        self._channels.append(channel)
        return Client(channel, self.token(player, *roles) if token is None else token, player)

    async def close(self) -> None:
        """Close the clients."""
        for channel in self._channels:
            await channel.close()


@asynccontextmanager
async def world(rules: Rules = RULES) -> AsyncIterator[World]:
    """A running world."""
    made = World(rules)
    await made.owner.start()
    made.port = await made.server.start()
    try:
        yield made
    finally:
        await made.close()
        await made.server.stop(0)
        await made.gateway.close()
        await made.owner.stop()


def reason(error: grpc.RpcError) -> tuple[str, str]:
    """(status code's name, reason) of an error that the gateway gave."""
    status = rpc_status.from_call(error)
    assert status is not None, error
    for detail in status.details:
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            assert info.domain == "stamtafel"
            return error.code().name, info.reason
    raise AssertionError(f"{error} has no reason")


def detail(error: grpc.RpcError, kind: type[Any]) -> Any:
    """One of the details of an error."""
    status = rpc_status.from_call(error)
    assert status is not None
    for packed in status.details:
        found = kind()
        if packed.Unpack(found):
            return found
    raise AssertionError(f"no {kind.__name__} in {status}")
