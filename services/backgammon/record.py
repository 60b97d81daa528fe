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
SUFFIX = ".mat"
"""What a file ends in that `read` can read."""
HEADERS = True
"""`write` takes the headers of a record."""
_ON, _OFF = ("on", "true", "yes", "1"), ("off", "false", "no", "0")


class ScriptStep(NamedTuple):
    """One command of a record and the draws that it takes, each as JSON in the Randomness table's shape."""

    seat: int
    command: Message
    draws: tuple[list[int], ...] = ()


class Script(NamedTuple):
    """A record as commands. `warnings` are scores and points of the file that are not the true ones, each as a
    sentence in `text` beside `error`, `game` and `line`."""

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
        self.crawford_had = False
        self.rules: dict[str, str] = {}

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
            case pb.AutomaticDoubled():
                raise Refused(
                    "not_offered",
                    "A match file cannot say that an opening tie doubled the stake; `stamtafel log` exports the table.",
                )
            case pb.GameEnded():
                self._end(event)
            case pb.GameStarted():
                self.crawford_had |= event.crawford_game
                if not self.crawford_had and max(event.score) == self.length - 1:
                    self.rules["Crawford"] = "Off"
            case _:
                pass

    def _end(self, event: pb.GameEnded) -> None:
        if self.open_to is not None:  # lost on time with an open double: it counts as dropped (R15.5)
            self.cells.append((self.open_to, " Drops"))
        elif self.thrown is not None and self.thrown[0] != event.winner:
            self.cells.append((self.thrown[0], mat.throw_cell(self.thrown[1], "")))
        if not self.length and event.kind != KINDS[0] and event.points == event.cube and event.reason != "drop":
            self.rules["Jacoby"] = "On"
        score = (event.score[0], event.score[1])
        ended = bool(self.length) and score[event.winner] >= self.length
        self.games.append(mat.Written(self.cells, self.score, event.winner, event.points, ended))
        self.cells, self.score, self.thrown, self.open_to, self.begun = [], score, None, None, False


def write(events: Iterable[Message], names: Sequence[str], headers: Mapping[str, str] | None = None) -> str:
    """The match file of a play's events, finished or running (R16.5). `names` by seat.

    A rule that `read` does not take for granted, and that the events show, is a header. Raises Refused `not_offered`.
    """
    writer = _Writer()
    for event in events:
        writer.take(event)
    games = writer.games
    if writer.begun and writer.cells:
        games = [*games, mat.Written(writer.cells, writer.score, None, 0, False)]
    said = headers or {}
    told = {key.lower() for key in said}
    more = {key: value for key, value in writer.rules.items() if key.lower() not in told}
    return mat.write(names, writer.length, games, {**said, **more})


# ------------------------------------------------------------------------------------------------------- reading


def read(text: str) -> Script:
    """A match file as options and commands. Raises Refused: what is wrong, its line, the move and the legal ones.

    A file may end in mid-game, not begin a game before the last one has ended. Headers that are read: `Crawford "Off"`
    and, for money, `Jacoby "On"` or `"Off"`; without the latter the rule that fits the file's points.
    """
    match = mat.parse(text)
    if not any(game.cells for game in match.games):
        raise Refused(
            "bad_argument", "No game found: a line ` Game 1` and rows `1) 31: 8/5 6/5 ...` are needed.", "text"
        )
    result, jacoby = _replayed(match)
    stopped = any("action" in error for error in result.errors)
    _check_order(match, result.length, result.games[:-1] if stopped else result.games)
    warnings: list[dict[str, Any]] = []
    for error in result.errors:
        if "action" in error:
            number, action = int(error["game"]), int(error["action"])
            raise _refusal(error, match.games[number - 1].cells[action])
        warnings.append({**error, "text": _warning(error)})
    played = [game for game, written in zip(result.games, match.games, strict=False) if written.cells]
    reroll = any(game.actions and game.actions[0].dice[0] == game.actions[0].dice[1] for game in played)
    steps: list[ScriptStep] = []
    for game in played:
        steps += _steps(game, reroll)
    options = _options(result.length, played, reroll)
    options.crawford, options.jacoby = not _says(match, "crawford", _OFF), jacoby
    return Script(
        options=options,
        steps=steps,
        names=_names(match),
        headers=match.headers,
        warnings=warnings,
    )


def _names(match: mat.Match) -> tuple[str, str]:
    left, right = (" ".join(name.split()) for name in match.games[0].names or ("", ""))
    return left or "Player A", right or "Player B"


def _says(match: mat.Match, header: str, words: Sequence[str]) -> bool:
    return any(key.lower() == header and value.lower() in words for key, value in match.headers.items())


def _replayed(match: mat.Match) -> tuple[replay.Result, bool]:
    """The replay, and whether the Jacoby rule holds (R12.5): as the file says, else as its points show."""
    crawford = not _says(match, "crawford", _OFF)
    plain = replay.replay(match, crawford)
    if match.length or _says(match, "jacoby", _OFF):
        return plain, False
    ruled = replay.replay(match, crawford, jacoby=True)
    if _says(match, "jacoby", _ON) or len(ruled.errors) < len(plain.errors):
        return ruled, True
    return plain, False


def _check_order(match: mat.Match, length: int, games: Sequence[Replay]) -> None:
    """Refuses a game that begins before the last one has ended, or when the match is over."""
    score = [0, 0]
    for number, (game, following) in enumerate(zip(games, match.games[1:], strict=False), 1):
        if game.winner is not None:
            score[game.winner] += game.points
        if not following.cells:
            continue
        where = f"line {following.line}: game {number + 1} begins"
        if game.winner is None:
            how = "no fifteenth checker, Drops, Wins or Resigns"
            raise Refused("bad_argument", f"{where}, but game {number} has no end: {how}.", "text", line=following.line)
        if 0 < length <= max(score):
            raise Refused("game_over", f"{where}, but the match is over.", "text", line=following.line)


_WRONG = {
    "wrong_side": "this is not that side's to do now",
    "illegal_double": "no double here; who is on roll and may turn the cube doubles it, but not in a Crawford game",
    "offer_unanswered": "a double stands open: Takes, Drops or Beavers must come first",
}


def _refusal(error: Mapping[str, Any], cell: mat.Cell) -> Refused:
    where = f"line {error['line']}, game {error['game']}, action {error['action'] + 1}"
    if error["error"] != "illegal_move":
        said = f"{cell.kind} {cell.value}" if cell.value else mat.throw_cell(cell.dice, cell.text).strip()
        said = cell.kind if cell.dice == (0, 0) and not cell.value else said
        message = f"{where}: {said}: {_WRONG.get(error['error'], error['error'])}."
        return Refused(error["error"], message, "text", line=error["line"])
    legal = ", ".join(error["legal"]) or "no move"
    more = error["legal_count"] - len(error["legal"])
    legal += f" and {more} more" if more else ""
    return Refused(
        "illegal_move",
        f"{where}: {mat.throw_cell(cell.dice, cell.text).strip()} is not legal; legal: {legal}.",
        "text",
        line=error["line"],
        move=error["text"],
        legal=legal,
    )


def _warning(error: Mapping[str, Any]) -> str:
    got, said = error["got"], error["file"]
    if error["error"] == "score_mismatch":
        true, written = (":".join(map(str, score)) for score in (got, said))
        return f"line {error['line']}: the score before game {error['game']} is {true}, not {written} as the file says"
    return f"line {error['line']}: game {error['game']} is won by {got} points, not {said} as the file says"


def _options(length: int, games: Sequence[Replay], reroll: bool) -> pb.Options:
    options = pb.Options(cube_limit=4096, opening_dice="reroll" if reroll else "keep")
    if length:
        options.play = "match"
        options.match_length = length
    else:
        options.play = "money"
        options.session_games = len(games)
        options.beavers = any(action.kind == "beaver" for game in games for action in game.actions)
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
