"""Random games of backgammon, for the property tests."""

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple, TypeVar

from google.protobuf.message import Message

from libs.table.rules import Facts, Job
from services.backgammon.rules import RULES
from services.backgammon.state import State
from stamtafel.backgammon.v1 import backgammon_pb2 as pb

T = TypeVar("T")


class Chance:
    """Dice from a seed, as a `Ctx`; counts the draws."""

    facts = Facts()

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.drawn: list[tuple[int, ...]] = []

    @property
    def draws(self) -> "Chance":
        return self

    def dice(self, n: int) -> tuple[int, ...]:
        thrown = tuple(self.random.randint(1, 6) for _ in range(n))
        self.drawn.append(thrown)
        return thrown

    def pick(self, items: Sequence[T]) -> T:
        raise AssertionError("only dice are drawn")

    def shuffle(self, items: Sequence[T], at: int | None = None) -> tuple[T, ...]:
        raise AssertionError("only dice are drawn")

    def compute(self, job: Job) -> Any:
        raise AssertionError("nothing to compute")


class Step(NamedTuple):
    """One decision: state before, who did what (None: a clock), its events, state after."""

    before: State
    seat: int
    command: Message | None
    events: list[Message]
    after: State


OPTIONS: tuple[pb.Options, ...] = (
    pb.Options(session_games=2, beavers=True, jacoby=True, automatic_doubles=2, clock="move"),
    pb.Options(preset="tournament", match_length=3, on_timeout="auto"),
    pb.Options(play="match", match_length=5, opening_dice="reroll", confirm="auto", cube_limit=4),
    pb.Options(preset="quick"),
    pb.Options(session_games=2, clock="bank"),
)


def fold(state: State, events: Sequence[Message]) -> State:
    """The state after events."""
    for event in events:
        state = RULES.evolve(state, event)
    return state


def play(asked: pb.Options, seed: int, most: int = 400) -> list[Step]:
    """A random play: whole turns mostly, single steps, undos, cubes, resignations and missed clocks among them."""
    chance = Chance(seed)
    state = RULES.initial(RULES.options(asked))
    steps: list[Step] = []
    while state.match_result is None and len(steps) < most:
        seat = chance.random.choice(sorted(RULES.to_act(state)))
        if chance.random.random() < 0.02:
            seat = 1 - seat
        choices = list(RULES.some(state, seat))
        if RULES.clocks(state) and seat in RULES.to_act(state) and chance.random.random() < 0.03:
            command, events = None, RULES.expire(state, seat, chance)
        elif choices:
            rare = [c for c in choices if isinstance(c, pb.Resign | pb.Undo | pb.Drop | pb.AcceptResign)]
            often = [c for c in choices if c not in rare] or choices
            command = chance.random.choice(rare if rare and chance.random.random() < 0.05 else often)
            events = RULES.decide(state, seat, command, chance)
        else:
            continue
        steps.append(Step(state, seat, command, events, fold(state, events)))
        state = steps[-1].after
    return steps
