"""Which tables have computer players: folded from events of kind `table`, of all logs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec
from google.protobuf.message import Message

from stamtafel.log.v1.log_pb2 import EventRecord
from stamtafel.table.v1 import table_pb2 as pb


class Entry(msgspec.Struct):
    """A table: levels by seat of its computer players, and of seats that one acts for. `played`: a play has begun."""

    bots: dict[int, str] = {}
    entrusted: dict[int, str] = {}
    played: bool = False


class Saved(msgspec.Struct, frozen=True):
    """What is kept over a restart: positions by log, tables by log and id."""

    positions: dict[str, int]
    tables: dict[str, dict[str, Entry]]


class Seat(NamedTuple):
    """A seat that a computer player acts for."""

    log: str
    table: str
    seat: int


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Saved).decode


class Census:
    """Knows of every table with computer players; forgets a table that has none left."""

    def __init__(self, data: bytes | None = None) -> None:
        """`data` as `pack` gave it."""
        saved = _decode(data) if data is not None else Saved({}, {})
        self.positions: dict[str, int] = saved.positions
        self._tables: dict[str, dict[str, Entry]] = saved.tables

    def pack(self) -> bytes:
        """Everything, with the positions it was folded from."""
        return _encode(Saved(self.positions, self._tables))

    def fold(self, record: EventRecord) -> None:
        """Take in one event; others than those of seats and plays are passed over."""
        found = _FOLDS.get(record.type)
        if found is not None:
            message, fold = found
            tables = self._tables.setdefault(record.log, {})
            entry = tables.get(record.stream) or Entry()
            fold(entry, message.FromString(record.data))
            if entry.bots or entry.entrusted:
                tables[record.stream] = entry
            else:
                tables.pop(record.stream, None)
        self.positions[record.log] = record.position

    def level(self, place: Seat) -> str | None:
        """Level of the computer player that acts for a seat, as far as known."""
        entry = self._tables.get(place.log, {}).get(place.table)
        if entry is None:
            return None
        return entry.bots.get(place.seat) or entry.entrusted.get(place.seat)

    def seats(self) -> Iterator[Seat]:
        """All seats of computer players at tables where a play has begun."""
        for log, tables in self._tables.items():
            for table, entry in tables.items():
                if entry.played:
                    for seat in {**entry.bots, **entry.entrusted}:
                        yield Seat(log, table, seat)

    def __len__(self) -> int:
        """Number of tables."""
        return sum(len(tables) for tables in self._tables.values())


def _bot_seated(entry: Entry, event: pb.BotSeated) -> None:
    entry.bots[event.seat] = event.level


def _freed(entry: Entry, event: pb.BotRemoved | pb.SeatTaken) -> None:
    entry.bots.pop(event.seat, None)


def _entrusted(entry: Entry, event: pb.SeatEntrusted) -> None:
    entry.entrusted[event.seat] = event.level
    entry.played = True


def _returned(entry: Entry, event: pb.SeatReturned) -> None:
    entry.entrusted.pop(event.seat, None)


def _options(entry: Entry, event: pb.OptionsSet) -> None:
    entry.bots = {seat: level for seat, level in entry.bots.items() if seat < event.seats}


def _began(entry: Entry, _: pb.PlayBegan) -> None:
    entry.played = True


def _ended(entry: Entry, _: pb.PlayEnded | pb.PlayVoided) -> None:
    entry.entrusted = {}


def _closed(entry: Entry, _: pb.TableClosed) -> None:
    entry.bots, entry.entrusted = {}, {}


_FOLDS: Mapping[str, tuple[type[Message], Callable[[Entry, Any], None]]] = {
    message.DESCRIPTOR.full_name: (message, fold)
    for message, fold in (
        (pb.BotSeated, _bot_seated),
        (pb.BotRemoved, _freed),
        (pb.SeatTaken, _freed),
        (pb.SeatEntrusted, _entrusted),
        (pb.SeatReturned, _returned),
        (pb.OptionsSet, _options),
        (pb.PlayBegan, _began),
        (pb.PlayEnded, _ended),
        (pb.PlayVoided, _ended),
        (pb.TableClosed, _closed),
    )
}
