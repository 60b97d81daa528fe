"""The options of a table: presets, defaults, checks, and what the rules keep of them."""

import msgspec

from libs.table.rules import Refused, Seating
from stamtafel.backgammon.v1 import backgammon_pb2 as pb

LEVELS = ("easy", "normal", "hard")
_PRESETS: dict[str, dict[str, object]] = {
    "friendly": {},
    "tournament": {"play": "match", "match_length": 7, "crawford": True, "clock": "bank", "delay_seconds": 12},
    "money": {"play": "money", "session_games": 10, "jacoby": True, "beavers": True},
    "quick": {
        "play": "match",
        "match_length": 1,
        "cube": False,
        "clock": "move",
        "move_seconds": 20,
        "confirm": "auto",
    },
}
PRESET_NAMES: tuple[str, ...] = tuple(_PRESETS)
_DEFAULTS: dict[str, object] = {
    "play": "money",
    "session_games": 1,
    "match_length": 7,
    "crawford": True,
    "cube": True,
    "cube_limit": 64,
    "jacoby": False,
    "beavers": False,
    "automatic_doubles": 0,
    "opening_dice": "keep",
    "confirm": "manual",
    "clock": "none",
    "move_seconds": 60,
    "bank_seconds": 600,
    "delay_seconds": 12,
}
_WORDS = {
    "play": ("money", "match"),
    "opening_dice": ("keep", "reroll"),
    "confirm": ("manual", "auto"),
    "clock": ("none", "move", "bank"),
    "on_timeout": ("auto", "forfeit"),
}
_RANGES = {
    "session_games": (1, 99),
    "match_length": (1, 64),
    "automatic_doubles": (0, 6),
    "move_seconds": (5, 604800),
    "bank_seconds": (10, 86400),
    "delay_seconds": (0, 60),
}
_CUBES = tuple(1 << n for n in range(1, 13))


def _refuse(field: str, allowed: object, got: object) -> Refused:
    return Refused("bad_argument", f"Option {field} must be {allowed}, not {got!r}.", field)


def complete(asked: pb.Options) -> pb.Options:
    """Preset, defaults and checks. Raises Refused with the option's name."""
    preset = asked.preset if asked.HasField("preset") else "friendly"
    if preset not in _PRESETS:
        raise _refuse("preset", "one of " + ", ".join(_PRESETS), preset)
    options = pb.Options(preset=preset)
    for name, value in (_DEFAULTS | _PRESETS[preset]).items():
        setattr(options, name, value)
    options.MergeFrom(asked)
    for name, words in _WORDS.items():
        if options.HasField(name) and getattr(options, name) not in words:  # pyright: ignore[reportArgumentType]
            raise _refuse(name, "one of " + ", ".join(words), getattr(options, name))
    for name, (low, high) in _RANGES.items():
        if not low <= getattr(options, name) <= high:
            raise _refuse(name, f"{low}..{high}", getattr(options, name))
    if options.cube_limit not in _CUBES:
        raise _refuse("cube_limit", "a power of two from 2 to 4096", options.cube_limit)
    if preset == "tournament" and not asked.HasField("bank_seconds"):
        options.bank_seconds = 120 * options.match_length
    if not options.HasField("on_timeout"):
        options.on_timeout = "forfeit" if options.clock == "bank" else "auto"
    _check_bots(options)
    options.bots.SetInParent()
    return options


def _check_bots(options: pb.Options) -> None:
    seats = [bot.seat for bot in options.bots.items]
    if any(seat not in (0, 1) for seat in seats) or len(set(seats)) != len(seats):
        raise _refuse("bots", "at most one for seat 0 and one for seat 1", seats)
    for bot in options.bots.items:
        if bot.level not in LEVELS:
            raise _refuse("bots", "of level " + ", ".join(LEVELS), bot.level)


def seating(options: pb.Options) -> Seating:
    """Two seats; the host sits on the first that is not a computer player's."""
    bots = {bot.seat: bot.level for bot in options.bots.items}
    return Seating(2, bots, next((seat for seat in (0, 1) if seat not in bots), None))


class Setup(msgspec.Struct, frozen=True):
    """The options as the rules use them. `length` is 0 for money, `games` 0 for a match; times in ms.

    `options` are the complete options as bytes, for a rematch.
    """

    options: bytes
    length: int
    games: int
    crawford: bool
    cube: bool
    limit: int
    jacoby: bool
    beavers: bool
    automatic: int
    reroll: bool
    auto_confirm: bool
    clock: str
    forfeit: bool
    move_ms: int
    bank_ms: int
    delay_ms: int


def setup(options: pb.Options) -> Setup:
    """From complete options."""
    match = options.play == "match"
    return Setup(
        options=options.SerializeToString(deterministic=True),
        length=options.match_length if match else 0,
        games=0 if match else options.session_games,
        crawford=match and options.crawford and options.match_length > 1,
        cube=options.cube and not (match and options.match_length == 1),
        limit=options.cube_limit,
        jacoby=options.jacoby and not match,
        beavers=options.beavers and not match,
        automatic=0 if match else options.automatic_doubles,
        reroll=options.opening_dice == "reroll",
        auto_confirm=options.confirm == "auto",
        clock=options.clock,
        forfeit=options.on_timeout == "forfeit",
        move_ms=options.move_seconds * 1000,
        bank_ms=options.bank_seconds * 1000,
        delay_ms=options.delay_seconds * 1000,
    )
