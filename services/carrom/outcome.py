"""The outcome of a shot as plain data (rules file, Randomness) and as an event."""

from collections.abc import Mapping, Sequence
from typing import Any

from stamtafel.carrom.v1 import carrom_pb2 as pb


def resolved(seat: int, outcome: Mapping[str, Any]) -> pb.ShotResolved:
    """The event of an outcome; what it leaves out takes its default, `first_contact` is required (may be None)."""
    event = pb.ShotResolved(
        seat=seat,
        engine=outcome.get("engine", ""),
        first_contact=outcome["first_contact"],
        rails_before=outcome.get("rails_before", 0),
        pocketed=outcome.get("pocketed", ()),
        out=outcome.get("out", ()),
        dropped=outcome.get("dropped", ()),
        time_ms=outcome.get("time_ms"),
        settled=outcome.get("settled", True),
    )
    rest: Mapping[str, Sequence[float]] = outcome.get("rest", {})
    for piece in sorted(rest):
        x, y = rest[piece]
        event.rest.add(piece=piece, x_um=round(x * 1e6), y_um=round(y * 1e6))
    holes: Mapping[str, str] = outcome.get("holes", {})
    for piece in sorted(holes):
        event.holes.add(piece=piece, hole=holes[piece])
    tracks: Mapping[str, Sequence[Sequence[float]]] = outcome.get("keyframes", {})
    for piece in sorted(tracks):
        frames = event.keyframes.add(piece=piece).frames
        for ms, x, y in tracks[piece]:
            ms, us = divmod(round(ms * 1000), 1000)
            frames.add(ms=ms, x=round(x), y=round(y), us=us)
    return event
