"""The read model behind the lobby: every table with its seats, from events of kind `table` alone.

It folds with the kit's own fold (`libs.table.life`), so the lobby cannot believe anything else than the table does.
`version` is that of the table's last event of this kind and may be behind the table's own.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from google.protobuf.any_pb2 import Any as AnyMessage
from msgspec.structs import replace

from libs.log.sql import statements
from libs.readmodel import Connection
from libs.table.life import CLOSED, FOLDS, GATHERING, PLAYING, RESTING, Life
from services.tally.summary import summarize
from stamtafel.log.v1.log_pb2 import EventRecord
from stamtafel.table.v1 import table_pb2 as pb

_SQL = statements(Path(__file__).with_name("lobby.sql"))
_FOLDS = {message.DESCRIPTOR.full_name: (message, fold) for message, fold in FOLDS.items()}
_STATES: dict[int, str] = {GATHERING: "gathering", PLAYING: "playing", RESTING: "resting", CLOSED: "closed"}
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Life).decode


class Lobby:
    """`lobby_table`: one row for each table. A `libs.readmodel.Projection`."""

    name = "lobby"
    version = 1
    kinds = ("table",)
    tables = ("lobby_table",)
    ddl = _SQL["tables"]

    async def fold(self, connection: Connection, record: EventRecord) -> list[str]:
        """Fold one event; the changed key is the table's id."""
        found = _FOLDS.get(record.type)
        if found is None:
            return []
        message, fold = found
        before = await connection.fetchval(_SQL["life"], record.stream)
        if before is None and message is not pb.TableOpened:
            raise LookupError(f"{record.stream} was never opened")
        life = fold(_decode(before) if before is not None else Life(), message.FromString(record.data))
        await connection.execute(_SQL["put"], *_row(record, without_secrets(life)))
        return [record.stream]


def without_secrets(life: Life) -> Life:
    """What others than the table may keep of it: no invitation code, no nonces (they are mixed into draws to come)."""
    seats = tuple(replace(seat, nonce=b"") for seat in life.seats)
    return replace(life, code="", nonces=(), seats=seats)


def _row(record: EventRecord, life: Life) -> tuple[object, ...]:
    seats = [
        {
            "player": seat.player,
            "name": seat.name,
            "bot": seat.bot,
            "ready": seat.ready,
            "away": seat.away,
            "entrusted": bool(seat.entrusted),
            "host": number == life.host,
        }
        for number, seat in enumerate(life.seats)
    ]
    options = life.next_options or life.options
    return (
        record.stream,
        record.log,
        life.game,
        _STATES[life.state],
        life.paused,
        life.play,
        msgspec.json.encode(seats).decode(),
        sum(not seat.taken for seat in life.seats),
        life.private,
        life.spectators != pb.SPECTATORS_REFUSED,
        life.hot_seat,
        life.imported,
        life.match_id,
        options,
        summarize(AnyMessage.FromString(options), life.game),
        record.at_us,
        record.version,
        record.at_us,
        _encode(life),
    )
