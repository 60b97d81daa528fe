"""What carrom costs: rules, view, a simulated shot, a thought. `python -m tests.bench.carrom_bench`."""

from __future__ import annotations

from random import Random
from statistics import median
from time import process_time
from typing import Any

from google.protobuf.message import Message

from libs.table.rules import Facts
from libs.table.seeded import SeededCtx
from services.carrom.board import start_layout
from services.carrom.outcome import resolved
from services.carrom.rules import RULES
from services.carrom.simulate import play, simulate
from services.carrom.state import State
from services.carrom.strength import usual
from stamtafel.carrom.v1 import carrom_pb2 as pb
from tests.bench.micros import micros

Moment = tuple[State, int, Message, list[Message], dict[str, Any]]


class Known(SeededCtx):
    """A `Ctx` with one outcome at hand."""

    def __init__(self, outcome: dict[str, Any]) -> None:
        super().__init__(Random(1))
        self._outcome = outcome

    def compute(self, job: Any) -> dict[str, Any]:
        return self._outcome


def _moments(shots: int) -> list[Moment]:
    """State, seat, command, events, outcome of shots by normal players, with real outcomes."""
    rng = Random(1)
    ctx, found = SeededCtx(rng), list[Moment]()
    state = RULES.initial(RULES.options(pb.Options()))
    for event in RULES.start(state, ctx):
        state = RULES.evolve(state, event)
    while len(found) < shots and state.turn is not None:
        seat = state.turn
        command = usual("normal").shoot(state, seat, rng)
        flick = (round(command.x * 1e6), round(command.angle * 1e6), round(command.speed * 1e6))
        outcome = simulate((state.board, state.pile), ("south", "north")[seat], flick, (100, 6500))
        events = RULES.decide(state, seat, command, Known(outcome))
        found.append((state, seat, command, events, outcome))
        for event in events:
            state = RULES.evolve(state, event)
    return found


def _shots(many: int) -> dict[str, float]:
    """CPU milliseconds of simulated breaks, the dearest shots there are, and what bounds them."""
    rng, lay = Random(2), (start_layout("south"), ())
    costs: list[float] = []
    events: list[int] = []
    sizes: list[int] = []
    for _ in range(many):
        x = rng.randint(-219_100, 219_100)
        flick = (x, round(-x / 4200 * 1e6) + rng.randint(-5_000_000, 5_000_000), rng.randint(3_000_000, 6_000_000))
        began = process_time()
        outcome = simulate(lay, "south", flick, (100, 6500))
        costs.append((process_time() - began) * 1000)
        sizes.append(resolved(0, outcome).ByteSize())
        events.append(play(lay, "south", flick, (100, 6500))[0].handled)
    costs.sort()
    return {
        "carrom_break_ms_median": median(costs),
        "carrom_break_ms_p99": costs[int(0.99 * many)],
        "carrom_break_contacts_median": median(events),
        "carrom_break_contacts_most": max(events),
        "carrom_shot_bytes_median": median(sizes),
        "carrom_shot_bytes_most": max(sizes),
    }


def bench_carrom() -> dict[str, float]:
    """Mean microseconds of the rules with the outcome at hand; milliseconds of breaks; milliseconds of a thought."""
    moments, nobody = _moments(60), Facts()

    def fold(moment: Moment) -> None:
        state = moment[0]
        for event in moment[3]:
            state = RULES.evolve(state, event)

    figures = {
        "carrom_events_per_command": sum(len(m[3]) for m in moments) / len(moments),
        "carrom_decide_us": micros(moments, lambda m: RULES.decide(m[0], m[1], m[2], Known(m[4]))),
        "carrom_evolve_us": micros(moments, fold),
        "carrom_view_us": micros(moments, lambda m: RULES.view(m[0], None, nobody).SerializeToString()),
        "carrom_clocks_us": micros(moments, lambda m: RULES.clocks(m[0])),
        **_shots(300),
    }
    for level in ("easy", "normal", "hard"):
        thoughts: list[float] = []
        for state, seat, *_ in moments[:40]:
            began = process_time()
            usual(level).shoot(state, seat, Random(3))
            thoughts.append((process_time() - began) * 1000)
        figures[f"carrom_{level}_thinks_ms_median"] = median(thoughts)
        figures[f"carrom_{level}_thinks_ms_most"] = max(thoughts)
    return figures


if __name__ == "__main__":
    for name, figure in bench_carrom().items():
        print(f"{name:34} {figure:9.2f}")
