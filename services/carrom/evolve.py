"""The next state after an event. Never refuses, never draws."""

from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from services.carrom.board import PALET, RED, Lying
from services.carrom.options import SETS
from services.carrom.state import BOARD, OVER, OWNED, PENDING, Shot, State
from stamtafel.carrom.v1 import carrom_pb2 as pb


def evolve(state: State, event: Message) -> State:
    """The state after `event`; an event that only tells something leaves it as it is."""
    fold = _FOLDS.get(type(event))
    return state if fold is None else fold(state, event)


def _match_started(state: State, event: pb.MatchStarted) -> State:
    return replace(state, misses=(0,) * state.setup.seats)


def _set_started(state: State, event: pb.SetStarted) -> State:
    return replace(
        state,
        set=event.number,
        white_seat=event.white_seat,
        board=tuple((one.piece, one.x_um, one.y_um) for one in event.board),
        pile=(),
        acquired=((), ()),
        red=BOARD,
        red_team=None,
        bonus=None,
    )


def _turn_started(state: State, event: pb.TurnStarted) -> State:
    return replace(state, turn=event.seat, phase=event.phase, turns=state.turns + 1)


def _shot_taken(state: State, event: pb.ShotTaken) -> State:
    seat = event.seat
    if not state.misses[seat]:
        return state
    return replace(state, misses=(*state.misses[:seat], 0, *state.misses[seat + 1 :]))


def _shot_resolved(state: State, event: pb.ShotResolved) -> State:
    board = {one[0]: one for one in state.board}
    pile = state.pile
    for piece in event.dropped:
        pile = tuple(one for one in pile if one != piece)
        board[piece] = (piece, 0, 0)
    for one in event.rest:
        if one.piece != PALET:
            board[one.piece] = (one.piece, one.x_um, one.y_um)
    for piece in (*event.pocketed, *event.out):
        board.pop(piece, None)
    return replace(
        state,
        board=_sorted(board),
        pile=pile,
        drawn_ms=event.time_ms,
        last_shot=Shot(event.seat, event.SerializeToString(deterministic=True)),
    )


def _sorted(board: Mapping[str, Lying]) -> tuple[Lying, ...]:
    return tuple(sorted(board.values()))


def _with_acquired(state: State, team: int, pions: tuple[str, ...]) -> State:
    pair = (pions, state.acquired[1]) if team == 0 else (state.acquired[0], pions)
    return replace(state, acquired=pair)


def _pion_acquired(state: State, event: pb.PionAcquired) -> State:
    return _with_acquired(state, event.team, (*state.acquired[event.team], event.piece))


def _red_pocketed(state: State, event: pb.RedPocketed) -> State:
    return replace(state, red=PENDING, red_team=event.team)


def _red_validated(state: State, event: pb.RedValidated) -> State:
    return replace(state, red=OWNED, red_team=event.team)


def _penalty_paid(state: State, event: pb.PenaltyPaid) -> State:
    pions = tuple(piece for piece in state.acquired[event.team] if piece != event.piece)
    return _with_acquired(state, event.team, pions)


def _piece_dropped(state: State, event: pb.PieceDropped) -> State:
    pile = tuple(piece for piece in state.pile if piece != event.piece)
    return replace(state, pile=pile, board=tuple(sorted((*state.board, (event.piece, 0, 0)))))


def _piece_returned(state: State, event: pb.PieceReturned) -> State:
    piece = event.piece
    others = tuple(one for one in state.board if one[0] != piece)
    if piece == RED:
        state = replace(state, red=BOARD, red_team=None)
    if event.level:
        return replace(state, board=others, pile=(*state.pile, piece))
    return replace(state, board=tuple(sorted((*others, (piece, 0, 0)))))


def _hand_kept(state: State, event: pb.HandKept) -> State:
    return state if state.last_shot is None else replace(state, last_shot=replace(state.last_shot, kept=True))


def _hand_lost(state: State, event: pb.HandLost) -> State:
    if state.last_shot is None or event.reasons[0] == "clock":
        return state
    return replace(state, last_shot=replace(state.last_shot, reasons=tuple(event.reasons)))


def _bonus_started(state: State, event: pb.BonusStarted) -> State:
    return replace(state, bonus=event.team)


def _bonus_ended(state: State, event: pb.BonusEnded) -> State:
    return replace(state, bonus=None)


def _set_ended(state: State, event: pb.SetEnded) -> State:
    sets = _plus(state.sets, event.winner, 1) if state.setup.match == SETS else state.sets
    return replace(state, sets=sets, last_set=(event.number, event.winner, event.by))


def _plus(pair: tuple[int, int], team: int, more: int) -> tuple[int, int]:
    return (pair[0] + more, pair[1]) if team == 0 else (pair[0], pair[1] + more)


def _points_scored(state: State, event: pb.PointsScored) -> State:
    return replace(state, points=_plus(state.points, event.team, event.total - state.points[event.team]))


def _clock_expired(state: State, event: pb.ClockExpired) -> State:
    seat = event.seat
    return replace(state, drawn_ms=0, misses=(*state.misses[:seat], event.misses, *state.misses[seat + 1 :]))


def _match_ended(state: State, event: pb.MatchEnded) -> State:
    return replace(state, phase=OVER, turn=None, result=(event.winner, event.by))


_FOLDS: dict[type[Message], Callable[[State, Any], State]] = {
    pb.MatchStarted: _match_started,
    pb.SetStarted: _set_started,
    pb.TurnStarted: _turn_started,
    pb.ShotTaken: _shot_taken,
    pb.ShotResolved: _shot_resolved,
    pb.PionAcquired: _pion_acquired,
    pb.RedPocketed: _red_pocketed,
    pb.RedValidated: _red_validated,
    pb.PenaltyPaid: _penalty_paid,
    pb.PieceDropped: _piece_dropped,
    pb.PieceReturned: _piece_returned,
    pb.HandKept: _hand_kept,
    pb.HandLost: _hand_lost,
    pb.BonusStarted: _bonus_started,
    pb.BonusEnded: _bonus_ended,
    pb.SetEnded: _set_ended,
    pb.PointsScored: _points_scored,
    pb.ClockExpired: _clock_expired,
    pb.MatchEnded: _match_ended,
}
"""TossDrawn, PaletLost, PenaltyWaived and Resigned tell something and change nothing."""
