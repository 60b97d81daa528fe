"""Events and batches for the log's tests."""

from __future__ import annotations

from libs.log import Batch, Cursor, NewEvent, Secret

AT = 1_750_000_000_000_000


def event(stream: str, ver: int, data: bytes = b"\x08\x03", **other: object) -> NewEvent:
    """An event of a dice table; `other` replaces any field."""
    fields: dict[str, object] = {
        "stream": stream,
        "ver": ver,
        "type": "stamtafel.trictrac.v1.DiceThrown",
        "at": AT + ver,
        "command_id": f"{stream}-command-{ver}",
        "correlation_id": "çå-1",
        "causation_id": "",
        "actor": "player:anneke",
        "draws": 1,
        "data": data,
        "kind": "play",
    }
    return NewEvent(**(fields | other))  # type: ignore[arg-type]


def batch(seq: int, *events: NewEvent, secrets: tuple[Secret, ...] = ()) -> Batch:
    """A batch that moves the cursor to `seq`."""
    return Batch(list(events), Cursor(AT, seq, AT + seq), secrets)
