"""What the timer keeps in its row: all running clocks and the position of each log that they were folded from."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from services.timer.deadlines import Deadlines


class Saved(msgspec.Struct, frozen=True):
    """`positions` by log; `running` by log, then table: due times by clock id."""

    positions: dict[str, int]
    running: dict[str, dict[str, dict[str, int]]]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Saved).decode


def pack(positions: Mapping[str, int], deadlines: Deadlines) -> bytes:
    """The row's bytes. Made in one go, so that clocks and positions belong together."""
    running: dict[str, dict[str, dict[str, int]]] = {}
    for log, table, clocks in deadlines.sets():
        running.setdefault(log, {})[table] = dict(clocks)
    return _encode(Saved(dict(positions), running))


def unpack(data: bytes | None) -> tuple[dict[str, int], Deadlines]:
    """Positions and clocks of a row; nothing at all for None."""
    deadlines = Deadlines()
    if data is None:
        return {}, deadlines
    saved = _decode(data)
    for log, tables in saved.running.items():
        for table, clocks in tables.items():
            deadlines.put(log, table, clocks)
    return saved.positions, deadlines
