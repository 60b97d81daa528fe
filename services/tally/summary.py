"""Options of any game as JSON, for lists: by the names of the rules file."""

from __future__ import annotations

import importlib
from functools import lru_cache

import msgspec
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message


def summarize(options: AnyMessage, game: str) -> str:
    """The options as a JSON object; `{}` when this process does not have the game's contract."""
    kind = _contract(options.TypeName(), game)
    if kind is None:
        return "{}"
    plain = MessageToDict(kind.FromString(options.value), preserving_proto_field_name=True)
    return msgspec.json.encode(plain, order="sorted").decode()


@lru_cache(maxsize=256)
def _contract(name: str, game: str) -> type[Message] | None:
    """The options message; only contracts are imported, never a game's code."""
    try:
        importlib.import_module(f"stamtafel.{game}.v1.{game}_pb2")
        return message_factory.GetMessageClass(descriptor_pool.Default().FindMessageTypeByName(name))
    except (ImportError, KeyError):
        return None
