"""Wiring of the gateway."""

from __future__ import annotations

import asyncio
import base64
import gc
import time
from hashlib import sha256
from pathlib import Path

from libs.bus import Bus
from libs.service import LoopOptions, Process, run
from services.gateway.assembly import Gateway, Ports, Rules
from services.gateway.keys import Key, KeyRing, ensure_keys, read_keys
from services.gateway.limits import Rate
from services.gateway.lobby_rows import LobbyRows, open_pool
from services.gateway.rpc import Limits
from services.gateway.server import GatewayServer, ServerOptions
from services.gateway.settings import GatewaySettings
from services.gateway.tokens import Identity

BURST_S = 4.0
STALE_S = 60.0


async def main(process: Process[GatewaySettings]) -> None:
    """Serve clients."""
    settings = process.settings
    bus = await Bus.connect(
        settings.nats_url, "gateway", user=settings.nats_user or None, password=settings.nats_password or None
    )
    process.resources.push_async_callback(bus.close)
    pool = await open_pool(settings.database_url, settings.tally_role)
    process.resources.callback(pool.terminate)

    directory = Path(settings.keys_dir)

    def keys() -> list[Key]:
        return ensure_keys(directory) if settings.make_key else read_keys(directory)

    def on_bug(method: str, error: Exception) -> None:
        process.log.error("a call failed", method=method, exc_info=error)

    def note(rpc: str, who: Identity, what: str, why: str) -> None:
        process.log.warning("operation", rpc=rpc, player=who.player_id, subject=what, reason=why)

    ports = Ports(
        bus=bus,
        name=_name(settings.instance),
        ring=KeyRing(keys(), keys, time.monotonic),
        lobby=LobbyRows(pool),
        on_bug=on_bug,
        note=note,
    )
    gateway = Gateway(_rules(settings), ports)
    process.resources.push_async_callback(gateway.close)
    server = GatewayServer(_options(settings), gateway.handlers(), gateway.shut)
    hub_beat = process.supervise("watches", lambda: gateway.hub.keep(hub_beat.beat), LoopOptions(stale_after=STALE_S))
    process.supervise("lobby", gateway.lobby_watch.run)
    process.supervise("games", gateway.catalog.keep)
    port = await server.start()
    process.on_drain(lambda: server.stop(settings.drain_seconds))
    _watch(process, gateway)
    # nothing here makes cycles per message: what lives at the start is not looked at again, the rest rarely
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    process.log.info("serving", address=f"{settings.gateway_host}:{port}", tls=bool(settings.tls_cert))


def _rules(settings: GatewaySettings) -> Rules:
    return Rules(
        games=settings.games,
        commands=Rate(settings.commands_per_second, settings.commands_per_second * BURST_S),
        requests=Rate(settings.requests_per_second, settings.requests_per_second * BURST_S),
        limits=Limits(settings.request_bytes, settings.streams_per_player),
        access_s=settings.access_seconds,
        refresh_s=settings.refresh_seconds,
        answer_s=settings.answer_seconds,
        issuers=settings.issuers,
    )


def _options(settings: GatewaySettings) -> ServerOptions:
    tls = None
    if settings.tls_cert:
        tls = (Path(settings.tls_key).read_bytes(), Path(settings.tls_cert).read_bytes())
    return ServerOptions(f"{settings.gateway_host}:{settings.gateway_port}", tls, settings.streams_per_connection)


def _name(instance: str) -> str:
    """A name for subjects that no other gateway has: an instance's name may hold anything, and may be used again."""
    mark = sha256(f"{instance} {time.time_ns()}".encode()).digest()[:10]
    return "gateway-" + base64.b32encode(mark).decode().lower()


def _watch(process: Process[GatewaySettings], gateway: Gateway) -> None:
    watch = process.metrics.watch
    watch("gateway_streams", "Open streams of clients.", lambda: gateway.door.streams.open)
    watch("gateway_feeds", "Live subscriptions: watched audiences of tables.", lambda: gateway.hub.feeds)
    watch("gateway_watches", "Watches of tables.", lambda: gateway.hub.readers)
    watch("gateway_lobby_watches", "Watches of the list of tables.", lambda: gateway.lobby_watch.watchers)
    watch("gateway_commands_open", "Commands that wait for their answer.", lambda: gateway.sender.open)
    watch("gateway_tasks", "Tasks of this process.", lambda: len(asyncio.all_tasks()))


if __name__ == "__main__":
    run(main, GatewaySettings)
