"""Computer players (R11): `easy`, `normal`, `hard`. They see their seat's view and the table's options only (R11.1)."""

from typing import Any, cast

from google.protobuf.message import Message

from libs.table.brain import Look, Thought
from services.trictrac import heads_up as duel
from services.trictrac import one_round
from stamtafel.trictrac.v1 import trictrac_pb2 as pb


def think(look: Look, memory: Any) -> Thought:
    """One decision: throw, stand, take the point, or wait (None) while the chance to take it runs."""
    view, options = cast(pb.View, look.view), cast(pb.Options, look.options)
    if "stand" in look.actions:
        stands = _stands(look, view, options)
        return Thought(pb.Stand() if stands else _throw(look), memory, 0.9)
    if "throw" in look.actions:
        return Thought(_throw(look), memory, 0.7)
    if "take_point" in look.actions and _takes_point(look, view, options):
        return Thought(pb.TakePoint(), memory, 1.2)
    return Thought(None, memory, 0.0)


def courtesy(view: Message, seat: int) -> bool:
    """Whether another seat has the passing chance to take a point: a bot that throws at once would close it."""
    shown = cast(pb.View, view)
    return shown.HasField("take_point_seat") and shown.take_point_seat != seat


def _throw(look: Look) -> pb.Throw:
    # Style changes nothing (R3.8); a person sees some of both.
    return pb.Throw(style="roll") if look.rng.random() < 0.3 else pb.Throw()


def _stands(look: Look, view: pb.View, options: pb.Options) -> bool:
    """Whether the seat on turn keeps its throw, with throws left."""
    score, made = view.table.score, view.turn.throws_made
    starter = not view.HasField("limit")
    if look.level == "easy":
        if starter:
            return look.rng.random() < (0.9 if score >= 61 else 0.5)
        return look.rng.random() < (0.9 if score >= view.lowest.score else 1 / 3)
    if look.level == "normal":
        return score >= (54 if made == 1 else 61) if starter else score > view.lowest.score
    stake = stake_of(look.seat, view, options)
    if stake is not None:
        if starter:
            return duel.starter_stands(stake, made, score)
        return duel.other_stands(stake.swapped(), view.lowest.score, view.limit, made, score)
    to_come = _to_come(view) - 1
    if starter:
        return one_round.starter_stands(made, score, to_come)
    spot = one_round.Spot(view.lowest.score, len(view.lowest.seats), view.trictracs, view.limit, to_come)
    return one_round.follower_stands(spot, made, score)


def _takes_point(look: Look, view: pb.View, options: pb.Options) -> bool:
    """Whether to hand in a point now: all throws are used, no trictrac lies, the next seat has not thrown.

    Heads-up only the starter can have the chance (R8.7), and only after three throws: fewer were his own choice.
    """
    at_bottom = look.seat in view.lowest.seats
    alone = at_bottom and len(view.lowest.seats) == 1
    if look.level == "easy":
        return False
    if look.level == "normal":
        return alone and view.lowest.score <= 43
    stake = stake_of(look.seat, view, options)
    if stake is not None:
        return duel.hands_in(stake, view.lowest.score)
    if not at_bottom:
        return False
    to_come = _to_come(view)
    spot = one_round.Spot(view.lowest.score, len(view.lowest.seats), view.trictracs, view.limit, to_come)
    return one_round.hands_in(one_round.share_pays(spot), view.trictracs, to_come)


def _to_come(view: pb.View) -> int:
    """Seats in play whose throw does not stand yet, the seat on turn included."""
    return sum(not seat.out and not seat.HasField("standing") for seat in view.seats)


def stake_of(seat: int, view: pb.View, options: pb.Options) -> duel.Stake | None:
    """The game as the heads-up model sees it from `seat`; None unless two seats are in play."""
    others = [other for other in view.seats if not other.out and other.seat != seat]
    if len(others) != 1:
        return None
    other = others[0]
    if not view.HasField("bok"):
        bok = duel.FREE if options.bok else duel.NONE
    else:
        bok = {seat: duel.MINE, other.seat: duel.OTHERS}.get(view.bok, duel.NONE)
    return duel.Stake(view.seats[seat].points, other.points, bok)
