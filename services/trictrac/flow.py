"""How a game goes on: the events that follow from a throw, a standing throw, a lost round. All pure."""

from google.protobuf.message import Message
from msgspec.structs import replace

from libs.table.rules import Draws
from services.trictrac.options import options_of
from services.trictrac.state import State, Stood, Tie, allowed, becomes_bok, next_in_play, next_to_stand
from services.trictrac.throws import TRICTRAC, lowest_of, penalty_of, score_of, worst_of
from stamtafel.trictrac.v1 import trictrac_pb2 as pb

Event = Message


def opening(state: State, draws: Draws) -> list[Event]:
    """Round 1 begins at once (R2.1); without a named starter the table draws one (R2.2)."""
    setup = state.setup
    events: list[Event] = [pb.GameStarted(seats=setup.seats, points=state.points, options=options_of(setup))]
    starter = setup.first_starter
    if starter is None:
        drawn = draw_starter(setup.seats, draws)
        events.append(drawn)
        starter = drawn.starter
    return events + _next_round(1, starter, "game_start")


def draw_starter(seats: int, draws: Draws) -> pb.StarterDrawn:
    """One die for each seat in order; who shares the highest throws again, until one is highest (R2.2)."""
    left, passes = list(range(seats)), list[pb.StarterPass]()
    while len(left) > 1:
        dice = [(seat, draws.dice(1)[0]) for seat in left]
        passes.append(pb.StarterPass(items=[pb.SeatDie(seat=seat, die=die) for seat, die in dice]))
        highest = max(die for _, die in dice)
        left = [seat for seat, die in dice if die == highest]
    return pb.StarterDrawn(passes=passes, starter=left[0])


def throw(state: State, seat: int, draws: Draws, command: pb.Throw | None) -> list[Event]:
    """Both dice of a turn, by the seat or (`command` None) by the table, and all that follows (R3)."""
    dice = draws.dice(2)
    score = score_of(dice)
    made = len(state.throws[seat]) + 1
    thrown = pb.DiceThrown(seat=seat, dice=dice, score=score, throw_number=made, style="throw", by="table")
    if command is not None:
        _by_seat(thrown, command)
    events: list[Event] = [thrown]
    if score == TRICTRAC or made == allowed(state):
        reason = "trictrac" if score == TRICTRAC else "throws_used"
        _stood(state, events, Stood(seat, dice, score, made, reason), made)
    return events


def _by_seat(event: pb.DiceThrown | pb.DieThrown, command: pb.Throw) -> None:
    event.by = "seat"
    if command.HasField("style"):
        event.style = command.style
    if command.HasField("direction"):
        event.direction = command.direction


def stand(state: State, seat: int) -> list[Event]:
    """The throw that lies stands, while throws were left (R3.2, R3.4)."""
    throws = state.throws[seat]
    made, dice = len(throws), throws[-1]
    events: list[Event] = []
    _stood(state, events, Stood(seat, dice, score_of(dice), made, "ok"), made)
    return events


def missed(state: State, seat: int, draws: Draws) -> list[Event]:
    """The clock of the seat to throw is up (R4.2, R4.3, R4.6)."""
    if state.tie is not None:
        expired = pb.ClockExpired(seat=seat, phase="throw_off", missed=1)
        return [expired, *throw_die(state, state.tie, seat, draws, None)]
    throws = state.throws[seat]
    expired = pb.ClockExpired(seat=seat, phase="turn", missed=len(throws) + 1)
    if not throws:
        return [expired, *throw(state, seat, draws, None)]
    events: list[Event] = [expired]
    worst = worst_of(throws)
    dice = throws[worst]
    _stood(state, events, Stood(seat, dice, score_of(dice), len(throws), "worst"), worst + 1)
    return events


def _stood(state: State, events: list[Event], stood: Stood, throw_number: int) -> None:
    """A throw stands: the limit if it is the starter's, then the next turn, a throw-off or the settlement."""
    seat, made = stood.seat, stood.throws_made
    events.append(
        pb.ThrowStood(
            seat=seat,
            dice=stood.dice,
            score=stood.score,
            throw_number=throw_number,
            throws_made=made,
            reason=stood.reason,
        )
    )
    limit = state.limit
    if limit is None:
        limit = made
        events.append(pb.LimitSet(round=state.round, limit=limit))
    after = next_to_stand(state, seat)
    if after is not None:
        events.append(pb.TurnStarted(seat=after, throws_allowed=limit))
        return
    standing = [(other.seat, other.score) for other in (*state.stood, stood)]
    lowest, seats = lowest_of(standing)
    if len(seats) > 1:
        events.append(pb.TiedLowest(seats=seats, score=lowest))
    else:
        _settle(state, events, seats[0], standing)


def throw_die(state: State, tie: Tie, seat: int, draws: Draws, command: pb.Throw | None) -> list[Event]:
    """One die of the throw-off; the last of a pass ends it (R7)."""
    die = draws.dice(1)[0]
    thrown = pb.DieThrown(seat=seat, die=die, pass_number=tie.pass_number, style="throw", by="table")
    if command is not None:
        _by_seat(thrown, command)
    events: list[Event] = [thrown]
    dice = (*tie.thrown, (seat, die))
    if len(dice) == len(tie.seats):
        lowest, remaining = lowest_of(dice)
        events.append(pb.ThrowOffPassEnded(pass_number=tie.pass_number, lowest=lowest, remaining=remaining))
        if len(remaining) == 1:
            _settle(state, events, remaining[0], [(stood.seat, stood.score) for stood in state.stood])
    return events


def _settle(state: State, events: list[Event], loser: int, standing: list[tuple[int, int]]) -> None:
    """The loser pays; then the bok, an exit, the end or the next round (R6, R9)."""
    score = dict(standing)[loser]
    trictracs = sum(other == TRICTRAC for _, other in standing)
    due = penalty_of(trictracs, state.setup.penalty == "doubling")
    paid = min(due, state.points[loser])
    left = state.points[loser] - paid
    events.append(pb.RoundEnded(round=state.round, loser=loser, score=score, trictracs=trictracs, penalty=due))
    events.append(pb.PointsLost(seat=loser, penalty=due, paid=paid, left=left, reason="lowest"))
    if left == 0 and not becomes_bok(state):
        _out(state, events, loser)
        return
    if left == 0:
        events.append(pb.BokGiven(seat=loser, left=1))
    events += _next_round(state.round + 1, loser, "loser_starts")


def _out(state: State, events: list[Event], seat: int) -> None:
    """The loser is out: the last seat with points wins (R9.5), else the next in play starts (R9.6)."""
    in_play = sum(points > 0 for points in state.points)
    events.append(pb.SeatOut(seat=seat, place=in_play))
    after = next_in_play(replace(state, points=(*state.points[:seat], 0, *state.points[seat + 1 :])), seat)
    if in_play == 2:
        ranking = (after, seat, *reversed(state.out))
        events.append(pb.GameEnded(winner=after, ranking=ranking))
    else:
        events += _next_round(state.round + 1, after, "loser_out")


def take_point(state: State, stood: Stood) -> list[Event]:
    """One point is paid, the round is void and the taker starts a new one (R8.3, R8.4)."""
    seat, left = stood.seat, state.points[stood.seat] - 1
    events: list[Event] = [pb.PointTaken(seat=seat, throws_made=stood.throws_made, score=stood.score)]
    if stood.throws_made == 3:
        events.append(pb.OneManShow(seat=seat))
    events.append(pb.PointsLost(seat=seat, penalty=1, paid=1, left=left, reason="point_taken"))
    if left == 0:
        events.append(pb.BokGiven(seat=seat, left=1))
    return events + _next_round(state.round + 1, seat, "point_taken")


def _next_round(number: int, starter: int, reason: str) -> list[Event]:
    return [
        pb.RoundStarted(round=number, starter=starter, reason=reason),
        pb.TurnStarted(seat=starter, throws_allowed=3),
    ]
