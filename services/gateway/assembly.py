"""The parts of a gateway put together over its ports; `__main__` brings real ones, the tests twins."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence

import grpc
import msgspec

from libs.bus import CommandSender, Wire, ask
from services.gateway.catalog import Catalog
from services.gateway.history import HistoryService
from services.gateway.hub import Hub
from services.gateway.keys import KeyRing
from services.gateway.limits import Buckets, Rate
from services.gateway.lobby import LobbyService
from services.gateway.lobby_watch import LobbyWatch
from services.gateway.oidc import Accounts, Issuer
from services.gateway.operations import OperationsService
from services.gateway.orders import Orders
from services.gateway.owners import Owners
from services.gateway.play import PlayParts
from services.gateway.ports import DiceCheck, LobbyReader
from services.gateway.rpc import Door, Limits
from services.gateway.sessions import SessionsService
from services.gateway.tables import TablesService
from services.gateway.tokens import Identity, Tokens
from services.gateway.watching import Watching


class Rules(msgspec.Struct, frozen=True):
    """What the operator of a gateway decides. `games`: shards by game. Times in seconds."""

    games: Mapping[str, int]
    commands: Rate = Rate(50.0, 200.0)
    requests: Rate = Rate(50.0, 200.0)
    limits: Limits = Limits()
    access_s: float = 3600.0
    refresh_s: float = 30 * 86400.0
    answer_s: float = 10.0
    issuers: Sequence[Issuer] = ()


class Ports(msgspec.Struct, frozen=True):
    """What a gateway works on.

    `name` is its own among all gateways (answers come to it); `dice` None: no check of draws.
    """

    bus: Wire
    name: str
    ring: KeyRing
    lobby: LobbyReader
    on_bug: Callable[[str, Exception], None]
    note: Callable[[str, Identity, str, str], None]
    dice: DiceCheck | None = None
    now: Callable[[], float] = time.time
    clock: Callable[[], float] = time.monotonic


class Gateway:
    """All parts; loops to run beside: `hub.keep`, `lobby_watch.run`."""

    def __init__(self, rules: Rules, ports: Ports) -> None:
        bus = ports.bus
        self.tokens = Tokens(ports.ring, ports.now, rules.access_s, rules.refresh_s)
        self.sender = CommandSender(bus, ports.name)
        self.owners = Owners(functools.partial(ask, bus))
        self.catalog = Catalog(rules.games, self.owners, ports.clock)
        self.hub = Hub(bus, self.owners)
        self.watching = Watching(self.catalog, self.tokens)
        self.lobby_watch = LobbyWatch(bus, ports.lobby, self.watching, lambda error: ports.on_bug("WatchTables", error))
        self.door = Door(self.tokens, Buckets(rules.requests, ports.clock), rules.limits, ports.on_bug)
        orders = Orders(self.sender, self.catalog, Buckets(rules.commands, ports.clock), rules.answer_s)
        parts = PlayParts(
            orders=orders,
            hub=self.hub,
            watching=self.watching,
            request_bytes=rules.limits.request_bytes,
            still=self.tokens.still,
            on_bug=ports.on_bug,
        )
        self._services: dict[str, object] = {
            "SessionsService": SessionsService(self.tokens, Accounts(rules.issuers, ports.now)),
            "LobbyService": LobbyService(orders, self.catalog, ports.lobby, self.lobby_watch),
            "TablesService": TablesService(parts, self.catalog, self.owners),
            "HistoryService": HistoryService(
                self.owners,
                self.catalog,
                lambda rpc, who, what: ports.note(rpc, who, what, "auditor"),
                lambda: int(ports.now() * 1_000_000),
                ports.dice,
            ),
            "OperationsService": OperationsService(orders, self.owners, self.catalog, ports.note),
        }

    def handlers(self) -> list[grpc.GenericRpcHandler]:
        """For a gRPC server."""
        return self.door.handlers(self._services)

    def shut(self) -> None:
        """Take no more calls and end the streams."""
        self.door.closing = True
        self.watching.shut()

    async def close(self) -> None:
        """Leave the bus's subjects."""
        await self.hub.close()
        await self.lobby_watch.close()
        self.sender.close()
