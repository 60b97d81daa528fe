"""What the rules of klaverjas cost, in microseconds: legal cards, decide, evolve, one view, five audiences' views."""

from itertools import pairwise
from random import Random
from time import thread_time_ns

from libs.table.rules import Facts
from libs.table.seeded import SeededCtx
from services.klaverjas.decide import playable
from services.klaverjas.rules import RULES
from services.klaverjas.state import PLAY
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb


def bench_klaverjas(games: int = 2) -> dict[str, float]:
    """Mean microseconds a command over whole random games of sixteen boompjes."""
    spent = {"decide": 0, "evolve": 0, "view": 0, "five_views": 0, "legal_cards": 0, "redact_five": 0}
    commands = views = 0
    facts = Facts({}, None)
    for game in range(games):
        rng = Random(game)
        ctx = SeededCtx(rng)
        state = RULES.initial(RULES.options(pb.Options()))
        for event in RULES.start(state, ctx):
            state = RULES.evolve(state, event)
        while RULES.result(state) is None:
            (seat,) = RULES.to_act(state)
            command = rng.choice(list(RULES.some(state, seat)))
            at = [thread_time_ns()]
            if state.phase == PLAY:
                playable(state)
            at.append(thread_time_ns())
            events = RULES.decide(state, seat, command, ctx)
            at.append(thread_time_ns())
            for event in events:
                state = RULES.evolve(state, event)
            at.append(thread_time_ns())
            RULES.view(state, None, facts).SerializeToString()
            at.append(thread_time_ns())
            for audience in (None, 0, 1, 2, 3):
                RULES.view(state, audience, facts).SerializeToString()
            at.append(thread_time_ns())
            for event in events:
                for audience in (None, 0, 1, 2, 3):
                    RULES.redact(event, state, audience)
            at.append(thread_time_ns())
            for name, took in zip(
                ("legal_cards", "decide", "evolve", "view", "five_views", "redact_five"),
                (b - a for a, b in pairwise(at)),
                strict=True,
            ):
                spent[name] += took
            commands += 1
            views += 1
    return {f"klaverjas_{name}_us": round(ns / commands / 1000, 2) for name, ns in spent.items()}


if __name__ == "__main__":
    for name, value in bench_klaverjas().items():
        print(f"{name} {value}")
