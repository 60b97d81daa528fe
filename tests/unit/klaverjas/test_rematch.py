"""After a rematch has begun, the hands of the play before are still open, and those of the new one are not."""

from random import Random
from typing import Any

from google.protobuf.message import Message

from libs.table.life import RESTING, any_of
from libs.table.views import Happened, event_views
from services.klaverjas.rules import RULES
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table
from tests.unit.table.desk import ANN, Desk


def open_hands(desk: Desk, events: list[Message], seat: int | None) -> list[int]:
    """How many hands the audience is shown in each deal."""
    happened = [Happened(number, 0, "", event) for number, event in enumerate(events, 1)]
    shown: list[int] = []
    for view in event_views(happened, desk.table, seat):
        if view.body.Is(pb.CardsDealt.DESCRIPTOR):
            dealt = pb.CardsDealt()
            view.body.Unpack(dealt)
            shown.append(sum(bool(hand.ByteSize()) for hand in dealt.hands))
    return shown


def test_hands_of_the_play_before_stay_open() -> None:
    desk = Desk(RULES)
    events = desk.do(ANN, table.OpenTable(hot_seat=True, options=any_of(pb.Options(boompjes=1))))
    for _ in range(3):
        events += desk.do(ANN, table.Sit())
    events += desk.do(ANN, table.Ready(on=True))
    assert (open_hands(desk, events, 2), open_hands(desk, events, None)) == ([1], [0])
    rng = Random(1)
    while desk.table.life.state != RESTING:
        state: Any = desk.table.game
        (seat,) = RULES.to_act(state)
        events += desk.act(ANN, seat, rng.choice(list(RULES.some(state, seat))))
    events += desk.do(ANN, table.Ready(on=True))
    assert desk.table.life.play == 2
    assert (open_hands(desk, events, 2), open_hands(desk, events, None)) == ([4, 1], [4, 0])
