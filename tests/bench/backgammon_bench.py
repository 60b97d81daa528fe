"""What backgammon's rules cost: `python -m tests.bench.backgammon_bench`. No log, no bus, no kit."""

from __future__ import annotations

from random import Random
from statistics import median
from time import perf_counter

from google.protobuf.message import Message

from libs.table.rules import Facts
from services.backgammon.board import Throw, throw
from services.backgammon.rules import RULES
from services.backgammon.state import State
from stamtafel.backgammon.v1 import backgammon_pb2 as pb
from tests.bench.micros import micros
from tests.property.backgammon.games import Chance

Moment = tuple[State, int, Message, list[Message]]


def _moments(games: int, seed: int) -> list[Moment]:
    """States, seat, command and its events out of random games: throws and whole turns, as computer players send
    them."""
    chance, choose = Chance(seed), Random(seed)
    found: list[Moment] = []
    for _ in range(games):
        state = RULES.initial(RULES.options(pb.Options()))
        while state.match_result is None:
            seat = min(RULES.to_act(state))
            wanted = pb.Play if "play" in RULES.actions(state, seat) else pb.Roll
            command = choose.choice([c for c in RULES.some(state, seat) if isinstance(c, wanted)])
            events = RULES.decide(state, seat, command, chance)
            found.append((state, seat, command, events))
            for event in events:
                state = RULES.evolve(state, event)
    return found


def bench_backgammon() -> dict[str, float]:
    """Microseconds: all turns of a throw (median), deciding and folding one command, the views of a seat and the
    public."""
    moments, ctx, nobody = _moments(6, 1), Chance(2), Facts()

    forget = throw.cache_clear  # what the rules remember of a throw must not count

    def fold(moment: Moment) -> State:
        state = moment[0]
        for event in moment[3]:
            state = RULES.evolve(state, event)
        return state

    def all_of_it(moment: Moment) -> None:
        state = moment[0]
        for event in RULES.decide(state, moment[1], moment[2], ctx):
            state = RULES.evolve(state, event)
        for audience in (None, 0, 1):
            RULES.view(state, audience, nobody).SerializeToString()

    turns: list[float] = []
    for state, *_ in moments:
        if state.dice is not None:
            seat = state.turn or 0
            began = perf_counter()
            assert Throw(state.start[seat], state.start[1 - seat], state.dice).finals
            turns.append((perf_counter() - began) * 1e6)
    return {
        "backgammon_turns_median_us": median(turns),
        "backgammon_events_per_command": sum(len(events) for *_, events in moments) / len(moments),
        "backgammon_decide_us": micros(moments, lambda m: RULES.decide(m[0], m[1], m[2], ctx), forget),
        "backgammon_evolve_us": micros(moments, fold, forget),
        "backgammon_view_us": micros(moments, lambda m: RULES.view(m[0], None, nobody).SerializeToString(), forget),
        "backgammon_seat_view_us": micros(
            moments, lambda m: RULES.view(m[0], m[1], nobody).SerializeToString(), forget
        ),
        "backgammon_decide_evolve_3_views_us": micros(moments, all_of_it, forget),
    }


if __name__ == "__main__":
    for name, figure in bench_backgammon().items():
        print(f"{name:40} {figure:8.2f}")
