"""A game set up at a position (rules file, Position). It makes no events."""

from collections.abc import Mapping
from typing import Any, cast

from msgspec.structs import replace

from libs.table.rules import Refused
from services.trictrac.options import Setup
from services.trictrac.state import THROW_OFF, TURN, Dice, State, Stood, Tie
from services.trictrac.throws import TRICTRAC, score_of

_KEYS = {"points", "bok", "out", "round", "starter", "limit", "stood", "turn", "throw_off"}


def position(setup: Setup, given: Mapping[str, Any]) -> State:
    """The state that `given` describes. Raises Refused `bad_argument` with the key at fault."""
    if unknown := set(given) - _KEYS:
        raise _wrong(sorted(unknown)[0], f"unknown; allowed: {', '.join(sorted(_KEYS))}")
    points = tuple(_whole(p, "points", 0, 12) for p in _list(given.get("points"), "points"))
    if len(points) != setup.seats or not any(points):
        raise _wrong("points", f"{setup.seats} numbers are needed, not all 0")
    starter = _in_play(given.get("starter"), "starter", points)
    bok = given.get("bok")
    if bok is not None:
        bok = _whole(bok, "bok", 0, setup.seats - 1)
        if points[bok] > 1:
            raise _wrong("bok", "the bok has 1 point, or 0 and is out")
    out = tuple(_whole(seat, "out", 0, setup.seats - 1) for seat in _list(given.get("out", []), "out"))
    if any(points[seat] for seat in out) or len(set(out)) != len(out):
        raise _wrong("out", "seats with 0 points, each once")
    out += tuple(seat for seat, left in enumerate(points) if left == 0 and seat not in out)
    if sum(p > 0 for p in points) < 2:
        raise _wrong("points", "two seats in play are needed")
    limit = given.get("limit")
    if limit is not None:
        limit = _whole(limit, "limit", 1, 3)
    stood = tuple(_stood(one, limit, points) for one in _list(given.get("stood", []), "stood"))
    done = [one.seat for one in stood]
    if len(set(done)) != len(done) or (stood and limit is None):
        raise _wrong("stood", "each seat once, and only with a limit")
    state = State(
        setup=setup,
        points=points,
        phase=TURN,
        opener=starter,
        round=_whole(given.get("round", 1), "round", 1, 1_000_000),
        starter=starter,
        limit=limit,
        throws=tuple(next(((one.dice,) for one in stood if one.seat == seat), ()) for seat in range(setup.seats)),
        stood=stood,
        lies=(stood[-1].seat, stood[-1].dice) if stood else None,
        bok=bok,
        out=out,
    )
    if given.get("throw_off") is not None:
        return _with_tie(state, given["throw_off"], given.get("turn"))
    return _with_turn(state, given.get("turn"))


def _with_turn(state: State, given: object) -> State:
    done = {one.seat for one in state.stood}
    n = state.setup.seats
    order = [seat for seat in ((state.starter + step) % n for step in range(n)) if state.points[seat]]
    left = [seat for seat in order if seat not in done]
    if not left:
        raise _wrong("turn", "all seats stand: the round is over, or in its throw-off")
    if given is None:
        return replace(state, turn=left[0])
    turn = _object(given, "turn", {"seat", "throws"})
    seat = _in_play(turn.get("seat"), "turn", state.points)
    throws = tuple(_dice(one, "turn", 2) for one in _list(turn.get("throws", []), "turn"))
    most = (3 if state.limit is None else state.limit) - 1
    if seat not in left or len(throws) > most or any(score_of(dice) == TRICTRAC for dice in throws):
        raise _wrong("turn", f"a seat that does not stand yet, with at most {most} throws and no trictrac")
    if not throws:
        return replace(state, turn=seat)
    every = (*state.throws[:seat], throws, *state.throws[seat + 1 :])
    return replace(state, turn=seat, throws=every, lies=(seat, throws[-1]))


def _with_tie(state: State, given: object, turn: object) -> State:
    off = _object(given, "throw_off", {"seats", "pass_number", "thrown"})
    in_play = sum(left > 0 for left in state.points)
    if turn is not None or len(state.stood) != in_play:
        raise _wrong("throw_off", "needs all seats in `stood`, and no `turn`")
    seats = tuple(_in_play(seat, "throw_off", state.points) for seat in _list(off.get("seats"), "throw_off"))
    lowest = min(one.score for one in state.stood)
    tied = {one.seat for one in state.stood if one.score == lowest}
    if len(seats) < 2 or len(set(seats)) != len(seats) or not set(seats) <= tied:
        raise _wrong("throw_off", "two or more of the seats that share the lowest throw")
    thrown: list[tuple[int, int]] = []
    for one in _list(off.get("thrown", []), "throw_off"):
        die = _object(one, "throw_off", {"seat", "die"})
        thrown.append((_in_play(die.get("seat"), "throw_off", state.points), _whole(die.get("die"), "throw_off", 1, 6)))
    if len(thrown) >= len(seats) or [seat for seat, _ in thrown] != list(seats[: len(thrown)]):
        raise _wrong("throw_off", "dice of the first seats in order, not of all")
    tie = Tie(seats, lowest, _whole(off.get("pass_number", 1), "throw_off", 1, 1_000_000), tuple(thrown))
    lies = (thrown[-1][0], (thrown[-1][1],)) if thrown else None
    return replace(state, phase=THROW_OFF, tie=tie, lies=lies, one_die=True)


def _stood(given: object, limit: int | None, points: tuple[int, ...]) -> Stood:
    one = _object(given, "stood", {"seat", "dice", "throws_made", "reason"})
    seat = _in_play(one.get("seat"), "stood", points)
    dice = _dice(one.get("dice"), "stood", 2)
    score = score_of(dice)
    made = _whole(one.get("throws_made", limit), "stood", 1, limit or 3)
    reason = one.get("reason", "trictrac" if score == TRICTRAC else "throws_used")
    if reason not in ("ok", "throws_used", "trictrac", "worst"):
        raise _wrong("stood", f"reason ok, throws_used, trictrac or worst, not {reason!r}")
    return Stood(seat, dice, score, made, reason)


def _wrong(field: str, why: str) -> Refused:
    return Refused("bad_argument", f"position, {field}: {why}", field)


def _whole(value: object, field: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise _wrong(field, f"a whole number {low}..{high} is needed, not {value!r}")
    return value


def _list(value: object, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(field, f"a list is needed, not {value!r}")
    return cast("list[Any]", value)


def _object(value: object, field: str, keys: set[str]) -> dict[str, Any]:
    if not isinstance(value, dict) or set(cast("dict[str, Any]", value)) - keys:
        raise _wrong(field, f"an object with {', '.join(sorted(keys))} is needed, not {value!r}")
    return cast("dict[str, Any]", value)


def _in_play(value: object, field: str, points: tuple[int, ...]) -> int:
    seat = _whole(value, field, 0, len(points) - 1)
    if not points[seat]:
        raise _wrong(field, f"seat {seat} is out")
    return seat


def _dice(value: object, field: str, n: int) -> Dice:
    faces = _list(value, field)
    if len(faces) != n:
        raise _wrong(field, f"{n} dice are needed, not {faces!r}")
    return tuple(_whole(face, field, 1, 6) for face in faces)
