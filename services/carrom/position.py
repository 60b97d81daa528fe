"""A match set up at a position (rules file, Position). It makes no events."""

from collections.abc import Mapping
from typing import Any, cast

from libs.table.rules import Refused
from services.carrom.board import COLOURS, PIONS, RAIL_UM, RED, SIDES, start_layout
from services.carrom.options import SETS, Setup
from services.carrom.state import BOARD, BONUS, NINE, OWNED, PENDING, SHOOT, VALIDATE, State, team_of

_KEYS = (
    "set", "white_seat", "turn", "acquired", "red", "board", "pile", "sets", "points", "bonus", "misses",
)  # fmt: skip
_MOST = 1_000_000


def position(setup: Setup, given: Mapping[str, Any]) -> State:
    """The state that `given` describes. Raises Refused `bad_argument` with the key at fault."""
    if unknown := set(given) - set(_KEYS):
        raise _wrong(sorted(unknown)[0], f"unknown; allowed: {', '.join(_KEYS)}")
    seats = setup.seats
    white_seat = _whole(given.get("white_seat", 0), "white_seat", 0, seats - 1)
    turn = _whole(given.get("turn"), "turn", 0, seats - 1)
    acquired = _acquired(given.get("acquired", {}), white_seat)
    red, red_team = _red(given.get("red", BOARD))
    pile = tuple(_piece(piece, "pile") for piece in _list(given.get("pile", []), "pile"))
    placed = board_of(given.get("board", {}))
    gone = [*acquired[0], *acquired[1], *pile, *placed]
    if len(set(gone)) != len(gone):
        raise _wrong("board", "a piece can be in one place only")
    if red != BOARD and RED in gone:
        raise _wrong("red", "a red that is pending or owned is off the board")
    away = {*gone, RED} if red != BOARD else set(gone)
    start = {piece: (x, y) for piece, x, y in start_layout(SIDES[seats][white_seat]) if piece not in away}
    bonus = given.get("bonus")
    if bonus is not None:
        bonus = _whole(bonus, "bonus", 0, 1)
        if setup.match != SETS or (red, red_team) != (OWNED, bonus) or len(acquired[1 - bonus]) != NINE:
            raise _wrong("bonus", "a sets match, the red owned, all pions of the other team in")
        if team_of(turn) != bonus or len(acquired[bonus]) == NINE:
            raise _wrong("bonus", "a seat of that team is to act, with pions left")
    elif NINE in (len(acquired[0]), len(acquired[1])):
        raise _wrong("acquired", "with nine in the set is over, or in its bonus")
    if red == PENDING and team_of(turn) != red_team:
        raise _wrong("red", "pending for the team to act")
    return State(
        setup=setup,
        phase=BONUS if bonus is not None else VALIDATE if red == PENDING else SHOOT,
        turn=turn,
        set=_whole(given.get("set", 1), "set", 1, _MOST),
        white_seat=white_seat,
        board=tuple(sorted((piece, x, y) for piece, (x, y) in (start | placed).items())),
        pile=pile,
        acquired=acquired,
        red=red,
        red_team=red_team,
        sets=_pair(given.get("sets", [0, 0]), "sets", setup.sets_to_win - 1 if setup.match == SETS else _MOST),
        points=_pair(given.get("points", [0, 0]), "points", setup.points_target - 1),
        bonus=bonus,
        misses=_misses(given.get("misses", [0] * seats), setup),
        turns=1,
    )


def board_of(given: object, field: str = "board") -> dict[str, tuple[int, int]]:
    """`{id: [x, y]}` in metres as whole micrometres. Raises Refused."""
    return {_piece(piece, field): at_of(at, field) for piece, at in _object(given, field).items()}


def at_of(given: object, field: str) -> tuple[int, int]:
    """`[x, y]` in metres as whole micrometres. Raises Refused."""
    both = _list(given, field)
    if len(both) != 2:
        raise _wrong(field, f"x and y are needed, not {both!r}")
    x, y = (_um(value, field) for value in both)
    return x, y


def _um(value: object, field: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise _wrong(field, f"a number of metres is needed, not {value!r}")
    # Compared before it is converted: JSON has whole numbers that no float can hold.
    um = round(value * 1e6) if abs(value) < 1 else None
    if um is None or abs(um) > RAIL_UM:
        raise _wrong(field, f"the board ends {RAIL_UM / 1e6} from the middle, before {value!r}")
    return um


def _acquired(given: object, white_seat: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """By team."""
    by_colour: list[tuple[str, ...]] = []
    colours = _object(given, "acquired")
    if set(colours) - set(COLOURS):
        raise _wrong("acquired", "white and black")
    for colour, pions in COLOURS.items():
        ids = tuple(_piece(piece, "acquired") for piece in _list(colours.get(colour, []), "acquired"))
        if set(ids) - set(pions):
            raise _wrong("acquired", f"only {colour} pions under {colour}")
        by_colour.append(ids)
    white, black = by_colour
    return (white, black) if team_of(white_seat) == 0 else (black, white)


def _red(given: object) -> tuple[str, int | None]:
    if given == BOARD:
        return BOARD, None
    one = _object(given, "red")
    for state in (PENDING, OWNED):
        if set(one) == {state}:
            return state, _whole(one[state], "red", 0, 1)
    raise _wrong("red", f'"board", {{"pending": team}} or {{"owned": team}}, not {given!r}')


def _misses(given: object, setup: Setup) -> tuple[int, ...]:
    misses = tuple(_whole(one, "misses", 0, setup.clock_misses - 1) for one in _list(given, "misses"))
    if len(misses) != setup.seats:
        raise _wrong("misses", f"{setup.seats} numbers are needed")
    return misses


def _pair(given: object, field: str, most: int) -> tuple[int, int]:
    both = [_whole(one, field, 0, most) for one in _list(given, field)]
    if len(both) != 2:
        raise _wrong(field, "one number for each team")
    return both[0], both[1]


def _piece(value: object, field: str) -> str:
    if value not in PIONS:
        raise _wrong(field, f"w1..w9, b1..b9 or red, not {value!r}")
    return cast(str, value)


def _wrong(field: str, why: str) -> Refused:
    return Refused("bad_argument", f"{field}: {why}", field)


def _whole(value: object, field: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise _wrong(field, f"a whole number {low}..{high} is needed, not {value!r}")
    return value


def _list(value: object, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(field, f"a list is needed, not {value!r}")
    return cast("list[Any]", value)


def _object(value: object, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(field, f"an object is needed, not {value!r}")
    return cast("dict[str, Any]", value)
