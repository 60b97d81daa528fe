"""The text of Jellyfish match files (.mat): cells out of text, text out of cells (R16.4, R16.5). Knows no rules."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

RIGHT = 20
"""A lone cell that begins at this column or later is the right one."""

NAME_COLUMN = 32
_HEADER = re.compile(r'\[(\w[\w ]*?)\s+"(.*)"\]')
_LENGTH = re.compile(r"\s*(?:(\d+)\s+point\s+match|unlimited\b.*)\s*$", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+(\d+)\s*$", re.IGNORECASE)
_NAMES = re.compile(r"\s*(.*?)\s*:\s*(\d+)\s{2,}(.*?)\s*:\s*(\d+)\s*$")
_NARROW = re.compile(r"\s*(.*?)\s*:\s*(\d+)\s(.*?)\s*:\s*(\d+)\s*$")
"""A name line whose left half fills its columns but for one blank; what has two blanks is split there."""
_ROW = re.compile(r"\s*\d+\)")
_CELL = re.compile(
    r"(?P<throw>\b[1-6][1-6]:)"
    r"|(?P<double>\bDoubles\s*=>\s*(?P<double_value>\d+))"
    r"|(?P<beaver>\bBeavers\s*=>\s*(?P<beaver_value>\d+))"
    r"|(?P<take>\bTakes\b)"
    r"|(?P<drop>\bDrops\b)"
    r"|(?P<wins>\bWins\s+(?P<points>\d+)\s+points?(?:\s+and\s+the\s+match)?)"
    r"|(?P<resign>\bResigns\b)",
    re.IGNORECASE,
)


class Cell(NamedTuple):
    """One cell: the side (0 left), what it is, its dice or value, its text, and its line in the file (from 1)."""

    side: int
    kind: str
    value: int
    text: str
    line: int
    dice: tuple[int, int] = (0, 0)


class Game(NamedTuple):
    """One game of a file: names and score of its name line (None: there is no such line) and its cells."""

    names: tuple[str, str] | None
    score: tuple[int, int] | None
    cells: list[Cell]
    line: int


class Match(NamedTuple):
    """A file. `length` 0: money."""

    length: int
    headers: dict[str, str]
    games: list[Game]


def parse(text: str) -> Match:
    """The games and cells of a file; lines that are none of the known ones are passed over."""
    length = 0
    headers: dict[str, str] = {}
    games: list[Game] = []
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if bare.startswith((";", "#")):
            if found := _HEADER.search(bare):
                headers[found[1]] = found[2]
        elif (found := _LENGTH.match(line)) and not games:
            length = int(found[1] or 0)
        elif _GAME.match(line):
            games.append(Game(None, None, [], number))
        elif (
            games
            and games[-1].score is None
            and not games[-1].cells
            and (found := _NAMES.match(line) or _NARROW.match(line))
        ):
            games[-1] = Game((found[1], found[3]), (int(found[2]), int(found[4])), [], number)
        elif games:
            games[-1].cells.extend(_cells(line, number))
    return Match(length, headers, games)


def _cells(line: str, number: int) -> list[Cell]:
    row = _ROW.match(line)
    found = list(_CELL.finditer(line, row.end() if row else 0))
    if row is None and not (found and found[0]["wins"]):
        return []
    cells: list[Cell] = []
    for index, match in enumerate(found):
        end = found[index + 1].start() if index + 1 < len(found) else len(line)
        side = int(match.start() >= RIGHT) if len(found) == 1 else min(index, 1)
        cells.append(_cell(match, side, line[match.end() : end].strip(), number))
    return cells


def _cell(match: re.Match[str], side: int, rest: str, line: int) -> Cell:
    kind = match.lastgroup or ""
    if match["throw"]:
        return Cell(side, "throw", 0, rest, line, (int(match["throw"][0]), int(match["throw"][1])))
    if match["double"]:
        return Cell(side, "double", int(match["double_value"]), "", line)
    if match["beaver"]:
        return Cell(side, "beaver", int(match["beaver_value"]), "", line)
    if match["wins"]:
        return Cell(side, "wins", int(match["points"]), "", line)
    if match["resign"]:
        return Cell(side, "resign", 0, rest.lower(), line)
    return Cell(side, kind, 0, "", line)


class Written(NamedTuple):
    """A game to be written: (seat, cell text) in order, score before it, and who won how much (None: no result)."""

    cells: Sequence[tuple[int, str]]
    score: tuple[int, int]
    winner: int | None
    points: int
    wins_match: bool


def moves_of(cell: Cell) -> str:
    """The moves of a throw cell; `Cannot Move` is none."""
    return "" if re.fullmatch(r"cannot\s+move\.?", cell.text, re.IGNORECASE) else cell.text


def throw_cell(dice: Sequence[int], moves: str) -> str:
    """`31: 8/5 6/5`."""
    return f"{dice[0]}{dice[1]}: {moves}"


def write(names: Sequence[str], length: int, games: Sequence[Written], headers: Mapping[str, str]) -> str:
    """The text of a file, exactly as R16.5 says; lines end with LF."""
    names = [" ".join(name.split()) for name in names]  # two blanks would end a name
    lines = [f'; [{key} "{value}"]' for key, value in headers.items()]
    if headers:
        lines.append("")
    lines.append(f" {length} point match")
    for number, game in enumerate(games, 1):
        left = f" {names[0]} : {game.score[0]}"
        left = f"{left:<{NAME_COLUMN}}" if len(left) < NAME_COLUMN else left + "  "  # else it could not be read
        lines += ["", f" Game {number}", f"{left}{names[1]} : {game.score[1]}"]
        lines += _rows(game.cells)
        if game.winner is not None:
            word = "point" if game.points == 1 else "points"
            end = " and the match" if game.wins_match else ""
            lines.append(" " * (34 if game.winner else 6) + f"Wins {game.points} {word}{end}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _rows(cells: Sequence[tuple[int, str]]) -> list[str]:
    rows: list[list[str | None]] = []
    for side, text in cells:
        if side == 0 or not rows or rows[-1][1] is not None:
            rows.append([None, None])
        rows[-1][side] = text
    lines: list[str] = []
    for number, (left, right) in enumerate(rows, 1):
        cell = left or ""
        cell = f"{cell:<27}" if len(cell) < 27 else cell + " "
        lines.append(f"{number:>3}) {cell}{right or ''}".rstrip())
    return lines
