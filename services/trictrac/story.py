"""A play of trictrac in one line a round: who threw what, who paid. Pure."""

from collections.abc import Iterable, Sequence

from google.protobuf.message import Message

from services.trictrac.screen import FACES
from stamtafel.trictrac.v1 import trictrac_pb2 as pb

TRICTRAC = 1000


class Story:
    """Hears the events of a play in order and tells a round when it is settled."""

    def __init__(self, names: Sequence[str]) -> None:
        """`names` by seat."""
        self._names = tuple(names)
        self._points: dict[int, int] = {}
        self._round = 0
        self._stood: dict[int, str] = {}
        self._throw_off: list[str] = []
        self._paid: list[str] = []

    def hear(self, event: Message) -> Iterable[str]:
        """The line of a round when the next one begins or the game ends."""
        if isinstance(event, pb.GameStarted):
            self._points = dict(enumerate(event.points))
        elif isinstance(event, pb.ThrowStood):
            score = "trictrac!" if event.score == TRICTRAC else str(event.score)
            self._stood[event.seat] = f"{self._name(event.seat)} {_dice(event.dice)} {score}"
        elif isinstance(event, pb.DieThrown):
            self._throw_off.append(f"{self._name(event.seat)} {FACES[event.die]}")
        elif isinstance(event, pb.PointsLost):
            self._points[event.seat] = event.left
            why = "hands in" if event.reason == "point_taken" else "pays"
            self._paid.append(f"{self._name(event.seat)} {why} {event.paid}")
        elif isinstance(event, pb.BokGiven):
            self._points[event.seat] = event.left
            self._paid.append(f"{self._name(event.seat)} gets the bok")
        elif isinstance(event, pb.SeatOut):
            self._paid.append(f"{self._name(event.seat)} is out")
        elif isinstance(event, pb.RoundStarted):
            line = self._line()
            self._round = event.round
            return line
        elif isinstance(event, pb.GameEnded):
            return self._line()
        return ()

    def _line(self) -> list[str]:
        if not self._round:
            return []
        throws = "  ".join(self._stood.values())
        vast = f"  vast: {' '.join(self._throw_off)}" if self._throw_off else ""
        left = " ".join(str(points) for points in self._points.values())
        line = f"round {self._round:>2}  {throws}{vast}  → {', '.join(self._paid) or 'void'}  [{left}]"
        self._stood, self._throw_off, self._paid = {}, [], []
        return [line]

    def _name(self, seat: int) -> str:
        return self._names[seat] if seat < len(self._names) else f"seat {seat}"


def _dice(faces: Iterable[int]) -> str:
    return "".join(FACES[face] for face in faces)
