"""How a match goes on: the events that follow from the toss, a shot, a missed clock. All pure."""

from collections.abc import Callable, Sequence

from google.protobuf.message import Message

from libs.table.rules import Draws
from services.carrom.board import RED, start_layout
from services.carrom.centre import returned, spot_free
from services.carrom.evolve import evolve
from services.carrom.line import is_full, nearest_to_middle
from services.carrom.options import POINTS, options_of
from services.carrom.referee import Ruling, rule
from services.carrom.state import BONUS, NINE, OWNED, PENDING, SHOOT, VALIDATE, State, left, next_seat, side, team_of
from stamtafel.carrom.v1 import carrom_pb2 as pb

DrawsOf = Callable[[], Draws]
"""Chance, asked for only where it is needed."""


class Story:
    """Events in the making; each is folded as it is added."""

    def __init__(self, state: State, draws: DrawsOf) -> None:
        self.state, self.draws = state, draws
        self.events: list[Message] = []

    def tell(self, event: Message) -> None:
        """Adds one event."""
        self.events.append(event)
        self.state = evolve(self.state, event)


def opening(state: State, draws: DrawsOf) -> list[Message]:
    """R2.1-R2.3: the toss, the rosette, the first turn."""
    story = Story(state, draws)
    story.tell(pb.MatchStarted(options=options_of(state.setup)))
    _new_set(story, 1, _toss(story))
    return story.events


def _toss(story: Story) -> int:
    white = story.draws().pick(tuple(range(story.state.setup.seats)))
    story.tell(pb.TossDrawn(white=white))
    return white


def _new_set(story: Story, number: int, white: int) -> None:
    board = start_layout(side(story.state, white))
    placed = [pb.Placed(piece=piece, x_um=x, y_um=y) for piece, x, y in board]
    story.tell(pb.SetStarted(number=number, white_seat=white, board=placed))
    story.tell(pb.TurnStarted(seat=white, phase=SHOOT))


def shot(state: State, taken: pb.ShotTaken, resolved: pb.ShotResolved, draws: DrawsOf) -> list[Message]:
    """Everything that one shot does (R4.5), in the order that the rules file gives under Events."""
    ruling = rule(state, resolved)
    story = Story(state, draws)
    seat, team = resolved.seat, team_of(resolved.seat)
    story.tell(taken)
    story.tell(resolved)
    for piece, owner in ruling.acquired:
        story.tell(pb.PionAcquired(piece=piece, team=owner, seat=seat))
    if ruling.red == "validated":
        story.tell(pb.RedValidated(team=team, seat=seat))
    elif ruling.red == "pocketed":
        story.tell(pb.RedPocketed(team=team, seat=seat))
    if ruling.palet is not None:
        story.tell(pb.PaletLost(seat=seat, how=ruling.palet))
        penalty = ruling.penalty
        story.tell(pb.PenaltyWaived(team=team) if penalty is None else pb.PenaltyPaid(team=team, piece=penalty))
    _to_centre(story, ruling.returning)
    if ruling.reasons:
        story.tell(pb.HandLost(seat=seat, reasons=ruling.reasons))
    else:
        story.tell(pb.HandKept(seat=seat))
    _after(story, seat, not ruling.reasons, _first_to_finish(story.state, ruling))
    return story.events


def missed(state: State, seat: int, draws: DrawsOf) -> list[Message]:
    """The clock of the seat to act is up (R9.2, R9.3)."""
    story = Story(state, draws)
    misses = state.misses[seat] + 1
    story.tell(pb.ClockExpired(seat=seat, misses=misses))
    if misses >= state.setup.clock_misses:
        story.tell(pb.MatchEnded(winner=1 - team_of(seat), by="forfeit"))
        return story.events
    reasons = ["clock"]
    if state.red == PENDING:
        reasons.append("not_validated")
        _to_centre(story, [(RED, "not_validated")])
    story.tell(pb.HandLost(seat=seat, reasons=reasons))
    _after(story, seat, False, None)
    return story.events


def _to_centre(story: Story, returning: Sequence[tuple[str, str]]) -> None:
    """The pile settles, then the pieces return in the order given (R5.3, R12.2)."""
    state = story.state
    down, levels = returned(spot_free(state.board), state.pile, [piece for piece, _ in returning])
    for piece in down:
        story.tell(pb.PieceDropped(piece=piece))
    for (piece, reason), level in zip(returning, levels, strict=True):
        story.tell(pb.PieceReturned(piece=piece, reason=reason, level=level))


def _first_to_finish(state: State, ruling: Ruling) -> int | None:
    """The team that has all nine in; of two the one whose ninth fell first (R7.1, R7.2)."""
    done = [team for team in (0, 1) if len(state.acquired[team]) == NINE]
    if len(done) < 2:
        return done[0] if done else None
    fell = [owner for _, owner in ruling.acquired]
    return min(done, key=lambda team: max((n for n, owner in enumerate(fell) if owner == team), default=-1))


def _after(story: Story, seat: int, kept: bool, finished: int | None) -> None:
    """Steps 11 and 12 of R4.5: end of the set, bonus, next turn. `finished`: who has all in, first in time."""
    state = story.state
    if state.bonus is not None:
        bonus = state.bonus
        won = kept and not left(state, bonus)
        if kept and not won:
            return _turn(story, seat, BONUS)
        story.tell(pb.BonusEnded(team=bonus, success=won))
        return _end_set(story, bonus if won else 1 - bonus, "bonus" if won else "cleared")
    if finished is not None:
        other = 1 - finished
        owns = state.red == OWNED and state.red_team == other
        if state.setup.match == POINTS or not owns or not left(state, other):
            return _end_set(story, finished, "cleared")
        seats = state.setup.seats
        player = next(s for s in ((seat + step) % seats for step in range(1, seats + 1)) if team_of(s) == other)
        story.tell(pb.BonusStarted(team=other, seat=player, left=left(state, other)))
        return _turn(story, player, BONUS)
    if kept:
        return _turn(story, seat, VALIDATE if state.red == PENDING else SHOOT)
    return _turn(story, next_seat(seat, state.setup.seats), SHOOT)


def _turn(story: Story, seat: int, phase: str) -> None:
    """A seat is to shoot; if its line is full, room is made first (R3.5)."""
    at = side(story.state, seat)
    while is_full(at, story.state.board):
        piece = nearest_to_middle(at, story.state.board)
        _to_centre(story, [(piece, "line_full")])
    story.tell(pb.TurnStarted(seat=seat, phase=phase))


def _end_set(story: Story, winner: int, by: str) -> None:
    """R7.3-R7.6."""
    state = story.state
    setup, remaining = state.setup, left(state, 1 - winner)
    red = setup.red_value if state.red == OWNED and state.red_team == winner else 0
    story.tell(pb.SetEnded(number=state.set, winner=winner, by=by, left=remaining))
    if setup.match == POINTS:
        total = state.points[winner] + remaining + red
        story.tell(pb.PointsScored(team=winner, pions=remaining, red=red, total=total))
        over = total >= setup.points_target
    else:
        over = story.state.sets[winner] >= setup.sets_to_win
    if over:
        return story.tell(pb.MatchEnded(winner=winner, by=setup.match))
    white = _toss(story) if setup.next_white == "toss" else next_seat(state.white_seat, setup.seats)
    return _new_set(story, state.set + 1, white)
