"""The log in memory: the port's test case, and what only the twin can do (losing a connection on purpose)."""

from __future__ import annotations

import pytest

from libs.log import Log, MemoryLog, MemoryStore, OutcomeUnknown, Unavailable
from tests.unit.log.log_port import LOG, LogPort, World, claimed
from tests.unit.log.samples import AT, batch, event


class MemoryWorld(World):
    def __init__(self) -> None:
        self.now = AT
        self.store = MemoryStore(lambda: self.now)

    async def open(self) -> Log:
        return MemoryLog(self.store)

    async def age(self, log: str, seconds: float) -> None:
        self.now += round(seconds * 1e6)


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld()


class TestMemoryLog(LogPort):
    pass


async def test_short_silence_is_no_gap(world: MemoryWorld) -> None:
    anna, bert = await world.open(), await world.open()
    head = await claimed(anna)
    await world.age(LOG, 2)
    head = await anna.extend(head, 1)
    await world.age(LOG, 2)
    head, _ = await anna.append(head, batch(1))
    assert head.gap is None
    await world.age(LOG, 1.5)
    taken = await claimed(bert, "bert")
    assert taken.gap is None
    assert await bert.downs(LOG) == []


@pytest.mark.parametrize("stored", [False, True])
async def test_a_lost_connection_leaves_the_outcome_to_the_claim(world: MemoryWorld, stored: bool) -> None:
    log = MemoryLog(world.store)
    head = await claimed(log)
    log.lose_next(stored)
    with pytest.raises(OutcomeUnknown):
        await log.append(head, batch(1, event("t1", 1)))
    head = await claimed(log)
    assert head.pos == int(stored)
    if not stored:
        head, _ = await log.append(head, batch(1, event("t1", 1)))
    assert [r.ver for r in await log.read(LOG, 0, 9)] == [1]


async def test_a_database_that_is_away(world: MemoryWorld) -> None:
    log = MemoryLog(world.store)
    head = await claimed(log)
    log.away = True
    for call in (log.claim(LOG, "anna"), log.append(head, batch(1)), log.extend(head), log.read(LOG, 0, 1)):
        with pytest.raises(Unavailable):
            await call
    log.away = False
    assert (await claimed(log)).pos == 0
