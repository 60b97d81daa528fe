"""A computer player of backgammon: what its seat sees in, a command out. Three levels; `hard` runs in a worker process.

`easy` judges by a few things a beginner counts, with noise. `normal` asks the nets once. `hard` looks ahead over the
best candidates. Cube and resignations: `easy` by pip count, the others by equity and match equity.
"""

from functools import cache
from random import Random
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from google.protobuf.message import Message

from libs.table.brain import Look, Thought
from services.backgammon import notation
from services.backgammon.board import OFF, Half, Pair, throw
from services.backgammon.engine import bearoff, linear
from services.backgammon.engine.search import GLANCE, LOOK, Effort, Judge
from services.backgammon.engine.stakes import CubeAction, Stakes, cube_action, cubeful, weights
from services.backgammon.state import KINDS
from stamtafel.backgammon.v1 import backgammon_pb2 as pb

HEAVY = frozenset({"hard"})
EFFORT: dict[str, Effort] = {"easy": GLANCE, "normal": GLANCE, "hard": LOOK}
"""How far each level looks ahead."""
_CUBE_PLIES = {"easy": 0, "normal": 0, "hard": 1}
CERTAIN = 1e-4
"""A chance below this counts as none when it comes to resigning."""


@cache
def judge() -> Judge:
    """The nets and tables, loaded once a process."""
    return Judge()


def courtesy(view: Message, seat: int) -> bool:
    """Nobody else has a passing chance in this game."""
    del view, seat
    return False


def think(look: Look, memory: Any) -> Thought:
    """The command of this seat now. `memory` is not needed: the view says everything."""
    view = cast(pb.View, look.view)
    command = _command(view, look.seat, look.level, set(look.actions), look.rng)
    return Thought(command, memory, 0.5 + look.rng.random())


def _command(view: pb.View, seat: int, level: str, can: set[str], rng: Random) -> Message | None:
    if "take" in can:
        return _answer_double(view, seat, level, "beaver" in can)
    if "accept_resign" in can:
        return pb.AcceptResign() if _accepts(view, seat, level) else pb.RejectResign()
    if "confirm" in can:
        return pb.Confirm()
    if "play" in can:
        if level != "easy" and (kind := _gives_up(view, seat)):
            return pb.Resign(kind=kind)
        return pb.Play(moves=choose(view, seat, level, rng))
    if "undo" in can:  # somebody else began this turn: begin it anew
        return pb.Undo(all=True)
    if "roll" in can:
        if "double" in can and _doubles(view, seat, level):
            return pb.Double()
        return pb.Roll()
    return None


# ------------------------------------------------------------------------------------------------------ the view


def halves(view: pb.View, seat: int) -> Pair:
    """(my half, the other's) as the view shows them."""
    return bytes(view.board[seat].items), bytes(view.board[1 - seat].items)


def _boards(mine: Half, other: Half) -> npt.NDArray[np.int8]:
    return np.frombuffer(mine + other, dtype=np.int8).reshape(1, 2, 26)


def stakes_of(view: pb.View, seat: int) -> Stakes:
    """What the game is played for, from that seat, the cube as it stands. Options that no view shows: Jacoby by its
    XGID."""
    away = None
    if view.match.length:
        length = view.match.length
        away = (max(1, length - view.score[seat]), max(1, length - view.score[1 - seat]))
    owner = 0
    if view.cube.HasField("owner"):
        owner = 1 if view.cube.owner == seat else -1
    return Stakes(
        away=away,
        cube=view.cube.value,
        owner=owner,
        doubling=view.cube.enabled and not view.match.crawford_game,
        jacoby=_jacoby(view),
        limit=view.cube.limit,
        post_crawford=view.match.post_crawford,
    )


def _jacoby(view: pb.View) -> bool:
    """In money play the XGID's flag says whether Jacoby is agreed (R16.3)."""
    if view.match.length or not view.HasField("ids"):
        return False
    return bool(int(view.ids.xgid.split(":")[7]) & 1)


# ---------------------------------------------------------------------------------------------------------- turns


def choose(view: pb.View, seat: int, level: str, rng: Random) -> str:
    """The text of the turn to play."""
    mine, other = halves(view, seat)
    dice = (view.dice.items[0], view.dice.items[1])
    thrown = throw(mine, other, dice)
    finals = thrown.finals
    if len(finals) == 1:
        return notation.canonical(thrown, finals[0])
    boards = np.frombuffer(b"".join(a + b for a, b in finals), dtype=np.int8).reshape(len(finals), 2, 26)
    if level == "easy":
        best = int(np.argmax(linear.noisy(boards, rng)))
    else:
        order, _ = judge().rank(boards, weights(stakes_of(view, seat)), EFFORT[level])
        best = int(order[0])
    return notation.canonical(thrown, finals[best])


# ----------------------------------------------------------------------------------------------------------- cube


def _shares(mine: Half, other: Half, stakes: Stakes, level: str) -> tuple[float, ...]:
    """Shares of the seat on roll, `mine`."""
    found = judge().deeper(_boards(mine, other), _CUBE_PLIES[level], weights(stakes))[0]
    return tuple(float(share) for share in found)


def _action(view: pb.View, roller: int, level: str) -> CubeAction:
    """The cube decision of the seat on roll, before it turns the cube."""
    mine, other = halves(view, roller)
    stakes = stakes_of(view, roller)
    return cube_action(_shares(mine, other, stakes, level), stakes)


def _doubles(view: pb.View, seat: int, level: str) -> bool:
    if level == "easy":
        return view.pips[seat] * 1.10 < view.pips[1 - seat]
    return _action(view, seat, level).double


def _answer_double(view: pb.View, seat: int, level: str, may_beaver: bool) -> Message:
    roller = view.turn
    if level == "easy":
        lead = view.pips[1 - roller] - view.pips[roller]
        if seat == roller:
            return pb.Take() if lead >= 0 else pb.Drop()
        return pb.Take() if lead <= 0.14 * view.pips[roller] + 2 else pb.Drop()
    mine, other = halves(view, roller)
    stakes = stakes_of(view, roller)
    shares = _shares(mine, other, stakes, level)
    if view.cube.beaver:  # I doubled, he owns the cube at the doubled value and has turned it once more
        accepted = cubeful(shares, stakes._replace(cube=2 * stakes.cube, owner=-1))
        return pb.Take() if accepted >= stakes.value(-1, stakes.cube) else pb.Drop()
    action = cube_action(shares, stakes)
    if not action.take:
        return pb.Drop()
    if may_beaver and action.taken < -0.05 * stakes.cube:
        return pb.Beaver()
    return pb.Take()


# --------------------------------------------------------------------------------------------------- resignations


def _accepts(view: pb.View, seat: int, level: str) -> bool:
    """Accepts what is at least what it can expect to win."""
    roller = view.turn
    stakes = stakes_of(view, seat)
    mine, other = halves(view, roller)
    if level == "easy":
        kind = KINDS.index(view.resign.kind) + 1
        safe = view.board[1 - seat].items[OFF] > 0 or view.pips[1 - seat] < 60
        return kind >= 2 or safe
    if view.HasField("dice") and roller == seat and not view.moved:
        value = _after_throw(view, seat, stakes, level)
    else:
        from_roller = stakes if roller == seat else stakes.other()
        shares = _shares(mine, other, from_roller, level)
        value = cubeful(shares, from_roller)
        value = value if roller == seat else (-value if stakes.away is None else 1 - value)
    offered = stakes.six(stakes.cube)[KINDS.index(view.resign.kind)]
    return offered >= value - CERTAIN


def _after_throw(view: pb.View, seat: int, stakes: Stakes, level: str) -> float:
    """What the best turn with the throw on the table is worth."""
    mine, other = halves(view, seat)
    finals = throw(mine, other, (view.dice.items[0], view.dice.items[1])).finals
    boards = np.frombuffer(b"".join(a + b for a, b in finals), dtype=np.int8).reshape(len(finals), 2, 26)
    order, value = judge().rank(boards, weights(stakes), EFFORT[level])
    return float(value[order[0]])


def _gives_up(view: pb.View, seat: int) -> str | None:
    """The kind to resign when the game is lost for certain: only in a pure bear-off with exact tables, or None."""
    if "single" not in view.me.resignable:
        return None
    mine, other = halves(view, seat)
    boards = _boards(mine, other)
    if not mine[OFF] or not bool(bearoff.covers(boards)[0]):
        return None
    return "single" if float(bearoff.chances(boards)[0]) < CERTAIN * CERTAIN else None
