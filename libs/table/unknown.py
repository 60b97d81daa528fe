"""Fields that this server does not know: a command that has one is refused, never half understood."""

from __future__ import annotations

import functools

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet


def first_unknown_field(message: Message) -> int | None:
    """Number of the first field, here or in a nested message, that the contract does not have; None: all are known."""
    unknown = UnknownFieldSet(message)
    if len(unknown):
        return unknown[0].field_number
    if _nests(type(message)):
        for field, value in message.ListFields():
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                for child in value if field.is_repeated else (value,):
                    found = first_unknown_field(child)
                    if found is not None:
                        return found
    return None


@functools.cache
def _nests(message: type[Message]) -> bool:
    return any(field.type == FieldDescriptor.TYPE_MESSAGE for field in message.DESCRIPTOR.fields)
