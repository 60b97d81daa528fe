"""Random games of trictrac, for the property tests."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple, TypeVar

from google.protobuf.message import Message
from hypothesis import strategies as st

from libs.table.rules import Facts, Job
from services.trictrac.rules import RULES
from services.trictrac.state import State
from stamtafel.trictrac.v1 import trictrac_pb2 as pb

T = TypeVar("T")


class Chance:
    """Draws from a seed, as a `Ctx`. With `dice` low numbers are frequent, so that ties and trictracs are."""

    facts = Facts()

    def __init__(self, seed: int, faces: int = 6) -> None:
        self.random, self.faces = Random(seed), faces

    @property
    def draws(self) -> "Chance":
        return self

    def dice(self, n: int) -> tuple[int, ...]:
        return tuple(self.random.randint(1, self.faces) for _ in range(n))

    def pick(self, items: Sequence[T]) -> T:
        return self.random.choice(items)

    def shuffle(self, items: Sequence[T], at: int | None = None) -> tuple[T, ...]:
        return tuple(self.random.sample(items, len(items)))

    def compute(self, job: Job) -> Any:
        raise AssertionError("nothing to compute")


class Game(NamedTuple):
    """What a random game is made of: options, seed, how many faces the dice show, how often a clock is missed."""

    options: pb.Options
    seed: int
    faces: int
    missed: float


class Step(NamedTuple):
    """One decision of a game: state before, events, state after. The first step is the start."""

    before: State
    events: list[Message]
    after: State


def fold(state: State, events: Sequence[Message]) -> State:
    """The state after all of `events`."""
    for event in events:
        state = RULES.evolve(state, event)
    return state


def play(game: Game, seen: Callable[[State], None] = lambda _: None) -> Iterator[Step]:
    """Plays to the end by random legal commands and missed clocks; `seen` is called with each state to act on."""
    chance, choose = Chance(game.seed, game.faces), Random(game.seed + 1)
    state = RULES.initial(game.options)
    events = RULES.start(state, chance)
    after = fold(state, events)
    yield Step(state, events, after)
    while RULES.result(state := after) is None:
        seen(state)
        clocks = RULES.clocks(state)
        if clocks and choose.random() < game.missed:
            events = RULES.expire(state, clocks[0].seat, chance)
        else:
            seats = [seat for seat in range(len(state.points)) if RULES.actions(state, seat)]
            seat = choose.choice(seats)
            events = RULES.decide(state, seat, choose.choice(list(RULES.some(state, seat))), chance)
        after = fold(state, events)
        yield Step(state, events, after)


def games() -> st.SearchStrategy[Game]:
    """Any options, any chance."""
    options = st.builds(
        lambda **chosen: RULES.options(pb.Options(**{k: v for k, v in chosen.items() if v is not None})),
        seats=st.integers(2, 8),
        points=st.integers(1, 4),
        bok=st.booleans(),
        penalty=st.sampled_from(["per_trictrac", "doubling"]),
        throw_seconds=st.sampled_from([0, 20]),
        first_starter=st.none() | st.just(1),
    )
    return st.builds(
        Game,
        options=options,
        seed=st.integers(0, 1 << 32),
        faces=st.sampled_from([2, 3, 6]),
        missed=st.sampled_from([0.0, 0.2, 1.0]),
    )
