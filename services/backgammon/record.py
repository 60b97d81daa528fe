"""Records of backgammon: match files (.mat) out of a table's events, and into commands with their dice (R16.4,
R16.5)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from google.protobuf.message import Message

from libs.table.rules import Refused
from services.backgammon import mat, replay
from services.backgammon.board import OFF
from services.backgammon.replay import Action, Replay
from services.backgammon.state import KINDS
from stamtafel.backgammon.v1 import backgammon_pb2 as pb

FORMAT = "mat"


class ScriptStep(NamedTuple):
    """One command of a record and the draws that it takes, each as JSON in the Randomness table's shape."""

    seat: int
    command: Message
    draws: tuple[list[int], ...] = ()


class Script(NamedTuple):
    """A record as commands. `warnings` are scores and points of the file that are not the true ones."""

    options: pb.Options
    steps: list[ScriptStep]
    names: tuple[str, str]
    headers: Mapping[str, str]
    warnings: list[dict[str, Any]]


# ------------------------------------------------------------------------------------------------------- writing


class _Writer:
    """Collects the cells of one game after another."""

    def __init__(self) -> None:
        self.length = 0
        self.games: list[mat.Written] = []
        self.cells: list[tuple[int, str]] = []
        self.score = (0, 0)
        self.thrown: tuple[int, Sequence[int]] | None = None
        self.open_to: int | None = None
        self.begun = False

    def take(self, event: Any) -> None:
        self.begun = True
        match event:
            case pb.OpeningRolled():
                self.length = event.length
                if event.HasField("play"):
                    self.thrown = (event.winner, event.play.items)
            case pb.DiceRolled():
                self.thrown = (event.seat, event.dice)
            case pb.TurnEnded() | pb.TurnPassed():
                moves = event.notation if isinstance(event, pb.TurnEnded) else ""
                self.cells.append((event.seat, mat.throw_cell(event.dice, moves)))
                self.thrown = None
            case pb.DoubleOffered():
                self.open_to = 1 - event.seat
                self.cells.append((event.seat, f" Doubles => {event.value}"))
            case pb.BeaverOffered():
                self.open_to = 1 - event.seat
                self.cells.append((event.seat, f" Beavers => {event.value}"))
            case pb.DoubleTaken():
                self.open_to = None
                self.cells.append((event.seat, " Takes"))
            case pb.DoubleDropped():
                self.open_to = None
                self.cells.append((event.seat, " Drops"))
            case pb.GameEnded():
                self._end(event)
            case _:
                pass

    def _end(self, event: pb.GameEnded) -> None:
        if self.open_to is not None:  # lost on time with an open double: it counts as dropped (R15.5)
            self.cells.append((self.open_to, " Drops"))
        elif self.thrown is not None and self.thrown[0] != event.winner:
            self.cells.append((self.thrown[0], mat.throw_cell(self.thrown[1], "")))
        score = (event.score[0], event.score[1])
        ended = bool(self.length) and score[event.winner] >= self.length
        self.games.append(mat.Written(self.cells, self.score, event.winner, event.points, ended))
        self.cells, self.score, self.thrown, self.open_to, self.begun = [], score, None, None, False


def write(events: Iterable[Message], names: Sequence[str], headers: Mapping[str, str] | None = None) -> str:
    """The match file of a play's events, finished or running (R16.5). `names` by seat."""
    writer = _Writer()
    for event in events:
        writer.take(event)
    games = writer.games
    if writer.begun and writer.cells:
        games = [*games, mat.Written(writer.cells, writer.score, None, 0, False)]
    return mat.write(names, writer.length, games, headers or {})


# ------------------------------------------------------------------------------------------------------- reading


def read(text: str) -> Script:
    """A match file as options and commands. Raises Refused: what is wrong, its line, the move and the legal ones."""
    match = mat.parse(text)
    if not match.games:
        raise Refused(
            "bad_argument", "No game found: a line ` Game 1` and rows `1) 31: 8/5 6/5 ...` are needed.", "text"
        )
    result = replay.replay(match)
    warnings: list[dict[str, Any]] = []
    for error in result.errors:
        if "action" in error:
            raise _refusal(error)
        warnings.append(error)
    reroll = any(game.actions and game.actions[0].dice[0] == game.actions[0].dice[1] for game in result.games)
    steps: list[ScriptStep] = []
    for game in result.games:
        steps += _steps(game, reroll)
    return Script(
        options=_options(result, reroll),
        steps=steps,
        names=match.games[0].names or ("Player A", "Player B"),
        headers=match.headers,
        warnings=warnings,
    )


def _refusal(error: Mapping[str, Any]) -> Refused:
    where = f"line {error['line']}, game {error['game']}, action {error['action'] + 1}"
    if error["error"] != "illegal_move":
        return Refused(error["error"], f"{where}: {error['error'].replace('_', ' ')}.", "text", line=error["line"])
    legal = ", ".join(error["legal"]) or "no move"
    return Refused(
        "illegal_move",
        f"{where}: {error['text']!r} is not legal; legal: {legal}.",
        "text",
        line=error["line"],
        move=error["text"],
        legal=legal,
    )


def _options(result: replay.Result, reroll: bool) -> pb.Options:
    options = pb.Options(cube_limit=4096, opening_dice="reroll" if reroll else "keep")
    if result.length:
        options.play = "match"
        options.match_length = result.length
    else:
        options.play = "money"
        options.session_games = len(result.games)
        options.beavers = any(action.kind == "beaver" for game in result.games for action in game.actions)
    return options


def _steps(game: Replay, reroll: bool) -> list[ScriptStep]:
    steps: list[ScriptStep] = []
    for action in game.actions:
        if action.kind == "throw":
            steps += _throw(action, not steps, reroll)
        else:
            steps.append(ScriptStep(action.seat, _CUBE[action.kind]()))
    if game.winner is not None and game.reason == "resign":
        loser = 1 - game.winner
        if not steps or (game.kind > 1 and game.board[loser][OFF]):
            raise Refused("points_mismatch", "A resignation of that size is not possible there.", "text")
        steps.append(ScriptStep(loser, pb.Resign(kind=KINDS[game.kind - 1])))
        steps.append(ScriptStep(game.winner, pb.AcceptResign()))
    return steps


def _throw(action: Action, first: bool, reroll: bool) -> list[ScriptStep]:
    seat, dice = action.seat, list(action.dice)
    if first:
        high, low = (2, 1) if reroll else (max(dice), min(dice))
        opening = [high, low] if seat == 0 else [low, high]
        draws = (opening, dice) if reroll else (opening,)
        steps = [ScriptStep(0, pb.Roll()), ScriptStep(1, pb.Roll(), draws)]
    else:
        steps = [ScriptStep(seat, pb.Roll(), (dice,))]
    if action.moves:
        steps.append(ScriptStep(seat, pb.Play(moves=action.moves)))
    return steps


_CUBE: dict[str, type[Message]] = {"double": pb.Double, "take": pb.Take, "drop": pb.Drop, "beaver": pb.Beaver}
