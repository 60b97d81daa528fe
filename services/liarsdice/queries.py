"""The rules file's Queries: plain JSON in, plain JSON out. Wrong ones are `bad_argument`, options `bad_option`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from libs.table.rules import Refused
from services.liarsdice import speech
from services.liarsdice.counting import ANY, FACES, NUMBERS, Count, highest, ranges
from services.liarsdice.counting import count as count_cups
from services.liarsdice.counting import holds as bid_holds
from services.liarsdice.odds import Sight, percent, sight, text
from services.liarsdice.odds import odds as chance
from services.liarsdice.odds import suggest as advise
from services.liarsdice.options import Setup, message_of, named_of, resolve
from services.liarsdice.record import round_line

Arguments = Mapping[str, Any]
_MANY = 1_000_000_000


def options(given: Arguments) -> Any:
    """The complete options, or the refusal with the option's name (R1.5)."""
    complete = message_of(_setup(given))
    return named_of(complete) | {"regulars": list(complete.regulars)}


def count(given: Arguments) -> Any:
    """The open cups counted for a face (R4)."""
    return _counted(count_cups(_cups(given), _face(given.get("face")), _setup(given)))


def holds(given: Arguments) -> Any:
    """The same, and whether a bid holds (R4.12)."""
    quantity, face = _bid(given)
    counted = count_cups(_cups(given), face, _setup(given))
    return _counted(counted) | {"holds": bid_holds(counted, quantity)}


def higher(given: Arguments) -> Any:
    """Whether one bid is higher than another (R3.4, R3.5)."""
    return {"higher": _bid(_object(given, "bid")) > _bid(_object(given, "than"))}


def legal_bids(given: Arguments) -> Any:
    """All legal bids, the lowest of them, the most that may be bid, and whether a lift is legal (R3)."""
    setup = _setup(given)
    most = highest(_numbers(given, "dice_counts", 0), setup.seats, setup)
    now = _current(given)
    legal = ranges(now, most, setup)
    lowest = min(((low, face) for face, low, _ in legal), default=None)
    return {
        "max_quantity": most,
        "bids": [{"face": _plain(face), "from": low, "to": high} for face, low, high in legal],
        "lowest": None if lowest is None else {"quantity": lowest[0], "face": _plain(lowest[1])},
        "lift": now is not None,
    }


def odds(given: Arguments) -> Any:
    """The chance that a bid holds (R10.3-R10.6)."""
    p = chance(_sight(given), *_bid(given))
    return {"p": text(p), "percent": percent(p)}


def suggest(given: Arguments) -> Any:
    """What looks best by the odds alone (R10.7)."""
    seen, now = _sight(given), _current(given)
    most = highest((len(seen.own), *seen.others), seen.setup.seats, seen.setup)
    if now is None and not most:
        raise _wrong("own", "some dice", given.get("own"))
    advice = advise(seen, now, most)
    bid = None if advice.bid is None else {"quantity": advice.bid[0], "face": _plain(advice.bid[1])}
    return {"do": "bid" if bid else "lift", "bid": bid, "p": text(advice.p), "percent": percent(advice.p)}


def say(given: Arguments) -> Any:
    """A bid in words, plain and in the regulars' tongue (R11.2)."""
    quantity, face = _bid(given)
    return {"plain": speech.plain(quantity, face), "slang": speech.slang(quantity, face)}


def format_bid(given: Arguments) -> Any:
    """A bid as records write it (R12.1)."""
    return {"text": speech.write_bid(*_bid(given))}


def parse_bid(given: Arguments) -> Any:
    """A bid or a lift as records write it, read (R12.1)."""
    written = given.get("text")
    found = speech.read_bid(written) if isinstance(written, str) else None
    if found is None:
        raise _wrong("text", "like 5-5, 7-* or L", written)
    if not found[0]:
        return {"do": "lift"}
    return {"do": "bid", "quantity": found[0], "face": _plain(found[1])}


def record_line(given: Arguments) -> Any:
    """One round as a line of a record (R12.2)."""
    dice = _cups(given)
    bids: list[tuple[int, int, int, bool]] = []
    for one in _list(given, "bids"):
        if not isinstance(one, dict):
            raise _wrong("bids", "a list of bids", one)
        row = cast("dict[str, Any]", one)
        bids.append((_whole(row, "seat", (0, 7)), *_bid(row), row.get("auto", False) is True))
    if not bids:
        raise _wrong("bids", "at least one bid", bids)
    counted = count_cups(dice, bids[-1][2], _setup(given))
    lifter = (_whole(given, "lifter", (0, 7)), given.get("lift_auto", False) is True)
    held = bid_holds(counted, bids[-1][1])
    head = (_whole(given, "round", (1, _MANY)), (counted.count, counted.kind, held))
    return {"text": round_line(head, dice, bids, lifter)}


QUERIES: dict[str, Callable[[Arguments], Any]] = {
    query.__name__: query
    for query in (
        *(options, count, holds, higher, legal_bids, odds, suggest),
        *(say, format_bid, parse_bid, record_line),
    )
}


def _setup(given: Arguments) -> Setup:
    asked = given.get("options", {})
    if not isinstance(asked, dict):
        raise _wrong("options", "an object", cast(object, asked))
    return resolve(cast("dict[str, Any]", asked))


def _counted(counted: Count) -> dict[str, Any]:
    return {
        "kind": counted.kind,
        "count": counted.count,
        "counts": list(counted.counts),
        "patterns": list(counted.patterns),
        "rings": [list(ring) for ring in counted.rings],
        "present": counted.present,
    }


def _plain(face: int) -> int | str:
    return face or FACES[ANY]


def _wrong(field: str, allowed: str, got: object) -> Refused:
    return Refused("bad_argument", f"{field} must be {allowed}, not {got!r}", field)


def _whole(given: Arguments, field: str, between: tuple[int, int]) -> int:
    value = given.get(field)
    if type(value) is not int or not between[0] <= value <= between[1]:
        raise _wrong(field, f"a whole number {between[0]}..{between[1]}", value)
    return value


def _face(value: object) -> int:
    text = str(value) if type(value) is int or isinstance(value, str) else ""
    if text not in NUMBERS:
        raise _wrong("face", "1..6 or any", value)
    return NUMBERS[text]


def _bid(given: Arguments) -> tuple[int, int]:
    """Quantity and face: as tuples they are in the order of bids."""
    return _whole(given, "quantity", (1, _MANY)), _face(given.get("face"))


def _current(given: Arguments) -> tuple[int, int] | None:
    return None if given.get("current") is None else _bid(_object(given, "current"))


def _object(given: Arguments, field: str) -> dict[str, Any]:
    value = given.get(field)
    if not isinstance(value, dict):
        raise _wrong(field, "an object", cast(object, value))
    return cast("dict[str, Any]", value)


def _list(given: Arguments, field: str) -> list[Any]:
    value = given.get(field)
    if not isinstance(value, list):
        raise _wrong(field, "a list", cast(object, value))
    return cast("list[Any]", value)


def _numbers(given: Arguments, field: str, low: int) -> tuple[int, ...]:
    return tuple(_whole({field: one}, field, (low, 6)) for one in _list(given, field))


def _cups(given: Arguments) -> Sequence[tuple[int, ...]]:
    return [_numbers({"dice": cup}, "dice", 1) for cup in _list(given, "dice")]


def _sight(given: Arguments) -> Sight:
    own, others = _numbers(given, "own", 1), _numbers(given, "others", 0)
    if len(own) > 6:
        raise _wrong("own", "at most six dice", given.get("own"))
    return sight(own, others, _setup(given))
