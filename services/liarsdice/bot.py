"""Computer players, the regulars: `easy`, `normal`, `hard`. They see their seat's view and what was told to it only.

Where the view hides what they knew once (`peek_once`, `hidden_count`), they remember it, as a person would.
"""

from math import exp
from random import Random
from typing import Any, NamedTuple, cast

from google.protobuf.message import Message

from libs.table.brain import Look, Thought
from services.liarsdice.counting import FACES, NUMBERS
from services.liarsdice.guess import Known, chance
from services.liarsdice.options import setup_of
from services.liarsdice.outlook import best_calls
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb

LIFT_BELOW = 0.30
"""An easy regular lifts what it thinks less likely than about this."""


class Temper(NamedTuple):
    """A regular's character, by its seat: how gladly it bluffs and lifts (shares), never a rule of its own."""

    bluff: float
    lift: float


def temper(seat: int) -> Temper:
    """The regular that sits on that seat."""
    return Temper(((seat * 5) % 8 - 3.5) / 35, ((seat * 3) % 8 - 3.5) / 35)


def think(look: Look, memory: Any) -> Thought:
    """One decision: a bid or the lift when in turn; else wait. It starts no game: that is for guests."""
    view = cast(pb.View, look.view)
    memory = remember(look, view, memory)
    if view.phase != "bidding" or not view.HasField("turn") or view.turn.seat != look.seat:
        return Thought(None, memory, 0.0)
    calls = [(low, NUMBERS[one.face]) for one in view.legal.bids for low in range(one.from_quantity, one.to + 1)]
    known = known_of(look.seat, view, memory)
    chosen = _choose(look, known, calls, view.legal.lift)
    pause = 1.2 if chosen is None else 0.8
    if chosen is None:
        return Thought(pb.Lift(round=view.round), memory, pause)
    return Thought(pb.Bid(quantity=chosen[0], face=FACES[chosen[1]], round=view.round), memory, pause)


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


def _choose(look: Look, known: Known, calls: list[tuple[int, int]], may_lift: bool) -> tuple[int, int] | None:
    """A bid, or None for the lift."""
    if not calls:
        return None
    if look.level == "easy":
        return _easy(look, known, calls, may_lift)
    scored = best_calls(known, calls, may_lift, look.level == "hard")
    mood = temper(look.seat)
    swayed = [
        (call, worth + (mood.lift if call is None else 0.0 if honest else mood.bluff)) for call, worth, honest in scored
    ]
    return _mixed(swayed, 0.05 if look.level == "hard" else 0.10, look.rng)


def _easy(look: Look, known: Known, calls: list[tuple[int, int]], may_lift: bool) -> tuple[int, int] | None:
    """Exact odds of its own view; lifts the unlikely, bids near its own best face, with noise."""
    rng, mood = look.rng, temper(look.seat)
    if may_lift and known.bids:
        _, quantity, face = known.bids[-1]
        if chance(known, quantity, face, trust=False) < LIFT_BELOW + mood.lift + rng.uniform(-0.12, 0.12):
            return None
    likely = [(call, chance(known, *call, trust=False) + rng.uniform(0.0, 0.25)) for call in _near(calls)]
    good = [call for call, p in likely if p >= 0.6 - mood.bluff]
    return rng.choice(sorted(good)[-3:]) if good else max(likely, key=lambda one: one[1])[0]


def _near(calls: list[tuple[int, int]]) -> list[tuple[int, int]]:
    low = min(quantity for quantity, _ in calls)
    return [call for call in calls if call[0] <= low + 1]


def _mixed(scored: list[tuple[tuple[int, int] | None, float]], heat: float, rng: Random) -> tuple[int, int] | None:
    """One of the calls; the better the likelier, so that nobody learns to read it."""
    top = max(worth for _, worth in scored)
    weights = [exp((worth - top) / heat) for _, worth in scored]
    return rng.choices([call for call, _ in scored], weights)[0]


def courtesy(view: Message, seat: int) -> bool:
    """No seat has a passing chance at this table."""
    return False
