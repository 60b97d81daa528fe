"""A match of backgammon in a line a turn, in the field's notation. Pure."""

from collections.abc import Iterable, Sequence

from google.protobuf.message import Message

from stamtafel.backgammon.v1 import backgammon_pb2 as pb


class Story:
    """Hears the events of a match in order and tells every turn, cube action and result."""

    def __init__(self, names: Sequence[str]) -> None:
        """`names` by seat."""
        self._names = tuple(names)
        self._turns = 0

    def hear(self, event: Message) -> Iterable[str]:
        """A line for what a score sheet would hold."""
        if isinstance(event, pb.TurnEnded):
            yield self._turn(event.seat, event.dice, event.notation)
        elif isinstance(event, pb.TurnPassed):
            yield self._turn(event.seat, event.dice, "no move")
        elif isinstance(event, pb.DoubleOffered):
            yield f"     {self._name(event.seat)} doubles to {event.value}"
        elif isinstance(event, pb.DoubleTaken):
            yield f"     {self._name(event.seat)} takes"
        elif isinstance(event, pb.DoubleDropped):
            yield f"     {self._name(event.seat)} drops"
        elif isinstance(event, pb.GameEnded):
            self._turns = 0
            score = " : ".join(str(points) for points in event.score)
            yield f"game {event.game}: {self._name(event.winner)} wins {event.points} ({event.kind})  [{score}]"

    def _turn(self, seat: int, dice: Sequence[int], notation: str) -> str:
        self._turns += 1
        return f"{self._turns:3}. {self._name(seat)} {''.join(map(str, dice))}: {notation}"

    def _name(self, seat: int) -> str:
        return self._names[seat] if seat < len(self._names) and self._names[seat] else f"seat {seat}"
