"""Players to measure: the levels, and the one that only follows the odds."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random

from services.liarsdice.bot import Player, policy
from services.liarsdice.odds import sight, suggest
from services.liarsdice.regulars import hard
from services.liarsdice.regulars.guess import Known
from services.liarsdice.regulars.mixing import Bid, Mixture

ODDS = "odds"
LEVELS = ("easy", "normal", "hard")
NAMES = (*LEVELS, ODDS)

Crowd = Callable[[Sequence[Known], list[Bid], bool], list[Mixture]]
"""The same for several cups at once: what is known differs in the own dice only."""


def player(name: str, rng: Random | None = None) -> Player:
    """The player of that name, one of `NAMES`. `rng`: for searches that sample."""
    if name not in NAMES:
        raise ValueError(f"level must be one of {', '.join(NAMES)}, not {name!r}")
    if name == ODDS:
        return only_odds
    return partial(policy, name, rng=rng)


def crowd(name: str) -> Crowd:
    """The player of that name at tables of two cups, asked for several cups at once."""
    return hard.crowd if name == "hard" else together(player(name))


def together(one: Player) -> Crowd:
    """A crowd of one player, cup by cup."""
    return lambda knowns, calls, may_lift: [one(known, calls, may_lift) for known in knowns]


def only_odds(known: Known, calls: list[Bid], may_lift: bool) -> Mixture:
    """What the help suggests (R10.7), always: exact odds, bids are no evidence."""
    if not calls:
        return [(None, 1.0)]
    seen = sight(known.own, [n for seat, n in enumerate(known.counts) if seat != known.seat], known.setup)
    now = known.bids[-1][1:] if may_lift and known.bids else None
    return [(suggest(seen, now, max(quantity for quantity, _ in calls)).bid, 1.0)]
