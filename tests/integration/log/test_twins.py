"""Whatever two processes do to a log, the twin in memory and Postgres answer the same."""

from __future__ import annotations

import asyncio
from itertools import count
from uuid import uuid4

import asyncpg
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from libs.log import Batch, Cursor, Head, Log, LogError, MemoryLog, MemoryStore, Secret, Snapshot, migrate, open_log
from tests.unit.log.samples import AT, event

LEASE = 1000.0

process = st.integers(0, 1)
stream = st.sampled_from("ab")
steps = st.lists(
    st.one_of(
        st.tuples(st.just("claim"), process, st.sampled_from(["anna", "bert"])),
        st.tuples(st.just("release"), process),
        st.tuples(st.just("extend"), process, st.booleans()),
        st.tuples(st.just("age")),
        st.tuples(
            st.just("append"), process, st.lists(stream, max_size=4), st.integers(0, 3), st.sampled_from([0, 0, 0, 1])
        ),
        st.tuples(st.just("snapshot"), process, stream, st.integers(1, 6), st.sampled_from(["f1", "f2"])),
        st.tuples(st.just("checkpoint"), process, st.integers(0, 5)),
    ),
    max_size=14,
)


class Pair:
    """One adapter under test: two processes, and what each knows of the head."""

    def __init__(self, logs: list[Log], name: str) -> None:
        self.logs, self.name = logs, name
        self.heads: list[Head | None] = [None, None]
        self.sequence = 0

    def stream(self, letter: str) -> str:
        return f"{self.name}-{letter}"

    async def play(self, step: tuple[object, ...]) -> object:
        """Do one step; what it answered, without what depends on the clock."""
        try:
            return await self._play(*step)
        except LogError as e:
            return type(e).__name__

    async def _play(self, verb: object, who: int, *rest: object) -> object:
        log, head = self.logs[who], self.heads[who]
        if verb == "claim":
            got = await log.claim(self.name, str(rest[0]), LEASE)
            self.heads[who] = got or head
            return timeless(got)
        if verb == "snapshot":
            letter, ver, fold = rest
            await log.save_snapshots([Snapshot(self.stream(str(letter)), ver, fold, b"state")])  # type: ignore[arg-type]
        elif verb == "checkpoint":
            await log.save_checkpoint(self.name, 1, self.name, rest[0])  # type: ignore[arg-type]
        elif head is None:
            return None
        elif verb == "release":
            await log.release(head)
        elif verb == "extend":
            self.heads[who] = await log.extend(head, LEASE, idle=bool(rest[0]))
            return timeless(self.heads[who])
        else:
            self.heads[who], records = await log.append(head, await self.batch(log, *rest))  # type: ignore[arg-type]
            return timeless(self.heads[who]), records
        return None

    async def batch(self, log: Log, letters: list[str], moved: int, skew: int) -> Batch:
        """Events with the next versions of their streams, or (`skew`) one that is taken."""
        versions: dict[str, int] = {}
        events = []
        for letter in letters:
            name = self.stream(letter)
            if name not in versions:
                versions[name] = len(await log.read_stream(name, 0, 1000))
            versions[name] += 1
            events.append(event(name, max(1, versions[name] - skew)))
        self.sequence += moved
        seeds = (Secret(self.name, self.sequence, b"s" * 32),) if moved else ()
        return Batch(events, Cursor(AT, self.sequence, AT, tuple(range(moved))), seeds)

    async def seen(self) -> object:
        """All that can be read."""
        log = self.logs[0]
        names = [self.stream(letter) for letter in "ab"]
        return (
            timeless(await log.head(self.name)),
            await log.read(self.name, 0, 1000),
            await log.secrets([self.name]),
            await log.load(names, "f1"),
            await log.load(names, "f2"),
            await log.checkpoints(self.name, 1),
        )


def timeless(head: Head | None) -> Head | None:
    return None if head is None else replace(head, lease_until=0, gap=None)


def test_the_twins_agree(pg_dsn: str) -> None:
    schema, numbers = f"t{uuid4().hex[:12]}", count()
    with asyncio.Runner() as runner:
        runner.run(migrate(pg_dsn, schema))
        real = [runner.run(open_log(pg_dsn, schema)) for _ in range(2)]
        owner = runner.run(asyncpg.connect(pg_dsn, server_settings={"search_path": schema}))

        async def compare(script: list[tuple[object, ...]]) -> None:
            name, now = f"trictrac-{next(numbers)}", [AT]
            store = MemoryStore(lambda: now[0])
            twins = Pair([MemoryLog(store), MemoryLog(store)], name), Pair(list(real), name)
            for step in script:
                if step[0] == "age":
                    now[0] += 2_000_000_000
                    await owner.execute(
                        "UPDATE log_head SET lease_until = lease_until - 2000000000, alive_at = alive_at - 2000000000"
                        " WHERE log = $1",
                        name,
                    )
                    continue
                memory, postgres = [await twin.play(step) for twin in twins]
                assert memory == postgres, step
            memory, postgres = [await twin.seen() for twin in twins]
            assert memory == postgres

        @settings(max_examples=60, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
        @given(steps)
        def scripts(script: list[tuple[object, ...]]) -> None:
            runner.run(compare(script))

        try:
            scripts()
        finally:
            for log in real:
                runner.run(log.close())
            runner.run(owner.execute(f"DROP SCHEMA {schema} CASCADE; DROP ROLE {schema}_writer"))
            runner.run(owner.close())
