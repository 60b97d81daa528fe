"""What trictrac's rules cost: `python -m tests.bench.trictrac_bench`. No log, no bus, no kit."""

from __future__ import annotations

from random import Random

from google.protobuf.message import Message

from libs.table.rules import Facts
from libs.table.seeded import SeededCtx
from services.trictrac.rules import RULES
from services.trictrac.state import State
from stamtafel.trictrac.v1 import trictrac_pb2 as pb
from tests.bench.micros import micros

Moment = tuple[State, int, Message, list[Message]]


def _moments(games: int, seed: int) -> list[Moment]:
    """States, seat, command and its events out of random games for four."""
    rng = Random(seed)
    ctx, found = SeededCtx(rng), list[Moment]()
    for _ in range(games):
        state = RULES.initial(RULES.options(pb.Options(seats=4)))
        for event in RULES.start(state, ctx):
            state = RULES.evolve(state, event)
        while state.winner is None:
            seat = next(iter(RULES.to_act(state)))
            stands = "stand" in RULES.actions(state, seat) and rng.random() < 0.5
            command = pb.Stand() if stands else pb.Throw()
            events = RULES.decide(state, seat, command, ctx)
            found.append((state, seat, command, events))
            for event in events:
                state = RULES.evolve(state, event)
    return found


def bench_trictrac() -> dict[str, float]:
    """Mean microseconds: deciding and folding one command, one view, and the events of a command."""
    moments, ctx, nobody = _moments(20, 1), SeededCtx(Random(2)), Facts()

    def fold(moment: Moment) -> None:
        state = moment[0]
        for event in moment[3]:
            state = RULES.evolve(state, event)

    return {
        "trictrac_events_per_command": sum(len(events) for *_, events in moments) / len(moments),
        "trictrac_decide_us": micros(moments, lambda m: RULES.decide(m[0], m[1], m[2], ctx)),
        "trictrac_evolve_us": micros(moments, fold),
        "trictrac_view_us": micros(moments, lambda m: RULES.view(m[0], None, nobody).SerializeToString()),
        "trictrac_clocks_us": micros(moments, lambda m: RULES.clocks(m[0])),
    }


if __name__ == "__main__":
    for name, figure in bench_trictrac().items():
        print(f"{name:32} {figure:8.2f}")
