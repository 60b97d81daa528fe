"""What everybody sees; a seat's own view adds `me` (rules file, Views). Metres, degrees, m/s.

Messages are filled in place: handing a built message to another one's constructor copies it, at twice the price.
"""

from libs.table.rules import Facts
from services.carrom.board import SIDES
from services.carrom.line import blocked, rail_first
from services.carrom.state import State, colour_of, left, red_open, side, team_of
from stamtafel.carrom.v1 import carrom_pb2 as pb

X_RANGE, ANGLE_RANGE, SPEED_RANGE = (-0.2191, 0.2191), (-85.0, 85.0), (0.2, 6.0)


def view(state: State, audience: int | None, facts: Facts) -> pb.View:
    """The match as the rules file's Views says; `audience` None is the public."""
    shown = pb.View(game="carrom", phase=state.phase, pile=state.pile)
    _seats(shown, state, facts)
    _teams(shown, state)
    shown.red.state = state.red
    if state.red_team is not None:
        shown.red.team = state.red_team
    shown.red.open = red_open(state)
    board = shown.board
    for piece, x, y in state.board:
        board[piece].items.extend((x / 1e6, y / 1e6))
    shown.set.number = state.set
    shown.set.white_seat = state.white_seat
    shown.bonus.SetInParent()
    if state.bonus is not None:
        shown.bonus.team = state.bonus
    if state.turn is not None:
        _to_act(shown, state, state.turn)
    _history(shown, state)
    if audience is not None:
        me = shown.me
        me.seat = audience
        me.team = team_of(audience)
        me.my_turn = audience == state.turn
    return shown


def _seats(shown: pb.View, state: State, facts: Facts) -> None:
    sides = SIDES[state.setup.seats]
    for seat, misses in enumerate(state.misses):
        shown.seats.add(seat=seat, side=sides[seat], team=team_of(seat), misses=misses, bot=seat in facts.bots)


def _teams(shown: pb.View, state: State) -> None:
    for team in (0, 1):
        shown.teams.add(
            seats=range(team, state.setup.seats, 2),
            colour=colour_of(state, team),
            acquired=state.acquired[team],
            left=left(state, team),
            sets=state.sets[team],
            points=state.points[team],
        )


def _to_act(shown: pb.View, state: State, seat: int) -> None:
    shown.turn.seat = seat
    shown.turn.colour = colour_of(state, team_of(seat))
    at, aim = side(state, seat), shown.aim
    aim.x.items.extend(X_RANGE)
    aim.angle.items.extend(ANGLE_RANGE)
    aim.speed.items.extend(SPEED_RANGE)
    for ends in blocked(at, state.board):
        aim.blocked.add().items.extend(ends)
    aim.rail_first.extend(rail_first(at, state.board))
    if state.setup.turn_seconds:
        shown.clock.seat = seat
        shown.clock.seconds = state.setup.turn_seconds


def _history(shown: pb.View, state: State) -> None:
    if state.last_shot is not None:
        last = shown.last_shot
        last.seat = state.last_shot.seat
        last.kept = state.last_shot.kept
        last.reasons.extend(state.last_shot.reasons)
        last.shot.MergeFromString(state.last_shot.shot)
    if state.last_set is not None:
        number, winner, by = state.last_set
        shown.last_set.number, shown.last_set.winner, shown.last_set.by = number, winner, by
    if state.result is not None:
        shown.result.winner, shown.result.by = state.result
