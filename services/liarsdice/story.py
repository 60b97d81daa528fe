"""A game of liar's dice in one line a round: the bids, the lift, what lay there, who lost. Pure."""

from collections.abc import Iterable, Sequence

from google.protobuf.message import Message

from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb


class Story:
    """Hears the events of a game in order and tells a round when it is lost."""

    def __init__(self, names: Sequence[str]) -> None:
        """`names` by seat."""
        self._names = tuple(names)
        self._round = 0
        self._bids: list[str] = []
        self._lift = ""
        self._helt: int | None = None

    def hear(self, event: Message) -> Iterable[str]:
        """The line of a round when it is lost, and what a game's end means for the road to Viborg."""
        if isinstance(event, pb.CupsShaken):
            self._round, self._bids, self._lift = event.round, [], ""
        elif isinstance(event, pb.BidMade):
            clock = " (clock)" * event.auto
            self._bids.append(f"{self._name(event.seat)} {_bid(event.quantity, event.face)}{clock}")
        elif isinstance(event, pb.CupsLifted):
            self._lift = f"there are {event.count}"
        elif isinstance(event, pb.Lifted):
            self._bids.append(f"{self._name(event.seat)} lifts{' (clock)' * event.auto}")
        elif isinstance(event, pb.RoundLost):
            why = "a lie" if event.reason == "lie" else "held"
            told = f"{', '.join(self._bids)}: {self._lift}, {why}"
            yield f"round {self._round:2}  {told}  → {self._name(event.seat)} loses"
        elif isinstance(event, pb.SeatsOut):
            yield f"          out and safe: {', '.join(self._name(seat) for seat in event.seats)}"
        elif isinstance(event, pb.GameStarted) and event.finale:
            yield f"game {event.game}, the final in Viborg: {self._name(event.starter)} opens"
        elif isinstance(event, pb.GameLost):
            yield f"game {event.game}: {self._name(event.seat)} is left with dice and loses"
        elif isinstance(event, pb.SentToViborg):
            yield f"{self._name(event.seat)} goes to Viborg"
        elif isinstance(event, pb.TabtHelt):
            self._helt = event.seat
            yield f"{self._name(event.seat)} has lost altogether" + (", a selvbinder" if event.selvbinder else "")
        elif isinstance(event, pb.FinaleCalled):
            yield f"the next game is the final of {' and '.join(self._name(seat) for seat in event.seats)}"
        elif isinstance(event, pb.RoundGiven):
            stroke = "a stroke on the board, and " if self._helt == event.seat else ""
            self._helt = None
            yield f"{stroke}{self._name(event.seat)} gives a round: {event.rounds_given} so far"
        elif isinstance(event, pb.MatsTurnedGreen):
            yield "all mats turn green"

    def _name(self, seat: int) -> str:
        return self._names[seat] if seat < len(self._names) and self._names[seat] else f"seat {seat}"


def _bid(quantity: int, face: str) -> str:
    return f"{quantity} of a kind" if face == "any" else f"{quantity}x{face}"
