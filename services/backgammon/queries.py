"""The rules file's Queries: pure questions, plain JSON in and out. A wrong argument is Refused `bad_argument`."""

from collections.abc import Callable, Mapping
from typing import Any, NoReturn, cast

from libs.table.plain import DoesNotFit, from_plain
from libs.table.rules import Refused
from services.backgammon import ids, mat, notation, replay
from services.backgammon.board import START, Half, Throw, pips, throw
from services.backgammon.position import read_board, read_cube, read_dice
from services.backgammon.setup import complete, setup
from services.backgammon.state import KINDS, kind_of, points_of
from stamtafel.backgammon.v1 import backgammon_pb2 as pb

Query = Mapping[str, Any]


def _bad(field: str, why: str) -> NoReturn:
    raise Refused("bad_argument", f"{field}: {why}.", field)


def _board(asked: Query) -> tuple[Half, Half]:
    return read_board(asked["board"]) if asked.get("board") is not None else (START, START)


def _seat(asked: Query, name: str = "seat", default: int = 0) -> int:
    return _number(asked, name, default, 0, 1)


def _number(asked: Query, name: str, default: int, low: int, high: int) -> int:
    value = asked.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        _bad(name, f"must be a whole number {low}..{high}")
    return value


def _text(asked: Query, name: str) -> str:
    value = asked.get(name)
    if not isinstance(value, str):
        _bad(name, "a text is needed")
    return value


def _flag(asked: Query, name: str, default: bool = False) -> bool:
    value = asked.get(name, default)
    if not isinstance(value, bool):
        _bad(name, "true or false is needed")
    return value


def _thrown(asked: Query) -> tuple[Throw, int]:
    board, seat = _board(asked), _seat(asked)
    return throw(board[seat], board[1 - seat], read_dice(asked.get("dice"))), seat


def turns(asked: Query) -> dict[str, Any]:
    """Canonical texts of all complete turns, ASCII order."""
    thrown, _ = _thrown(asked)
    return {"turns": sorted(notation.canonical(thrown, final) for final in thrown.finals)}


def turn_count(asked: Query) -> dict[str, Any]:
    """How many complete turns there are, and how many dice a longest one uses."""
    thrown, _ = _thrown(asked)
    return {"count": len(thrown.finals), "dice_used": thrown.longest}


def steps(asked: Query) -> dict[str, Any]:
    """Legal first steps, as in `legal_moves`."""
    thrown, _ = _thrown(asked)
    found = sorted((step for step, _ in thrown.legal(thrown.mine, thrown.other, ())), key=lambda s: (-s.start, -s.die))
    return {"steps": [{"from": s.start, "to": s.to, "die": s.die, "hit": s.hit} for s in found]}


def resolve(asked: Query) -> dict[str, Any]:
    """The turn that a text names (R9.3)."""
    thrown, seat = _thrown(asked)
    try:
        final = notation.resolve(thrown, _text(asked, "moves"))
    except notation.NotNotation as error:
        _bad("moves", f"{str(error)!r} is no notation")
    if final is None:
        return {"legal": False}
    text = notation.canonical(thrown, final) if thrown.longest else ""
    halves = [list(half) for half in (final if seat == 0 else final[::-1])]
    return {"legal": True, "notation": text, "board": halves}


def pip_counts(asked: Query) -> dict[str, Any]:
    """Pip counts of both seats."""
    return {"pips": [pips(half) for half in _board(asked)]}


def score_game(asked: Query) -> dict[str, Any]:
    """Kind and points of a game won on this board (R12.2-R12.5)."""
    board, winner = _board(asked), _seat(asked, "winner")
    cube = _object("cube", asked.get("cube"))
    kind = kind_of(board[1 - winner])
    points = points_of(kind, read_cube(cube.get("value", 1)), _owner(cube), _jacoby(asked))
    return {"kind": KINDS[kind - 1], "points": points}


def _object(field: str, value: Any) -> dict[str, Any]:
    """A JSON object; left out or null: an empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        _bad(field, "an object is needed")
    return cast("dict[str, Any]", value)


def _jacoby(asked: Query) -> bool:
    """Whether the table's options, a preset among them, put the Jacoby rule in force (R12.5)."""
    try:
        options = from_plain(pb.Options, _object("options", asked.get("options")))
    except DoesNotFit as error:
        _bad("options", str(error))
    return setup(complete(options)).jacoby


def position_id(asked: Query) -> dict[str, Any]:
    """GNU position ID."""
    board, seat = _board(asked), _seat(asked)
    return {"id": ids.position_id(board[seat], board[1 - seat])}


def from_position_id(asked: Query) -> dict[str, Any]:
    """The board of a position ID; `seat` is on roll."""
    seat = _seat(asked)
    try:
        halves = ids.from_position_id(_text(asked, "id"))
    except ValueError as error:
        _bad("id", str(error))
    return {"board": [list(half) for half in (halves if seat == 0 else halves[::-1])]}


def _owner(asked: Query) -> int | None:
    return None if asked.get("owner") is None else _seat(asked, "owner")


def _dice(asked: Query) -> tuple[int, int] | None:
    return None if asked.get("dice") is None else read_dice(asked["dice"])


def _score(asked: Query) -> tuple[int, int]:
    score = asked.get("score", [0, 0])
    if not isinstance(score, list) or len(cast("list[Any]", score)) != 2:
        _bad("score", "a list of two is needed")
    first, second = cast("list[Any]", score)
    return _number({"score": first}, "score", 0, 0, 32767), _number({"score": second}, "score", 0, 0, 32767)


def match_id(asked: Query) -> dict[str, Any]:
    """GNU match ID."""
    state = ids.MatchState(
        cube=read_cube(asked.get("cube", 1)),
        owner=_owner(asked),
        roller=_seat(asked, "roller"),
        turn=_seat(asked, "turn"),
        crawford=_flag(asked, "crawford"),
        doubled=_flag(asked, "doubled"),
        resign=_number(asked, "resign", 0, 0, 3),
        dice=_dice(asked),
        length=_number(asked, "length", 0, 0, 32767),
        score=_score(asked),
        jacoby=_flag(asked, "jacoby"),
    )
    return {"id": ids.match_id(state)}


def _listed(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: list(cast("tuple[Any, ...]", v)) if isinstance(v, tuple) else v for key, v in values.items()}


def from_match_id(asked: Query) -> dict[str, Any]:
    """The fields of a match ID."""
    try:
        return _listed(ids.from_match_id(_text(asked, "id"))._asdict())
    except ValueError as error:
        _bad("id", str(error))


def xgid(asked: Query) -> dict[str, Any]:
    """XGID."""
    position = ids.XgPosition(
        board=_board(asked),
        cube=read_cube(asked.get("cube", 1)),
        owner=_owner(asked),
        turn=_seat(asked, "turn"),
        dice=_dice(asked),
        doubled=_flag(asked, "doubled"),
        score=_score(asked),
        crawford=_flag(asked, "crawford"),
        jacoby=_flag(asked, "jacoby"),
        beavers=_flag(asked, "beavers"),
        length=_number(asked, "length", 0, 0, 32767),
        cube_limit=read_cube(asked.get("cube_limit", 64)),
    )
    return {"xgid": ids.xgid(position)}


def from_xgid(asked: Query) -> dict[str, Any]:
    """The fields of an XGID."""
    try:
        found = ids.from_xgid(_text(asked, "xgid"))
    except ValueError as error:
        _bad("xgid", str(error))
    return _listed(found._asdict()) | {"board": [list(half) for half in found.board]}


def mat_import(asked: Query) -> dict[str, Any]:
    """A match file, replayed by the rules (R16.4)."""
    match = mat.parse(_text(asked, "text"))
    result = replay.replay(match, _flag(asked, "crawford", True), _flag(asked, "jacoby"))
    return {
        "length": result.length,
        "score": list(result.score),
        "games": [game.told() for game in result.games],
        "complete": result.complete,
        "errors": result.errors,
    }


def mat_export(asked: Query) -> dict[str, Any]:
    """The text of a match file (R16.5), moves as given."""
    length = _number(asked, "length", 0, 0, 32767)
    names = [_word("names", name) for name in _list("names", asked.get("names", ["Player A", "Player B"]))]
    if len(names) != 2:
        _bad("names", "two are needed")
    headers = {key: _word("headers", value) for key, value in _object("headers", asked.get("headers")).items()}
    score = [0, 0]
    written: list[mat.Written] = []
    for given in _list("games", asked.get("games", [])):
        game = _object("games", given)
        cells = [_cell(_object("games", action)) for action in _list("games", game.get("actions", []))]
        winner = None if game.get("winner") is None else _seat(game, "winner")
        points = 0 if winner is None else _number(game, "points", 0, 1, 32767)
        before = (score[0], score[1])
        if winner is not None:
            score[winner] += points
        ended = winner is not None and 0 < length <= score[winner]
        written.append(mat.Written(cells, before, winner, points, ended))
    return {"text": mat.write(names, length, written, headers)}


def _list(field: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        _bad(field, "a list is needed")
    return cast("list[Any]", value)


def _word(field: str, value: Any) -> str:
    return _text({field: value}, field)


def _cell(action: Mapping[str, Any]) -> tuple[int, str]:
    if "roll" in action:
        text = mat.throw_cell(read_dice(action["roll"]), _word("moves", action.get("moves") or ""))
    elif "double" in action:
        text = f" Doubles => {_number(action, 'double', 0, 2, 4096)}"
    elif "beaver" in action:
        text = f" Beavers => {_number(action, 'beaver', 0, 4, 4096)}"
    elif action.get("take") is True:
        text = " Takes"
    elif action.get("drop") is True:
        text = " Drops"
    else:
        _bad("games", "an action is roll, double, beaver, take or drop")
    return _number(action, "seat", -1, 0, 1), text


QUERIES: dict[str, Callable[[Query], Any]] = {
    "turns": turns,
    "turn_count": turn_count,
    "steps": steps,
    "resolve": resolve,
    "pips": pip_counts,
    "score_game": score_game,
    "position_id": position_id,
    "from_position_id": from_position_id,
    "match_id": match_id,
    "from_match_id": from_match_id,
    "xgid": xgid,
    "from_xgid": from_xgid,
    "mat_import": mat_import,
    "mat_export": mat_export,
}
