"""The games that this gateway serves: their logs, and what their owners say about them (types, options, presets).

The gateway knows no game. Which games there are is a setting; the rest is asked from their owners and remembered.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError, Message

from libs.table.ids import game_of, log_of, logs_of, table_id
from services.gateway.errors import Denied, bad_shape
from services.gateway.owners import Owners
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table

REMEMBER_S = 60.0
ASK_S = 5.0


class Catalog:
    """The games by name."""

    def __init__(self, games: Mapping[str, int], owners: Owners, clock: Callable[[], float]) -> None:
        """`games`: number of shards by game. `clock` gives seconds that never go back."""
        self._shards = dict(sorted(games.items()))
        self._owners = owners
        self._clock = clock
        self._logs = frozenset(log for game, shards in games.items() for log in logs_of(game, shards))
        self._known: dict[str, table.DescribeResponse] = {}
        self._asked_at: dict[str, float] = {}
        self._commands: dict[str, dict[str, Callable[[bytes], Message] | None]] = {}

    @property
    def logs(self) -> list[str]:
        """All logs, by name."""
        return sorted(self._logs)

    def log_of(self, table: str) -> str:
        """The log of a table. Raises Denied UNKNOWN_TABLE when no log here could hold it."""
        try:
            log = log_of(table)
        except ValueError:
            log = ""
        if log not in self._logs:
            raise Denied("UNKNOWN_TABLE", "there is no such table")
        return log

    def game_of(self, table: str) -> str:
        """The game of a table. Raises Denied UNKNOWN_TABLE."""
        return game_of(self.log_of(table))

    def new_table(self, game: str, actor: str, command_id: str) -> str:
        """Id of the table that this command opens. Raises Denied UNKNOWN_GAME."""
        shards = self._shards.get(game)
        if shards is None:
            raise Denied("UNKNOWN_GAME", f"there is no game of this name; there are {', '.join(self._shards)}")
        return table_id(game, shards, actor, command_id)

    def need_log(self, log: str) -> None:
        """Raises Denied BAD_SHAPE for a log that is not here."""
        if log not in self._logs:
            raise bad_shape("log", f"is not one of {', '.join(self.logs)}")

    def check_command(self, log: str, body: AnyMessage, field: str = "body") -> None:
        """Whether `body` is one of the commands of the log's game, by its type's name; no rule is looked at.

        Raises Denied BAD_SHAPE. As long as the game's owner has not been heard, every message of the game's package
        passes.
        """
        game = game_of(log)
        url = body.type_url
        known = self._commands.get(game)
        if known is None:
            self.check_package(game, body, field)
            return
        if url not in known:
            raise bad_shape(field, f"{_shown(url)} is no command of {game}")
        parse = known[url]
        if parse is not None:
            try:
                parse(body.value)
            except DecodeError:
                raise bad_shape(field, f"its bytes are no {_shown(url)}") from None

    def check_package(self, game: str, body: AnyMessage, field: str) -> None:
        """Whether `body` names a message of the game's package. Raises Denied BAD_SHAPE."""
        prefix, _, name = body.type_url.rpartition("/")
        if not prefix or not name.startswith(f"stamtafel.{game}."):
            raise bad_shape(field, f"{_shown(body.type_url)} is no message of {game}")
        parse = _parser(name)
        if parse is not None:
            try:
                parse(body.value)
            except DecodeError:
                raise bad_shape(field, f"its bytes are no {name}") from None

    async def learn(self, game: str) -> table.DescribeResponse | None:
        """What the owner says of the game; None while nobody answers and nobody ever did."""
        now = self._clock()
        known = self._known.get(game)
        if known is not None and now < self._asked_at[game] + REMEMBER_S:
            return known
        for log in logs_of(game, self._shards[game]):
            try:
                found = await self._owners.describe(log)
            except Denied:
                continue
            self._known[game] = found
            self._asked_at[game] = now
            self._commands[game] = {f"type.googleapis.com/{name}": _parser(name) for name in found.command_types}
            return found
        return known

    async def keep(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Learn of every game again and again (a supervised loop): a new release of a game may have new commands."""
        while True:
            # one whose owner is away must not keep the others waiting
            await asyncio.gather(*(self.learn(game) for game in self._shards))
            await sleep(ASK_S)

    async def games(self) -> list[pb.GameInfo]:
        """All games, by name."""
        return [self._info(game, await self.learn(game)) for game in self._shards]

    def _info(self, game: str, known: table.DescribeResponse | None) -> pb.GameInfo:
        if known is None:
            return pb.GameInfo(game=game, available=False)
        return pb.GameInfo(
            game=game,
            available=True,
            options_type=known.options_type,
            view_type=known.view_type,
            command_types=known.command_types,
            event_types=known.event_types,
            seats=known.seats,
            options=_options(known),
            defaults=known.defaults if known.HasField("defaults") else None,
            presets=[pb.PresetInfo(name=preset.name, options=preset.options) for preset in known.presets],
        )


def _shown(url: str) -> str:
    return repr(url.rpartition("/")[2][:100])


@cache
def _parser(name: str) -> Callable[[bytes], Message] | None:
    """`FromString` of a message by its full name; None when this gateway does not have its contract."""
    try:
        found = descriptor_pool.Default().FindMessageTypeByName(name)
    except KeyError:
        return None
    return message_factory.GetMessageClass(found).FromString


_KINDS = {
    FieldDescriptor.CPPTYPE_BOOL: "flag",
    FieldDescriptor.CPPTYPE_STRING: "text",
    FieldDescriptor.CPPTYPE_DOUBLE: "number",
    FieldDescriptor.CPPTYPE_FLOAT: "number",
    FieldDescriptor.CPPTYPE_MESSAGE: "object",
}


def _options(known: table.DescribeResponse) -> list[pb.OptionInfo]:
    try:
        kind = descriptor_pool.Default().FindMessageTypeByName(known.options_type)
    except KeyError:
        return []
    defaults: dict[str, Any] = {}
    if known.HasField("defaults"):
        message = message_factory.GetMessageClass(kind)()
        if known.defaults.Unpack(message):
            defaults = MessageToDict(message, preserving_proto_field_name=True)
    infos: list[pb.OptionInfo] = []
    for field in kind.fields:
        word = "list" if field.is_repeated else _KINDS.get(field.cpp_type, "integer")
        value = defaults.get(field.name)
        # a field that has its own json_name is called that in the rules file
        spoken = field.json_name if field.json_name != field.camelcase_name else field.name
        infos.append(pb.OptionInfo(name=spoken, kind=word, default_json="" if value is None else json.dumps(value)))
    return infos
