"""A writer on the in-memory log and bus, with a sender beside it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from libs.bus import CommandSender, MemoryBroker, ask
from libs.log import MemoryLog, MemoryStore
from libs.service.instruments import LogInstruments
from libs.service.metrics import Metrics
from libs.table.ids import table_id
from libs.table.jobs import InlineJobs, Jobs
from libs.table.life import any_of
from libs.table.queries import TableQueries
from libs.table.writer import Ports, Writer
from services.trictrac.rules import RULES
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt

LOG = "trictrac-0"


class Owned:
    """One log, its store and its broker; writers come and go."""

    def __init__(self, rules: Any = RULES) -> None:
        self.rules = rules
        self.log = f"{rules.game}-0"
        self.broker = MemoryBroker()
        self.store = MemoryStore()
        self.metrics = Metrics(process=False)
        self.sender = CommandSender(self.broker.connect("gateway"), "gateway.1")
        self.desk = self.broker.connect("desk")
        self.sent = 0

    def writer(self, owner: str = "one", jobs: Jobs | None = None) -> Writer:
        log = MemoryLog(self.store)
        ports = Ports(
            log, self.broker.connect(owner), jobs or InlineJobs(), LogInstruments(Metrics(process=False), self.log)
        )
        writer = Writer(self.rules, self.log, owner, ports)
        writer.serve_queries = TableQueries(writer, log).answer
        return writer

    @asynccontextmanager
    async def owning(self, owner: str = "one", jobs: Jobs | None = None) -> AsyncIterator[Writer]:
        """A writer that owns the log inside the block; drained afterwards."""
        writer = self.writer(owner, jobs)
        running = asyncio.create_task(writer.run())
        waiting = asyncio.create_task(writer.owning.wait())
        try:
            await asyncio.wait((running, waiting), return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                running.result()
            yield writer
        finally:
            waiting.cancel()
            if not running.done():
                await writer.drain()
            await asyncio.gather(running, waiting, return_exceptions=True)

    async def send(self, player: str, table: str, command_id: str = "", **body: Any) -> pb.Answer:
        """A player's command, and its answer."""
        self.sent += 1
        name = command_id or f"c{self.sent}"

        def build(reply_to: str) -> bytes:
            return pb.Command(
                command_id=name,
                table_id=table,
                actor=pb.Actor(id=player, name=player, kind=pb.ACTOR_KIND_PLAYER),
                answer_to=reply_to,
                **body,
            ).SerializeToString()

        return pb.Answer.FromString(await self.sender.send(self.log, table, build, None))

    async def throw(self, player: str, table: str, seat: int, command_id: str = "", **envelope: Any) -> pb.Answer:
        """A throw of trictrac."""
        act = pb.Act(seat=seat, body=any_of(tt.Throw()))
        return await self.send(player, table, command_id, act=act, **envelope)

    async def two_playing(self, **options: Any) -> str:
        """A table where ann (who starts) and ben play; its id."""
        table = table_id(self.rules.game, 1, "ann", f"open{self.sent}")
        asked = any_of(tt.Options(seats=2, first_starter=0, **options))
        answer = await self.send("ann", table, f"open{self.sent}", open_table=pb.OpenTable(options=asked))
        assert answer.HasField("accepted"), answer
        await self.send("ben", table, sit=pb.Sit())
        await self.send("ann", table, start=pb.Start())
        return table

    async def query(self, **body: Any) -> pb.QueryReply:
        """A query to the owner."""
        return pb.QueryReply.FromString(await ask(self.desk, self.log, pb.Query(**body).SerializeToString()))
