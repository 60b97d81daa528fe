"""The calls of `hard`: with two cups of one die the exact equilibrium, else a trained net, from three cups a search."""

from collections.abc import Sequence
from math import exp
from random import Random

from services.liarsdice.regulars.engine.search import mixed, mixtures
from services.liarsdice.regulars.guess import Known, chance
from services.liarsdice.regulars.mixing import Bid, Mixture, temper
from services.liarsdice.regulars.solver import answer, solved

SWAY = 2.0
"""How much a temper shows: a share of 0.1 more in the mood makes a call a fifth likelier."""


def calls(known: Known, calls: list[Bid], may_lift: bool, rng: Random) -> Mixture:
    """How often it makes each call: one of the bids `calls`, None for the lift. `rng` is for the search."""
    exact = last_two(known, calls)
    return exact or _tempered(known, mixed(known, most_of(calls), rng))


def most_of(calls: list[Bid]) -> int:
    """The highest quantity that may be bid."""
    return max(quantity for quantity, _ in calls)


def crowd(knowns: Sequence[Known], calls: list[Bid], may_lift: bool) -> list[Mixture]:
    """The same for several cups of one seat at a table of two cups: what is known differs in the own dice only."""
    if not calls:
        return [[(None, 1.0)] for _ in knowns]
    exact = [last_two(known, calls) for known in knowns]
    nets = mixtures(knowns, most_of(calls))
    return [best or _tempered(known, net) for best, known, net in zip(exact, knowns, nets, strict=True)]


def _tempered(known: Known, mixture: Mixture) -> Mixture:
    """Swayed by the regular's temper."""
    mood = temper(known.seat)
    swayed = [
        (call, p * exp(SWAY * (mood.lift if call is None else 0 if _honest(known, call) else mood.bluff)))
        for call, p in mixture
    ]
    total = sum(p for _, p in swayed)
    return [(call, p / total) for call, p in swayed]


def _honest(known: Known, bid: Bid) -> bool:
    return chance(known, *bid, trust=False) >= 0.5


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
