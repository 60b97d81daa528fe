"""The table as text for a terminal, and what a person types as a command. Pure functions; English or Dutch words."""

from collections.abc import Iterable
from itertools import pairwise
from math import isfinite

from google.protobuf.message import Message

from libs.table.rules import Refused
from services.carrom import aim
from services.carrom.board import HOLES, PALET, RED, SIDES, SOUTH, to_board, to_frame
from services.carrom.search import spot_of
from services.carrom.words import WORDS
from stamtafel.carrom.v1 import carrom_pb2 as pb

_WIDE, _HIGH = 60, 30
"""Cells of the board; a cell is twice as high as it is wide."""
_HALF_UM = 370_000
_MARKS = {"w": "[bold white]{}[/bold white]", "b": "[cyan]{}[/cyan]", "r": "[bold red]{}[/bold red]"}
_Words = dict[str, str]
_GIVE_UP = ("resign", "opgeven")


def draw(view: Message, you: int | None, words: str = "en") -> str:
    """The board as `you` sees it (None: from the south), the way of the last shot, both sides, as rich markup.

    `words`: `en` or `nl`, anything else `en`.
    """
    assert isinstance(view, pb.View)
    say = WORDS.get(words, WORDS["en"])
    side = view.seats[you].side if you is not None else SOUTH
    return "\n".join([*_head(view, you, say), *_board(view, side), *_foot(view, you, say)])


def _who(view: pb.View, team: int, you: int | None, say: _Words) -> str:
    if you is not None and len(view.seats) == 2 and view.seats[you].team == team:
        return say["you"]
    return f"{say['team'].format(team=team)} ({say[view.teams[team].colour]})"


def _seat(seat: int, you: int | None, say: _Words) -> str:
    return say["you"] if seat == you else say["seat"].format(seat=seat)


def _head(view: pb.View, you: int | None, say: _Words) -> Iterable[str]:
    yield say["set"].format(number=view.set.number)
    for team in view.teams:
        seats = ", ".join(_seat(seat, you, say) for seat in team.seats)
        score = f"{say['sets']} {team.sets}" + (f", {say['points']} {team.points}" if team.points else "")
        got = " ".join(team.acquired)
        yield f"  {say[team.colour]:6} {seats:16} {team.left} {say['left']} · {score} · {got}".rstrip(" ·")


def _cell(side: str, x: int, y: int) -> tuple[int, int]:
    """Column and row of a place on the board, as that side sees it."""
    u, w = to_frame(side, x, y)
    column = (u + _HALF_UM) * _WIDE // (2 * _HALF_UM)
    row = (_HALF_UM - w) * _HIGH // (2 * _HALF_UM)
    return min(max(column, 0), _WIDE - 1), min(max(row, 0), _HIGH - 1)


def _board(view: pb.View, side: str) -> Iterable[str]:
    cells = [[" "] * _WIDE for _ in range(_HIGH)]
    for u in range(-235_000, 235_001, 8_000):
        column, row = _cell(SOUTH, u, -252_600)
        cells[row][column] = "·"
    for x in (-347_750, 347_750):
        for y in (-347_750, 347_750):
            column, row = _cell(SOUTH, x, y)
            column = min(max(column, 1), _WIDE - 2)
            cells[row][column - 1 : column + 2] = ["(", "○", ")"]
    palet = _way(view, side, cells)
    for piece in sorted(view.board):
        x, y = (round(value * 1e6) for value in view.board[piece].items)
        _label(cells, _cell(side, x, y), "rd" if piece == RED else piece)
    if palet is not None:
        _label(cells, palet, "◎")
    edge = "+" + "-" * _WIDE + "+"
    return [edge, *("|" + "".join(row) + "|" for row in cells), edge]


def _label(cells: list[list[str]], at: tuple[int, int], text: str) -> None:
    column, row = at
    column = min(column, _WIDE - len(text))
    shown = _MARKS[text[0]].format(text) if text[0] in _MARKS else text
    cells[row][column : column + len(text)] = [shown, *[""] * (len(text) - 1)]


def _way(view: pb.View, side: str, cells: list[list[str]]) -> tuple[int, int] | None:
    """Draws the palet's way in the last shot; the cell where it came to rest, None if it was lost or none was made."""
    if not view.HasField("last_shot"):
        return None
    shot = view.last_shot.shot
    frames = [frame for track in shot.keyframes if track.piece == PALET for frame in track.frames]
    for one, other in pairwise(frames):
        for step in range(20):
            x = one.x + (other.x - one.x) * step // 20
            y = one.y + (other.y - one.y) * step // 20
            column, row = _cell(side, x * 100, y * 100)
            if cells[row][column] == " ":
                cells[row][column] = "."
    rest = next((one for one in shot.rest if one.piece == PALET), None)
    return None if rest is None else _cell(side, rest.x_um, rest.y_um)


def _foot(view: pb.View, you: int | None, say: _Words) -> Iterable[str]:
    if view.HasField("last_shot"):
        yield say["last"].format(who=_seat(view.last_shot.seat, you, say), what=_told(view.last_shot, say))
    if view.HasField("last_set"):
        last = view.last_set
        who = _who(view, last.winner, you, say)
        yield say["wins_set"].format(who=who, number=last.number, by=say[f"{last.by}_by"])
    if view.red.state == "board":
        yield say["red_open" if view.red.open else "red_board"]
    else:
        yield say[f"red_{view.red.state}"].format(who=_who(view, view.red.team, you, say))
    if view.pile:
        yield say["pile"].format(pieces=" ".join(view.pile))
    if view.HasField("result"):
        who = _who(view, view.result.winner, you, say)
        yield say["wins"].format(who=who, by=say[f"{view.result.by}_by"])
        return
    yield f"{_seat(view.turn.seat, you, say)} ({say[view.turn.colour]}): {say[view.phase]}"
    if view.aim.rail_first:
        yield say["rail_first"].format(pieces=" ".join(view.aim.rail_first))
    if view.aim.blocked:
        yield say["free"].format(places=", ".join(f"{low:g}..{high:g}" for low, high in _free(view)))
    if you is not None:
        yield say["type"] if view.turn.seat == you else say["wait"]


def _told(last: pb.LastShot, say: _Words) -> str:
    shot = last.shot
    told: list[str] = []
    if shot.HasField("first_contact"):
        told.append(say["first"].format(piece=shot.first_contact))
    if shot.pocketed:
        told.append(say["pocketed"].format(pieces=" ".join(shot.pocketed)))
    if shot.out:
        told.append(say["out"].format(pieces=" ".join(shot.out)))
    told += [say["kept"]] if last.kept else [say[reason] for reason in last.reasons]
    return ", ".join(told)


def _free(view: pb.View) -> list[tuple[float, float]]:
    low, high = view.aim.x.items
    free: list[tuple[float, float]] = []
    for one in view.aim.blocked:
        if one.items[0] >= low:
            free.append((low, one.items[0]))
        low = one.items[1]
    return [*free, (low, high)] if low <= high else free


# -------------------------------------------------------------------------------------------------------- typed


def parse(text: str, view: Message) -> Message:
    """The command that a person typed. Raises Refused `bad_argument`, telling what is allowed."""
    assert isinstance(view, pb.View)
    words = text.lower().replace(",", " ").split()
    if len(words) == 1 and words[0] in _GIVE_UP:
        return pb.Resign()
    if words and words[0] in ("s", "shoot", "schiet"):
        words = words[1:]
    if words and words[0] == "pot" and len(words) in (3, 4):
        return _pot(view, words[1], words[2], words[3:])
    if words and words[0] in ("at", "op") and len(words) in (2, 3):
        return _at(view, words[1], words[2:])
    if len(words) == 3:
        x, angle, speed = (_number(word, name) for word, name in zip(words, ("x", "angle", "speed"), strict=True))
        return pb.Shoot(x=x, angle=angle, speed=speed)
    raise Refused("bad_argument", f"{text.strip()!r} is no command here. {help()}")


def _number(word: str, field: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = float("nan")
    if not isfinite(value) or "_" in word:
        raise Refused("bad_argument", f"{field} is a number, not {word!r}. {help()}", field)
    return value


def _table(view: pb.View, piece: str) -> tuple[aim.Table, str]:
    """The table as the seat to act sees it, and the piece by its id; friction as on a club board."""
    if not view.HasField("turn"):
        raise Refused("game_over", "the match has ended")
    found = RED if piece in ("red", "rd", "rood") else piece
    if found not in view.board:
        raise Refused("bad_argument", f"{piece!r} is not on the board: {' '.join(sorted(view.board))}")
    seat = view.turn.seat
    options = pb.Options(match="sets", friction=100, leave_speed=6500)
    return spot_of(view, options, seat).table(), found


def _pot(view: pb.View, piece: str, hole: str, speed: list[str]) -> pb.Shoot:
    """The easiest straight shot that sends a pion to a hole."""
    table, found = _table(view, piece)
    if hole not in HOLES:
        raise Refused("bad_argument", f"holes are {' '.join(HOLES)}, not {hole!r}. {help()}")
    side = SIDES[len(view.seats)][view.turn.seat]
    shots = [
        (shot.ease, shot)
        for line in aim.lines_to_holes(table, found, 0.4)
        if _hole(side, table.discs[found], line) == hole
        for shot in aim.direct(table, found, line, table.places(15))
        if aim.direct_is_clear(table, shot)
    ]
    if not shots:
        raise Refused("bad_argument", f"no straight way from your line sends {piece} to {hole}; give x angle speed")
    best = max(shots, key=lambda one: one[0])[1]
    return _shoot(best.x, best.angle, _number(speed[0], "speed") if speed else best.speed)


def _hole(side: str, at: aim.At, line: aim.Line) -> str:
    """The hole on the board that a line in the frame of a side ends in."""
    u, w = at[0] + line.ux * line.way, at[1] + line.uy * line.way
    x, y = to_board(side, round(u * 1e6), round(w * 1e6))
    return ("n" if y > 0 else "s") + ("e" if x > 0 else "w")


def _at(view: pb.View, piece: str, speed: list[str]) -> pb.Shoot:
    """Straight at a pion, from the free place nearest to it."""
    table, found = _table(view, piece)
    fast = _number(speed[0], "speed") if speed else 2.5
    shots = list(aim.touching(table, [found], table.places(15), (2.5,)))
    if not shots:
        raise Refused("bad_argument", f"no free way to {piece}; give x angle speed")
    x = table.discs[found][0]
    best = min(shots, key=lambda shot: abs(shot.x - x))
    return _shoot(best.x, best.angle, fast)


def _shoot(x: float, angle: float, speed: float) -> pb.Shoot:
    return pb.Shoot(x=round(x, 6), angle=round(angle, 6), speed=round(speed, 6))


def help(words: str = "en") -> str:
    """What one may type."""
    return WORDS.get(words, WORDS["en"])["help"]
