"""What the command line knows of a game, found by name: contract, rules, screen, computer player, story.

A library may not import a service; these modules are pure, and a game that has none of them can still be watched.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol, cast

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from libs.table.brain import Brain
from libs.table.ids import game_of, log_of
from libs.table.life import FOLDS
from libs.table.standing import AnyRules


class UnknownGame(Exception):
    """There is no such game here; the text names it."""


class Screen(Protocol):
    """`services/<game>/screen.py`: the table as text, and typed text as a command."""

    def draw(self, view: Message, you: int | None, words: str = "en") -> str:
        """The table; `you` None looks on."""
        ...

    def parse(self, text: str, view: Message) -> Message:
        """The command that was typed. Raises `libs.table.rules.Refused`."""
        ...

    def help(self, words: str = "en") -> str:
        """What may be typed."""
        ...


class Story(Protocol):
    """`services/<game>/story.py`, where there is one: `Story(names)` tells a play in a few lines."""

    def hear(self, event: Message) -> Iterable[str]:
        """Lines that are complete with this event."""
        ...


class Script(Protocol):
    """A record as commands."""

    @property
    def options(self) -> Message:
        """Options of the table that takes it."""
        ...

    @property
    def steps(self) -> Sequence[tuple[int, Message, Sequence[Any]]]:
        """Each command: the seat, the command, the draws that it takes (plain JSON values)."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """The players, by seat."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """What the record says of itself."""
        ...

    @property
    def warnings(self) -> Sequence[Mapping[str, Any]]:
        """What the file has wrong without harm, a sentence in `text` each."""
        ...


class RecordFormat(Protocol):
    """`services/<game>/record.py` of a game whose records can be imported: it has a SUFFIX."""

    SUFFIX: str

    def read(self, text: str) -> Script:
        """The file as commands, all checked by the rules. Raises `libs.table.rules.Refused`."""
        ...


def _module(game: str, part: str) -> Any:
    name = f"services.{game}.{part}"
    if not game.isidentifier():
        raise UnknownGame(f"{game!r} is no game")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name is not None and (name == missing.name or name.startswith(missing.name + ".")):
            raise UnknownGame(f"there is no game {game} here; `stamtafel games` lists them") from None
        raise


@lru_cache(maxsize=16)
def rules(game: str) -> AnyRules:
    """The rules of a game. Raises UnknownGame."""
    return cast(AnyRules, _module(game, "rules").RULES)


def screen(game: str) -> Screen | None:
    """How a game looks in a terminal; None where it has no picture."""
    try:
        return cast(Screen, _module(game, "screen"))
    except UnknownGame:
        return None


def picture(game: str) -> Callable[[Message], str] | None:
    """`services/<game>/picture.py`: what draws a view of this game as SVG; None where there is none."""
    try:
        return cast("Callable[[Message], str]", _module(game, "picture").svg)
    except UnknownGame:
        return None


def brain(game: str) -> Brain:
    """The computer player of a game. Raises UnknownGame."""
    return cast(Brain, _module(game, "bot").think)


def story(game: str, names: Sequence[str]) -> Story | None:
    """Who tells a play of this game in a few lines; `names` by seat."""
    try:
        make: Callable[[Sequence[str]], Story] = _module(game, "story").Story
    except UnknownGame:
        return None
    return make(names)


@lru_cache(maxsize=1)
def record_formats() -> Mapping[str, RecordFormat]:
    """The games whose records can be imported."""
    found: dict[str, RecordFormat] = {}
    for _, game, _ in pkgutil.iter_modules(importlib.import_module("services").__path__):
        with contextlib.suppress(UnknownGame):
            module = _module(game, "record")
            if hasattr(module, "SUFFIX"):
                found[game] = cast(RecordFormat, module)
    return found


def game_of_table(table_id: str) -> str:
    """The game of a table, out of its id. Raises ValueError."""
    return game_of(log_of(table_id))


@lru_cache(maxsize=16)
def _types(game: str) -> dict[str, type[Message]]:
    known: dict[str, type[Message]] = {kind.DESCRIPTOR.full_name: kind for kind in FOLDS}
    try:
        of = rules(game)
    except UnknownGame:
        return known
    for kind in (of.options_type, of.view_type, *of.commands, *of.events):
        known[kind.DESCRIPTOR.full_name] = kind
    return known


def unpack(game: str, packed: AnyMessage) -> Message | None:
    """The message inside, None for a type that is not known here."""
    kind = _types(game).get(packed.TypeName())
    return None if kind is None else kind.FromString(packed.value)
