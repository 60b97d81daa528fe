"""Options of a table: rule sets, defaults and checks (rules file, Options and R1)."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

import msgspec
from google.protobuf.message import Message

from libs.table.rules import Refused
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb

HOUSE: dict[str, Any] = {
    "peek_once": False,
    "stairs": False,
    "any_kind": False,
    "present": False,
    "ones_without_jokers": False,
    "classic_lift": False,
    "turn_seconds": 0,
    "viborg": True,
    "finale": False,
    "practice": False,
    "hidden_count": False,
}
"""House rules by name, with their defaults."""
PRESETS: dict[str, dict[str, Any]] = {
    "standard": {},
    "slags": {"any_kind": True},
    "turnering": {"stairs": True, "turn_seconds": 15},
    "hardcore": {"peek_once": True, "present": True, "turn_seconds": 15, "hidden_count": True},
}
TABLES = ("open", "friends", "regulars", "tournament")
HOSTED = ("friends", "regulars")
"""Kinds of table where the host chooses house rules (R1.2, R1.3)."""
OPEN_SECONDS = 15

_NAMES = ("preset", "table", "seats", "dice_each", "host", "starter", "regulars", "reveal_seconds", *HOUSE)


class Setup(msgspec.Struct, frozen=True):
    """Complete options as plain values, for the state. `starter` None: drawn."""

    preset: str
    table: str
    seats: int
    dice_each: int
    host: int
    starter: int | None
    regulars: tuple[int, ...]
    reveal_seconds: int
    peek_once: bool
    stairs: bool
    any_kind: bool
    present: bool
    ones_without_jokers: bool
    classic_lift: bool
    turn_seconds: int
    viborg: bool
    finale: bool
    practice: bool
    hidden_count: bool

    @property
    def lowest_face(self) -> int:
        """The lowest face that may be bid: 1 without jokers, else 2 (R3.3)."""
        return 1 if self.ones_without_jokers else 2


def resolve(asked: Mapping[str, Any]) -> Setup:
    """Complete options out of plain values by name; checks in the order of R1.5. Raises Refused `bad_option`."""
    if unknown := next((name for name in asked if name not in _NAMES), None):
        raise bad(unknown, f"unknown; options are {', '.join(_NAMES)}")
    preset = _word(asked, "preset", "standard", tuple(PRESETS))
    table = _word(asked, "table", "friends", TABLES)
    if table == "tournament" and preset != "turnering":
        raise bad("preset", "a tournament plays turnering only")
    rules = HOUSE | PRESETS[preset]
    if table == "open":
        rules["turn_seconds"] = OPEN_SECONDS
    named = {name: asked[name] for name in HOUSE if name in asked}
    if table not in HOSTED:
        for name, value in named.items():
            if type(value) is not type(rules[name]) or value != rules[name]:
                raise bad(name, f"{table} tables play their rule set unchanged")
    check_house(named)
    rules |= named
    seats = _whole(asked, "seats", 4, (2, 8))
    dice_each = _whole(asked, "dice_each", 4, (1, 6))
    check_together(rules)
    host = _whole(asked, "host", 0, (0, seats - 1))
    starter = _whole(asked, "starter", 0, (0, seats - 1)) if "starter" in asked else None
    regulars = _regulars(asked.get("regulars", []), seats)
    if not regulars and table == "regulars":
        regulars = tuple(range(1, seats))
    reveal_seconds = _whole(asked, "reveal_seconds", 6, (0, 15))
    return Setup(preset, table, seats, dice_each, host, starter, regulars, reveal_seconds, **rules)


def changed(setup: Setup, named: Mapping[str, Any]) -> Setup:
    """The options after `set_rules` (R1.4): `named` laid over the present rules, or over the rule set it names."""
    if setup.table not in HOSTED:
        raise bad(next(iter(named), "preset"), f"{setup.table} tables keep their rule set")
    if not named:
        raise bad("preset", f"name a rule set or a house rule: {', '.join(HOUSE)}")
    preset = _word(named, "preset", setup.preset, tuple(PRESETS))
    house = {name: value for name, value in named.items() if name != "preset"}
    check_house(house)
    before = HOUSE | PRESETS[preset] if "preset" in named else {name: getattr(setup, name) for name in HOUSE}
    after = before | house
    check_together(after)
    return msgspec.structs.replace(setup, preset=preset, **after)


def check_house(named: Mapping[str, Any]) -> None:
    """Types and values of house rules, in the order of the options' table."""
    for name, default in HOUSE.items():
        if name not in named:
            continue
        value = named[name]
        if type(value) is not type(default):
            raise bad(name, f"{'true or false' if isinstance(default, bool) else 'a whole number'}, not {value!r}")
        if name == "turn_seconds" and value != 0 and not 5 <= value <= 120:
            raise bad(name, f"0 or 5..120, not {value}")


def check_together(rules: Mapping[str, Any]) -> None:
    """The final is about Viborg."""
    if rules["finale"] and not rules["viborg"]:
        raise bad("finale", "the final needs viborg")


def allowed(name: str) -> str:
    """What an option may be, for a person."""
    special = {
        "preset": f"one of {', '.join(PRESETS)}",
        "table": f"one of {', '.join(TABLES)}",
        "seats": "a whole number 2..8",
        "dice_each": "a whole number 1..6",
        "host": "the number of a seat",
        "starter": "the number of a seat",
        "regulars": "a list of numbers of seats, each once",
        "reveal_seconds": "a whole number 0..15",
        "turn_seconds": "0 or a whole number 5..120",
    }
    if name in HOUSE:
        return special.get(name, "true or false")
    return special.get(name, f"unknown; options are {', '.join(_NAMES)}")


def bad(name: str, why: str) -> Refused:
    """The refusal of an option."""
    return Refused("bad_option", f"{name}: {why}", name)


def _word(asked: Mapping[str, Any], name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = asked.get(name, default)
    if value not in allowed:
        raise bad(name, f"one of {', '.join(allowed)}, not {value!r}")
    return value


def _whole(asked: Mapping[str, Any], name: str, default: int, between: tuple[int, int]) -> int:
    value, (low, high) = asked.get(name, default), between
    if type(value) is not int or not low <= value <= high:
        raise bad(name, f"a whole number {low}..{high}, not {value!r}")
    return value


def _regulars(value: object, seats: int) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise bad("regulars", f"a list of seats, not {value!r}")
    listed = cast("list[Any]", value)
    if any(type(seat) is not int or not 0 <= seat < seats for seat in listed) or len(set(listed)) != len(listed):
        raise bad("regulars", f"seats 0..{seats - 1}, each once, not {listed!r}")
    return tuple(sorted(listed))


def named_of(message: Message) -> dict[str, Any]:
    """What an options or set_rules message names, as plain values."""
    out: dict[str, Any] = {}
    for field, value in message.ListFields():
        out[field.name] = list(value) if field.is_repeated else value
    return out


@lru_cache(maxsize=256)
def message_of(setup: Setup) -> pb.Options:
    """The complete options as a message. Shared: nobody may change it."""
    values = {name: getattr(setup, name) for name in _NAMES}
    return pb.Options(**{name: value for name, value in values.items() if value is not None})


@lru_cache(maxsize=256)
def _setup_of(data: bytes) -> Setup:
    return resolve(named_of(pb.Options.FromString(data)))


def setup_of(options: pb.Options) -> Setup:
    """Complete options as plain values; events carry them complete, so nothing is refused."""
    return _setup_of(options.SerializeToString(deterministic=True))
