"""The rules file's Position: a state in the middle of a game, from JSON (cases, practice)."""

from collections.abc import Mapping
from typing import Any, NoReturn, cast

import msgspec

from libs.table.rules import Refused
from services.backgammon.board import BAR, START, Half, Step, half
from services.backgammon.decide import pick_step
from services.backgammon.evolve import advance
from services.backgammon.setup import Setup
from services.backgammon.state import DOUBLED, KINDS, MOVE, OPENING, RESIGNED, ROLL, State, next_steps

_PHASES = (OPENING, ROLL, MOVE, DOUBLED, RESIGNED)
_KEYS = (
    "board", "turn", "phase", "dice", "moved", "cube", "score", "game", "crawford_game", "post_crawford", "resign",
    "resume", "ready",
)  # fmt: skip


def _bad(field: str, why: str) -> NoReturn:
    raise Refused("bad_argument", f"{field}: {why}.", field)


def read_half(given: Any) -> Half:
    """A half from `{"24": 2, "bar": 1, ...}`. Raises Refused."""
    if not isinstance(given, dict):
        _bad("board", "each half is an object of points")
    counts: dict[int, int] = {}
    for key, count in cast("dict[str, Any]", given).items():
        point = BAR if key == "bar" else int(key) if key.isascii() and key.isdigit() else -1
        if not 1 <= point <= BAR or (point == BAR and key != "bar"):
            _bad("board", f"{key!r} is no point 1..24 and not bar")
        counts[point] = _whole("board", count, 0, 15)
    if sum(counts.values()) > 15:
        _bad("board", "more than 15 checkers on a side")
    return half(counts)


def read_board(given: Any) -> tuple[Half, Half]:
    """Both halves; no point may hold both colours (R1.4). Raises Refused."""
    if not isinstance(given, list) or len(cast("list[Any]", given)) != 2:
        _bad("board", "two halves are needed")
    first, second = (read_half(part) for part in cast("list[Any]", given))
    if any(first[point] and second[25 - point] for point in range(1, 25)):
        _bad("board", "a point holds both colours")
    return first, second


def _whole(field: str, value: Any, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        _bad(field, f"a whole number {low}..{high} is needed, not {value!r}")
    return value


def _two(field: str, value: Any, low: int, high: int) -> tuple[int, int]:
    if not isinstance(value, list) or len(cast("list[Any]", value)) != 2:
        _bad(field, "a list of two is needed")
    first, second = cast("list[Any]", value)
    return _whole(field, first, low, high), _whole(field, second, low, high)


def read_dice(value: Any) -> tuple[int, int]:
    """Two dice in the order thrown. Raises Refused."""
    return _two("dice", value, 1, 6)


def read_cube(value: Any) -> int:
    """A cube value: a power of two up to 4096. Raises Refused."""
    cube = _whole("cube", value, 1, 4096)
    if cube & (cube - 1):
        _bad("cube", "a power of two is needed")
    return cube


def _flag(given: Mapping[str, Any], name: str, default: bool) -> bool:
    value = given.get(name, default)
    if not isinstance(value, bool):
        _bad(name, "true or false is needed")
    return value


def position(setup: Setup, given: Mapping[str, Any]) -> State:
    """The state that a Position stands for. Raises Refused."""
    for key in given:
        if key not in _KEYS:
            _bad(key, "unknown; allowed: " + ", ".join(_KEYS))
    phase = given.get("phase", ROLL)
    if phase not in _PHASES:
        _bad("phase", "must be one of " + ", ".join(_PHASES))
    board = read_board(given["board"]) if "board" in given else (START, START)
    score = _two("score", given.get("score", [0, 0]), 0, 100000)
    crawford_game = _flag(given, "crawford_game", False)
    reached = setup.crawford and max(score) >= setup.length - 1 and not crawford_game
    cube: Any = given.get("cube", {})
    if not isinstance(cube, dict):
        _bad("cube", "an object of value and owner is needed")
    owner = cast("dict[str, Any]", cube).get("owner")
    turn = None if phase == OPENING else _whole("turn", given.get("turn", 0), 0, 1)
    state = State(
        setup=setup,
        start=board,
        board=board,
        phase=phase,
        turn=turn,
        cube=read_cube(cast("dict[str, Any]", cube).get("value", 1)),
        owner=None if owner is None else _whole("cube", owner, 0, 1),
        score=score,
        game=_whole("game", given.get("game", 1), 1, 100000),
        crawford_game=crawford_game,
        post_crawford=_flag(given, "post_crawford", reached),
        bank=(setup.bank_ms, setup.bank_ms),
    )
    return _phase(state, given)


def _phase(state: State, given: Mapping[str, Any]) -> State:
    """What only some phases have."""
    replace = msgspec.structs.replace
    if state.phase == OPENING:
        ready = given.get("ready", [False, False])
        if not isinstance(ready, list) or [type(flag) for flag in cast("list[Any]", ready)] != [bool, bool]:
            _bad("ready", "two of true or false are needed")
        return replace(state, ready=(ready[0], ready[1]))
    if state.phase == DOUBLED:
        return replace(state, offer=state.cube * 2, offered_by=state.turn or 0)
    resume = state.phase
    if state.phase == RESIGNED:
        resign: Any = given.get("resign")
        if not isinstance(resign, dict):
            _bad("resign", "seat and kind are needed")
        fields = cast("dict[str, Any]", resign)
        if fields.get("kind") not in KINDS:
            _bad("resign", "kind must be one of " + ", ".join(KINDS))
        resume = given.get("resume", MOVE if given.get("dice") else ROLL)
        if resume not in (ROLL, MOVE):
            _bad("resume", "roll or move is needed")
        seat = _whole("resign", fields.get("seat"), 0, 1)
        state = replace(state, resign=(seat, KINDS.index(fields["kind"]) + 1), resume=resume)
    if resume == MOVE:
        state = _moved(replace(state, dice=read_dice(given.get("dice"))), given.get("moved", []))
    return state


def _moved(state: State, moved: Any) -> State:
    """Steps already made, each the next of a legal turn; the die by R10.2."""
    if not isinstance(moved, list):
        _bad("moved", "a list of [from, to] is needed")
    seat = state.turn or 0
    for pair in cast("list[Any]", moved):
        start, to = _two("moved", pair, 0, BAR)
        step = pick_step(state, next_steps(state), start, to, None)
        if step is None:
            _bad("moved", f"{start}/{to} is not legal")
        state = _made(state, seat, step)
    return state


def _made(state: State, seat: int, step: Step) -> State:
    mine, other, _ = advance(state.board[seat], state.board[1 - seat], step.start, step.to)
    board = (other, mine) if seat else (mine, other)
    return msgspec.structs.replace(state, board=board, moved=(*state.moved, step))
