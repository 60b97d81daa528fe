"""A whole table of trictrac as the writer would store it: two plays between two people, linked in a chain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from google.protobuf.message import Message
from msgspec.structs import replace

from libs.log import start_hash
from libs.log.chain import link
from libs.log.export import export_lines, to_json
from libs.log.model import Cursor, EventRecord, Head, LinkedRecord, NewEvent
from libs.table.decide import decide
from libs.table.house import TableHouse
from libs.table.life import PLAYING, any_of, kind_of
from libs.table.tables import Table
from services.trictrac.rules import RULES
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt

TABLE = "trictrac-0-aaaaaaaaaaaaaaaa"
LOG = "trictrac-0"
PEOPLE = [pb.Actor(id=f"p{n}", name=name, kind=pb.ACTOR_KIND_PLAYER) for n, name in enumerate(("Ann", "Bob"))]
OPERATOR = pb.Actor(id="op", name="Op", kind=pb.ACTOR_KIND_OPERATOR)
SECOND = 1_000_000


class Recorder:
    """Decides commands at one table and keeps what a log would store."""

    def __init__(self) -> None:
        chance = Random(7)
        self.table = Table(RULES, TABLE)
        self.house = TableHouse(chance.randbytes)
        self.events: list[NewEvent] = []
        self.now = 1_000 * SECOND

    def do(self, actor: pb.Actor, body: Message) -> None:
        """One accepted command."""
        self.now += SECOND
        name = next(f.name for f in pb.Command.DESCRIPTOR.oneofs[0].fields if f.message_type == body.DESCRIPTOR)
        command_id = f"c{len(self.events)}"
        command = pb.Command(command_id=command_id, table_id=TABLE, actor=actor, **{name: body})
        before = self.table.version
        draft = decide(self.table, self.table.seed, command, self.now, self.house)
        draws = draft.draws_taken()
        for number, event in enumerate(draft.events):
            self.events.append(
                NewEvent(
                    stream=TABLE,
                    ver=before + number + 1,
                    type=event.DESCRIPTOR.full_name,
                    at=draft.now,
                    command_id=command_id,
                    correlation_id="",
                    causation_id="",
                    actor=actor.id,
                    draws=draws if number == 0 else 0,
                    data=event.SerializeToString(),
                    kind=kind_of(type(event)),
                )
            )
        self.table.adopt(draft, command_id)

    def play(self) -> None:
        """Everybody throws until the play is over."""
        while self.table.life.state == PLAYING:
            (seat,) = RULES.to_act(self.table.game)
            self.do(PEOPLE[seat], pb.Act(seat=seat, body=any_of(tt.Throw())))


def recorded(*, void_first: bool = False, running: bool = False) -> list[NewEvent]:
    """Events of a table: a play (voided half-way, if asked), then a rematch (still running, if asked)."""
    desk = Recorder()
    options = any_of(tt.Options(seats=2, points=2))
    desk.do(PEOPLE[0], pb.OpenTable(options=options, nonce=b"ann"))
    desk.do(PEOPLE[1], pb.Sit(nonce=b"bob"))
    for actor in PEOPLE:
        desk.do(actor, pb.Ready(on=True, nonce=b"ready"))
    if void_first:
        (seat,) = RULES.to_act(desk.table.game)
        desk.do(PEOPLE[seat], pb.Act(seat=seat, body=any_of(tt.Throw())))
        desk.do(OPERATOR, pb.VoidPlay(reason="a test"))
    else:
        desk.play()
    for actor in PEOPLE:
        desk.do(actor, pb.Ready(on=True))
    if not running:
        desk.play()
    return desk.events


def records(events: Iterable[NewEvent]) -> list[EventRecord]:
    """As they stand in a log."""
    return link(LOG, 0, start_hash(LOG), events)


def lines(stored: Sequence[EventRecord], skip: int = 0) -> list[str]:
    """As an export, without the first `skip` events."""
    before = [start_hash(LOG), *(record.hash for record in stored)]
    links = [LinkedRecord(prev, record) for prev, record in zip(before, stored, strict=False)][skip:]
    head = Head(LOG, 1, "test", stored[-1].pos, stored[-1].hash, Cursor(), 1, 0)
    return [to_json(line) for line in export_lines(head, links, [TABLE], 0)]


def changed(events: Sequence[NewEvent], index: int, message: Message) -> list[NewEvent]:
    """The same events with another message at one place."""
    return [replace(e, data=message.SerializeToString()) if n == index else e for n, e in enumerate(events)]
