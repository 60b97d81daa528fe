"""Golden games: the stored bytes of one finished game, decoded and replayed by today's code.

A file is JSON lines: the game and its options, each event as type and base64 bytes, the last public view. The bytes
were written once and must be readable for ever; a new meaning is a new event type with an upcaster.
"""

import base64
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from google.protobuf.message import Message

from libs.table.plain import to_plain
from libs.table.rules import Rules
from libs.testing.scripted import facts_of


class Golden(NamedTuple):
    """A stored game: complete options, events in order, the last public view as plain JSON."""

    game: str
    options: bytes
    events: list[tuple[str, bytes]]
    view: dict[str, Any]


def write(path: Path, rules: Rules[Any, Any], options: Message, events: Iterable[Message]) -> None:
    """Stores a game. Refuses to overwrite: a golden file is never made anew."""
    state = rules.initial(options)
    lines = [{"game": rules.game, "options": _text(options)}]
    for event in events:
        state = rules.evolve(state, event)
        lines.append({"type": event.DESCRIPTOR.full_name, "data": _text(event)})
    view = to_plain(rules.view(state, None, facts_of(rules.seating(options))))
    with path.open("x", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in [*lines, {"view": view}])


def _text(message: Message) -> str:
    return base64.b64encode(message.SerializeToString(deterministic=True)).decode()


def read(path: Path) -> Golden:
    """A stored game."""
    first, *middle, last = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    events = [(line["type"], base64.b64decode(line["data"])) for line in middle]
    return Golden(first["game"], base64.b64decode(first["options"]), events, last["view"])


def replay(golden: Golden, rules: Rules[Any, Any]) -> tuple[Any, list[Message]]:
    """The end state and the decoded events. Raises KeyError for an event type that the rules no longer have."""
    kinds = {kind.DESCRIPTOR.full_name: kind for kind in rules.events}
    state = rules.initial(rules.options_type.FromString(golden.options))
    events = [kinds[name].FromString(data) for name, data in golden.events]
    for event in events:
        state = rules.evolve(state, event)
    return state, events
