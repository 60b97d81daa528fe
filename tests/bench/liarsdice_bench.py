"""What liarsdice's rules and odds cost: `python -m tests.bench.liarsdice_bench`. No log, no bus, no kit."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import perf_counter
from typing import Any

from google.protobuf.message import Message

from libs.table.rules import Facts
from services.liarsdice.games import Dice
from services.liarsdice.odds import percent, sight, suggest
from services.liarsdice.options import resolve
from services.liarsdice.rules import RULES
from services.liarsdice.state import State
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb

Moment = tuple[State, int, Message, list[Message]]


def _moments(games: int, seed: int) -> list[Moment]:
    """States, seat, command and its events out of random games for four."""
    rng = Random(seed)
    ctx, found = Dice(rng), list[Moment]()
    for _ in range(games):
        state = RULES.initial(RULES.options(pb.Options()))
        for event in RULES.start(state, ctx):
            state = RULES.evolve(state, event)
        while state.loser is None:
            seat = next(iter(RULES.to_act(state)))
            some = [one for one in RULES.some(state, seat) if isinstance(one, pb.Bid | pb.Lift)]
            command = some[-1] if isinstance(some[-1], pb.Lift) and rng.random() < 0.3 else some[0]
            events = RULES.decide(state, seat, command, ctx)
            found.append((state, seat, command, events))
            for event in events:
                state = RULES.evolve(state, event)
    return found


def _micros(moments: list[Moment], work: Callable[[Moment], Any]) -> float:
    """Microseconds a moment, the best of five rounds."""
    best = float("inf")
    for _ in range(5):
        began = perf_counter()
        for moment in moments:
            work(moment)
        best = min(best, perf_counter() - began)
    return best / len(moments) * 1e6


def _odds_p99_ms(rules: dict[str, Any]) -> float:
    """A whole suggestion at eight seats, dice as they come in games, each asked once: the 99th percentile."""
    rng, setup, times = Random(3), resolve({"seats": 8, **rules}), list[float]()
    for _ in range(400):
        own = tuple(rng.randint(1, 6) for _ in range(rng.randint(1, 4)))
        others = [rng.randint(0, 4) for _ in range(7)]
        total = len(own) + sum(others)
        current = (max(1, total // 3), 4)
        began = perf_counter()
        advice = suggest(sight(own, others, setup), current, total + 2)
        percent(advice.p)
        times.append(perf_counter() - began)
    return sorted(times)[int(0.99 * len(times))] * 1000


def bench_liarsdice() -> dict[str, float]:
    """Mean microseconds of deciding, folding and views; milliseconds (p99) of the odds for eight seats."""
    moments, ctx, nobody = _moments(20, 1), Dice(Random(2)), Facts()

    def fold(moment: Moment) -> None:
        state = moment[0]
        for event in moment[3]:
            state = RULES.evolve(state, event)

    return {
        "decide_us": _micros(moments, lambda m: RULES.decide(m[0], m[1], m[2], ctx)),
        "fold_us": _micros(moments, fold),
        "view_us": _micros(moments, lambda m: RULES.view(m[0], m[1], nobody)),
        "events_per_command": sum(len(m[3]) for m in moments) / len(moments),
        "odds_p99_ms": _odds_p99_ms({}),
        "odds_any_p99_ms": _odds_p99_ms({"any_kind": True}),
        "odds_any_stairs_p99_ms": _odds_p99_ms({"any_kind": True, "stairs": True}),
    }


if __name__ == "__main__":
    for name, value in bench_liarsdice().items():
        print(f"{name}: {value:.2f}")
