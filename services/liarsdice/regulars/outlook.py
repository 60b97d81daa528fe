"""What each call is worth to a seat, with the stakes of this table: who loses a round loses a step on all others."""

from math import exp
from typing import NamedTuple

from services.liarsdice.regulars.guess import Known, chance

NEAR = 2
"""Bids so far above the lowest quantity are thought over; higher ones are only wilder."""

Call = tuple[int, int] | None
"""A bid (quantity, face), or None for the lift."""
Judged = tuple[Call, float, bool]
"""A call, its worth, whether it is honest."""


class Stakes(NamedTuple):
    """Worth of a round to me: lost by me, by the next seat, by the one before, by anybody else."""

    mine: float
    following: float
    before: float
    others: float


def stakes(known: Known) -> Stakes:
    """One step against all others when I lose; a step forward with the rest when another loses.

    Near the end a step is worth more: a lone die less is safety.
    """
    mine = known.counts[known.seat] or 1
    others = [n for seat, n in enumerate(known.counts) if n and seat != known.seat]
    forward = 1.0 / mine
    about_to_go = sum(n == 1 for n in others) / max(1, len(others))
    lost = -1.0 / mine - 0.6 * about_to_go
    return Stakes(lost, forward, forward, forward)


def best_calls(known: Known, calls: list[tuple[int, int]], may_lift: bool, deep: bool) -> list[Judged]:
    """Every call that is thought over, what it is worth (about -1..1), and whether it is an honest one.

    `deep`: the next seat's answer is judged by what our new bid will tell it, and the seat after that by its raise.
    """
    worth = stakes(known)
    # With classic_lift a right lift moves the lifter only (R5.4), a wrong one everybody but the lifter.
    classic = known.setup.classic_lift
    scale = max(abs(worth.mine), worth.following)
    out: list[Judged] = []
    if may_lift and known.bids:
        _, quantity, face = known.bids[-1]
        p = chance(known, quantity, face)
        out.append((None, ((1 - p) * worth.before + p * worth.mine) / scale, True))
    low = min(quantity for quantity, _ in calls)
    for quantity, face in calls:
        if quantity > low + NEAR:
            continue
        p = chance(known, quantity, face)
        lifted = _lift_chance(known, quantity, face, deep)
        if_lifted = p * worth.following + (1 - p) * (worth.mine * (0.35 if classic else 1.0))
        out.append(((quantity, face), (lifted * if_lifted + (1 - lifted) * _later(known, worth, p)) / scale, p >= 0.5))
    return out


def _lift_chance(known: Known, quantity: int, face: int, deep: bool) -> float:
    """How likely the next seat lifts: it sees its own dice, not ours, and has heard our bid."""
    n = len(known.counts)
    following = next(s for s in ((known.seat + step) % n for step in range(1, n + 1)) if known.counts[s])
    told = known._replace(bids=(*known.bids, (known.seat, quantity, face))) if deep else known
    seen = chance(told, quantity, face, without=following)
    return 1.0 / (1.0 + exp(9.0 * (seen - 0.42)))


def _later(known: Known, worth: Stakes, p: float) -> float:
    """A round that goes on is mostly lost by somebody else; less so when the bids are already high."""
    in_play = sum(n > 0 for n in known.counts)
    again = 1.0 / in_play * (1.0 if p >= 0.5 else 1.15)
    return (1 - again) * worth.others + again * worth.mine
