"""The record of a match as JSON lines: its options, then a line for each shot, missed clock or resignation.

The field has no notation of its own (rules file, Records). A shot has seat, x, angle, speed, the outcome without
keyframes, and the ruling; that is enough to play the match again by the same rulings.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from google.protobuf.message import Message

from libs.table.plain import DoesNotFit, from_plain, to_plain, type_name
from libs.table.rules import Refused
from services.carrom.board import PALET, PIONS
from services.carrom.outcome import resolved
from stamtafel.carrom.v1 import carrom_pb2 as pb

FORMAT = "carrom-jsonl"
_RULING = (
    pb.PionAcquired,
    pb.RedPocketed,
    pb.RedValidated,
    pb.PaletLost,
    pb.PenaltyPaid,
    pb.PenaltyWaived,
    pb.PieceDropped,
    pb.PieceReturned,
    pb.HandKept,
    pb.HandLost,
    pb.BonusStarted,
    pb.BonusEnded,
    pb.SetEnded,
    pb.PointsScored,
    pb.MatchEnded,
)
_NUMBERS = ("x", "angle", "speed")


class Step(NamedTuple):
    """One decision: the seat, its command (None: its clock was missed), and the random outcomes that it takes."""

    seat: int
    command: Message | None
    draws: tuple[Any, ...] = ()


class Script(NamedTuple):
    """A match to play again: its options, the outcomes that its start takes, every decision. `names` by seat."""

    options: pb.Options
    start: tuple[Any, ...]
    steps: tuple[Step, ...]
    names: tuple[str, ...] = ()


def write(events: Iterable[Message], names: Sequence[str] = ()) -> str:
    """The record of a match from its events."""
    lines: list[dict[str, Any]] = []
    for event in events:
        if isinstance(event, pb.MatchStarted):
            lines.append({"options": to_plain(event.options, unset=False), **({"names": list(names)} if names else {})})
        elif isinstance(event, pb.ShotTaken):
            shot = (event.x_um / 1e6, event.angle_udeg / 1e6, event.speed_um_s / 1e6)
            lines.append({"seat": event.seat, **dict(zip(_NUMBERS, shot, strict=True))})
        elif isinstance(event, pb.ShotResolved):
            lines[-1] |= {"outcome": outcome_of(event), "ruling": []}
        elif isinstance(event, pb.TossDrawn):
            lines[-1]["white"] = event.white
        elif isinstance(event, pb.ClockExpired):
            lines.append({"seat": event.seat, "clock": event.misses, "ruling": []})
        elif isinstance(event, pb.Resigned):
            lines.append({"seat": event.seat, "resign": True, "ruling": []})
        elif isinstance(event, _RULING):
            lines[-1]["ruling"].append({"type": type_name(type(event)), **to_plain(event, unset=False)})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def outcome_of(event: pb.ShotResolved) -> dict[str, Any]:
    """The outcome as the rules file's Randomness writes it, without keyframes."""
    return {
        "engine": event.engine,
        "first_contact": event.first_contact if event.HasField("first_contact") else None,
        "rails_before": event.rails_before,
        "pocketed": list(event.pocketed),
        "out": list(event.out),
        "dropped": list(event.dropped),
        "rest": {one.piece: [one.x_um / 1e6, one.y_um / 1e6] for one in event.rest},
        "holes": {one.piece: one.hole for one in event.holes},
        "time_ms": event.time_ms if event.HasField("time_ms") else None,
        "settled": event.settled,
    }


def read(text: str) -> Script:
    """The decisions behind a record. Raises Refused `bad_argument` with the line."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    options, start, names = pb.Options(), (), ()
    steps: list[Step] = []
    for place, (number, line) in enumerate(lines):
        try:
            given: dict[str, Any] = json.loads(line)
            if place == 0:
                options = from_plain(pb.Options, given["options"])
                start, names = (_seat(given["white"]),), tuple(str(name) for name in given.get("names", []))
            else:
                steps.append(_step(given))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, DoesNotFit) as error:
            raise Refused("bad_argument", f"line {number}: no line of a carrom record ({error})", "text") from None
    if not lines:
        raise Refused("bad_argument", "line 1: a record begins with the options of the match", "text")
    return Script(options, start, tuple(steps), names)


def _step(given: Mapping[str, Any]) -> Step:
    seat = _seat(given["seat"])
    toss = (_seat(given["white"]),) if "white" in given else ()
    if "clock" in given:
        return Step(seat, None, toss)
    if given.get("resign"):
        return Step(seat, pb.Resign())
    shot = from_plain(pb.Shoot, {name: given[name] for name in _NUMBERS})
    return Step(seat, shot, (_checked(given["outcome"]), *toss))


def _seat(value: object) -> int:
    if type(value) is not int:
        raise ValueError("a seat is a number")
    return value


def _checked(outcome: Mapping[str, Any]) -> dict[str, Any]:
    """An outcome that the referee can read, as the rules file's Randomness says: it may leave out what has a default.

    Raises ValueError or its like.
    """
    shot = resolved(0, outcome)
    pieces = {*shot.pocketed, *shot.out, *shot.dropped, *(one.piece for one in (*shot.rest, *shot.holes))}
    if shot.HasField("first_contact"):
        pieces.add(shot.first_contact)
    if unknown := pieces - {*PIONS, PALET}:
        raise ValueError(f"no piece: {sorted(unknown)}")
    return dict(outcome)
