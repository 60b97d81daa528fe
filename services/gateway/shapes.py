"""The shape of requests:

What can be said about them without any log. All raise Denied BAD_SHAPE with the fields at fault.
"""

from __future__ import annotations

from typing import TypeVar

from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from services.gateway.errors import Denied, Violation, bad_shape

ID_CHARS = 64
REASON_CHARS = 200
CODE_CHARS = 64
NONCE_BYTES = 64
POSITION_CHARS = 16_000

M = TypeVar("M", bound=Message)


def read(kind: type[M], data: bytes, most_bytes: int) -> M:
    """The request in `data`. Raises also Denied TOO_LARGE."""
    if len(data) > most_bytes:
        raise Denied("TOO_LARGE", f"a request may have {most_bytes} bytes; this one has {len(data)}")
    try:
        request = kind.FromString(data)
    except DecodeError:
        raise Denied("BAD_SHAPE", f"the request is no {kind.DESCRIPTOR.full_name}") from None
    known(request)
    return request


def known(message: Message) -> None:
    """No fields that this server does not know: they might change the meaning."""
    unknown = UnknownFieldSet(message)
    if len(unknown):
        raise Denied("BAD_SHAPE", f"{message.DESCRIPTOR.name} has no field number {unknown[0].field_number}")


def command_id(value: str) -> None:
    """A command's id: 1..64 characters that can be printed, without blanks."""
    if not 1 <= len(value) <= ID_CHARS:
        raise bad_shape("command_id", f"needs 1 to {ID_CHARS} characters")
    if not value.isascii() or not value.isprintable() or " " in value:
        raise bad_shape("command_id", "must be printable ASCII without blanks")


def text(field: str, value: str, least: int, most: int) -> None:
    """A text of `least` to `most` characters."""
    if not least <= len(value) <= most:
        raise bad_shape(field, f"needs {least} to {most} characters")


def nonce(field: str, value: bytes) -> None:
    """Random bytes of a player."""
    if len(value) > NONCE_BYTES:
        raise bad_shape(field, f"may have {NONCE_BYTES} bytes")


def seat(field: str, value: int) -> None:
    """A seat's number; whether the table has it is the table's business."""
    if value < 0:
        raise bad_shape(field, "must not be negative")


def missing(*fields: str) -> Denied:
    """Fields that are missing."""
    return Denied(
        "BAD_SHAPE", f"{', '.join(fields)} missing", violations=[Violation(field, "is missing") for field in fields]
    )
