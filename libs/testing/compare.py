"""Expected against real, as conformance cases compare: objects by the fields named, lists in full and in order."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from libs.table.plain import fields_by_name, is_list, is_map, map_value, to_plain, type_name


def difference(expected: object, got: object, digits: bool = False, path: str = "") -> str | None:
    """The first difference as `path: expected ..., got ...`, or None when `expected` is a subset of `got`.

    `digits`: a number stands for the same digits as text (`got` comes from a message, whose field is text).
    A key of an object that `got` does not have counts as null.
    """
    if isinstance(expected, dict):
        wanted = cast("dict[str, object]", expected)
        if not isinstance(got, dict):
            return _tell(path, wanted, got)
        theirs = cast("dict[str, object]", got)
        for key, value in wanted.items():
            if digits and key not in theirs:
                return f"{_join(path, key)}: expected {value!r}, but there is no such field"
            if found := difference(value, theirs.get(key), digits, _join(path, key)):
                return found
        return None
    if isinstance(expected, list):
        ours = cast("list[object]", expected)
        if not isinstance(got, list | tuple):
            return _tell(path, ours, got)
        them = cast("Sequence[object]", got)
        if len(ours) != len(them):
            return _tell(path, ours, them)
        pairs = enumerate(zip(ours, them, strict=True))
        return next((d for i, (a, b) in pairs if (d := difference(a, b, digits, _join(path, i)))), None)
    return None if _same(expected, got, digits) else _tell(path, expected, got)


def _same(expected: object, got: object, digits: bool) -> bool:
    if isinstance(expected, bool) or isinstance(got, bool) or expected is None or got is None:
        return expected is got
    if isinstance(expected, int | float) and isinstance(got, int | float):
        return expected == got or math.isclose(expected, got, rel_tol=0, abs_tol=1e-9)
    if digits and isinstance(expected, int) and isinstance(got, str):
        return str(expected) == got
    return type(expected) is type(got) and expected == got


def _join(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def _tell(path: str, expected: object, got: object) -> str:
    return f"{path or 'answer'}: expected {expected!r}, got {got!r}"


def event_plain(event: Message) -> dict[str, Any]:
    """An event as cases write it: its fields and its `type`."""
    return {"type": type_name(type(event)), **to_plain(event)}


def events_difference(expected: Sequence[Mapping[str, Any]], got: Sequence[Message], only: bool) -> str | None:
    """None when each expected event is a subset of a real one, in this order; with `only`, of all real ones."""
    real = [event_plain(event) for event in got]
    types = [event["type"] for event in real]
    if only and len(expected) != len(real):
        return f"expected {[event.get('type') for event in expected]} and no others, got {types}"
    at = 0
    for index, event in enumerate(expected):
        reason = f"expected {event!r}, got {types}"
        if only:
            reason = difference(event, real[index], True, f"event {index + 1}")
            if reason:
                return reason
            continue
        while at < len(real):
            found = difference(event, real[at], True, f"event {index + 1}") if _alike(event, real[at]) else reason
            at += 1
            if found is None:
                break
            reason = found
        else:
            return reason
    return None


def _alike(expected: Mapping[str, Any], got: Mapping[str, Any]) -> bool:
    return expected.get("type", got["type"]) == got["type"]


def shown(view: Message, path: str) -> str | None:
    """What stands at `path` of a view that should hide it, or None when it is absent.

    Absent is: unset, or a field without presence that holds its empty default, or a message with nothing set. A part
    of the path that does not exist is absent too.
    """
    here: Any = view
    field: FieldDescriptor | None = None
    present = False
    for part in path.split("."):
        if isinstance(here, Message) and is_list(here.DESCRIPTOR):
            field, here = fields_by_name(here.DESCRIPTOR)["items"], cast(Any, here).items
        if isinstance(here, Message):
            field = fields_by_name(here.DESCRIPTOR).get(part)
            if field is None or (field.has_presence and not here.HasField(cast(Any, field.name))):
                return None
            present = field.has_presence and field.message_type is None
            here = getattr(here, field.name)
        elif field is not None and is_map(field):
            if part not in here:
                return None
            present, here, field = True, here[part], map_value(field)
        else:
            if not part.isdigit() or int(part) >= len(here):
                return None
            present, here = True, here[int(part)]
    if isinstance(here, Message):
        return None if not here.ListFields() else repr(to_plain(here))
    if not present and not here:
        return None
    return repr(here if isinstance(here, int | float | str) else list(here))
