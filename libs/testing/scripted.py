"""Chance by script: every draw is the next entry of a list, as a case's `random` gives them."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

from libs.table.rules import Facts, Job, Seating

T = TypeVar("T")


class ScriptError(Exception):
    """The game asks for another draw than the script has: the case fails."""


class Script:
    """The entries of `random` and how many are used. Serves as `Draws`."""

    def __init__(self, entries: Sequence[Any] = ()) -> None:
        self.entries = list(entries)
        self.used = 0

    @property
    def left(self) -> list[Any]:
        """Entries that nobody asked for yet."""
        return self.entries[self.used :]

    def add(self, *entries: Any) -> None:
        """More entries at the end."""
        self.entries.extend(entries)

    def next(self, wanted: str) -> Any:
        """The next entry as it stands; `wanted` says what for. Raises ScriptError when none is left."""
        if self.used >= len(self.entries):
            raise ScriptError(f"random: the game asks for draw {self.used + 1} ({wanted}), {len(self.entries)} listed")
        self.used += 1
        return self.entries[self.used - 1]

    def _value(self, wanted: str) -> Any:
        """The next entry; an object with one field stands for its value."""
        entry: Any = self.next(wanted)
        if not isinstance(entry, dict):
            return entry
        fields = list(cast("dict[str, Any]", entry).values())
        return fields[0] if len(fields) == 1 else cast(Any, entry)

    def _wrong(self, wanted: str, entry: object) -> ScriptError:
        return ScriptError(f"random: draw {self.used} must be {wanted}, listed is {entry!r}")

    def dice(self, n: int) -> tuple[int, ...]:
        """A list of n numbers 1..6."""
        wanted = f"{n} dice"
        faces = self._list(wanted)
        if len(faces) != n or any(type(face) is not int or not 1 <= face <= 6 for face in faces):
            raise self._wrong(wanted, faces)
        return tuple(faces)

    def _list(self, wanted: str) -> list[Any]:
        entry = self._value(wanted)
        if not isinstance(entry, list):
            raise self._wrong(wanted, entry)
        return cast("list[Any]", entry)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, as it stands in the list."""
        wanted = f"one of {list(items)!r}"
        entry = self._value(wanted)
        found = [item for item in items if item == entry]
        if not found:
            raise self._wrong(wanted, entry)
        return found[0]

    def shuffle(self, items: Sequence[T], at: int | None = None) -> tuple[T, ...]:
        """The items in the listed order; `at` needs no place of its own here."""
        wanted = f"all of {list(items)!r} in some order"
        order = self._list(wanted)
        rest = list(order)
        for item in items:
            if item not in rest:
                raise self._wrong(wanted, order)
            rest.remove(item)
        if rest:
            raise self._wrong(wanted, order)
        return tuple(order)


class ScriptedCtx:
    """A `Ctx` whose chance and computed outcomes come from one script, in order."""

    def __init__(self, script: Script, facts: Facts | None = None) -> None:
        self._script, self._facts = script, facts or Facts()

    @property
    def facts(self) -> Facts:
        return self._facts

    @property
    def draws(self) -> Script:
        return self._script

    def compute(self, job: Job) -> Any:
        """The next entry as it stands: the outcome needs no computing."""
        return self._script.next(job.function.__name__)


def facts_of(seating: Seating, bots: Mapping[int, str] | None = None) -> Facts:
    """Who is a computer player and who is host at the start, as the options say."""
    return Facts(bots=dict(seating.bots if bots is None else bots), host=seating.host)
