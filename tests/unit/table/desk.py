"""A table desk for tests: the kit's `decide` on one trictrac table, with chosen time and seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.message import Message

from libs.table.decide import decide
from libs.table.draft import Draft
from libs.table.life import any_of
from libs.table.rules import Refused
from libs.table.tables import Table, memory_key
from services.trictrac.rules import RULES
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt

SECOND = 1_000_000
TABLE = "trictrac-0-aaaaaaaaaaaaaaaa"


class House:
    """Seeds and codes that can be told apart; gaps as the test says."""

    def __init__(self) -> None:
        self.made = 0
        self.gaps: list[tuple[int, int]] = []

    def seed(self) -> bytes:
        self.made += 1
        return bytes([self.made]) * 32

    def code(self) -> str:
        self.made += 1
        return f"CODE{self.made:02d}"

    def downs(self) -> Sequence[tuple[int, int]]:
        return self.gaps


class Desk:
    """One table. `do` sends a command and returns the events; the clock stands still unless moved by `later`."""

    def __init__(self, rules: Any = RULES) -> None:
        self.rules = rules
        self.table = Table(rules, TABLE)
        self.house = House()
        self.now = 1_000 * SECOND
        self.sent = 0

    def later(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)

    def do(self, actor: pb.Actor, body: Message, **envelope: Any) -> list[Message]:
        self.sent += 1
        name = next(f.name for f in pb.Command.DESCRIPTOR.oneofs[0].fields if f.message_type == body.DESCRIPTOR)
        command = pb.Command(command_id=f"c{self.sent}", table_id=TABLE, actor=actor, **{name: body}, **envelope)
        draft = self.decide(command)
        self.table.draws = draft.draws - draft.draws_taken()
        draft.draws_taken()
        self.table.adopt(draft, memory_key(actor.id, command.command_id))
        return draft.events

    def decide(self, command: pb.Command) -> Draft:
        return decide(self.table, self.table.seed, command, self.now, self.house)

    def refused(self, actor: pb.Actor, body: Message, **envelope: Any) -> Refused:
        before = (self.table.version, self.table.life, self.table.game)
        try:
            self.do(actor, body, **envelope)
        except Refused as refusal:
            assert (self.table.version, self.table.life, self.table.game) == before
            return refusal
        raise AssertionError(f"{type(body).__name__} was accepted")

    def act(self, actor: pb.Actor, seat: int, body: Message, **envelope: Any) -> list[Message]:
        return self.do(actor, pb.Act(seat=seat, body=any_of(body)), **envelope)

    def clock_id(self) -> str:
        return self.table.life.clocks[0].clock_id


def player(name: str) -> pb.Actor:
    return pb.Actor(id=name, name=name.title(), kind=pb.ACTOR_KIND_PLAYER)


ANN, BEN, CAS = player("ann"), player("ben"), player("cas")
TIMER = pb.Actor(id="timer", kind=pb.ACTOR_KIND_TIMER)
OPERATOR = pb.Actor(id="olga", kind=pb.ACTOR_KIND_OPERATOR)
SERVICE = pb.Actor(id="tally", kind=pb.ACTOR_KIND_SERVICE)
BOTS = pb.Actor(id="bots", kind=pb.ACTOR_KIND_BOT)


def opened(**options: Any) -> pb.OpenTable:
    return pb.OpenTable(options=any_of(tt.Options(**options)))


def names(events: Sequence[Message]) -> list[str]:
    return [type(event).DESCRIPTOR.name for event in events]


def two_playing(desk: Desk, **options: Any) -> None:
    """Ann and Ben at a table for two, playing; Ann starts."""
    asked: dict[str, Any] = {"seats": 2, "first_starter": 0, **options}
    desk.do(ANN, opened(**asked))
    desk.do(BEN, pb.Sit())
    desk.do(ANN, pb.Ready(on=True))
    desk.do(BEN, pb.Ready(on=True))
