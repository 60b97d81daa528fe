"""The bus in memory keeps the case of every bus, and plays a broker's faults."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from libs.bus import BusPort, CommandSender, Gap, Lost, MemoryBroker, MemoryBus, Position, answer
from tests.unit.bus.cases import BusCase, FakeLog, take_all


@pytest.fixture
def broker() -> MemoryBroker:
    return MemoryBroker()


class TestMemoryBus(BusCase):
    @pytest.fixture
    async def bus(self, broker: MemoryBroker) -> AsyncIterator[BusPort]:
        bus = broker.connect()
        yield bus
        await bus.close()

    @pytest.fixture
    async def far(self, broker: MemoryBroker) -> AsyncIterator[BusPort]:
        bus = broker.connect("far")
        yield bus
        await bus.close()


async def test_a_wiped_broker_loses_no_unanswered_command(broker: MemoryBroker) -> None:
    game, gateway = broker.connect(), broker.connect()
    reader = await game.commands("game-0", Position())
    sender = CommandSender(gateway, "test.1")
    first = asyncio.create_task(sender.send("game-0", "t", lambda to: to.encode()))
    (old,) = await reader.take()
    born = reader.stream_created
    broker.wipe()
    waiting = asyncio.create_task(reader.take())
    gateway.disconnect()
    gateway.reconnect()  # the sender repeats what is open
    (again,) = await waiting
    assert (again.seq, again.data) == (1, old.data)
    assert reader.stream_created != born
    answer(game, again.data.decode(), b"done")
    assert await first == b"done"


async def test_nothing_is_sent_late(broker: MemoryBroker) -> None:
    bus = MemoryBus(broker)
    reader = await bus.commands("game-0", Position())
    bus.publish("cmd.game-0.t", b"going out")
    bus.disconnect()
    bus.publish("cmd.game-0.t", b"while away")
    bus.reconnect()
    bus.publish("cmd.game-0.t", b"after")
    assert [raw.data for raw in await reader.take()] == [b"after"]


async def test_expired_commands_are_a_gap(broker: MemoryBroker) -> None:
    bus = broker.connect()
    broker.stream("game-0")
    for n in range(5):
        bus.publish("cmd.game-0.t", b"%d" % n)
    first = await bus.commands("game-0", Position())
    (one,) = await first.take(1)
    broker.expire("game-0", 3)
    gaps: list[Gap] = []
    second = await bus.commands("game-0", Position(first.stream_created, 1, one.at_us), gaps.append)
    assert [raw.seq for raw in await take_all(second, 2)] == [4, 5]
    assert gaps == [Gap("game-0", 2, 3)]


async def test_events_that_are_gone_are_lost(broker: MemoryBroker) -> None:
    bus, source = broker.connect(), FakeLog(10)
    broker.relayed("game-0", source.facts(4))
    with pytest.raises(Lost) as lost:
        await bus.events("game-0", 2).take()
    assert (lost.value.after, lost.value.first_available) == (2, 5)
