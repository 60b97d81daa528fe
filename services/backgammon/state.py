"""The state of a table of backgammon, and plain questions about it. No messages, no chance."""

import msgspec

from services.backgammon.board import OFF, START, Half, Step, Throw, throw
from services.backgammon.setup import Setup

KINDS = ("single", "gammon", "backgammon")
OPENING, ROLL, MOVE, DOUBLED, RESIGNED, FINISHED = (
    "opening",
    "roll",
    "move",
    "double_offered",
    "resign_offered",
    "finished",
)


class Turn(msgspec.Struct, frozen=True):
    """A final turn: whose, its throw, its text (empty: it passed)."""

    seat: int
    dice: tuple[int, int]
    notation: str


class GameResult(msgspec.Struct, frozen=True):
    """A finished game."""

    winner: int
    kind: str
    reason: str
    points: int
    cube: int


class MatchResult(msgspec.Struct, frozen=True):
    """A finished match or session; `winner` None: level."""

    winner: int | None
    reason: str
    score: tuple[int, int]


class State(msgspec.Struct, frozen=True):
    """Everything the rules know.

    `start` is the board before the turn's first step, `board` with the unconfirmed steps `moved`. `cube` and `owner`
    are those in force, `offer` the value offered (0: none) by `offered_by`. `resign` is (seat, kind as 1..3) or None,
    `resume` the phase to go back to, `refused` the greatest kind refused by seat since the last throw (R14.4).
    `decision` counts decisions,
    `passing` the times that the clock passes: the clocks' keys (R15.2, R15.3). `bank` in ms by seat.
    """

    setup: Setup
    start: tuple[Half, Half] = (START, START)
    board: tuple[Half, Half] = (START, START)
    phase: str = OPENING
    turn: int | None = None
    dice: tuple[int, int] | None = None
    moved: tuple[Step, ...] = ()
    cube: int = 1
    owner: int | None = None
    offer: int = 0
    offered_by: int = 0
    beaver: bool = False
    resign: tuple[int, int] | None = None
    resume: str = ROLL
    refused: tuple[int, int] = (0, 0)
    score: tuple[int, int] = (0, 0)
    game: int = 1
    crawford_game: bool = False
    post_crawford: bool = False
    ready: tuple[bool, bool] = (False, False)
    last_turn: Turn | None = None
    result: GameResult | None = None
    match_result: MatchResult | None = None
    bank: tuple[int, int] = (0, 0)
    decision: int = 0
    passing: int = 0


_BY_READY = {
    (False, False): (0, 1),
    (True, False): (1,),
    (False, True): (0,),
    (True, True): (),
}
_ONE = ((0,), (1,))


def acting(state: State) -> tuple[int, ...]:
    """The seats that the game waits for, ascending."""
    phase = state.phase
    if phase in (ROLL, MOVE):
        return _ONE[state.turn or 0]
    if phase == OPENING:
        return _BY_READY[state.ready]
    if phase == DOUBLED:
        return _ONE[1 - state.offered_by]
    if phase == RESIGNED and state.resign is not None:
        return _ONE[1 - state.resign[0]]
    return ()


def this_throw(state: State) -> Throw:
    """The throw of the present turn (phase `move`, or a resignation in it)."""
    seat = state.turn or 0
    assert state.dice is not None
    return throw(state.start[seat], state.start[1 - seat], state.dice)


def next_steps(state: State) -> list[Step]:
    """The legal next steps of the seat on turn (R6.4), `from` descending, then `die` descending."""
    seat = state.turn or 0
    steps = this_throw(state).legal(state.board[seat], state.board[1 - seat], state.moved)
    return sorted((step for step, _ in steps), key=lambda step: (-step.start, -step.die))


def kind_of(loser: Half) -> int:
    """1, 2 or 3: single, gammon, backgammon by the board (R12.1-R12.3)."""
    if loser[OFF]:
        return 1
    return 3 if any(loser[19:26]) else 2


def points_of(kind: int, cube: int, owner: int | None, jacoby: bool) -> int:
    """What a win of that kind (1..3) counts (R12.4, R12.5)."""
    return cube if jacoby and owner is None else kind * cube


def resignable(state: State, seat: int) -> tuple[str, ...]:
    """Kinds of resignation that would be accepted from that seat now (R14)."""
    if state.phase not in (ROLL, MOVE):
        return ()
    highest = 1 if state.board[seat][OFF] else 3
    return KINDS[state.refused[seat] : highest]


def may_double(state: State, seat: int) -> bool:
    """Whether that seat may offer the cube now (R11)."""
    return (
        state.phase == ROLL
        and state.turn == seat
        and state.setup.cube
        and not state.crawford_game
        and (state.owner is None or state.owner == seat)
        and state.cube * 2 <= state.setup.limit
    )


def may_beaver(state: State) -> bool:
    """Whether the doubled seat may beaver (R11.7)."""
    return state.phase == DOUBLED and state.setup.beavers and not state.beaver and state.offer * 2 <= state.setup.limit
