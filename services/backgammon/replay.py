"""Replays the cells of a match file by the rules (R16.4): what each game came to, and what is wrong with it."""

from typing import Any, NamedTuple

from services.backgammon import notation
from services.backgammon.board import OFF, START, Half, Throw, pips, throw
from services.backgammon.mat import Cell, Game, Match, moves_of
from services.backgammon.state import KINDS, kind_of, points_of

ALLOWED = 60
"""At most so many legal turns are listed beside an illegal one."""


class Action(NamedTuple):
    """One checked action of a game: the seat, its cell's kind, the throw and the canonical turn, or the cube's
    value."""

    seat: int
    kind: str
    dice: tuple[int, int] = (0, 0)
    moves: str = ""
    value: int = 0


class Stop(Exception):
    """The import ends here."""

    def __init__(self, error: str, action: int, cell: Cell, **more: Any) -> None:
        super().__init__(error)
        self.told: dict[str, Any] = {"action": action, "error": error, "line": cell.line, **more}


class Replay:
    """One game under replay. `winner` None while it has no end."""

    def __init__(self, crawford_game: bool, money: bool, jacoby: bool) -> None:
        self.crawford_game, self.money, self.jacoby = crawford_game, money, jacoby
        self.board: tuple[Half, Half] = (START, START)
        self.turn: int | None = None
        self.cube = 1
        self.owner: int | None = None
        self.offer, self.asked, self.beaver = 0, 0, False
        self.throws = 0
        self.actions: list[Action] = []
        self.resigned: tuple[int, str] | None = None
        self.winner: int | None = None
        self.kind, self.points, self.reason = 1, 0, ""

    def run(self, game: Game, enabled: bool) -> dict[str, Any] | None:
        """Plays all cells; returns a points_mismatch if there is one. Raises Stop."""
        mismatch: dict[str, Any] | None = None
        for index, cell in enumerate(game.cells):
            if cell.kind == "wins":
                if self.offer and self.winner is None:
                    raise Stop("offer_unanswered", index, cell)
                mismatch = self._wins(cell)
            elif self.winner is None:
                self._act(index, cell, game.cells[index + 1 :], enabled)
        if self.winner is None and self.resigned is not None:
            side, text = self.resigned
            kind = 3 if "backgammon" in text else 2 if "gammon" in text else 1
            self._end(1 - side, kind, "resign")
        return mismatch

    def _act(self, index: int, cell: Cell, later: list[Cell], enabled: bool) -> None:
        if cell.kind == "resign":
            self.resigned = (cell.side, cell.text)
        elif cell.kind in ("throw", "double"):
            if self.offer:
                raise Stop("offer_unanswered", index, cell)
            if cell.kind == "throw":
                self._throw(index, cell, later)
            else:
                self._double(index, cell, enabled)
        elif not self.offer or cell.side != self.asked:
            raise Stop("wrong_side", index, cell)
        elif cell.kind == "beaver":
            self._beaver(index, cell)
        elif cell.kind == "take":
            self.cube, self.owner = self.offer, self.owner if self.beaver else cell.side
            self.offer, self.beaver = 0, False
            self.actions.append(Action(cell.side, "take"))
        else:
            self.actions.append(Action(cell.side, "drop"))
            self.offer = 0
            self._end(1 - cell.side, 1, "drop")

    def _throw(self, index: int, cell: Cell, later: list[Cell]) -> None:
        side = cell.side
        if self.turn is not None and side != self.turn:
            raise Stop("wrong_side", index, cell)
        self.turn = side
        self.throws += 1
        thrown = throw(self.board[side], self.board[1 - side], cell.dice)
        written = moves_of(cell)
        try:
            final = notation.resolve(thrown, written)
        except notation.NotNotation:
            final = None
        if final is None:
            follow = later[0] if later else None
            if not written and follow and (follow.kind, follow.side) in (("wins", 1 - side), ("resign", side)):
                self.actions.append(Action(side, "throw", cell.dice))
                return
            raise Stop(
                "illegal_move", index, cell, text=cell.text, legal=_legal(thrown), legal_count=len(thrown.finals)
            )
        moves = notation.canonical(thrown, final) if thrown.longest else ""
        self.actions.append(Action(side, "throw", cell.dice, moves))
        mine, other = final
        self.board = (other, mine) if side else (mine, other)
        self.turn = 1 - side
        if mine[OFF] == 15:
            self._end(side, kind_of(other), "bearoff")

    def _double(self, index: int, cell: Cell, enabled: bool) -> None:
        wrong = cell.side != self.turn or self.owner not in (None, cell.side) or cell.value != 2 * self.cube
        if wrong or self.crawford_game or not enabled:
            raise Stop("illegal_double", index, cell)
        self.offer, self.asked = cell.value, 1 - cell.side
        self.actions.append(Action(cell.side, "double", value=cell.value))

    def _beaver(self, index: int, cell: Cell) -> None:
        if not self.money or self.beaver or cell.value != 2 * self.offer:
            raise Stop("illegal_double", index, cell)
        self.cube, self.owner = self.offer, cell.side
        self.offer, self.asked, self.beaver = cell.value, 1 - cell.side, True
        self.actions.append(Action(cell.side, "beaver", value=cell.value))

    def _wins(self, cell: Cell) -> dict[str, Any] | None:
        if self.winner is None:
            kind = cell.value // self.cube
            if kind * self.cube != cell.value or kind not in (1, 2, 3):
                kind = 1
            self._end(cell.side, kind, "resign")
        if self.points == cell.value:
            return None
        return {"error": "points_mismatch", "got": self.points, "file": cell.value, "line": cell.line}

    def _end(self, winner: int, kind: int, reason: str) -> None:
        self.winner, self.kind, self.reason = winner, kind, reason
        jacoby = self.jacoby and reason != "drop"
        self.points = points_of(kind, self.cube, self.owner, jacoby)

    def told(self) -> dict[str, Any]:
        """The game as the query answers it."""
        return {
            "winner": self.winner,
            "kind": KINDS[self.kind - 1] if self.winner is not None else None,
            "points": self.points if self.winner is not None else None,
            "reason": self.reason if self.winner is not None else None,
            "cube": self.cube,
            "turns": self.throws,
            "pips": [pips(row) for row in self.board],
            "crawford_game": self.crawford_game,
        }


def _legal(thrown: Throw) -> list[str]:
    return sorted(notation.canonical(thrown, final) for final in thrown.finals[:ALLOWED])


class Result(NamedTuple):
    """A whole file replayed: the games, the score, whether a seat has reached the length, and all errors."""

    length: int
    score: tuple[int, int]
    games: list[Replay]
    complete: bool
    errors: list[dict[str, Any]]


def replay(match: Match, crawford: bool = True, jacoby: bool = False) -> Result:
    """Replays a file; stops at the first error that leaves a game without a result (R16.4)."""
    score = [0, 0]
    length = match.length
    games: list[Replay] = []
    errors: list[dict[str, Any]] = []
    crawford_done = not crawford or length < 2
    for number, game in enumerate(match.games, 1):
        is_crawford = not crawford_done and max(score) == length - 1
        crawford_done = crawford_done or is_crawford
        if game.score is not None and game.score != tuple(score):
            told = {"got": list(score), "file": list(game.score)}
            errors.append({"game": number, "error": "score_mismatch", "line": game.line, **told})
        run = Replay(is_crawford, length == 0, jacoby and length == 0)
        games.append(run)
        try:
            if mismatch := run.run(game, enabled=length != 1):
                errors.append({"game": number, **mismatch})
        except Stop as stop:
            errors.append({"game": number, **stop.told})
            break
        if run.winner is not None:
            score[run.winner] += run.points
    return Result(length, (score[0], score[1]), games, bool(length) and max(score) >= length, errors)
