"""A table set up at a position (rules file, Position). It makes no events."""

from collections.abc import Mapping
from typing import Any, cast

from msgspec.structs import replace

from libs.table.rules import Refused
from services.liarsdice.counting import NUMBERS
from services.liarsdice.options import Setup
from services.liarsdice.speech import nickname
from services.liarsdice.state import BIDDING, OVER, Laid, Ledger, State, fresh, next_with_dice

_KEYS = {
    *("game", "round", "participants", "finale", "starter", "turn", "dice", "bids", "places", "ledger"),
    *("over", "loser"),
}
_MANY = 1_000_000


def position(setup: Setup, given: Mapping[str, Any]) -> State:
    """The state that `given` describes. Raises Refused `bad_argument` with the key at fault."""
    if unknown := set(given) - _KEYS:
        raise _wrong(sorted(unknown)[0], f"unknown; allowed: {', '.join(sorted(_KEYS))}")
    n = setup.seats
    every = list(range(n))
    playing = tuple(sorted(_numbers(given.get("participants", every), "participants", (0, n - 1))))
    if len(playing) < 2 or len(set(playing)) != len(playing):
        raise _wrong("participants", "two seats or more, each once")
    places = _numbers(given.get("places", [0] * n), "places", (0, n), n)
    state = replace(
        fresh(setup),
        ledger=_ledger(setup, given.get("ledger", {})),
        game=_whole(given.get("game", 1), "game", (1, _MANY)),
        round=_whole(given.get("round", 1), "round", (1, _MANY)),
        participants=playing,
        finale=_yes(given.get("finale", False), "finale"),
        places=places,
        dice=((),) * n,
    )
    if _yes(given.get("over", False), "over"):
        loser = _whole(given.get("loser"), "loser", (0, n - 1))
        return replace(state, phase=OVER, loser=loser, starter=loser)
    return _running(state, given)


def _running(state: State, given: Mapping[str, Any]) -> State:
    n = state.setup.seats
    dice = tuple(_numbers(cup, "dice", (1, 6)) for cup in _list(given.get("dice"), "dice"))
    counts = tuple(len(cup) for cup in dice)
    if len(dice) != n or max(counts) > 6 or sum(count > 0 for count in counts) < 2:
        raise _wrong("dice", f"{n} cups of 0..6 dice, two of them with dice")
    bids = tuple(_bid(one, counts, state.setup.regulars) for one in _list(given.get("bids", []), "bids"))
    starter = _whole(given.get("starter", 0), "starter", (0, n - 1))
    turn = given.get("turn")
    if turn is None:
        turn = next_with_dice(counts, bids[-1].seat) if bids else starter
    turn = _whole(turn, "turn", (0, n - 1))
    if not counts[turn]:
        raise _wrong("turn", f"seat {turn} has no dice")
    return replace(state, phase=BIDDING, dice=dice, counts=counts, bids=bids, starter=starter, turn=turn)


def _bid(given: object, counts: tuple[int, ...], regulars: tuple[int, ...]) -> Laid:
    one = _object(given, "bids")
    seat = _whole(one.get("seat"), "bids", (0, len(counts) - 1))
    face = NUMBERS.get(str(one.get("face")))
    if face is None:
        raise _wrong("bids", f"a face is 1..6 or any, not {one.get('face')!r}")
    quantity = _whole(one.get("quantity"), "bids", (1, _MANY))
    slang = nickname(quantity, face) if seat in regulars else None
    return Laid(seat, quantity, face, _yes(one.get("auto", False), "bids"), slang)


def _ledger(setup: Setup, given: object) -> Ledger:
    one, n = _object(given, "ledger"), setup.seats
    mats = _list(one.get("mats", ["green"] * n), "ledger")
    if len(mats) != n or any(mat not in ("green", "black") for mat in mats):
        raise _wrong("ledger", f"mats are {n} words green or black")
    tallies = [
        _numbers(one.get(name, [0] * n), "ledger", (0, _MANY), n) for name in ("strokes", "rounds_given", "selvbinders")
    ]
    return Ledger(tuple(mat == "black" for mat in mats), *tallies)


def _wrong(field: str, why: str) -> Refused:
    return Refused("bad_argument", f"position, {field}: {why}", field)


def _whole(value: object, field: str, between: tuple[int, int]) -> int:
    if type(value) is not int or not between[0] <= value <= between[1]:
        raise _wrong(field, f"a whole number {between[0]}..{between[1]} is needed, not {value!r}")
    return value


def _yes(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(field, f"true or false is needed, not {value!r}")
    return value


def _list(value: object, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(field, f"a list is needed, not {value!r}")
    return cast("list[Any]", value)


def _numbers(value: object, field: str, between: tuple[int, int], length: int | None = None) -> tuple[int, ...]:
    numbers = tuple(_whole(one, field, between) for one in _list(value, field))
    if length is not None and len(numbers) != length:
        raise _wrong(field, f"{length} numbers are needed, not {list(numbers)!r}")
    return numbers


def _object(value: object, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(field, f"an object is needed, not {value!r}")
    return cast("dict[str, Any]", value)
