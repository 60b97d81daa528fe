"""What every bus must do. Run on the one in memory here and on NATS in tests/integration/bus."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator

import pytest

from libs.bus import (
    Backlog,
    BusPort,
    CommandSender,
    Committed,
    Fact,
    Live,
    NoAnswer,
    NoOwner,
    Position,
    QueryFailed,
    Raw,
    Subscribed,
    Unavailable,
    answer,
    ask,
    publish_live,
    publish_owner,
    serve,
    subscribe_live,
    subscribe_owner,
)


class Hand:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Inbox:
    """Collects what a subscription brings."""

    def __init__(self, bus: BusPort, subject: str) -> None:
        self.got: asyncio.Queue[tuple[str, bytes, str]] = asyncio.Queue()
        self.heard: Subscribed = bus.subscribe(subject, self._hear)

    def _hear(self, subject: bytes, reply: bytes, data: bytes, header: bytes) -> None:
        self.got.put_nowait((subject.decode(), data, reply.decode()))

    async def next(self) -> tuple[str, bytes, str]:
        return await self.got.get()


class FakeLog:
    """A committed log to relay from."""

    def __init__(self, size: int = 0) -> None:
        self.records: list[Committed] = []
        self.grow(size)

    def grow(self, more: int) -> list[Committed]:
        start = len(self.records) + 1
        fresh = [
            (n, f"t{n % 3}", ("clock", "play", "table")[n % 3], b"event %d" % n) for n in range(start, start + more)
        ]
        self.records += fresh
        return fresh

    async def read(self, after: int, limit: int) -> list[Committed]:
        return self.records[after : after + limit]

    def facts(self, after: int = 0) -> list[Fact]:
        return [Fact(*record) for record in self.records[after:]]


async def take_all(reader: object, count: int) -> list[Raw]:
    """Take until `count` are there."""
    taken: list[Raw] = []
    while len(taken) < count:
        taken += await reader.take()  # type: ignore[attr-defined]
    return taken


class BusCase:
    """The abstract test case; a subclass gives the fixtures `bus` and `far`, two connections to one broker."""

    @pytest.fixture
    def log(self) -> str:
        return f"game-{secrets.token_hex(4)}"

    @pytest.fixture
    async def bus(self) -> AsyncIterator[BusPort]:
        raise NotImplementedError
        yield

    @pytest.fixture
    async def far(self) -> AsyncIterator[BusPort]:
        raise NotImplementedError
        yield

    async def send_all(self, bus: BusPort, log: str, count: int, start: int = 0) -> None:
        """Publish commands and wait until the stream has them all."""
        acks = Inbox(bus, f"acks.{log}")
        for n in range(start, start + count):
            bus.publish(f"cmd.{log}.t{n % 3}", b"command %d" % n, f"acks.{log}")
        for _ in range(count):
            assert b'"seq"' in (await acks.next())[1]
        acks.heard.close()

    # messages that nobody keeps

    async def test_publish_reaches_subscribers_in_order(self, bus: BusPort, far: BusPort, log: str) -> None:
        exact, wild = Inbox(bus, f"{log}.a.b"), Inbox(bus, f"{log}.*.>")
        await self.settle(bus)
        for n in range(3):
            far.publish(f"{log}.a.b", b"%d" % n, "back")
        assert [await exact.next() for _ in range(3)] == [(f"{log}.a.b", b"%d" % n, "back") for n in range(3)]
        assert [(await wild.next())[1] for _ in range(3)] == [b"0", b"1", b"2"]

    async def test_closed_subscription_hears_nothing(self, bus: BusPort, far: BusPort, log: str) -> None:
        closed, kept = Inbox(bus, f"{log}.x"), Inbox(bus, f"{log}.*")
        await self.settle(bus)
        closed.heard.close()
        await self.settle(bus)
        far.publish(f"{log}.x", b"1")
        await kept.next()
        assert closed.got.empty()

    async def settle(self, bus: BusPort) -> None:
        """Wait until the broker has seen everything this connection wrote before."""
        echo = Inbox(bus, f"settle.{id(bus)}")
        bus.publish(f"settle.{id(bus)}", b"")
        await echo.next()
        echo.heard.close()

    # queries

    async def test_ask_and_serve(self, bus: BusPort, far: BusPort, log: str) -> None:
        async def handler(data: bytes) -> bytes:
            return data[::-1]

        served = serve(far, log, handler)
        await self.settle(far)
        assert await ask(bus, log, b"abc") == b"cba"
        served.close()
        await self.settle(far)
        with pytest.raises(NoOwner, match=log):
            await ask(bus, log, b"abc")

    async def test_a_failing_query_says_so(self, bus: BusPort, far: BusPort, log: str) -> None:
        async def handler(data: bytes) -> bytes:
            raise ValueError("a bug")

        serve(far, log, handler)
        await self.settle(far)
        with pytest.raises(QueryFailed):
            await ask(bus, log, b"")

    async def test_too_large_an_answer_is_a_failed_query(self, bus: BusPort, far: BusPort, log: str) -> None:
        async def handler(data: bytes) -> bytes:
            return b"x" * (2 * 1024 * 1024)

        serve(far, log, handler)
        await self.settle(far)
        with pytest.raises(QueryFailed):
            await ask(bus, log, b"")

    async def test_no_answer_in_time(self, bus: BusPort, far: BusPort, log: str) -> None:
        async def handler(data: bytes) -> bytes:
            await asyncio.Event().wait()
            return b""

        serve(far, log, handler)
        await self.settle(far)
        with pytest.raises(NoAnswer):
            await ask(bus, log, b"", timeout_s=0.01)

    async def test_request_to_nobody(self, bus: BusPort, log: str) -> None:
        with pytest.raises(Unavailable):
            await bus.request(f"{log}.nobody", b"")

    # live

    async def test_live_updates_reach_their_audience(self, bus: BusPort, far: BusPort, log: str) -> None:
        got: asyncio.Queue[Live] = asyncio.Queue()
        owners: asyncio.Queue[str] = asyncio.Queue()
        subscribe_live(bus, log, "t1", "public", got.put_nowait)
        subscribe_live(bus, "*", "*", "bot.*", got.put_nowait)
        subscribe_owner(bus, log, lambda name, data: owners.put_nowait(name))
        await self.settle(bus)
        publish_live(far, log, "t1", "seat.0", b"secret")
        publish_live(far, log, "t2", "public", b"other")
        publish_live(far, log, "t1", "public", b"seen")
        assert await got.get() == Live(log, "t1", "public", b"seen")
        publish_live(far, log, "t9", "bot.3", b"for a bot")
        assert await got.get() == Live(log, "t9", "bot.3", b"for a bot")
        publish_owner(far, log)
        assert await owners.get() == log
        assert got.empty()

    # commands

    async def test_commands_come_in_order(self, bus: BusPort, far: BusPort, log: str) -> None:
        reader = await far.commands(log, Position())
        await self.send_all(bus, log, 20)
        taken = await take_all(reader, 20)
        assert [raw.seq for raw in taken] == list(range(1, 21))
        assert [raw.data for raw in taken] == [b"command %d" % n for n in range(20)]
        assert [raw.stream for raw in taken[:3]] == ["t0", "t1", "t2"]
        assert [raw.at_us for raw in taken] == sorted(raw.at_us for raw in taken)
        assert reader.stream_created > 0
        await reader.close()

    async def test_take_gives_at_most(self, bus: BusPort, far: BusPort, log: str) -> None:
        reader = await far.commands(log, Position())
        await self.send_all(bus, log, 5)
        taken: list[Raw] = []
        while len(taken) < 5:
            some = await reader.take(2)
            assert 1 <= len(some) <= 2
            taken += some
        assert [raw.seq for raw in taken] == [1, 2, 3, 4, 5]
        await reader.close()

    async def test_reading_goes_on_from_a_position(self, bus: BusPort, far: BusPort, log: str) -> None:
        first = await far.commands(log, Position())
        await self.send_all(bus, log, 5)
        taken = await take_all(first, 5)
        await first.close()
        second = await far.commands(log, Position(first.stream_created, 3, taken[2].at_us))
        assert await take_all(second, 2) == taken[3:]
        await second.close()

    async def test_a_cancelled_take_loses_nothing(self, bus: BusPort, far: BusPort, log: str) -> None:
        reader = await far.commands(log, Position())
        waiting = asyncio.create_task(reader.take())
        await self.settle(far)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await self.send_all(bus, log, 2)
        assert len(await take_all(reader, 2)) == 2
        await reader.close()

    async def test_fetch_and_history(self, bus: BusPort, far: BusPort, log: str) -> None:
        reader = await far.commands(log, Position())
        await self.send_all(bus, log, 8)
        taken = await take_all(reader, 8)
        assert await reader.fetch([5, 2, 99]) == [taken[4], taken[1]]
        assert await reader.history(0, before_seq=7, most=3) == taken[3:6]
        assert await reader.history(0, before_seq=100, most=3) == taken[5:]
        assert await reader.history(0, before_seq=1, most=3) == []
        assert await reader.history(taken[4].at_us, before_seq=8, most=100) == [
            raw for raw in taken[:7] if raw.at_us >= taken[4].at_us
        ]
        await reader.close()

    # sending

    async def test_send_gives_the_answer(self, bus: BusPort, far: BusPort, log: str) -> None:
        reader = await far.commands(log, Position())
        sender = CommandSender(bus, f"test.{log}")
        calls = [asyncio.create_task(sender.send(log, "t1", lambda to: to.encode())) for _ in range(3)]
        for raw in await take_all(reader, 3):
            answer(far, raw.data.decode(), b"yes %d" % raw.seq)
        assert await asyncio.gather(*calls) == [b"yes 1", b"yes 2", b"yes 3"]
        assert sender.open == 0
        sender.close()
        await reader.close()

    async def test_unanswered_commands_go_again_after_1_2_4_seconds(self, bus: BusPort, far: BusPort, log: str) -> None:
        reader = await far.commands(log, Position())
        hand = Hand()
        sender = CommandSender(bus, f"test.{log}", clock=hand)
        call = asyncio.create_task(sender.send(log, "t1", lambda to: to.encode()))
        sent = [(await reader.take())[0].data]
        for wait in (1.0, 2.0, 4.0):
            hand.now += wait - 0.01
            sender.tick()
            assert sender.resent == len(sent) - 1
            hand.now += 0.01
            sender.tick()
            sent += [raw.data for raw in await reader.take()]
        assert len(set(sent)) == 1 and len(sent) == 4
        hand.now = 110.0
        sender.tick()
        with pytest.raises(NoAnswer, match="4 tries"):
            await call
        sender.close()
        await reader.close()

    async def test_without_a_deadline_it_goes_on(self, bus: BusPort, far: BusPort, log: str) -> None:
        reader = await far.commands(log, Position())
        hand = Hand()
        sender = CommandSender(bus, f"test.{log}", clock=hand)
        call = asyncio.create_task(sender.send(log, "t1", lambda to: to.encode(), None))
        await reader.take()
        for _ in range(10):
            hand.now += 4.0
            sender.tick()
            (raw,) = await reader.take()
        answer(far, raw.data.decode(), b"late")
        assert await call == b"late"
        sender.close()
        await reader.close()

    async def test_no_command_stream_is_no_owner(self, bus: BusPort, log: str) -> None:
        hand = Hand()
        sender = CommandSender(bus, f"test.{log}", clock=hand)
        call = asyncio.create_task(sender.send(log, "t1", lambda to: to.encode()))
        while not sender.open:  # else what settles would be written before the command
            await asyncio.sleep(0)
        await self.settle(bus)
        hand.now += 10.0
        sender.tick()
        with pytest.raises(NoOwner, match=log):
            await call
        sender.close()

    async def test_too_many_open_commands_are_a_backlog(self, bus: BusPort, far: BusPort, log: str) -> None:
        reader = await far.commands(log, Position())
        sender = CommandSender(bus, f"test.{log}", most_open=2)
        calls = [asyncio.create_task(sender.send(log, "t1", lambda to: to.encode())) for _ in range(2)]
        raws = await take_all(reader, 2)
        with pytest.raises(Backlog):
            await sender.send(log, "t1", lambda to: b"")
        for raw in raws:
            answer(far, raw.data.decode(), b"")
        await asyncio.gather(*calls)
        sender.close()
        await reader.close()

    # events

    async def test_events_have_the_log_s_positions(self, bus: BusPort, far: BusPort, log: str) -> None:
        source = FakeLog(1500)
        relay = far.relay(log, source.read)
        await relay.start()
        reader = bus.events(log, 0)
        assert await take_all(reader, 1500) == source.facts()
        relay.notify(source.grow(1))
        assert await reader.take() == source.facts(1500)
        relay.notify(source.grow(3))
        assert await take_all(reader, 3) == source.facts(1501)
        await reader.close()
        await relay.close()

    async def test_events_behind_a_position_and_of_a_kind(self, bus: BusPort, far: BusPort, log: str) -> None:
        source = FakeLog(30)
        relay = far.relay(log, source.read)
        await relay.start()
        behind, clocks, two = (
            bus.events(log, 20),
            bus.events(log, 10, ("clock",)),
            bus.events(log, 0, ("clock", "table")),
        )
        assert await take_all(behind, 10) == source.facts(20)
        assert await take_all(clocks, 7) == [fact for fact in source.facts(10) if fact.kind == "clock"]
        assert await take_all(two, 20) == [fact for fact in source.facts() if fact.kind != "play"]
        for reader in (behind, clocks, two):
            await reader.close()
        await relay.close()

    async def test_a_reader_ahead_of_the_relay_waits(self, bus: BusPort, far: BusPort, log: str) -> None:
        source = FakeLog(5)
        reader = bus.events(log, 5)
        waiting = asyncio.create_task(reader.take())
        relay = far.relay(log, source.read)
        await relay.start()
        await self.settle(bus)
        assert not waiting.done()
        relay.notify(source.grow(1))
        assert await waiting == source.facts(5)
        await reader.close()
        await relay.close()

    async def test_two_relays_send_everything_once(self, bus: BusPort, far: BusPort, log: str) -> None:
        source = FakeLog(2000)
        relays = [far.relay(log, source.read), bus.relay(log, source.read)]
        for relay in relays:
            await relay.start()
        reader = bus.events(log, 0)
        assert await take_all(reader, 2000) == source.facts()
        fresh = source.grow(100)
        for relay in relays:
            relay.notify(fresh)
        assert await take_all(reader, 100) == source.facts(2000)
        await reader.close()
        for relay in relays:
            await relay.close()
