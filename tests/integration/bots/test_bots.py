"""Bots, timer and tally as processes beside a real game service: killed in mid-play, and the play ends all the same."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg

from deploy.local.stack import LocalStack, StackOptions
from libs.bus import Bus, BusError, CommandSender, Live, ask, subscribe_live
from libs.table.ids import table_id
from libs.table.life import any_of
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt

LOG = "trictrac-0"


class Guest:
    """A person at a table, without the gateway."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.sender = CommandSender(bus, "guest")
        self.sent = 0

    async def send(self, table: str, **body: Any) -> pb.Answer:
        """One command, sent until it is answered."""
        self.sent += 1
        actor = pb.Actor(id="ann", name="Ann", kind=pb.ACTOR_KIND_PLAYER)

        def build(reply_to: str) -> bytes:
            command_id = f"guest{self.sent}"
            return pb.Command(
                command_id=command_id, table_id=table, actor=actor, answer_to=reply_to, **body
            ).SerializeToString()

        return pb.Answer.FromString(await self.sender.send(LOG, table, build, None))

    async def view(self, table: str) -> pb.TableView:
        """The table as its guest sees it; asked until somebody owns the log."""
        query = pb.Query(get_view=pb.GetViewRequest(table_id=table, viewer=pb.Viewer(player="ann")))
        while True:
            try:
                reply = pb.QueryReply.FromString(await ask(self.bus, LOG, query.SerializeToString()))
            except BusError:
                await asyncio.sleep(0)  # let the connection come back
                continue
            return reply.get_view.view


@asynccontextmanager
async def guest(url: str) -> AsyncIterator[Guest]:
    bus = await Bus.connect(url, "guest")
    made = Guest(bus)
    try:
        yield made
    finally:
        made.sender.close()
        await bus.close()


async def until_result(person: Guest, table: str, *mishaps: Callable[[], Awaitable[None]]) -> pb.TableView:
    """Throw whenever it is our turn, until the play has ended; a mishap happens after each of the first throws."""
    left = list(mishaps)
    async with asyncio.timeout(120):
        while True:
            view = await person.view(table)
            if view.state == pb.TABLE_STATE_RESTING:
                return view
            if 0 in view.to_act:
                await person.send(table, act=pb.Act(seat=0, body=any_of(tt.Throw())))
                if left:
                    await left.pop(0)()


async def test_a_play_survives_everything_that_is_killed(tmp_path: Path) -> None:
    options = StackOptions(env={"STAMTAFEL_BOT_PACE": "0"})
    async with LocalStack(tmp_path, options) as stack:
        await stack.start(["trictrac", "tally", "timer", "bots"])
        async with guest(stack.nats_url) as person:
            noticed = asyncio.Event()

            def hear(live: Live) -> None:
                noticed.set()

            subscribe_live(person.bus, "tally", "lobby", "public", hear)
            table = table_id("trictrac", 1, "ann", "guest1")
            opened = await person.send(table, open_table=pb.OpenTable(options=any_of(tt.Options(seats=3, points=2))))
            assert opened.HasField("accepted"), opened
            for seat, level in ((1, "normal"), (2, "hard")):
                await person.send(table, seat_bot=pb.SeatBot(seat=seat, level=level))
            assert (await person.send(table, start=pb.Start())).HasField("accepted")
            view = await until_result(
                person,
                table,
                lambda: stack.kill("bots"),
                lambda: stack.kill("tally"),
                lambda: stack.kill("trictrac"),
                lambda: stack.kill("nats"),
            )
            assert sorted(view.result.places) == [1, 2, 3]
            await stack.wait_ready()
            await asyncio.wait_for(noticed.wait(), 30)
            connection = await asyncpg.connect(stack.database_url)
            try:
                async with asyncio.timeout(30):
                    query = "SELECT places FROM tally.play WHERE table_id = $1 AND ended_at IS NOT NULL"
                    while (places := await connection.fetchval(query, table)) is None:
                        noticed.clear()
                assert places == list(view.result.places)
                state = await connection.fetchval("SELECT state FROM tally.lobby_table WHERE table_id = $1", table)
                assert state == "resting"
                assert await connection.fetchval("SELECT count(*) FROM tally.poison") == 0
            finally:
                await connection.close()
