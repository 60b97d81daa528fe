"""Computer players, the regulars: `easy`, `normal`, `hard`. They see their seat's view and what was told to it only.

Where the view hides what they knew once (`peek_once`, `hidden_count`), they remember it, as a person would.
"""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, cast

from google.protobuf.message import Message

from libs.table.brain import Look, Thought
from services.liarsdice.counting import FACES, NUMBERS
from services.liarsdice.options import setup_of
from services.liarsdice.regulars import easy, hard
from services.liarsdice.regulars.guess import Known
from services.liarsdice.regulars.mixing import Bid, Mixture, pick, sway, temper
from services.liarsdice.regulars.outlook import best_calls
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb

Player = Callable[[Known, list[Bid], bool], Mixture]
"""What a player does: what it knows, all legal bids, whether it may lift -> how often it makes each call."""

HEAVY = frozenset({"hard"})
"""Levels that think in a worker process: solving the last round takes a second or two, once a process."""
LOOK_S = 3.5
"""So long a regular lets the others look at open cups before it opens the next round: with `hidden_count` they are gone
then (R8.2). Less than the shortest clock."""
NORMAL_HEAT = 0.05
"""`normal`: of two calls the one that is worth this much more is e times as likely."""


def think(look: Look, memory: Any) -> Thought:
    """One decision: a bid or the lift when in turn; else wait. It starts no game: that is for guests."""
    return think_as(partial(policy, look.level, rng=look.rng), look, memory)


def think_as(player: Player, look: Look, memory: Any) -> Thought:
    """The same by another player's mixtures."""
    view = cast(pb.View, look.view)
    memory = remember(look, view, memory)
    if view.phase != "bidding" or not view.HasField("turn") or view.turn.seat != look.seat:
        return Thought(None, memory, 0.0)
    calls = [(low, NUMBERS[one.face]) for one in view.legal.bids for low in range(one.from_quantity, one.to + 1)]
    chosen = pick(player(known_of(look.seat, view, memory), calls, view.legal.lift), look.rng)
    if chosen is None:
        return Thought(pb.Lift(round=view.round), memory, 1.2)
    opens_again = view.HasField("last_reveal") and not view.bids
    wait_s = LOOK_S if opens_again else 0.8
    return Thought(pb.Bid(quantity=chosen[0], face=FACES[chosen[1]], round=view.round), memory, wait_s)


def remember(look: Look, view: pb.View, memory: Any) -> dict[str, Any]:
    """Own dice of this round, and the dice that everybody should have left."""
    now = [view.game, view.round]
    kept: dict[str, Any] = dict(memory) if memory else {"at": now, "dice": [], "counts": None}
    for event in look.events:
        if isinstance(event, pb.GameStarted):
            playing = set(event.participants)
            kept["counts"] = [event.dice_each if seat in playing else 0 for seat in range(len(view.mats))]
        elif isinstance(event, pb.DicePutAway) and kept["counts"]:
            kept["counts"] = [n - (seat in event.seats) for seat, n in enumerate(kept["counts"])]
    if kept["at"] != now:
        kept.update(at=now, dice=[])
    if view.HasField("my_dice"):
        kept["dice"] = list(view.my_dice.items)
    return kept


def known_of(seat: int, view: pb.View, memory: dict[str, Any]) -> Known:
    """What the seat knows now; what it forgot in a restart it takes for an even share of what may still lie there."""
    setup = setup_of(view.options)
    own = tuple(memory["dice"])
    if view.HasField("dice_counts"):
        counts = tuple(view.dice_counts.items)
    elif memory["counts"]:
        counts = tuple(memory["counts"])
    else:
        share = max(1, min(len(own) or setup.dice_each, setup.dice_each))
        counts = tuple((len(own) or share) if other == seat else share * on for other, on in enumerate(view.in_game))
    bids = tuple((bid.seat, bid.quantity, NUMBERS[bid.face]) for bid in view.bids)
    return Known(seat, own, counts, bids, setup)


def policy(level: str, known: Known, calls: list[Bid], may_lift: bool, rng: Random | None = None) -> Mixture:
    """How often the level makes each call there: one of the legal bids `calls`, None for the lift. Chances sum to 1.

    `known.seat` tells whose temper it is. `rng` is for searches that sample (None: always the same); the choice of one
    call from the mixture is the caller's.
    """
    if not calls:
        return [(None, 1.0)]
    if level == "easy":
        return easy.calls(known, calls, may_lift, temper(known.seat))
    if level == "hard":
        return hard.calls(known, calls, may_lift, rng or Random(0))
    return sway(best_calls(known, calls, may_lift, False), temper(known.seat), NORMAL_HEAT)


def courtesy(view: Message, seat: int) -> bool:
    """No seat has a passing chance at this table."""
    return False
