"""What everybody sees: all dice are open, a seat's own view adds `you` (R10)."""

from services.trictrac.state import OVER, TURN, State, actions, allowed, point_seat, price, to_throw, trictracs
from services.trictrac.throws import crown_of, lowest_of, score_of
from stamtafel.trictrac.v1 import trictrac_pb2 as pb


def view(state: State, audience: int | None) -> pb.View:
    """The table as the rules file's Views says; `audience` None is the public."""
    turn = None if state.phase == OVER else to_throw(state)
    standing = [(stood.seat, stood.score) for stood in state.stood]
    crown = crown_of(standing) if standing else None
    shown = pb.View(
        phase=state.phase,
        round=state.round,
        starter=state.starter,
        limit=state.limit,
        turn=_turn(state, turn),
        table=_table(state),
        lowest=_lowest(standing),
        crown=pb.Crown(seat=crown[0], score=crown[1]) if crown else None,
        trictracs=trictracs(state),
        penalty=price(state),
        take_point_seat=point_seat(state),
        throw_off=_throw_off(state),
        seats=_seats(state, turn, crown[0] if crown else None),
        bok=state.bok,
        clock=_clock(state, turn),
        boxes=pb.Boxes(place="at_seats" if state.setup.layout == "hot_seat_rotated" else "above_board"),
        last_round=_last(state),
        winner=state.winner,
        ranking=state.ranking,
    )
    if audience is not None:
        shown.you.seat = audience
        shown.you.actions.extend(actions(state, audience))
    return shown


def _turn(state: State, seat: int | None) -> pb.Turn | None:
    if seat is None:
        return None
    if state.phase != TURN:
        return pb.Turn(seat=seat, throws_made=0, throws_left=1)
    made = len(state.throws[seat])
    return pb.Turn(seat=seat, throws_made=made, throws_left=allowed(state) - made)


def _table(state: State) -> pb.Table:
    count = 1 if state.one_die else 2
    if state.lies is None:
        return pb.Table(dice_count=count)
    seat, dice = state.lies
    score = dice[0] if len(dice) == 1 else score_of(dice)
    return pb.Table(dice_count=count, dice=pb.Dice(items=dice), seat=seat, score=score)


def _lowest(standing: list[tuple[int, int]]) -> pb.Lowest | None:
    if not standing:
        return None
    score, seats = lowest_of(standing)
    return pb.Lowest(score=score, seats=seats)


def _throw_off(state: State) -> pb.ThrowOff | None:
    tie = state.tie
    if tie is None:
        return None
    thrown = [pb.SeatDie(seat=seat, die=die) for seat, die in tie.thrown]
    return pb.ThrowOff(pass_number=tie.pass_number, seats=tie.seats, thrown=thrown, score=tie.score)


def _seats(state: State, turn: int | None, crown: int | None) -> list[pb.Seat]:
    standing = {
        stood.seat: pb.Standing(dice=stood.dice, score=stood.score, throws_made=stood.throws_made, reason=stood.reason)
        for stood in state.stood
    }
    return [
        pb.Seat(
            seat=seat,
            points=points,
            bok=seat == state.bok,
            out=seat in state.out,
            on_turn=seat == turn,
            crown=seat == crown,
            standing=standing.get(seat),
            throws=[pb.Dice(items=dice) for dice in state.throws[seat]] if state.throws else None,
            actions=actions(state, seat),
        )
        for seat, points in enumerate(state.points)
    ]


def _clock(state: State, turn: int | None) -> pb.Clock | None:
    seconds = state.setup.throw_seconds
    return pb.Clock(seat=turn, seconds=seconds) if seconds and turn is not None else None


def _last(state: State) -> pb.LastRound | None:
    last = state.last
    if last is None:
        return None
    return pb.LastRound(
        round=last.round,
        loser=last.loser,
        score=last.score,
        trictracs=last.trictracs,
        penalty=last.penalty,
        reason=last.reason,
        standing=[pb.StoodThrow(seat=s.seat, dice=s.dice, score=s.score) for s in last.standing],
    )
