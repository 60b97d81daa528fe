"""What everybody sees: all dice are open, a seat's own view adds `you` (R10).

Messages are filled in place: handing a built message to another one's constructor copies it, at twice the price.
"""

from services.trictrac.state import OVER, TURN, State, actions, allowed, point_seat, price, to_throw, trictracs
from services.trictrac.throws import crown_of, lowest_of, score_of
from stamtafel.trictrac.v1 import trictrac_pb2 as pb


def view(state: State, audience: int | None) -> pb.View:
    """The table as the rules file's Views says; `audience` None is the public."""
    turn = None if state.phase == OVER else to_throw(state)
    shown = pb.View(
        phase=state.phase,
        round=state.round,
        starter=state.starter,
        limit=state.limit,
        trictracs=trictracs(state),
        penalty=price(state),
        take_point_seat=point_seat(state),
        bok=state.bok,
        winner=state.winner,
        ranking=state.ranking,
    )
    if turn is not None:
        _turn(shown, state, turn)
    _table(shown.table, state)
    crown = _standing(shown, state)
    _seats(shown, state, turn, crown)
    _tie(shown, state)
    _last(shown, state)
    shown.boxes.place = "at_seats" if state.setup.layout == "hot_seat_rotated" else "above_board"
    if audience is not None:
        you = shown.you
        you.seat = audience
        you.actions.extend(actions(state, audience))
    return shown


def _turn(shown: pb.View, state: State, seat: int) -> None:
    turn = shown.turn
    turn.seat = seat
    if state.phase == TURN:
        turn.throws_made = len(state.throws[seat])
        turn.throws_left = allowed(state) - turn.throws_made
    else:
        turn.throws_left = 1
    if state.setup.throw_seconds:
        shown.clock.seat = seat
        shown.clock.seconds = state.setup.throw_seconds


def _table(table: pb.Table, state: State) -> None:
    table.dice_count = 1 if state.one_die else 2
    if state.lies is not None:
        seat, dice = state.lies
        table.dice.items.extend(dice)
        table.seat = seat
        table.score = dice[0] if len(dice) == 1 else score_of(dice)


def _standing(shown: pb.View, state: State) -> int | None:
    """The second box and the crown; the seat that has the crown."""
    if not state.stood:
        return None
    standing = [(stood.seat, stood.score) for stood in state.stood]
    shown.lowest.score, seats = lowest_of(standing)
    shown.lowest.seats.extend(seats)
    shown.crown.seat, shown.crown.score = crown_of(standing)
    return shown.crown.seat


def _seats(shown: pb.View, state: State, turn: int | None, crown: int | None) -> None:
    stood = {one.seat: one for one in state.stood}
    rows, throws = shown.seats, state.throws
    for seat, points in enumerate(state.points):
        row = rows.add(
            seat=seat,
            points=points,
            bok=seat == state.bok,
            out=points == 0,
            on_turn=seat == turn,
            crown=seat == crown,
            actions=actions(state, seat),
        )
        if seat in stood:
            one, standing = stood[seat], row.standing
            standing.dice.extend(one.dice)
            standing.score = one.score
            standing.throws_made = one.throws_made
            standing.reason = one.reason
        if throws:
            for dice in throws[seat]:
                row.throws.add(items=dice)


def _tie(shown: pb.View, state: State) -> None:
    tie = state.tie
    if tie is not None:
        off = shown.throw_off
        off.pass_number = tie.pass_number
        off.score = tie.score
        off.seats.extend(tie.seats)
        for seat, die in tie.thrown:
            off.thrown.add(seat=seat, die=die)


def _last(shown: pb.View, state: State) -> None:
    last = state.last
    if last is not None:
        row = shown.last_round
        row.round = last.round
        row.loser = last.loser
        row.score = last.score
        row.trictracs = last.trictracs
        row.penalty = last.penalty
        row.reason = last.reason
        for stood in last.standing:
            row.standing.add(seat=stood.seat, dice=stood.dice, score=stood.score)
