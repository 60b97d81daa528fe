"""The draws of an imported record: what happened at random stands in the record, so the table reads it from there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from libs.table.rules import Refused
from stamtafel.table.v1 import table_pb2 as pb

T = TypeVar("T")


class ListedDraws:
    """Hands out the listed outcomes in order. Implements `rules.Draws`; asks for too many are refused."""

    def __init__(self, listed: Sequence[pb.ScriptedDraw]) -> None:
        self._listed = list(listed)

    def _next(self, unwrap: bool = True) -> Any:
        if not self._listed:
            raise Refused("bad_argument", "the record names no draw for this command", "draws")
        text = self._listed.pop(0).json
        try:
            value: Any = json.loads(text)
        except ValueError:
            raise Refused("bad_argument", f"a draw is JSON, not {text!r}", "draws") from None
        if unwrap and isinstance(value, dict) and len(value) == 1:  # pyright: ignore[reportUnknownArgumentType]
            return next(iter(value.values()))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return value  # pyright: ignore[reportUnknownVariableType]

    def outcome(self) -> Any:
        """The listed outcome of a computation, as it stands (a carrom shot: nothing is simulated anew)."""
        return self._next(unwrap=False)

    def dice(self, n: int) -> tuple[int, ...]:
        """The listed dice."""
        value = self._next()
        if not (isinstance(value, list) and len(value) == n and all(type(d) is int and 1 <= d <= 6 for d in value)):  # pyright: ignore
            raise Refused("bad_argument", f"this draw is {n} dice, 1..6 each, not {value!r}", "draws")
        return tuple(value)  # pyright: ignore

    def pick(self, items: Sequence[T]) -> T:
        """The listed choice."""
        value = self._next()
        if value not in items:
            raise Refused("bad_argument", f"this draw is one of {list(items)!r}, not {value!r}", "draws")
        return value

    def shuffle(self, items: Sequence[T], at: int | None = None) -> tuple[T, ...]:
        """The listed order."""
        value = self._next()
        if not isinstance(value, list) or sorted(map(str, value)) != sorted(map(str, items)):  # pyright: ignore
            raise Refused("bad_argument", f"this draw is {len(items)} items in some order", "draws")
        return tuple(value)  # pyright: ignore
