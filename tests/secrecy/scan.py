"""Scanning what an audience received for what it may not know at that moment. Independent of the code that redacts.

Each game with secrets has an adapter (`tests/secrecy/<game>.py`) that tells from the stored events alone who may know
what at every version. Messages are walked generically, every field, with `Any` unpacked; raw bytes are searched for
seeds in every spelling.
"""

from __future__ import annotations

import base64
import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple, Protocol

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

import services
from libs.log.model import EventRecord
from libs.table.standing import AnyRules
from stamtafel.table.v1 import table_pb2 as pb


class Heard(NamedTuple):
    """What an audience received: the seat (None: the public), the table's version then, the message or text."""

    who: str
    audience: int | None
    version: int
    what: Message | str


class Truth(Protocol):
    """Who may know what of one table, by version."""

    def in_event(self, event: pb.EventView, heard: Heard) -> Iterable[str]:
        """What this event gives away."""
        ...

    def in_picture(self, picture: Message, heard: Heard) -> Iterable[str]:
        """What anything else gives away, its events aside."""
        ...

    def in_text(self, text: str, heard: Heard) -> Iterable[str]:
        """What a sentence gives away."""
        ...


class Secrets(Protocol):
    """The adapter of one game with secrets."""

    rules: AnyRules
    whole: Message
    """Options of the game that is played through the gateway."""
    forms: Sequence[Message]
    """Options of the games that are played against the rules alone."""
    late: int
    """The version at which the late joiner comes."""
    telling: re.Pattern[str]
    """What stands in no log line and on no metrics page."""

    def truth(self, records: Sequence[EventRecord]) -> Truth:
        """Out of the stored events of a table."""
        ...

    def meddling(self, rng: Random) -> tuple[Message, str]:
        """A command of a meddler, and the word in it that a refusal may repeat."""
        ...

    def attempts(self) -> Sequence[Message]:
        """Commands of all sorts, legal or not."""
        ...

    def elsewhere(self, events: Sequence[Message], audience: int | None, rng: Random) -> list[Message]:
        """The same events in another world, which differs only in what the audience may not know after the last."""
        ...


def games_with_secrets() -> Mapping[str, Secrets]:
    """The adapter of each game whose rules hide something. A game without its adapter is an error."""
    found: dict[str, Secrets] = {}
    for module in pkgutil.iter_modules(services.__path__):
        name = f"services.{module.name}.rules"
        try:
            rules: Any = getattr(importlib.import_module(name), "RULES", None)
        except ModuleNotFoundError as missing:
            if missing.name != name:
                raise
            continue
        if rules is not None and rules.hides:
            found[module.name] = importlib.import_module(f"tests.secrecy.{module.name}").SECRETS
    return found


class Seeds:
    """The seeds of a table, and from which version on each is public (None: still sealed)."""

    def __init__(self, records: Sequence[EventRecord], sealed: Iterable[bytes] = ()) -> None:
        self.open: dict[bytes, int | None] = dict.fromkeys(sealed)
        for record in records:
            if record.type == pb.DrawsRevealed.DESCRIPTOR.full_name:
                self.open[pb.DrawsRevealed.FromString(record.data).seed] = record.ver

    def leaks(self, heard: Heard) -> Iterator[str]:
        """Seeds that this audience received too early."""
        whole = heard.what.encode() if isinstance(heard.what, str) else heard.what.SerializeToString()
        for seed, since in self.open.items():
            if (since is None or since > heard.version) and any(form in whole for form in spellings(seed)):
                yield "a seed"


def spellings(seed: bytes) -> tuple[bytes, ...]:
    """A seed as bytes, in hexadecimal and in both alphabets of base64."""
    codes = (base64.b64encode(seed), base64.urlsafe_b64encode(seed))
    return (seed, seed.hex().encode(), seed.hex().upper().encode(), *(code.rstrip(b"=") for code in codes))


def leaks(truth: Truth, seeds: Seeds, heard: Heard) -> list[str]:
    """What this audience received and may not know."""
    found = list(seeds.leaks(heard))
    what = heard.what
    if isinstance(what, str):
        found += truth.in_text(what, heard)
    elif isinstance(what, pb.EventView):
        found += truth.in_event(what, heard)
    else:
        for event in getattr(what, "events", ()):
            found += truth.in_event(event, heard)
        found += truth.in_picture(what, heard)
    return [f"{heard.who} at {heard.version}: {leak}" for leak in found]


def view_of(what: Message) -> pb.TableView | None:
    """The table's view in an update, a picture, or as it is."""
    view = what if isinstance(what, pb.TableView) else getattr(what, "view", None)
    return view if isinstance(view, pb.TableView) else None


def unpacked(body: Message) -> Message:
    """The message in an Any."""
    name = body.type_url.rpartition("/")[2]  # type: ignore[attr-defined]
    kind = message_factory.GetMessageClass(descriptor_pool.Default().FindMessageTypeByName(name))
    return kind.FromString(body.value)  # type: ignore[attr-defined]


def walk(message: Message, skip: tuple[str, ...] = (), path: str = "") -> Iterator[tuple[str, Any]]:
    """Every set value of a message, messages too, with its path; `Any` unpacked, fields named in `skip` left out."""
    if message.DESCRIPTOR.full_name == "google.protobuf.Any":
        if message.type_url:  # type: ignore[attr-defined]
            yield from walk(unpacked(message), skip, path)
        return
    yield path, message
    for field, value in message.ListFields():
        if field.name in skip:
            continue
        here = f"{path}.{field.name}"
        for item in value if field.is_repeated else (value,):
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                yield from walk(item, skip, here)
            else:
                yield here, item


def strings(message: Message, skip: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Every string of a message with its path."""
    return ((path, value) for path, value in walk(message, skip) if isinstance(value, str))
