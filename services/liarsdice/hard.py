"""The calls of `hard`: the exact equilibrium for two cups of one die, else the worth of each call."""

from random import Random

from services.liarsdice.guess import Known
from services.liarsdice.mixing import Bid, Mixture, sway, temper
from services.liarsdice.outlook import best_calls
from services.liarsdice.solver import answer, solved

HEAT = 0.05
"""Of two calls the one that is worth this much more is e times as likely."""


def calls(known: Known, calls: list[Bid], may_lift: bool, rng: Random) -> Mixture:
    """How often it makes each call: one of the bids `calls`, None for the lift. `rng` is for sampled searches only."""
    return last_two(known, calls) or sway(best_calls(known, calls, may_lift, True), temper(known.seat), HEAT)


def last_two(known: Known, calls: list[Bid]) -> Mixture | None:
    """The equilibrium when two seats have one die each; None elsewhere, and where the game is too large to solve.

    `calls`: all legal bids, so the highest of them tells the table's maximum.
    """
    if len(known.own) != 1 or sorted(n for n in known.counts if n) != [1, 1]:
        return None
    solution = solved(known.setup, max(quantity for quantity, _ in calls))
    if solution is None:
        return None
    return answer(solution, known.own[0], [(quantity, face) for _, quantity, face in known.bids])
