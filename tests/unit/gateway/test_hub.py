"""The watch hub: shared feeds, gaps, owners that come and go, reconnects, and what is left behind (nothing)."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.bus import MemoryBroker, ask
from services.gateway.errors import Denied
from services.gateway.feed import Heard, Outcome, Reader
from services.gateway.hub import Hub
from services.gateway.outbox import MOST_UPDATES, Lane, Outbox
from services.gateway.owners import Owners
from services.gateway.wire import Chunk
from stamtafel.table.v1 import table_pb2 as table
from tests.unit.gateway.owner import Owner
from tests.unit.gateway.waiting import until

TABLE = "trictrac-0-abc"
LOG = "trictrac-0"


class Sink:
    """Takes what a reader gets."""

    def __init__(self) -> None:
        self.updates: list[table.Update] = []
        self.ended: Denied | None = None
        self.room = 10_000
        self.came = asyncio.Event()

    def push(self, chunk: Chunk) -> bool:
        self.room -= 1
        if self.room < 0:
            return False
        self.updates.append(table.Update.FromString(chunk.data))
        self.came.set()
        return True

    def end(self, why: Denied) -> None:
        self.ended = why
        self.came.set()

    @property
    def version(self) -> int:
        return self.updates[-1].version if self.updates else 0

    async def reach(self, version: int) -> None:
        while self.version < version:
            self.came.clear()
            await self.came.wait()

    def joined(self) -> bool:
        """Versions join without gaps, each once."""
        return all(b.from_version == a.version or b.reset for a, b in zip(self.updates, self.updates[1:], strict=False))


class Bench:
    """A hub and an owner on one broker; sleeps of the hub end when the test says so."""

    def __init__(self) -> None:
        self.broker = MemoryBroker()
        self.bus = self.broker.connect("gateway")
        self.owner = Owner(self.broker.connect("owner"))
        self.naps: list[float] = []
        self.woken = asyncio.Event()
        self.hub = Hub(self.bus, Owners(functools.partial(ask, self.bus)), self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.woken.clear()
        await self.woken.wait()

    def reader(self, sink: Sink, player: str = "cleo", seat: int | None = None, since: int | None = None) -> Reader:
        request = table.WatchRequest(table_id=TABLE, viewer=table.Viewer(player=player, seat=seat), from_version=since)
        return Reader(LOG, request, sink.push, sink.end)

    async def join(
        self, player: str = "cleo", seat: int | None = None, since: int | None = None
    ) -> tuple[Reader, Sink]:
        sink = Sink()
        reader = self.reader(sink, player, seat, since)
        await self.hub.join(reader)
        return reader, sink

    async def quiet(self) -> None:
        """Until no question of the hub is under way."""
        await until(lambda: not (self.hub.tasks or self.bus._out or self.owner.bus._out))


@pytest.fixture
async def b() -> AsyncIterator[Bench]:
    made = Bench()
    await made.owner.start()
    yield made
    await made.hub.close()
    await made.owner.stop()


async def test_readers_of_one_audience_share_a_feed(b: Bench) -> None:
    found = b.owner.open(holders=("ann",))
    joined = [await b.join() for _ in range(3)]
    seat = await b.join("ann")
    assert (b.hub.feeds, b.hub.readers) == (2, 4)
    b.owner.move(found)
    for _, sink in (*joined, seat):
        await sink.reach(4)
    for reader, _ in (*joined, seat):
        b.hub.leave(reader)
        b.hub.leave(reader)
    assert (b.hub.feeds, b.hub.readers) == (0, 0)


async def test_what_happens_between_listening_and_the_reply_is_delivered_once(b: Bench) -> None:
    found = b.owner.open()
    b.owner.interest.add((TABLE, "public"))
    moves = iter((1, 1))
    b.owner.before_reply = lambda _: [b.owner.move(found) for _ in range(next(moves, 0))]
    _, sink = await b.join()
    b.owner.move(found)
    await sink.reach(5)
    await b.quiet()
    assert sink.joined()
    assert [update.version for update in sink.updates] == [4, 5]


async def test_a_gap_is_filled_by_the_owner(b: Bench) -> None:
    found = b.owner.open()
    (_, one), (_, two) = await b.join(), await b.join()
    b.owner.move(found, publish=False)
    b.owner.move(found, publish=False)
    b.owner.move(found)
    for sink in (one, two):
        await sink.reach(6)
    await b.quiet()
    assert one.joined() and two.joined()
    assert b.owner.queries.count("watch") == 3  # two joined; the feed asked once for both


async def test_a_renewal_that_names_a_newer_version_catches_up(b: Bench) -> None:
    found = b.owner.open()
    _, sink = await b.join()
    b.owner.move(found, publish=False)
    await b.hub.renew()
    await sink.reach(4)
    assert sink.joined()
    await b.quiet()
    asked = b.owner.queries.count("watch")
    await b.hub.renew()
    await b.quiet()
    assert b.owner.queries.count("watch") == asked


async def test_an_owners_notice_and_a_reconnect_make_it_ask_again(b: Bench) -> None:
    found = b.owner.open()
    _, sink = await b.join()
    b.owner.move(found, publish=False)
    b.owner.notice()
    await sink.reach(4)
    b.owner.move(found, publish=False)
    b.bus.disconnect()
    b.bus.reconnect()
    await sink.reach(5)
    assert sink.joined()


async def test_an_owner_that_is_away_is_asked_until_it_is_back(b: Bench) -> None:
    found = b.owner.open()
    _, sink = await b.join()
    await b.owner.stop()
    b.hub.refresh()
    for _ in range(3):
        await until(lambda: b.naps and not b.woken.is_set())
        b.woken.set()
        b.naps.clear()
    b.owner.move(found, publish=False)
    await b.owner.start()
    while sink.version < 4:
        b.woken.set()
        await asyncio.sleep(0)
    assert sink.joined()


async def test_a_join_without_an_owner_says_so_and_leaves_nothing(b: Bench) -> None:
    await b.owner.stop()
    with pytest.raises(Denied) as caught:
        await b.join()
    assert caught.value.reason == "NO_OWNER"
    assert (b.hub.feeds, b.hub.readers, b.hub.tasks) == (0, 0, 0)
    await b.owner.start()


async def test_a_reader_that_is_full_leaves_alone(b: Bench) -> None:
    found = b.owner.open()
    (_, slow), (_, quick) = await b.join(), await b.join()
    slow.room = 1
    for _ in range(5):
        b.owner.move(found)
    await quick.reach(8)
    assert slow.version == 4
    assert b.hub.readers == 1


async def test_garbage_on_a_live_subject_only_makes_it_ask(b: Bench) -> None:
    found = b.owner.open()
    _, sink = await b.join()
    b.owner.move(found, publish=False)
    b.owner.bus.publish(f"live.{LOG}.{TABLE}.public", b"\xff\xff\xff")
    await sink.reach(4)
    assert sink.joined()


async def test_five_thousand_cancelled_joins_leave_nothing(b: Bench) -> None:
    b.owner.open()
    before = len(asyncio.all_tasks())
    subscribed = sum(len(handlers) for handlers in b.broker._exact.values())
    for n in range(5000):
        task = asyncio.create_task(b.join())
        for _ in range(n % 5):
            await asyncio.sleep(0)
        if task.done():
            b.hub.leave(task.result()[0])
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await b.quiet()
    assert (b.hub.feeds, b.hub.readers, b.hub.tasks) == (0, 0, 0)
    await until(lambda: len(asyncio.all_tasks()) <= before)
    assert sum(len(handlers) for handlers in b.broker._exact.values()) == subscribed


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(("move", "lose", "jump", "notice", "break", "renew", "turn")), max_size=25))
async def test_every_later_update_once_in_order_whatever_gets_lost(steps: list[str]) -> None:
    b = Bench()
    await b.owner.start()
    found = b.owner.open()
    (_, one), (_, two) = await b.join(), await b.join(since=2)
    for step in steps:
        actions: dict[str, Callable[[], object]] = {
            "move": lambda: b.owner.move(found),
            "lose": lambda: b.owner.move(found, publish=False),
            "jump": lambda: b.owner.move(found, steps=3),
            "notice": b.owner.notice,
            "break": lambda: (b.bus.disconnect(), b.bus.reconnect()),
        }
        if step == "renew":
            await b.hub.renew()
        elif step == "turn":
            await asyncio.sleep(0)
        else:
            actions[step]()
    b.owner.move(found)
    b.hub.refresh()
    while one.version < found.version or two.version < found.version:
        b.woken.set()
        await asyncio.sleep(0)
    assert one.joined() and two.joined()
    await b.hub.close()
    await b.owner.stop()


def heard(since: int, version: int, *holders: str, reset: bool = False) -> Heard:
    return Heard(since, version, reset, holders, Chunk(b"", version))


def test_a_reader_takes_only_what_joins() -> None:
    taken: list[int] = []

    def push(chunk: Chunk) -> bool:
        taken.append(chunk.version)
        return True

    reader = Reader(LOG, table.WatchRequest(table_id=TABLE, viewer=table.Viewer(player="ann")), push, lambda _: None)
    assert reader.start(heard(0, 3), "public") is Outcome.TAKEN
    assert reader.offer(heard(2, 3)) is Outcome.TAKEN
    assert reader.offer(heard(4, 5)) is Outcome.GAP
    assert reader.offer(heard(2, 4)) is Outcome.GAP
    assert reader.offer(heard(3, 5)) is Outcome.TAKEN
    assert reader.offer(heard(0, 9, reset=True)) is Outcome.TAKEN
    assert taken == [3, 5, 9]


async def test_an_outbox_joins_what_waits_and_knows_full_lanes() -> None:
    outbox = Outbox()
    lane = Lane()
    for n in range(MOST_UPDATES):
        assert not lane.full
        outbox.put(bytes((n,)), lane)
    assert lane.full
    assert await outbox.take(10) == bytes(range(10))
    assert not lane.full
    assert await outbox.take(1) == b"\x0a"
    outbox.finish(Denied("RATE", "slowly"))
    outbox.finish()
    assert len(await outbox.take() or b"") == MOST_UPDATES - 11
    with pytest.raises(Denied):
        await outbox.take()
