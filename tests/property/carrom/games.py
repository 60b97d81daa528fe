"""Random matches of carrom, for the property tests: outcomes are made up, so that every ruling occurs often."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple, TypeVar

from google.protobuf.message import Message
from hypothesis import strategies as st

from libs.table.rules import Facts, Job
from services.carrom.board import PALET
from services.carrom.rules import RULES
from services.carrom.state import State
from stamtafel.carrom.v1 import carrom_pb2 as pb

T = TypeVar("T")
WALL_UM = 354_100


class Chance:
    """Draws from a seed, as a `Ctx`. Outcomes are made up, or simulated with `real`."""

    facts = Facts()

    def __init__(self, seed: int, real: bool = False) -> None:
        self.random, self.real = Random(seed), real

    @property
    def draws(self) -> "Chance":
        return self

    def dice(self, n: int) -> tuple[int, ...]:
        raise AssertionError("no dice in carrom")

    def pick(self, items: Sequence[T]) -> T:
        return self.random.choice(items)

    def shuffle(self, items: Sequence[T], at: int | None = None) -> tuple[T, ...]:
        raise AssertionError("nothing to shuffle in carrom")

    def compute(self, job: Job) -> Any:
        return job.function(*job.arguments) if self.real else self._made_up(*job.arguments[0])

    def _made_up(self, board: Sequence[tuple[str, int, int]], pile: Sequence[str]) -> dict[str, Any]:
        rng = self.random
        dropped = list(pile[: rng.choice((0, 0, 1, 2))])
        ids = [piece for piece, _, _ in board] + dropped
        gone = rng.sample(ids, min(len(ids), rng.choice((0, 0, 1, 1, 2, 3, 6))))
        out = [piece for piece in gone if rng.random() < 0.15]
        pocketed = [piece for piece in gone if piece not in out]
        if rng.random() < 0.15:
            rng.choice((pocketed, out)).append(PALET)
            rng.shuffle(pocketed)
        moved = [piece for piece in ids if piece not in gone and rng.random() < 0.3]
        return {
            "first_contact": rng.choice([*ids, None]) if not gone or gone == [PALET] else rng.choice(ids),
            "rails_before": rng.choice((0, 0, 1)),
            "pocketed": pocketed,
            "out": out,
            "dropped": dropped,
            "rest": {p: [rng.randint(-WALL_UM, WALL_UM) / 1e6, rng.randint(-WALL_UM, WALL_UM) / 1e6] for p in moved},
            "time_ms": rng.randint(0, 4000),
        }


class Game(NamedTuple):
    """What a random match is made of: options, seed, how often a clock is missed, how often somebody gives up."""

    options: pb.Options
    seed: int
    missed: float
    resigns: float


class Step(NamedTuple):
    """One decision: state before, events, state after. The first step is the start."""

    before: State
    events: list[Message]
    after: State


def fold(state: State, events: Sequence[Message]) -> State:
    """The state after all of `events`."""
    for event in events:
        state = RULES.evolve(state, event)
    return state


def play(game: Game, most: int = 400) -> Iterator[Step]:
    """Plays by random legal commands and missed clocks, to the end or `most` decisions."""
    chance, choose = Chance(game.seed), Random(game.seed + 1)
    state = RULES.initial(game.options)
    events = RULES.start(state, chance)
    after = fold(state, events)
    yield Step(state, events, after)
    for _ in range(most):
        state = after
        if RULES.result(state) is not None:
            return
        clocks = RULES.clocks(state)
        if clocks and choose.random() < game.missed:
            events = RULES.expire(state, clocks[0].seat, chance)
        elif choose.random() < game.resigns:
            events = RULES.decide(state, choose.randrange(game.options.seats), pb.Resign(), chance)
        else:
            (seat,) = RULES.to_act(state)
            shots = [command for command in RULES.some(state, seat) if isinstance(command, pb.Shoot)]
            events = RULES.decide(state, seat, choose.choice(shots), chance)
        after = fold(state, events)
        yield Step(state, events, after)


def games() -> st.SearchStrategy[Game]:
    """Any options, any chance."""
    options = st.builds(
        lambda **chosen: RULES.options(pb.Options(**chosen)),
        preset=st.sampled_from(RULES.presets),
        seats=st.sampled_from([2, 4]),
        next_white=st.sampled_from(["alternate", "toss"]),
        turn_seconds=st.sampled_from([0, 45]),
        clock_misses=st.sampled_from([1, 3, 10]),
    )
    return st.builds(
        Game,
        options=options,
        seed=st.integers(0, 1 << 32),
        missed=st.sampled_from([0.0, 0.1]),
        resigns=st.sampled_from([0.0, 0.0, 0.01]),
    )
