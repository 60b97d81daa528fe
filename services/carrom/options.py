"""Options of a table: presets, defaults and checks (rules file, Options)."""

from typing import Any

import msgspec

from libs.table.rules import Refused
from stamtafel.carrom.v1 import carrom_pb2 as pb

LEVELS = ("easy", "normal", "hard")
SETS, POINTS = "sets", "points"

DEFAULTS: dict[str, Any] = {
    "seats": 2,
    "match": SETS,
    "sets_to_win": 3,
    "points_target": 21,
    "red_value": 5,
    "next_white": "alternate",
    "turn_seconds": 45,
    "clock_misses": 3,
    "friction": 100,
    "leave_speed": 6500,
}
PRESETS: dict[str, dict[str, Any]] = {
    "seed_sets": {},
    "seed_points": {"match": POINTS},
    "quick": {"sets_to_win": 1},
    "salon25": {"match": POINTS, "points_target": 25, "red_value": 3},
}
_WORDS = {"match": (SETS, POINTS), "next_white": ("alternate", "toss")}
_RANGES = {
    "sets_to_win": (1, 5),
    "points_target": (5, 100),
    "red_value": (0, 10),
    "turn_seconds": (5, 600),
    "clock_misses": (1, 10),
    "friction": (50, 250),
    "leave_speed": (3000, 10000),
}
_OR_ZERO = frozenset(("turn_seconds", "leave_speed"))


class Setup(msgspec.Struct, frozen=True):
    """Complete options as plain values, for the state. `bots`: (seat, level), by seat."""

    preset: str
    seats: int
    match: str
    sets_to_win: int
    points_target: int
    red_value: int
    next_white: str
    turn_seconds: int
    clock_misses: int
    friction: int
    leave_speed: int
    bots: tuple[tuple[int, str], ...] = ()


def complete(asked: pb.Options) -> pb.Options:
    """Preset and defaults filled in; a named option wins, also 0. Raises Refused `bad_option` with the field."""
    preset = asked.preset if asked.HasField("preset") else "seed_sets"
    _check(preset in PRESETS, "preset", f"one of {', '.join(PRESETS)}", preset)
    full = pb.Options(preset=preset, **DEFAULTS | PRESETS[preset])
    full.MergeFrom(asked)
    full.preset = preset
    _check(full.seats in (2, 4), "seats", "2 or 4", full.seats)
    for field, words in _WORDS.items():
        value = getattr(full, field)
        _check(value in words, field, f"one of {', '.join(words)}", value)
    for field, (low, high) in _RANGES.items():
        value, zero = getattr(full, field), field in _OR_ZERO
        allowed = f"{'0 or ' if zero else ''}{low}..{high}"
        _check(low <= value <= high or (zero and value == 0), field, allowed, value)
    for bot in full.bots:
        named = bot.HasField("seat") and 0 <= bot.seat < full.seats
        _check(named, "bots", f"seats 0..{full.seats - 1}", bot.seat)
        _check(bot.level in LEVELS, "bots", f"levels {', '.join(LEVELS)}", bot.level)
    by_seat = sorted(full.bots, key=lambda bot: bot.seat)
    _check(len({bot.seat for bot in by_seat}) == len(by_seat), "bots", "each seat at most once", len(by_seat))
    del full.bots[:]
    full.bots.extend(by_seat)
    return full


def _check(holds: bool, field: str, allowed: str, got: object) -> None:
    if not holds:
        raise Refused("bad_option", f"{field} must be {allowed}, not {got!r}", field)


_PLAIN = tuple(DEFAULTS)


def setup_of(options: pb.Options) -> Setup:
    """Complete options as plain values."""
    plain = {name: getattr(options, name) for name in _PLAIN}
    return Setup(preset=options.preset, **plain, bots=tuple((bot.seat, bot.level) for bot in options.bots))


def options_of(setup: Setup) -> pb.Options:
    """The complete options that `setup` came from."""
    plain = {name: getattr(setup, name) for name in _PLAIN}
    bots = [pb.Bot(seat=seat, level=level) for seat, level in setup.bots]
    return pb.Options(preset=setup.preset, **plain, bots=bots)
