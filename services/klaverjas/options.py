"""Options, presets and their checks (R0)."""

from typing import Any, cast

from libs.table.rules import Refused
from stamtafel.klaverjas.v1.klaverjas_pb2 import Bot, Bots, Options

DEFAULTS: dict[str, Any] = {
    "variant": "rotterdams",
    "undertrump": "free",
    "boompjes": 16,
    "trump_maker": "forehand_must",
    "fixed_maker": 0,
    "speaks_first": "forehand",
    "lead": "forehand",
    "first_dealer": "3",
    "trump_must_hold": False,
    "four_alike": "nine_up",
    "four_jacks": 200,
    "tegenpit": 100,
    "roem_mode": "auto",
    "trump_seconds": 60,
    "move_seconds": 30,
    "collect_seconds": 10,
}
_BOND: dict[str, Any] = {
    "variant": "rotterdams",
    "undertrump": "forced",
    "trump_maker": "pass_round",
    "speaks_first": "dealer",
    "four_alike": "all",
    "four_jacks": 100,
    "roem_mode": "claim",
}
PRESETS: dict[str, dict[str, Any]] = {
    "tafel": {},
    "solo": {"trump_maker": "fixed", "fixed_maker": 0},
    "utrechts": {"variant": "amsterdams", "undertrump": "forbidden", "trump_maker": "forehand_must"},
    "leids": {"variant": "rotterdams", "undertrump": "forced", "trump_maker": "pass_round"},
    "rotterdams_bond": _BOND,
    "amsterdams_bond": {**_BOND, "variant": "amsterdams", "undertrump": "forbidden"},
}
PRESET_BOTS: dict[str, tuple[tuple[int, str], ...]] = {"solo": ((1, "normal"), (2, "normal"), (3, "normal"))}
LEVELS = ("easy", "normal", "hard")
ALLOWED: dict[str, tuple[Any, ...]] = {
    "variant": ("rotterdams", "amsterdams"),
    "undertrump": ("free", "forced", "forbidden"),
    "trump_maker": ("forehand_must", "fixed", "pass_round", "turned"),
    "speaks_first": ("forehand", "dealer"),
    "lead": ("forehand", "maker"),
    "first_dealer": ("0", "1", "2", "3", "draw"),
    "four_alike": ("nine_up", "ten_up", "all"),
    "four_jacks": (100, 200),
    "tegenpit": (0, 100, 200),
    "roem_mode": ("auto", "claim"),
}
RANGES: dict[str, tuple[int, int]] = {
    "boompjes": (1, 64),
    "target_points": (100, 10000),
    "fixed_maker": (0, 3),
    "trump_seconds": (0, 600),
    "move_seconds": (0, 600),
    "collect_seconds": (0, 600),
}


def complete(asked: Options) -> Options:
    """The complete options: preset, defaults, checks (R0.1, R0.2). Refused `bad_argument` with the field at fault."""
    name = asked.preset if asked.HasField("preset") else "tafel"
    preset = PRESETS.get(name)
    if preset is None:
        raise refuse("preset", name, ", ".join(PRESETS))
    full = Options(preset=name, bots=_bots(asked, name))
    for field, default in DEFAULTS.items():
        setattr(full, field, getattr(asked, field) if has(asked, field) else preset.get(field, default))
    if asked.HasField("target_points"):
        full.target_points = asked.target_points
    for field, allowed in ALLOWED.items():
        value = getattr(full, field)
        if value not in allowed:
            raise refuse(field, value, ", ".join(map(str, allowed)))
    for field, (low, high) in RANGES.items():
        if has(full, field) and not low <= getattr(full, field) <= high:
            raise refuse(field, getattr(full, field), f"{low} to {high}")
    return full


def has(options: Options, field: str) -> bool:
    """Whether an option is set; `field` is one of the names above."""
    return options.HasField(cast(Any, field))


def refuse(field: str, value: object, allowed: str) -> Refused:
    """The refusal of an option's value."""
    return Refused("bad_argument", f"option {field} may not be {value!r}; allowed: {allowed}", field)


def allowed(field: str | None) -> str:
    """What an option may be, for people; where there is no such option, which there are."""
    if field in ALLOWED:
        return f"{field} is " + ", ".join(map(str, ALLOWED[field]))
    if field in RANGES:
        low, high = RANGES[field]
        return f"{field} is a whole number from {low} to {high}" + " or null" * (field not in DEFAULTS)
    others = {"preset": ", ".join(PRESETS), "trump_must_hold": "true or false"}
    others["bots"] = f'a list of {{"seat", "level"}}, seats 0 to 3, levels {", ".join(LEVELS)}'
    if field in others:
        return f"{field} is {others[field]}"
    return "options are preset, " + ", ".join((*DEFAULTS, "target_points", "bots"))


def _bots(asked: Options, preset: str) -> Bots:
    """The computer players, by seat; a list that is named replaces the preset's, an empty one too."""
    if not asked.HasField("bots"):
        return Bots(items=[Bot(seat=seat, level=level) for seat, level in PRESET_BOTS.get(preset, ())])
    seats: dict[int, str] = {}
    for bot in asked.bots.items:
        if not bot.HasField("seat") or not 0 <= bot.seat <= 3 or bot.seat in seats:
            raise refuse("bots", bot.seat if bot.HasField("seat") else None, "seats 0 to 3, each at most once")
        if bot.level not in LEVELS:
            raise refuse("bots", bot.level, ", ".join(LEVELS))
        seats[bot.seat] = bot.level
    return Bots(items=[Bot(seat=seat, level=seats[seat]) for seat in sorted(seats)])
