"""What liarsdice's rules and odds cost: `python -m tests.bench.liarsdice_bench`. No log, no bus, no kit."""

from __future__ import annotations

from random import Random
from time import process_time
from typing import Any

from google.protobuf.message import Message

from libs.table.rules import Facts
from libs.table.seeded import SeededCtx
from services.liarsdice import odds, of_a_kind
from services.liarsdice.counting import highest, ranges
from services.liarsdice.odds import percent, sight, suggest
from services.liarsdice.options import resolve
from services.liarsdice.rules import RULES
from services.liarsdice.state import State
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb
from tests.bench.micros import micros

ODDS: dict[str, dict[str, Any]] = {
    "": {},
    "_any": {"any_kind": True},
    "_any_stairs": {"any_kind": True, "stairs": True},
    "_all": {"any_kind": True, "stairs": True, "present": True, "ones_without_jokers": True},
    "_six_dice": {"any_kind": True, "stairs": True, "dice_each": 6},
}
"""House rules at which odds are measured; the dearest are those where cups of three and more may be patterns."""
Moment = tuple[State, int, Message, list[Message]]


def _moments(games: int, seed: int) -> list[Moment]:
    """States, seat, command and its events out of random games for four."""
    rng = Random(seed)
    ctx, found = SeededCtx(rng), list[Moment]()
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


def forget() -> None:
    """Empties every cache of the odds."""
    for module in (odds, of_a_kind):
        for kept in vars(module).values():
            if kept.__class__.__name__ == "_lru_cache_wrapper":
                kept.cache_clear()


def _odds_p99_ms(rules: dict[str, Any], cold: bool) -> float:
    """All that a seat is told in turn (R10.2) at eight seats: the current bid, each face's lowest, a suggestion.

    Dice as they come in games, each asked once; `cold`: with empty caches each time. The 99th percentile, CPU time.
    """
    rng, setup, times = Random(3), resolve({"seats": 8, **rules}), list[float]()
    forget()
    for _ in range(400):
        own = tuple(rng.randint(1, 6) for _ in range(rng.randint(1, setup.dice_each)))
        others = [rng.randint(0, setup.dice_each) for _ in range(7)]
        most = highest((len(own), *others), 8, setup)
        current = (max(1, (len(own) + sum(others)) // 3), 4)
        if cold:
            forget()
        began = process_time()
        seen = sight(own, others, setup)
        for quantity, face in [current, *((low, face) for face, low, _ in ranges(current, most, setup))]:
            percent(odds.odds(seen, quantity, face))
        percent(suggest(seen, current, most).p)
        times.append(process_time() - began)
    return sorted(times)[int(0.99 * len(times))] * 1000


def bench_liarsdice() -> dict[str, float]:
    """Mean microseconds of deciding, folding and views; milliseconds (p99) of the odds for eight seats."""
    moments, ctx, nobody = _moments(20, 1), SeededCtx(Random(2)), Facts()

    def fold(moment: Moment) -> None:
        state = moment[0]
        for event in moment[3]:
            state = RULES.evolve(state, event)

    return {
        "decide_us": micros(moments, lambda m: RULES.decide(m[0], m[1], m[2], ctx)),
        "fold_us": micros(moments, fold),
        "view_us": micros(moments, lambda m: RULES.view(m[0], m[1], nobody)),
        "events_per_command": sum(len(m[3]) for m in moments) / len(moments),
        **{
            f"odds{name}{'_cold' if cold else ''}_p99_ms": _odds_p99_ms(rules, cold)
            for name, rules in ODDS.items()
            for cold in (False, True)
        },
    }


if __name__ == "__main__":
    for name, value in bench_liarsdice().items():
        print(f"{name}: {value:.2f}")
