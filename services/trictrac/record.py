"""The record of a game: its events as JSON lines, one event a line (rules file, Records). Nothing is lost."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from google.protobuf.message import Message

from libs.table.plain import DoesNotFit, from_plain, to_plain, type_name
from libs.table.rules import Refused
from services.trictrac.rules import RULES
from stamtafel.trictrac.v1 import trictrac_pb2 as pb

FORMAT = "trictrac-jsonl"

_KINDS = {type_name(kind): kind for kind in RULES.events}


class Step(NamedTuple):
    """One decision: the seat, its command (None: its clock was missed), and the draws that it takes."""

    seat: int
    command: Message | None
    draws: tuple[tuple[int, ...], ...]


class Script(NamedTuple):
    """A game to play again: its options, the draws of the start, then every decision. `names` by seat, if given."""

    options: pb.Options
    draws: tuple[tuple[int, ...], ...]
    steps: tuple[Step, ...]
    names: tuple[str, ...] = ()


class _Line(NamedTuple):
    number: int
    event: Message
    names: list[str]


def write(events: Iterable[Message], names: Sequence[str] = ()) -> str:
    """The record. The names stand in the first line, beside the event's own fields."""
    lines: list[dict[str, Any]] = [{"type": type_name(type(e)), **to_plain(e, unset=False)} for e in events]
    if names and lines:
        lines[0]["names"] = list(names)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def read_events(text: str) -> list[Message]:
    """The events of a record. Raises Refused `bad_argument` with the line."""
    return [line.event for line in _lines(text)]


def read(text: str) -> Script:
    """The decisions behind a record that begins with a game's start. Raises Refused `bad_argument` with the line."""
    lines = list(_lines(text))
    start = lines[0].event if lines else None
    if not isinstance(start, pb.GameStarted):
        raise Refused("bad_argument", "line 1: a record begins with game_started", "text")
    opening: list[tuple[int, ...]] = []
    steps: list[Step] = []
    for number, event, _ in lines:
        if isinstance(event, pb.StarterDrawn):
            opening = [(one.die,) for drawn in event.passes for one in drawn.items]
        elif (step := _step(event)) is not None:
            steps.append(step)
        elif isinstance(event, pb.DiceThrown | pb.DieThrown):
            # A throw by the table belongs to the missed clock before it.
            if not steps or steps[-1].command is not None or steps[-1].draws:
                raise Refused("bad_argument", f"line {number}: a throw by the table without a missed clock", "text")
            steps[-1] = steps[-1]._replace(draws=(_dice(event),))
    return Script(start.options, tuple(opening), tuple(steps), tuple(lines[0].names))


def _lines(text: str) -> Iterator[_Line]:
    # Not `splitlines`: it also breaks at characters that JSON leaves as they are, such as U+2028 in a name.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            given: dict[str, Any] = json.loads(line)
            kind = _KINDS[given.pop("type")]
            names = [str(name) for name in given.pop("names", [])]
            yield _Line(number, from_plain(kind, given), names)
        except (ValueError, KeyError, TypeError, AttributeError, DoesNotFit) as error:
            raise Refused("bad_argument", f"line {number}: no event of trictrac ({error})", "text") from None


def _step(event: Message) -> Step | None:
    """The decision that begins with this event, if one does."""
    if isinstance(event, pb.ClockExpired):
        return Step(event.seat, None, ())
    if isinstance(event, pb.PointTaken):
        return Step(event.seat, pb.TakePoint(), ())
    if isinstance(event, pb.ThrowStood):
        return Step(event.seat, pb.Stand(), ()) if event.reason == "ok" else None
    if isinstance(event, pb.DiceThrown | pb.DieThrown) and event.by == "seat":
        command = pb.Throw(style=event.style)
        if event.HasField("direction"):
            command.direction = event.direction
        return Step(event.seat, command, (_dice(event),))
    return None


def _dice(event: pb.DiceThrown | pb.DieThrown) -> tuple[int, ...]:
    return tuple(event.dice) if isinstance(event, pb.DiceThrown) else (event.die,)
