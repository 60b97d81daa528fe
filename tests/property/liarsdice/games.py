"""Random tables of liar's dice, for the property tests."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple, TypeVar

from google.protobuf.message import Message
from hypothesis import strategies as st

from libs.table.rules import Facts, Job
from libs.testing.scripted import facts_of
from services.liarsdice.options import HOUSE
from services.liarsdice.rules import RULES
from services.liarsdice.state import BIDDING, State
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb

T = TypeVar("T")


class Chance:
    """Draws from a seed, as a `Ctx`. With few faces, patterns and ties are frequent."""

    def __init__(self, seed: int, facts: Facts, faces: int = 6) -> None:
        self.random, self.facts, self.faces = Random(seed), facts, faces
        self.drawn: list[Any] = []

    @property
    def draws(self) -> "Chance":
        return self

    def dice(self, n: int) -> tuple[int, ...]:
        self.drawn.append(tuple(self.random.randint(1, self.faces) for _ in range(n)))
        return self.drawn[-1]

    def pick(self, items: Sequence[T]) -> T:
        self.drawn.append(self.random.choice(items))
        return self.drawn[-1]

    def shuffle(self, items: Sequence[T], at: int | None = None) -> tuple[T, ...]:
        raise AssertionError("nothing to shuffle")

    def compute(self, job: Job) -> Any:
        raise AssertionError("nothing to compute")


class Table(NamedTuple):
    """What a random table is made of: complete options, seed, faces that the dice show, share of missed clocks."""

    options: pb.Options
    seed: int
    faces: int
    missed: float


class Step(NamedTuple):
    """One decision: state before, who and what (None: a missed clock, or the start), events, state after."""

    before: State
    seat: int
    command: Message | None
    events: list[Message]
    after: State


def fold(state: State, events: Sequence[Message]) -> State:
    for event in events:
        state = RULES.evolve(state, event)
    return state


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Small tables of every kind, with house rules at random."""
    kind = draw(st.sampled_from(["friends", "regulars"]))
    asked: dict[str, Any] = {"table": kind, "seats": draw(st.integers(2, 4)), "dice_each": draw(st.integers(1, 4))}
    for name, default in HOUSE.items():
        if isinstance(default, bool):
            asked[name] = draw(st.booleans())
    asked["turn_seconds"] = draw(st.sampled_from([0, 15]))
    asked["finale"] = asked["finale"] and asked["viborg"]
    options = RULES.options(pb.Options(**asked))
    return Table(options, draw(st.integers(0, 2**32)), draw(st.sampled_from([3, 6])), draw(st.sampled_from([0.0, 0.2])))


def play(table: Table, decisions: int = 120) -> Iterator[Step]:
    """The decisions of that table, random but ready to lift, so that games end."""
    ctx = Chance(table.seed, facts_of(RULES.seating(table.options)), table.faces)
    rng = Random(table.seed + 1)
    state = RULES.initial(table.options)
    events = RULES.start(state, ctx)
    after = fold(state, events)
    yield Step(state, 0, None, events, after)
    for _ in range(decisions):
        state = after
        seat = state.turn if state.turn is not None and rng.random() < 0.85 else rng.randrange(state.setup.seats)
        command = None
        if state.phase == BIDDING and state.setup.turn_seconds and seat == state.turn and rng.random() < table.missed:
            events = RULES.expire(state, seat, ctx)
        else:
            some = list(RULES.some(state, seat))
            if not some:
                continue
            lifts = [one for one in some if isinstance(one, pb.Lift | pb.NextGame)]
            command = lifts[0] if lifts and rng.random() < 0.4 else rng.choice(some)
            events = RULES.decide(state, seat, command, ctx)
        after = fold(state, events)
        yield Step(state, seat, command, events, after)
