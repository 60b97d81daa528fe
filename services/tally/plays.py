"""Finished plays, and each player's record by game: plays, wins, places.

Computer players have no record. Plays at tables of one device (hot seat), imported tables and practice positions are
listed but enter no record: they are no contest between their accounts.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from libs.log.sql import statements
from libs.readmodel import Connection
from stamtafel.log.v1.log_pb2 import EventRecord
from stamtafel.table.v1 import table_pb2 as pb

_SQL = statements(Path(__file__).with_name("plays.sql"))
_Fold = Callable[[Connection, EventRecord, Any], Awaitable[None]]


class Plays:
    """`play`, `player_game`, `player_place`. A `libs.readmodel.Projection`."""

    name = "plays"
    version = 1
    kinds = ("table",)
    tables = ("play", "player_game", "player_place")
    ddl = _SQL["tables"]

    async def fold(self, connection: Connection, record: EventRecord) -> list[str]:
        """Fold one event; nothing to notify, the lobby hears of the same tables."""
        found = _FOLDS.get(record.type)
        if found is not None:
            message, fold = found
            await fold(connection, record, message.FromString(record.data))
        return []


async def _opened(connection: Connection, record: EventRecord, event: pb.TableOpened) -> None:
    counts = not (event.hot_seat or event.imported or event.position)
    await connection.execute(_SQL["open"], record.stream, event.game, counts, event.match.match_id)
    for number, seat in enumerate(event.match.seats):
        await connection.execute(_SQL["sit"], record.stream, number, seat.name)


async def _seated(connection: Connection, record: EventRecord, event: pb.SeatTaken | pb.BotSeated) -> None:
    await connection.execute(_SQL["sit"], record.stream, event.seat, event.name)


async def _began(connection: Connection, record: EventRecord, event: pb.PlayBegan) -> None:
    options = event.options.SerializeToString()
    players = list(event.players)
    await connection.execute(_SQL["begin"], record.stream, event.play, record.log, players, options, record.at_us)


async def _ended(connection: Connection, record: EventRecord, event: pb.PlayEnded) -> None:
    result = event.result
    places = list(result.places)
    row = await connection.fetchrow(
        _SQL["end"],
        record.stream,
        event.play,
        record.at_us,
        places,
        list(result.sides),
        list(result.points),
        result.reason,
        result.SerializeToString(),
    )
    if row is None:
        raise LookupError(f"play {event.play} of {record.stream} never began")
    if not row["counts"]:
        return
    for player, place in zip(row["players"], places, strict=False):
        if place and player and not player.startswith("bot:"):
            await connection.execute(_SQL["count_play"], player, row["game"], int(place == 1))
            await connection.execute(_SQL["count_place"], player, row["game"], place)


async def _voided(connection: Connection, record: EventRecord, event: pb.PlayVoided) -> None:
    await connection.execute(_SQL["void"], record.stream, event.play, record.at_us, event.reason)


_FOLDS: dict[str, tuple[type[Message], _Fold]] = {
    message.DESCRIPTOR.full_name: (message, fold)
    for message, fold in (
        (pb.TableOpened, _opened),
        (pb.SeatTaken, _seated),
        (pb.BotSeated, _seated),
        (pb.PlayBegan, _began),
        (pb.PlayEnded, _ended),
        (pb.PlayVoided, _voided),
    )
}
