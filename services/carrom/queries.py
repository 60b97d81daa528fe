"""The rules file's Queries: plain JSON in, plain JSON out. Wrong arguments are `bad_argument`."""

from collections.abc import Callable, Mapping
from math import cos, radians, sin
from typing import Any, cast

from libs.table.rules import Refused
from services.carrom.board import LINE_UM, PIONS, SIDES, Lying, start_layout, to_board
from services.carrom.centre import returned, spot_free
from services.carrom.line import blocked as blocked_of
from services.carrom.line import is_full
from services.carrom.line import on_line as stands_on
from services.carrom.options import DEFAULTS
from services.carrom.position import at_of, board_of
from services.carrom.simulate import simulate as run
from services.carrom.state import next_seat as following

Arguments = Mapping[str, Any]


def on_line(given: Arguments) -> Any:
    """R4.3."""
    return {"on_line": stands_on(_side(given), *at_of(given.get("at"), "at"))}


def to_board_query(given: Arguments) -> Any:
    """The palet on the board and its direction, 4 decimals (R10.4)."""
    side, x, angle = _side(given), _number(given, "x"), radians(_number(given, "angle"))
    at = to_board(side, round(x * 1e6), LINE_UM)
    ahead = to_board(side, round(sin(angle) * 1e9), round(cos(angle) * 1e9))
    return {"at": [_plain(v / 1e6, 4) for v in at], "direction": [_plain(v / 1e9, 4) for v in ahead]}


def layout(given: Arguments) -> Any:
    """Start places of the pieces named (R2.3)."""
    white = _whole(given, "white_seat", 0, _seats(given) - 1)
    start = {piece: [x / 1e6, y / 1e6] for piece, x, y in start_layout(SIDES[_seats(given)][white])}
    return {"board": {piece: start[piece] for piece in _pieces(given, "pieces", PIONS)}}


def set_points(given: Arguments) -> Any:
    """R7.4."""
    owner = given.get("red_owner")
    if owner not in ("winner", "loser", "none"):
        raise _wrong("red_owner", "winner, loser or none", owner)
    red = _whole(given, "red_value", 0, 10) if "red_value" in given else DEFAULTS["red_value"]
    return {"points": _whole(given, "loser_left", 0, 9) + (red if owner == "winner" else 0)}


def centre(given: Arguments) -> Any:
    """R12.2."""
    pile = _pieces(given, "pile", PIONS)
    returning = _pieces(given, "returning", PIONS)
    down, levels = returned(spot_free(_board(given)), pile, returning)
    piled = [piece for piece, level in zip(returning, levels, strict=True) if level]
    return {"levels": dict(zip(returning, levels, strict=True)), "pile": pile[len(down) :] + piled}


def next_seat(given: Arguments) -> Any:
    """R3.4."""
    seats = _seats(given)
    return {"seat": following(_whole(given, "seat", 0, seats - 1), seats)}


def blocked(given: Arguments) -> Any:
    """R14.3, R3.5."""
    side, board = _side(given), _board(given)
    return {"blocked": [list(ends) for ends in blocked_of(side, board)], "full": is_full(side, board)}


def simulate(given: Arguments) -> Any:
    """One shot with default options; rest places rounded to 2 decimals."""
    shot = tuple(round(_number(given, name) * 1e6) for name in ("x", "angle", "speed"))
    x, angle, speed = shot
    board, pile = tuple(sorted(_board(given))), tuple(_pieces(given, "pile", PIONS))
    named = [*(piece for piece, _, _ in board), *pile]
    if len(set(named)) < len(named):
        raise _wrong("pile", "pieces that are in one place only", list(pile))
    outcome = run(
        (board, pile),
        _side(given),
        (x, angle, speed),
        (DEFAULTS["friction"], DEFAULTS["leave_speed"]),
    )
    rest = {piece: [_plain(v, 2) for v in at] for piece, at in outcome["rest"].items()}
    return {**outcome, "rest": rest}


def _wrong(field: str, allowed: str, got: object) -> Refused:
    return Refused("bad_argument", f"{field} must be {allowed}, not {got!r}", field)


def _plain(value: float, digits: int) -> float:
    return round(value, digits) + 0.0  # never -0.0


def _seats(given: Arguments) -> int:
    seats = given.get("seats", 2)
    if type(seats) is not int or seats not in SIDES:
        raise _wrong("seats", "2 or 4", seats)
    return seats


def _side(given: Arguments) -> str:
    seats = _seats(given)
    return SIDES[seats][_whole(given, "seat", 0, seats - 1)]


def _board(given: Arguments) -> list[Lying]:
    return [(piece, x, y) for piece, (x, y) in board_of(given.get("board", {})).items()]


def _pieces(given: Arguments, field: str, allowed: tuple[str, ...]) -> list[str]:
    pieces = given.get(field, [])
    if not isinstance(pieces, list) or any(piece not in allowed for piece in cast("list[Any]", pieces)):
        raise _wrong(field, "a list of w1..w9, b1..b9, red", cast(object, pieces))
    return cast("list[str]", pieces)


def _number(given: Arguments, field: str) -> float:
    value = given.get(field)
    # Also for NaN, infinity and whole numbers that no float can hold.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e9:
        raise _wrong(field, "a number within a billion", value)
    return value


def _whole(given: Arguments, field: str, low: int, high: int) -> int:
    value = given.get(field)
    if type(value) is not int or not low <= value <= high:
        raise _wrong(field, f"a whole number {low}..{high}", value)
    return value


QUERIES: dict[str, Callable[[Arguments], Any]] = {
    "on_line": on_line,
    "to_board": to_board_query,
    "layout": layout,
    "set_points": set_points,
    "centre": centre,
    "next_seat": next_seat,
    "blocked": blocked,
    "simulate": simulate,
}
