"""Options of a table: presets, defaults and checks (rules file, Options)."""

from typing import Any

import msgspec

from libs.table.rules import Refused
from stamtafel.trictrac.v1 import trictrac_pb2 as pb

LEVELS = ("easy", "normal", "hard")
LAYOUTS = ("remote", "hot_seat", "hot_seat_rotated")
PENALTIES = ("per_trictrac", "doubling")

DEFAULTS: dict[str, Any] = {
    "seats": 4,
    "points": 6,
    "bok": True,
    "penalty": "per_trictrac",
    "throw_seconds": 20,
    "layout": "remote",
}
PRESETS: dict[str, dict[str, Any]] = {
    "cafe": {},
    "quick": {"points": 3},
    "kitchen_table": {"layout": "hot_seat_rotated", "throw_seconds": 0},
    "student": {"penalty": "doubling", "bok": False},
}


class Setup(msgspec.Struct, frozen=True):
    """Complete options as plain values, for the state. `first_starter` None: drawn. `bots`: (seat, level), by seat."""

    preset: str
    seats: int
    points: int
    bok: bool
    penalty: str
    throw_seconds: int
    layout: str
    first_starter: int | None = None
    bots: tuple[tuple[int, str], ...] = ()


def complete(asked: pb.Options) -> pb.Options:
    """Preset and defaults filled in; a named option wins, also 0 and false (R2.5). Raises Refused `bad_option`."""
    preset = asked.preset if asked.HasField("preset") else "cafe"
    _check(preset in PRESETS, "preset", f"one of {', '.join(PRESETS)}", preset)
    full = pb.Options(preset=preset, **DEFAULTS | PRESETS[preset])
    full.MergeFrom(asked)
    full.preset = preset
    _check(2 <= full.seats <= 8, "seats", "2..8", full.seats)
    _check(1 <= full.points <= 12, "points", "1..12", full.points)
    _check(full.penalty in PENALTIES, "penalty", f"one of {', '.join(PENALTIES)}", full.penalty)
    seconds = full.throw_seconds
    _check(seconds == 0 or 5 <= seconds <= 120, "throw_seconds", "0 or 5..120", seconds)
    if full.HasField("first_starter"):
        _check(0 <= full.first_starter < full.seats, "first_starter", f"0..{full.seats - 1}", full.first_starter)
    _check(full.layout in LAYOUTS, "layout", f"one of {', '.join(LAYOUTS)}", full.layout)
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


def setup_of(options: pb.Options) -> Setup:
    """Complete options as plain values."""
    return Setup(
        preset=options.preset,
        seats=options.seats,
        points=options.points,
        bok=options.bok,
        penalty=options.penalty,
        throw_seconds=options.throw_seconds,
        layout=options.layout,
        first_starter=options.first_starter if options.HasField("first_starter") else None,
        bots=tuple((bot.seat, bot.level) for bot in options.bots),
    )


def options_of(setup: Setup) -> pb.Options:
    """The complete options that `setup` came from."""
    return pb.Options(
        preset=setup.preset,
        seats=setup.seats,
        points=setup.points,
        bok=setup.bok,
        penalty=setup.penalty,
        throw_seconds=setup.throw_seconds,
        layout=setup.layout,
        first_starter=setup.first_starter,
        bots=[pb.Bot(seat=seat, level=level) for seat, level in setup.bots],
    )
