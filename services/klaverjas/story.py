"""A game of klaverjas in one line a boompje: trump and maker, tricks, points, what was special. Pure."""

from collections.abc import Iterable, Sequence

from google.protobuf.message import Message

from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb

SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
SIDES = {"ns": (0, 2), "ew": (1, 3)}


class Story:
    """Hears the events of a game in order and tells a boompje when it is scored."""

    def __init__(self, names: Sequence[str]) -> None:
        """`names` by seat."""
        self._names = tuple(names)

    def hear(self, event: Message) -> Iterable[str]:
        """The line of a boompje when it is scored, and the last one when the game is over."""
        if isinstance(event, pb.BoompjeScored):
            yield self._boompje(event)
        elif isinstance(event, pb.GameFinished):
            winner = self._side(event.winner) if event.HasField("winner") else "nobody"
            yield f"{event.boompjes} boompjes, {event.score.ns} : {event.score.ew}, won by {winner}"

    def _boompje(self, event: pb.BoompjeScored) -> str:
        points, score = event.boompje_points, event.score
        told = [f"boompje {event.boompje:2}", f"{SUITS[event.trump]} named by {self._name(event.maker)}"]
        told.append(f"tricks {event.tricks.ns}-{event.tricks.ew}")
        if event.roem.ns or event.roem.ew:
            told.append(f"roem {event.roem.ns}-{event.roem.ew}")
        if event.result == "nat":
            told.append("nat")
        if event.HasField("pit_side"):
            told.append("pit")
        told.append(f"{points.ns}-{points.ew}  [{score.ns} : {score.ew}]")
        return "  ".join(told)

    def _side(self, side: str) -> str:
        return " and ".join(self._name(seat) for seat in SIDES[side])

    def _name(self, seat: int) -> str:
        return self._names[seat] if seat < len(self._names) and self._names[seat] else f"seat {seat}"
