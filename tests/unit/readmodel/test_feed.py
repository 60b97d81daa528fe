"""The feed: from the stream, from the owner's log when behind, and over the seam without a gap."""

import pytest

from libs.bus import Fact, MemoryBroker, NoOwner
from libs.readmodel import Feed, LogRefused
from stamtafel.table.v1.table_pb2 import ClocksSet, SeatLeft
from tests.unit.readmodel.records import Script


async def take_until(feed: Feed, position: int) -> list[Fact]:
    facts: list[Fact] = []
    while not facts or facts[-1].seq < position:
        facts += await feed.take(100)
    return facts


def long_log(n: int) -> Script:
    script = Script()
    for i in range(n):
        script.add(
            f"t{i % 3}", ClocksSet() if i % 10 == 9 else SeatLeft(seat=i % 4), "clock" if i % 10 == 9 else "table"
        )
    return script


async def test_reads_the_stream() -> None:
    script, broker = long_log(30), MemoryBroker()
    broker.relayed(script.log, script.facts())
    assert await take_until(Feed(broker.connect(), script.log, 12, None), 30) == script.facts(12)


@pytest.mark.parametrize("first", [1002, 2400])
async def test_what_the_stream_lost_comes_from_the_owner(first: int) -> None:
    script, broker = long_log(2500), MemoryBroker()
    broker.relayed(script.log, script.facts(first - 1))
    script.serve(broker.connect())
    feed = Feed(broker.connect(), script.log, 7, None)
    assert await take_until(feed, 2500) == script.facts(7)
    assert feed.lost == 1


async def test_one_kind_from_both_sources() -> None:
    script, broker = long_log(1300), MemoryBroker()
    broker.relayed(script.log, script.facts(1100))
    script.serve(broker.connect())
    facts = await take_until(Feed(broker.connect(), script.log, 0, ("clock",)), 1300)
    assert facts == [fact for fact in script.facts() if fact.kind == "clock"]


async def test_behind_and_nobody_owns_the_log() -> None:
    script, broker = long_log(50), MemoryBroker()
    broker.relayed(script.log, script.facts(20))
    with pytest.raises(NoOwner):
        await Feed(broker.connect(), script.log, 0, None).take()


async def test_an_owner_that_lost_events_is_not_skipped_over() -> None:
    script, broker = long_log(50), MemoryBroker()
    broker.relayed(script.log, script.facts(20))
    Script().serve(broker.connect())
    with pytest.raises(LogRefused, match="behind 0"):
        await Feed(broker.connect(), script.log, 0, None).take()
