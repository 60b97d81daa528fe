"""Commands for a benchmark, made in advance: many tables played offline by the kit, so that the feeder costs nothing.

The seeds come from a counter instead of the operating system, in the order in which the tables are opened, so the
writer that reads these commands later decides exactly the same.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from google.protobuf.message import Message

from libs.table.decide import decide
from libs.table.life import GATHERING, PLAYING, any_of
from libs.table.standing import AnyRules
from libs.table.tables import Table, memory_key
from stamtafel.table.v1 import table_pb2 as pb

START_US = 1_700_000_000_000_000
ACTOR = pb.Actor(id="bench", name="bench", kind=pb.ACTOR_KIND_PLAYER)


class CountedSeeds:
    """`random_bytes` of a house whose seeds repeat from run to run."""

    def __init__(self) -> None:
        self._made = 0

    def __call__(self, size: int) -> bytes:
        self._made += 1
        return self._made.to_bytes(size, "big")


class BenchHouse:
    """The house of one offline table: its seeds are those that the writer will draw for it."""

    def __init__(self, first: int) -> None:
        self._next = first

    def seed(self) -> bytes:
        """The table's only seed (scripts end before the play does)."""
        return self._next.to_bytes(32, "big")

    def code(self) -> str:
        """Not used."""
        return ""

    def downs(self) -> Sequence[tuple[int, int]]:
        """None."""
        return ()


class Script:
    """Tables of one player at all seats (hot-seat), each with its commands in order."""

    def __init__(self, rules: AnyRules, log: str, options: Message, tables: int, acts: int) -> None:
        self.rules = rules
        self.tables = [f"{log}-bench{number:011d}" for number in range(tables)]
        self.opening: list[tuple[str, bytes]] = []
        self.playing: list[tuple[str, bytes]] = []
        rows = [self._play(number, options, acts) for number in range(tables)]
        for step in range(len(rows[0][0])):
            self.opening.extend(row[0][step] for row in rows)
        for step in range(max(len(row[1]) for row in rows)):
            self.playing.extend(row[1][step] for row in rows if step < len(row[1]))

    def _play(
        self, number: int, options: Message, acts: int
    ) -> tuple[list[tuple[str, bytes]], list[tuple[str, bytes]]]:
        rules, table_id = self.rules, self.tables[number]
        table, house = Table(rules, table_id), BenchHouse(number + 1)
        rng = random.Random(number)
        sent: list[tuple[str, bytes]] = []

        def send(command: pb.Command) -> None:
            draft = decide(table, table.seed, command, START_US, house)
            draft.draws_taken()
            table.adopt(draft, memory_key(ACTOR.id, command.command_id))
            sent.append((table_id, command.SerializeToString()))

        def command(**body: Message) -> pb.Command:
            name = f"{number}-{len(sent)}"
            return pb.Command(
                command_id=name, table_id=table_id, actor=ACTOR, answer_to=f"ans.bench.{number}", valid_for_ms=0, **body
            )  # pyright: ignore[reportArgumentType]

        send(command(open_table=pb.OpenTable(options=any_of(options), hot_seat=True)))
        while table.life.state == GATHERING:
            free = [n for n, seat in enumerate(table.life.seats) if not seat.taken]
            send(command(sit=pb.Sit()) if free else command(ready=pb.Ready(on=True)))
        opening, sent = sent, []
        self._count = len(opening)
        while len(sent) < acts and table.life.state == PLAYING:
            seat = min(rules.to_act(table.game))
            body = rng.choice(list(rules.some(table.game, seat)))
            made = command(act=pb.Act(seat=seat, body=any_of(body)))
            made.command_id = f"{number}-{len(opening) + len(sent)}"
            before = len(sent)
            send(made)
            if table.life.state != PLAYING:
                del sent[before:]  # the next seed would be drawn in another order
        return opening, sent
