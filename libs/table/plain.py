"""Messages as plain JSON values and back, by the names and shapes of the rules files.

The one place that knows how a case, a record or a command line spells a message (rules_protocol.md, section 3): a
field's `json_name` where the contract gives one, else its snake_case name; a message whose only field is
`repeated ... items` is the list itself; a number where the contract has text stands for its digits.
"""

import base64
import math
from collections.abc import Mapping
from functools import cache, partial
from typing import Any, TypeVar, cast

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message

M = TypeVar("M", bound=Message)

_INTEGERS = frozenset(
    (
        FieldDescriptor.CPPTYPE_INT32,
        FieldDescriptor.CPPTYPE_INT64,
        FieldDescriptor.CPPTYPE_UINT32,
        FieldDescriptor.CPPTYPE_UINT64,
    )
)
_FLOATS = frozenset((FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT))


class DoesNotFit(Exception):
    """A JSON value that no message of the contract can carry. `path` names it (`bots.0.level`; empty: all of it)."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path or 'the whole'}: {why}")
        self.path = path
        self.why = why

    @property
    def field(self) -> str | None:
        """The argument or option at fault: the first part of `path`."""
        return self.path.split(".", 1)[0] or None


def snake(name: str) -> str:
    """`DiceThrown` -> `dice_thrown`: how cases and views name a message."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")


@cache
def type_name(kind: type[Message]) -> str:
    """A message type's name in snake_case."""
    return snake(kind.DESCRIPTOR.name)


def field_name(field: FieldDescriptor) -> str:
    """The field's name in JSON: its `json_name` if the contract gives one, else its own name."""
    first, *rest = field.name.split("_")
    derived = first + "".join(part[:1].upper() + part[1:] for part in rest)
    return field.name if field.json_name == derived else field.json_name


@cache
def fields_by_name(descriptor: Descriptor) -> Mapping[str, FieldDescriptor]:
    """All fields of a message by their JSON names, in the contract's order."""
    return {field_name(field): field for field in _fields(descriptor)}


def _fields(descriptor: Any) -> list[FieldDescriptor]:
    return list(descriptor.fields)


def map_value(field: FieldDescriptor) -> FieldDescriptor:
    """The field that holds the values of a map."""
    return cast(Any, field.message_type).fields_by_name["value"]


def _enum(field: FieldDescriptor) -> EnumDescriptor:
    return cast(EnumDescriptor, field.enum_type)


@cache
def is_list(descriptor: Descriptor) -> bool:
    """Whether the message stands for a list: its only field is `repeated ... items`."""
    fields = _fields(descriptor)
    return len(fields) == 1 and fields[0].name == "items" and fields[0].is_repeated


@cache
def is_map(field: FieldDescriptor) -> bool:
    """Whether the field is a map."""
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


def to_plain(message: Message, unset: bool = True) -> Any:
    """The message as plain JSON. Fields that have presence and hold nothing are None, or left out without `unset`."""
    descriptor = message.DESCRIPTOR
    if is_list(descriptor):
        return _plain(_fields(descriptor)[0], cast(Any, message).items, unset)
    out: dict[str, Any] = {}
    for name, field in fields_by_name(descriptor).items():
        if field.has_presence and not message.HasField(cast(Any, field.name)):
            if unset:
                out[name] = None
        else:
            out[name] = _plain(field, getattr(message, field.name), unset)
    return out


def _plain(field: FieldDescriptor, value: Any, unset: bool) -> Any:
    if is_map(field):
        of = map_value(field)
        return {str(key): _one(of, value[key], unset) for key in sorted(value)}
    return [_one(field, item, unset) for item in value] if field.is_repeated else _one(field, value, unset)


def _one(field: FieldDescriptor, value: Any, unset: bool) -> Any:
    if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
        return to_plain(value, unset)
    if field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
        found = _enum(field).values_by_number.get(value)
        return value if found is None else found.name
    return base64.b64encode(value).decode() if field.type == FieldDescriptor.TYPE_BYTES else value


def from_plain(kind: type[M], given: object) -> M:
    """The message that `given` spells. Strict: raises DoesNotFit for anything the contract cannot carry, and for null.

    Numbers of `double` fields must be finite and are rounded to 6 decimals.
    """
    message = kind()
    _fill(message, given, "")
    return message


def _fill(message: Message, given: object, path: str) -> None:
    descriptor = message.DESCRIPTOR
    if is_list(descriptor):
        _fill_field(message, _fields(descriptor)[0], given, path)
        return
    if not isinstance(given, dict):
        raise DoesNotFit(path, f"an object is needed, not {given!r}")
    message.SetInParent()
    fields = fields_by_name(descriptor)
    for name, value in cast("dict[str, object]", given).items():
        field = fields.get(name)
        if field is None:
            raise DoesNotFit(_join(path, name), f"unknown; allowed: {', '.join(fields) or 'nothing'}")
        _fill_field(message, field, value, _join(path, name))


def _join(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)


def _fill_field(message: Message, field: FieldDescriptor, value: object, path: str) -> None:
    if is_map(field):
        raise DoesNotFit(path, "maps are only in views")
    if not field.is_repeated:
        if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            part: Message = getattr(message, field.name)
            part.SetInParent()
            _fill(part, value, path)
        else:
            _put(partial(setattr, message, field.name), field, value, path)
        return
    if not isinstance(value, list):
        raise DoesNotFit(path, f"a list is needed, not {value!r}")
    message.SetInParent()
    repeated: Any = getattr(message, field.name)
    for index, item in enumerate(cast("list[object]", value)):
        if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            _fill(repeated.add(), item, _join(path, index))
        else:
            _put(repeated.append, field, item, _join(path, index))


def _put(put: Any, field: FieldDescriptor, value: object, path: str) -> None:
    try:
        put(_scalar(field, value))
    except (ValueError, TypeError, OverflowError) as error:
        raise DoesNotFit(path, str(error)) from None


def _scalar(field: FieldDescriptor, value: object) -> Any:
    kind = field.cpp_type
    whole = isinstance(value, int) and not isinstance(value, bool)
    if kind in _INTEGERS:
        if whole:
            return value
        raise ValueError(f"a whole number is needed, not {value!r}")
    if kind in _FLOATS:
        if (whole or isinstance(value, float)) and math.isfinite(number := float(cast(float, value))):
            return round(number, 6)
        raise ValueError(f"a finite number is needed, not {value!r}")
    if kind == FieldDescriptor.CPPTYPE_BOOL:
        if isinstance(value, bool):
            return value
        raise ValueError(f"true or false is needed, not {value!r}")
    if whole and field.type == FieldDescriptor.TYPE_STRING:
        return str(value)
    if not isinstance(value, str):
        raise ValueError(f"text is needed, not {value!r}")
    if kind == FieldDescriptor.CPPTYPE_ENUM:
        found = _enum(field).values_by_name.get(value)
        if found is None:
            raise ValueError(f"one of {', '.join(_enum(field).values_by_name)} is needed, not {value!r}")
        return found.number
    return base64.b64decode(value, validate=True) if field.type == FieldDescriptor.TYPE_BYTES else value
