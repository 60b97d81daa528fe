"""The calls of `easy`: exact odds of its own view, with noise; it hears no bids and thinks of no stakes."""

from services.liarsdice.regulars.guess import Known, chance
from services.liarsdice.regulars.mixing import Bid, Mixture, Temper, softmax

LIFT_BELOW = 0.30
"""It lifts what it thinks less likely than about this."""
UNSURE = 0.12
"""The line below which it lifts moves by up to so much, up or down."""
GOOD = 0.60
"""It gladly bids what it thinks likelier than about this."""
HOPE = 0.25
"""It takes a bid for up to so much likelier than it is."""
SLIP = 0.10
"""So often it bids as if no bid were good: else its bids would tell its dice."""
HEAT = 0.12
"""When no bid is good: one that is likelier by this is e times as likely taken."""
FEW = 3
"""It bids one of the so many highest good bids, near its own best face, all as gladly."""


def calls(known: Known, calls: list[Bid], may_lift: bool, mood: Temper) -> Mixture:
    """How often it makes each call: one of the bids `calls`, None for the lift."""
    lift = 0.0
    if may_lift and known.bids:
        _, quantity, face = known.bids[-1]
        line = LIFT_BELOW + mood.lift
        lift = _ramp(line + UNSURE - chance(known, quantity, face, trust=False), 2 * UNSURE)
    low = min(quantity for quantity, _ in calls)
    near = sorted(call for call in calls if call[0] <= low + 1)
    odds = [chance(known, *call, trust=False) for call in near]
    good, none = _highest([_ramp(p + HOPE - (GOOD - mood.bluff), HOPE) for p in odds])
    slip = (1 - SLIP) * none + SLIP
    spare = softmax(zip(near, odds, strict=True), HEAT)
    mixture: Mixture = [(None, lift)] if may_lift else []
    for (call, share), taken in zip(spare, good, strict=True):
        mixture.append((call, (1 - lift) * ((1 - SLIP) * taken + slip * share)))
    return mixture


def _ramp(over: float, width: float) -> float:
    """The chance that an even draw from 0..width is below `over`."""
    return min(1.0, max(0.0, over / width))


def _highest(good: list[float]) -> tuple[list[float], float]:
    """Each is good by its own chance; the chance that it is the one taken of the `FEW` highest good, and that none is.

    `ahead[a]`, `behind[i][b]`: chances that a higher and b lower ones are good, FEW or more counted as FEW.
    """
    behind = [[1.0] + [0.0] * FEW]
    for p in good:
        behind.append(_one_more(behind[-1], p))
    ahead = behind[0]
    taken = [0.0] * len(good)
    for i in range(len(good) - 1, -1, -1):
        for a in range(FEW):
            for b in range(FEW + 1):
                taken[i] += good[i] * ahead[a] * behind[i][b] / min(FEW, a + 1 + b)
        ahead = _one_more(ahead, good[i])
    return taken, behind[-1][0]


def _one_more(counts: list[float], p: float) -> list[float]:
    out = [(1 - p) * share for share in counts]
    for k, share in enumerate(counts):
        out[min(FEW, k + 1)] += p * share
    return out
