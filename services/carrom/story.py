"""A match of carrom in one line a hand: who pocketed what, why the hand was lost, who won the set. Pure."""

from collections.abc import Iterable, Sequence

from google.protobuf.message import Message

from services.carrom.words import WORDS
from stamtafel.carrom.v1 import carrom_pb2 as pb

_SAY = WORDS["en"]


class Story:
    """Hears the events of a match in order and tells a hand when it is over."""

    def __init__(self, names: Sequence[str]) -> None:
        """`names` by seat."""
        self._names = tuple(names)
        self._in: list[str] = []
        self._shots = 0
        self._shooter = 0

    def hear(self, event: Message) -> Iterable[str]:
        """The line of a hand when it is lost or the set ends, of a set, of the match."""
        if isinstance(event, pb.SetStarted):
            yield f"set {event.number}: {self._name(event.white_seat)} has white and breaks"
        elif isinstance(event, pb.ShotTaken):
            self._shots += 1
            self._shooter = event.seat
        elif isinstance(event, pb.PionAcquired):
            self._in.append(event.piece)
        elif isinstance(event, pb.RedPocketed):
            self._in.append("red")
        elif isinstance(event, pb.RedValidated):
            self._in.append("red covered")
        elif isinstance(event, pb.PieceReturned):
            self._in.append(f"{event.piece} back ({event.reason.replace('_', ' ')})")
        elif isinstance(event, pb.HandLost):
            yield self._hand(event.seat, ", ".join(_SAY.get(reason, reason) for reason in event.reasons))
        elif isinstance(event, pb.SetEnded):
            if self._shots:
                yield self._hand(self._shooter, "all in")
            left = f", {event.left} left" if event.left else ""
            yield f"set {event.number} to {self._team(event.winner)} ({event.by}{left})"
        elif isinstance(event, pb.BonusStarted):
            yield f"{self._name(event.seat)} owns the red and plays the bonus, {event.left} left"
        elif isinstance(event, pb.PointsScored):
            yield f"{self._team(event.team)} scores {event.pions + event.red}, now {event.total}"
        elif isinstance(event, pb.Resigned):
            yield f"{self._name(event.seat)} gives up"
        elif isinstance(event, pb.MatchEnded):
            yield f"{self._team(event.winner)} wins the match ({event.by})"

    def _hand(self, seat: int, end: str) -> str:
        shots = f"{self._shots} shot{'' if self._shots == 1 else 's'}"
        line = f"  {self._name(seat):8} {shots}: {' '.join([*self._in, ''])}- {end}"
        self._in, self._shots = [], 0
        return line

    def _name(self, seat: int) -> str:
        return self._names[seat] if seat < len(self._names) else f"seat {seat}"

    def _team(self, team: int) -> str:
        seats = range(team, max(len(self._names), 2), 2)
        return " and ".join(self._name(seat) for seat in seats)
