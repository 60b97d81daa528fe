"""Computer players at real tables of trictrac: the kit's writer and the bots on an in-memory bus."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from libs.bus import CommandSender
from libs.readmodel import Feed, MemoryRow
from libs.table.ids import table_id
from libs.table.jobs import InlineJobs
from libs.table.life import any_of
from libs.testing.clock import ScriptedClock
from services.bots import brains
from services.bots.bots import KINDS, UNHEARD_S, Bots, Ports
from services.bots.brains import Thinker
from services.bots.census import Seat
from services.bots.chair import Manners
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt
from tests.unit.table.owned import LOG, Owned


class Counts:
    """Counts answers and tells who waits for them."""

    def __init__(self) -> None:
        self.codes: list[str] = []
        self.failures = 0

    def acted(self, code: str) -> None:
        self.codes.append(code)

    def failed(self) -> None:
        self.failures += 1


class Regulars:
    """A bots process that can be killed and started again."""

    def __init__(self, owned: Owned) -> None:
        self.owned = owned
        self.clock = ScriptedClock()
        self.row = MemoryRow()
        self.counts = Counts()
        self._number = 0

    @asynccontextmanager
    async def running(self, deaf: bool = False) -> AsyncIterator[Bots]:
        self._number += 1
        bus = self.owned.broker.connect("bots")
        sender = CommandSender(bus, f"bots{self._number}")
        bots = Bots(
            [LOG],
            Ports(bus, lambda log, position: Feed(bus, log, position, KINDS), self.row, self.clock, self.clock.sleep),
            Manners(
                thinker=Thinker(InlineJobs()),
                send=partial(sender.send, deadline_s=None),
                report=self.counts,
                pace=0.0,
                now=self.clock,
                sleep=self.clock.sleep,
                seed=lambda: 11,
            ),
        )
        await bots.load()
        if not deaf:
            bots.listen()
        tasks = [asyncio.create_task(bots.follow(LOG)), asyncio.create_task(bots.sweep())]
        try:
            yield bots
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await bots.close()
            sender.close()
            await bus.close()


async def eventually(condition: Callable[[], bool]) -> None:
    """Turns of the loop until it is so."""
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0)


async def bots_table(owned: Owned, seats: int = 3, level: str = "normal", points: int = 1) -> str:
    """A table of one person, who is out of it soon enough, and bots; started."""
    table = table_id("trictrac", 1, "ann", f"open{owned.sent}")
    options = any_of(tt.Options(seats=seats, points=points))
    answer = await owned.send("ann", table, f"open{owned.sent}", open_table=pb.OpenTable(options=options))
    assert answer.HasField("accepted"), answer
    for seat in range(1, seats):
        assert (await owned.send("ann", table, seat_bot=pb.SeatBot(seat=seat, level=level))).HasField("accepted")
    assert (await owned.send("ann", table, start=pb.Start())).HasField("accepted")
    return table


async def view_of(owned: Owned, table: str, **viewer: Any) -> pb.TableView:
    reply = await owned.query(get_view=pb.GetViewRequest(table_id=table, viewer=pb.Viewer(**viewer)))
    assert reply.HasField("get_view"), reply
    return reply.get_view.view


async def throw_while_in_turn(owned: Owned, table: str) -> None:
    """Ann throws until the turn has gone to a bot."""
    while 0 in (await view_of(owned, table, player="ann")).to_act:
        await owned.throw("ann", table, 0)


async def play_out(owned: Owned, table: str) -> pb.TableView:
    """Ann throws whenever she may; the bots do the rest."""
    async with asyncio.timeout(60):
        while True:
            view = await view_of(owned, table, player="ann")
            if view.state == pb.TABLE_STATE_RESTING:
                return view
            if 0 in view.to_act:
                await owned.throw("ann", table, 0)
            await asyncio.sleep(0)


async def test_a_table_is_played_to_its_end() -> None:
    owned = Owned()
    regulars = Regulars(owned)
    async with owned.owning(), regulars.running() as bots:
        tables = [await bots_table(owned, level=level) for level in ("easy", "normal", "hard")]
        for table in tables:
            view = await play_out(owned, table)
            assert sorted(place for place in view.result.places) == [1, 2, 3]
        assert regulars.counts.failures == 0
        assert regulars.counts.codes.count("accepted") > 10
        assert len(bots.census) == 3


async def test_killed_in_mid_play_and_found_again_by_the_sweep() -> None:
    owned = Owned()
    regulars = Regulars(owned)
    async with owned.owning():
        async with regulars.running(deaf=True) as bots:  # it never heard that it is its turn
            table = await bots_table(owned)
            while 0 in (await view_of(owned, table, player="ann")).to_act:
                await owned.throw("ann", table, 0)
            await eventually(lambda: len(bots.census) == 1)
            assert await bots.save()
        row = regulars.row.data
        async with regulars.running() as bots:
            assert row is not None
            await play_out(owned, table)
        regulars.row.data = None  # and without any row: everything is folded again
        async with regulars.running() as bots:
            await eventually(lambda: len(bots.census) == 1)
            assert not await view_is_waiting(owned, table)


async def view_is_waiting(owned: Owned, table: str) -> bool:
    view = await view_of(owned, table, player="ann")
    return bool(view.to_act) and 0 not in view.to_act


async def test_a_lost_update_is_found_by_the_sweep() -> None:
    owned = Owned()
    regulars = Regulars(owned)
    async with owned.owning(), regulars.running(deaf=True) as bots:
        table = await bots_table(owned, seats=2, points=5)
        await eventually(lambda: len(bots.census) == 1)
        await throw_while_in_turn(owned, table)
        before = len(regulars.counts.codes)
        regulars.clock.advance(UNHEARD_S + 1)
        await bots.sweep_once()
        await eventually(lambda: len(regulars.counts.codes) > before)
        assert await bots.sweep_once() == 0  # heard of just now
        await throw_while_in_turn(owned, table)
        regulars.clock.advance(UNHEARD_S + 1)
        await bots.sweep_once()
        await eventually(lambda: regulars.counts.codes.count("accepted") > before + 1)


async def test_a_new_owner_makes_it_ask_at_once() -> None:
    owned = Owned()
    regulars = Regulars(owned)
    async with regulars.running() as bots:
        async with owned.owning("one"):
            table = await bots_table(owned)
            await play_out(owned, table)
            await eventually(lambda: bool(bots.chairs))
            heard = {place: chair.heard_at for place, chair in bots.chairs.items()}
        regulars.clock.advance(1)
        async with owned.owning("two"):
            await eventually(lambda: all(bots.chairs[place].heard_at > at for place, at in heard.items()))


async def test_a_refusing_owner_is_not_asked_in_a_loop() -> None:
    owned = Owned()
    regulars = Regulars(owned)
    async with owned.owning(), regulars.running(deaf=True) as bots:
        ghost = Seat(LOG, f"{LOG}-ghost", 1)
        bots.census.seats = lambda: iter([ghost])  # type: ignore[method-assign]
        assert await bots.sweep_once() in (0, 1)
        assert await bots.sweep_once() == 0
        regulars.clock.advance(UNHEARD_S + 1)
        assert await bots.sweep_once() == 1


def test_heavy_thinking_goes_as_plain_bytes() -> None:
    view = tt.View()
    sight = ("trictrac", 1, "normal", any_of(tt.Options(seats=2)).SerializeToString(), any_of(view).SerializeToString())
    command, memory, _ = brains.think_packed((*sight, ("throw",), []), None, 3)
    assert command is not None
    assert memory is None


async def test_heavy_levels_go_to_a_job(monkeypatch: Any) -> None:
    ran: list[str] = []

    class Jobs(InlineJobs):
        async def run(self, job: Any) -> Any:
            ran.append(job.function.__name__)
            return await super().run(job)

    heavy = brains.mind("trictrac")._replace(heavy=frozenset({"hard"}))
    monkeypatch.setattr(brains, "mind", lambda _: heavy)
    options, view = any_of(tt.Options(seats=2)), any_of(tt.View())
    for level in ("normal", "hard"):
        sight = brains.Sight("trictrac", 1, level, options, view, ("throw",), [])
        command, _, wait_s = await Thinker(Jobs()).think(sight, None, 3)
        assert command is not None
        assert command.TypeName() == "stamtafel.trictrac.v1.Throw"
        assert wait_s > 0
    assert ran == ["think_packed"]
