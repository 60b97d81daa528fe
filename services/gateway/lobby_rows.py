"""The list of tables in Postgres: `LobbyReader` over tally's read model, read only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import asyncpg
import msgspec

from libs.log.sql import statements
from services.gateway.ports import Listing, LobbyDown, Place
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table

_SQL = statements(Path(__file__).with_name("lobby.sql"))
_STATES: dict[str, table.TableState.ValueType] = {
    "gathering": table.TABLE_STATE_GATHERING,
    "playing": table.TABLE_STATE_PLAYING,
    "resting": table.TABLE_STATE_RESTING,
    "closed": table.TABLE_STATE_CLOSED,
}
_WORDS: dict[int, str] = {number: word for word, number in _STATES.items()}
_NEWEST = Place(2**62, "")
_decode = msgspec.json.Decoder().decode


class Pool(Protocol):
    """The part of an asyncpg pool that is used."""

    async def fetch(self, query: str, *args: Any) -> list[Any]: ...


class LobbyRows:
    """Reads `tally.lobby_table`. Every method raises LobbyDown when the database or the read model is away."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def page(self, listing: Listing, after: Place | None, limit: int) -> list[pb.TableSummary]:
        """See `LobbyReader`."""
        place = after or _NEWEST
        states = [_WORDS[state] for state in listing.states] or [word for word in _STATES if word != "closed"]
        return await self._fetch(
            "page",
            listing.player,
            listing.game,
            states,
            listing.with_free_seat,
            listing.mine,
            place.at_us,
            place.table_id,
            limit,
        )

    async def get(self, table_ids: Sequence[str]) -> list[pb.TableSummary]:
        """See `LobbyReader`."""
        return await self._fetch("get", list(table_ids))

    async def _fetch(self, name: str, *args: object) -> list[pb.TableSummary]:
        try:
            rows = await self._pool.fetch(_SQL[name], *args)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
            raise LobbyDown(repr(error)) from error
        return [_summary(row) for row in rows]


def _summary(row: Any) -> pb.TableSummary:
    summary = pb.TableSummary(
        table_id=row["table_id"],
        game=row["game"],
        state=_STATES[row["state"]],
        free_seats=row["free"],
        private=row["private"],
        spectators=row["spectators"],
        options_text=row["summary"],
        version=row["version"],
    )
    for number, seat in enumerate(_decode(row["seats"])):
        summary.seats.add(seat=number, player=seat["player"], name=seat["name"], bot=seat["bot"])
    summary.at.FromMicroseconds(row["at"])
    return summary


async def open_pool(dsn: str, role: str = "") -> Any:
    """A small pool whose connections can only read, as `role` if one is named.

    It connects when first used, so tally may come later.
    """
    settings = {"default_transaction_read_only": "on", "application_name": "stamtafel-gateway"}
    if role:
        settings["role"] = role
    connect: Any = cast(Any, asyncpg).create_pool
    return await connect(dsn, min_size=0, max_size=4, command_timeout=5, timeout=5, server_settings=settings)
