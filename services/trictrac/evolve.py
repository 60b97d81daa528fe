"""The next state after an event. Never refuses, never draws."""

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from services.trictrac.state import OVER, THROW_OFF, TURN, Settled, State, Stood, Tie
from stamtafel.trictrac.v1 import trictrac_pb2 as pb


def evolve(state: State, event: Message) -> State:
    """The state after `event`; an event that only tells something leaves it as it is."""
    fold = _FOLDS.get(type(event))
    return state if fold is None else fold(state, event)


def _game_started(state: State, event: pb.GameStarted) -> State:
    return replace(state, points=tuple(event.points))


def _round_started(state: State, event: pb.RoundStarted) -> State:
    return replace(
        state,
        phase=TURN,
        opener=event.starter if event.reason == "game_start" else state.opener,
        round=event.round,
        starter=event.starter,
        limit=None,
        turn=None,
        throws=((),) * len(state.points),
        stood=(),
        tie=None,
        lies=None,
        one_die=False,
    )


def _turn_started(state: State, event: pb.TurnStarted) -> State:
    return replace(state, turn=event.seat)


def _dice_thrown(state: State, event: pb.DiceThrown) -> State:
    seat, dice, throws = event.seat, tuple(event.dice), state.throws
    throws = (*throws[:seat], (*throws[seat], dice), *throws[seat + 1 :])
    return replace(state, throws=throws, lies=(seat, dice))


def _throw_stood(state: State, event: pb.ThrowStood) -> State:
    stood = Stood(event.seat, tuple(event.dice), event.score, event.throws_made, event.reason)
    return replace(state, stood=(*state.stood, stood))


def _limit_set(state: State, event: pb.LimitSet) -> State:
    return replace(state, limit=event.limit)


def _point_taken(state: State, event: pb.PointTaken) -> State:
    # The point costs one and a trictrac forbids it (R8.6), so the price is known.
    settled = Settled(state.round, event.seat, event.score, 0, 1, "point_taken", state.stood)
    return replace(state, last=settled)


def _tied_lowest(state: State, event: pb.TiedLowest) -> State:
    tie = Tie(tuple(event.seats), event.score)
    return replace(state, phase=THROW_OFF, turn=None, tie=tie, lies=None, one_die=True)


def _die_thrown(state: State, event: pb.DieThrown) -> State:
    if state.tie is None:
        return state
    tie = replace(state.tie, thrown=(*state.tie.thrown, (event.seat, event.die)))
    return replace(state, tie=tie, lies=(event.seat, (event.die,)))


def _pass_ended(state: State, event: pb.ThrowOffPassEnded) -> State:
    if state.tie is None or len(event.remaining) == 1:
        return state
    return replace(state, tie=Tie(tuple(event.remaining), state.tie.score, event.pass_number + 1))


def _round_ended(state: State, event: pb.RoundEnded) -> State:
    settled = Settled(event.round, event.loser, event.score, event.trictracs, event.penalty, "lowest", state.stood)
    return replace(state, last=settled)


def _with_points(state: State, seat: int, left: int) -> tuple[int, ...]:
    return (*state.points[:seat], left, *state.points[seat + 1 :])


def _points_lost(state: State, event: pb.PointsLost) -> State:
    return replace(state, points=_with_points(state, event.seat, event.left))


def _bok_given(state: State, event: pb.BokGiven) -> State:
    return replace(state, bok=event.seat, points=_with_points(state, event.seat, event.left))


def _seat_out(state: State, event: pb.SeatOut) -> State:
    return replace(state, out=(*state.out, event.seat))


def _game_ended(state: State, event: pb.GameEnded) -> State:
    return replace(state, phase=OVER, turn=None, tie=None, winner=event.winner, ranking=tuple(event.ranking))


_FOLDS: dict[type[Message], Callable[[State, Any], State]] = {
    pb.GameStarted: _game_started,
    pb.RoundStarted: _round_started,
    pb.TurnStarted: _turn_started,
    pb.DiceThrown: _dice_thrown,
    pb.ThrowStood: _throw_stood,
    pb.LimitSet: _limit_set,
    pb.PointTaken: _point_taken,
    pb.TiedLowest: _tied_lowest,
    pb.DieThrown: _die_thrown,
    pb.ThrowOffPassEnded: _pass_ended,
    pb.RoundEnded: _round_ended,
    pb.PointsLost: _points_lost,
    pb.BokGiven: _bok_given,
    pb.SeatOut: _seat_out,
    pb.GameEnded: _game_ended,
}
"""StarterDrawn, ClockExpired and OneManShow tell something and change nothing."""
