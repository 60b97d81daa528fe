"""What every adapter of the log must do: one abstract test case, run on the memory and on the Postgres adapter."""

from __future__ import annotations

from abc import ABC, abstractmethod

import pytest

from libs.log import (
    BadBatch,
    Batch,
    BrokenChain,
    Cursor,
    Fenced,
    Head,
    Log,
    Secret,
    Snapshot,
    digest,
    start_hash,
    verify,
    verify_links,
    verify_log,
)
from tests.unit.log.samples import AT, batch, event

LOG = "trictrac-0"


class World(ABC):
    """One database, and as many processes with it as wanted."""

    @abstractmethod
    async def open(self) -> Log:
        """The log as a new process sees it."""

    @abstractmethod
    async def age(self, log: str, seconds: float) -> None:
        """Let `seconds` pass for the owner's lease and last sign of life."""


async def claimed(log: Log, owner: str = "anna", name: str = LOG) -> Head:
    head = await log.claim(name, owner, 60)
    assert head is not None
    return head


async def everything(log: Log) -> tuple[object, ...]:
    """All that a writer could have changed."""
    return (
        await log.head(LOG),
        await log.read(LOG, 0, 1000),
        await log.secrets(["t1", "t2"]),
        await log.downs(LOG),
    )


class LogPort:
    """The abstract case. A subclass gives the fixture `world`."""

    # Claims

    async def test_the_first_claim_makes_the_log(self, world: World) -> None:
        log = await world.open()
        assert await log.head(LOG) is None
        head = await claimed(log)
        assert (head.log, head.epoch, head.owner, head.pos, head.tries) == (LOG, 1, "anna", 0, 1)
        assert (head.hash, head.cursor, head.gap) == (start_hash(LOG), Cursor(), None)
        assert await log.head(LOG) == head
        assert await log.heads() == [head]
        assert await log.downs(LOG) == []

    async def test_nobody_else_gets_a_log_that_is_held(self, world: World) -> None:
        anna, bert = await world.open(), await world.open()
        head = await claimed(anna)
        assert await bert.claim(LOG, "bert") is None
        assert await bert.head(LOG) == head

    async def test_an_owner_may_claim_again_and_fences_its_own_past(self, world: World) -> None:
        log = await world.open()
        old = await claimed(log)
        new = await claimed(log)
        assert new.epoch == old.epoch + 1
        with pytest.raises(Fenced):
            await log.append(old, batch(1, event("t1", 1)))

    async def test_a_released_log_is_free_at_once(self, world: World) -> None:
        anna, bert = await world.open(), await world.open()
        await anna.release(await claimed(anna))
        assert (await claimed(bert, "bert")).epoch == 2

    async def test_a_lease_that_is_over_frees_the_log(self, world: World) -> None:
        anna, bert = await world.open(), await world.open()
        await claimed(anna)
        await world.age(LOG, 61)
        assert (await claimed(bert, "bert")).owner == "bert"

    async def test_releasing_what_another_has_does_nothing(self, world: World) -> None:
        anna, bert = await world.open(), await world.open()
        old = await claimed(anna)
        await world.age(LOG, 61)
        await claimed(bert, "bert")
        await anna.release(old)
        assert await (await world.open()).claim(LOG, "carla") is None

    # Tries

    async def test_tries_count_processes_that_died_without_progress(self, world: World) -> None:
        for expected in (1, 2, 3):
            log = await world.open()
            assert (await claimed(log)).tries == expected
        head = await claimed(log)
        assert head.tries == 3, "the same process claims again because of a doubt"
        head, _ = await log.append(head, Batch([], head.cursor))
        assert head.tries == 3, "the cursor did not move"
        head, _ = await log.append(head, batch(1))
        assert head.tries == 0
        assert (await claimed(await world.open())).tries == 1

    async def test_a_waiting_command_that_is_done_is_progress(self, world: World) -> None:
        log = await world.open()
        head, _ = await log.append(await claimed(log), Batch([], Cursor(AT, 5, AT, (4, 5))))
        log = await world.open()
        head = await claimed(log)
        assert head.tries == 1
        head, _ = await log.append(head, Batch([event("t1", 1)], Cursor(AT, 5, AT, (5,))))
        assert head.tries == 0

    async def test_a_release_or_an_idle_owner_clears_the_tries(self, world: World) -> None:
        log = await world.open()
        await log.release(await claimed(log))
        log = await world.open()
        head = await claimed(log)
        assert head.tries == 1
        assert (await log.extend(head)).tries == 1
        assert (await log.extend(head, idle=True)).tries == 0

    # Appending

    async def test_events_stand_in_order_with_their_hashes(self, world: World) -> None:
        log = await world.open()
        head = await claimed(log)
        head, first = await log.append(head, batch(1, event("t1", 1), event("t2", 1)))
        head, second = await log.append(head, batch(2, event("t1", 2, kind="clock", draws=0)))
        records = await log.read(LOG, 0, 10)
        assert records == first + second
        assert [r.pos for r in records] == [1, 2, 3]
        assert [(r.stream, r.ver) for r in records] == [("t1", 1), ("t2", 1), ("t1", 2)]
        assert records[0].hash == digest(start_hash(LOG), 1, event("t1", 1))
        assert (head.pos, head.hash, head.cursor) == (3, records[2].hash, Cursor(AT, 2, AT + 2))
        seen = await log.head(LOG)
        assert seen is not None
        assert (seen.pos, seen.hash, seen.cursor, seen.tries) == (3, head.hash, head.cursor, 0)
        assert verify(records, start_hash(LOG)).pos == 3

    async def test_a_batch_of_refusals_only_moves_the_cursor(self, world: World) -> None:
        log = await world.open()
        start = await claimed(log)
        head, records = await log.append(start, Batch([], Cursor(AT, 9, AT, (3, 7))))
        assert (records, head.pos, head.hash) == ([], 0, start.hash)
        seen = await log.head(LOG)
        assert seen is not None and seen.cursor == Cursor(AT, 9, AT, (3, 7))

    async def test_a_commit_extends_the_lease(self, world: World) -> None:
        log = await world.open()
        head = await log.claim(LOG, "anna", 100)
        assert head is not None
        await world.age(LOG, 90)
        await log.append(head, batch(1))
        await world.age(LOG, 90)
        assert await (await world.open()).claim(LOG, "bert") is None

    async def test_a_stale_writer_changes_nothing(self, world: World) -> None:
        anna, bert = await world.open(), await world.open()
        old, _ = await anna.append(await claimed(anna), batch(1, event("t1", 1)))
        await world.age(LOG, 61)
        await claimed(bert, "bert")
        before = await everything(bert)
        with pytest.raises(Fenced):
            await anna.append(old, batch(2, event("t1", 2), secrets=(Secret("t1", 1, b"s" * 32),)))
        with pytest.raises(Fenced):
            await anna.extend(old)
        assert await everything(bert) == before

    async def test_an_old_position_is_fenced(self, world: World) -> None:
        log = await world.open()
        start = await claimed(log)
        await log.append(start, batch(1, event("t1", 1)))
        before = await everything(log)
        with pytest.raises(Fenced):
            await log.append(start, batch(1, event("t1", 1)))
        assert await everything(log) == before

    async def test_a_log_never_claimed_here_is_fenced(self, world: World) -> None:
        head = await claimed(await world.open())
        with pytest.raises(Fenced):
            await (await world.open()).append(head, batch(1))

    @pytest.mark.parametrize(
        "bad",
        [
            batch(2, event("t1", 1)),
            batch(2, event("t2", 1), event("t2", 1)),
            batch(2, event("t2", 1, actor="nul\0")),
            batch(2, event("t2", 2**31)),
            batch(2, event("t2", -1)),
            batch(2, event("t2", 1, draws=2**31)),
            batch(2, event("t2", 1, at=2**63)),
            batch(2, event("t2", 1), secrets=(Secret("t1", 1, b"other"),)),
        ],
    )
    async def test_a_batch_that_cannot_stand_changes_nothing(self, world: World, bad: Batch) -> None:
        log = await world.open()
        head, _ = await log.append(await claimed(log), batch(1, event("t1", 1), secrets=(Secret("t1", 1, b"s" * 32),)))
        before = await everything(log)
        with pytest.raises(BadBatch):
            await log.append(head, bad)
        assert await everything(log) == before
        head, _ = await log.append(head, batch(2, event("t1", 2)))
        assert head.pos == 2

    async def test_logs_do_not_meet(self, world: World) -> None:
        log = await world.open()
        a, b = await claimed(log), await claimed(log, name="trictrac-1")
        await log.append(a, batch(1, event("t1", 1)))
        b, _ = await log.append(b, batch(1, event("u1", 1), event("u1", 2)))
        assert [r.stream for r in await log.read(LOG, 0, 10)] == ["t1"]
        assert b.pos == 2
        assert [h.log for h in await log.heads()] == [LOG, "trictrac-1"]

    # Times without an owner

    async def test_a_takeover_records_the_time_without_an_owner(self, world: World) -> None:
        anna, bert = await world.open(), await world.open()
        await claimed(anna)
        await world.age(LOG, 61)
        head = await claimed(bert, "bert")
        assert head.gap is not None
        assert head.gap[1] - head.gap[0] >= 61_000_000
        assert await bert.downs(LOG) == [head.gap]

    async def test_an_owner_that_was_silent_records_it_itself(self, world: World) -> None:
        log = await world.open()
        head = await claimed(log)
        await world.age(LOG, 5)
        head = await log.extend(head, 60)
        assert head.gap is not None and head.gap[1] - head.gap[0] >= 5_000_000
        first = head.gap
        await world.age(LOG, 7)
        head, _ = await log.append(head, batch(1))
        assert head.gap is not None and head.gap[1] - head.gap[0] >= 7_000_000
        assert set(await log.downs(LOG)) == {first, head.gap}

    # Reading

    async def test_reading_by_portions(self, world: World) -> None:
        log = await world.open()
        assert await log.read(LOG, 0, 10) == []
        await log.append(await claimed(log), batch(1, *[event("t1", v) for v in range(1, 8)]))
        assert [r.pos for r in await log.read(LOG, 0, 3)] == [1, 2, 3]
        assert [r.pos for r in await log.read(LOG, 5, 3)] == [6, 7]
        assert await log.read(LOG, 7, 3) == []
        assert [r.ver for r in await log.read_stream("t1", 4, 2)] == [5, 6]
        assert await log.read_stream("unknown", 0, 2) == []

    async def test_links_let_a_table_be_checked_alone(self, world: World) -> None:
        log = await world.open()
        events = [event("t1", 1), event("t2", 1), event("t1", 2), event("t1", 3)]
        await log.append(await claimed(log), batch(1, *events))
        records = await log.read(LOG, 0, 10)
        links = await log.read_links(LOG, [4, 3, 1, 99])
        assert [link.record for link in links] == [records[0], records[2], records[3]]
        assert [link.prev_hash for link in links] == [start_hash(LOG), records[1].hash, records[2].hash]
        assert verify_links(links) == 3
        assert await log.read_links("unknown", [1]) == []

    async def test_loading_without_a_snapshot(self, world: World) -> None:
        log = await world.open()
        await log.append(await claimed(log), batch(1, event("t1", 1), event("t2", 1), event("t1", 2)))
        loaded = await log.load(["t1", "t2", "t3", "t1"], "fold-1")
        assert set(loaded) == {"t1", "t2"}
        assert loaded["t1"].snapshot is None
        assert [r.ver for r in loaded["t1"].tail] == [1, 2]
        assert loaded["t1"].tail == await log.read_stream("t1", 0, 9)
        assert await log.load([], "fold-1") == {}

    async def test_loading_with_a_snapshot(self, world: World) -> None:
        log = await world.open()
        await log.append(await claimed(log), batch(1, *[event("t1", v) for v in (1, 2, 3)], event("t2", 1)))
        kept = Snapshot("t1", 2, "fold-1", b"state")
        await log.save_snapshots([kept, Snapshot("t2", 1, "fold-1", b"")])
        loaded = await log.load(["t1", "t2"], "fold-1")
        assert loaded["t1"].snapshot == kept
        assert [r.ver for r in loaded["t1"].tail] == [3]
        assert loaded["t2"].snapshot == Snapshot("t2", 1, "fold-1", b"")
        assert loaded["t2"].tail == []
        other = (await log.load(["t1"], "fold-2"))["t1"]
        assert other.snapshot is None and len(other.tail) == 3

    async def test_an_older_snapshot_loses_and_another_fold_wins(self, world: World) -> None:
        log = await world.open()
        await log.append(await claimed(log), batch(1, *[event("t1", v) for v in (1, 2, 3)]))
        await log.save_snapshots([Snapshot("t1", 3, "fold-1", b"three"), Snapshot("t1", 2, "fold-1", b"two")])
        await log.save_snapshots([Snapshot("t1", 1, "fold-1", b"one")])
        assert (await log.load(["t1"], "fold-1"))["t1"].snapshot == Snapshot("t1", 3, "fold-1", b"three")
        await log.save_snapshots([Snapshot("t1", 1, "fold-2", b"one")])
        assert (await log.load(["t1"], "fold-1"))["t1"].snapshot is None
        assert (await log.load(["t1"], "fold-2"))["t1"].snapshot == Snapshot("t1", 1, "fold-2", b"one")
        await log.save_snapshots([])

    async def test_a_snapshot_of_what_was_never_committed_is_ignored(self, world: World) -> None:
        log = await world.open()
        await log.append(await claimed(log), batch(1, event("t1", 1)))
        await log.save_snapshots([Snapshot("t1", 2, "fold-1", b"lost"), Snapshot("t9", 1, "fold-1", b"lost")])
        loaded = await log.load(["t1", "t9"], "fold-1")
        assert set(loaded) == {"t1"}
        assert loaded["t1"].snapshot is None and [r.ver for r in loaded["t1"].tail] == [1]

    async def test_seeds_are_kept_apart_from_events(self, world: World) -> None:
        log = await world.open()
        seeds = (Secret("t1", 1, b"a" * 32), Secret("t1", 2, b"b" * 32), Secret("t2", 1, b"c" * 32))
        await log.append(await claimed(log), batch(1, secrets=seeds))
        assert await log.secret("t1", 2) == b"b" * 32
        assert await log.secret("t1", 3) is None
        assert await log.secrets(["t1"]) == list(seeds[:2])
        assert "aaaa" not in repr(seeds)

    async def test_checkpoints_never_go_back(self, world: World) -> None:
        log = await world.open()
        assert await log.checkpoints("results", 1) == {}
        for pos in (3, 7, 5):
            await log.save_checkpoint("results", 1, LOG, pos)
        await log.save_checkpoint("results", 1, "trictrac-1", 2)
        assert await log.checkpoints("results", 1) == {LOG: 7, "trictrac-1": 2}
        assert await log.checkpoints("results", 2) == {}

    # Verification

    async def test_a_whole_log_verifies(self, world: World) -> None:
        log = await world.open()
        head = await claimed(log)
        for ver in range(1, 6):
            head, _ = await log.append(head, batch(ver, event("t1", ver), event("t2", ver)))
        verified = await verify_log(log, LOG, page=3)
        assert (verified.pos, verified.hash, verified.events) == (10, head.hash, 10)
        assert (await verify_log(log, "unknown")).events == 0

    async def test_a_version_left_out_is_found(self, world: World) -> None:
        log = await world.open()
        await log.append(await claimed(log), batch(1, event("t1", 1), event("t1", 3)))
        with pytest.raises(BrokenChain, match="t1 has version 3, expected 2"):
            await verify_log(log, LOG)
