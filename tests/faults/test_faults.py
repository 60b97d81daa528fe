"""Thirty tables are played with clocks on while processes are killed with `kill -9`; then the audit.

The short form is part of `make test`; `make faults` kills a hundred times (KILLS) and prints each.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from deploy.catalog import available as available_services
from deploy.local.stack import LocalStack, StackOptions
from libs.bus import Bus
from libs.bus.ports import Fact
from libs.log import EventRecord, open_log
from libs.readmodel.builds import connected, request_rebuild, standings
from services.tally.lobby import Lobby
from services.tally.plays import Plays
from services.trictrac.rules import RULES
from tests.faults import audit
from tests.faults.storm import Storm

KILLS = int(os.environ.get("KILLS", "8"))
TABLES = 30
LOG = "trictrac-0"
GAMES = ("backgammon", "carrom", "klaverjas", "liarsdice", "trictrac")
ENV = {"STAMTAFEL_BOT_PACE": "0", "STAMTAFEL_COMMANDS_PER_SECOND": "100000", "STAMTAFEL_REQUESTS_PER_SECOND": "100000"}
GRACE_US = 3_000_000
READ_MODELS = ("lobby_table", "play", "player_game", "player_place")


def available() -> list[str]:
    """Names of the services that are here."""
    return [service.name for service in available_services()]


async def the_log(stack: LocalStack, game: str = "trictrac") -> list[EventRecord]:
    log = await open_log(stack.database_url, game)
    try:
        records: list[EventRecord] = []
        while page := await log.read(f"{game}-0", len(records), 5000):
            records.extend(page)
        return records
    finally:
        await log.close()


async def the_stream(stack: LocalStack, log: str, until: int) -> list[Fact]:
    """The event stream from its beginning to a position."""
    bus = await Bus.connect(stack.nats_url, "audit")
    reader = bus.events(log, 0)
    try:
        facts: list[Fact] = []
        while not facts or facts[-1].seq < until:
            facts.extend(await reader.take(5000))
        return [fact for fact in facts if fact.seq <= until]
    finally:
        await reader.close()
        await bus.close()


async def rows(stack: LocalStack) -> dict[str, list[Any]]:
    """What tally's read models say."""
    connection = await asyncpg.connect(stack.database_url)
    try:
        return {
            name: sorted(
                (tuple(row.values()) for row in await connection.fetch(f"SELECT * FROM tally.{name}")), key=repr
            )
            for name in READ_MODELS
        }
    finally:
        await connection.close()


async def tally_reached(stack: LocalStack, log: str, pos: int) -> None:
    """Waits until the active builds have folded the log up to a position (of the kinds that they read)."""
    async with connected(stack.database_url, "tally") as connection:
        while True:
            known = [s for s in await standings(connection) if s.build.state == "active" and s.log == log]
            if len(known) >= 2 and all(one.pos >= pos for one in known):
                return
            await asyncio.sleep(0.05)


async def rebuilt(stack: LocalStack) -> None:
    """Has tally fold its read models from zero, and waits until it shows the new ones."""
    async with connected(stack.database_url, "tally") as connection:
        wanted = [await request_rebuild(connection, "tally", projection) for projection in (Lobby(), Plays())]
        while True:
            active = {s.build.build for s in await standings(connection) if s.build.state == "active"}
            if {build.build for build in wanted} <= active:
                return
            await asyncio.sleep(0.05)


async def others_are_sound(stack: LocalStack, game: str) -> None:
    """Chain, effects and stream of another game's log, whose tables computer players play."""
    rules = importlib.import_module(f"services.{game}.rules").RULES
    log = f"{game}-0"
    records = await the_log(stack, game)
    assert {record.type.rpartition(".")[2] for record in records} >= {"TableOpened", "PlayBegan"}
    assert audit.chain(log, records) == []
    assert audit.acceptances([], records) == []
    assert audit.clocks(rules, records) == []
    assert audit.stream(await the_stream(stack, log, records[-1].pos), records) == []


@pytest.mark.parametrize("standby", [True, False] if KILLS > 50 else [True], ids=lambda one: f"standby={one}")
async def test_nothing_is_lost_or_doubled(tmp_path: Path, standby: bool, capsys: pytest.CaptureFixture[str]) -> None:
    def say(line: str) -> None:
        with capsys.disabled():
            print(line, flush=True)

    tell: Callable[[str], None] = say if KILLS > 50 else lambda _: None
    async with LocalStack(tmp_path / "stack", StackOptions(env=ENV)) as stack:
        await stack.start([name for name in available() if name in (*GAMES, "tally", "timer", "bots", "gateway")])
        if standby:
            await stack.add_replica("trictrac")
        storm = Storm(stack, TABLES, seed=KILLS, say=tell)
        await storm.rage(KILLS)
        records = await the_log(stack)
        while late := audit.overdue(RULES, records, time.time_ns() // 1000, GRACE_US):
            await asyncio.sleep(0.2)
            before, records = records, await the_log(stack)
            assert (
                len(records) > len(before) or len(late) == 0 or time.time_ns() // 1000 - records[-1].at < 30_000_000
            ), late
        assert audit.chain(LOG, records) == []
        assert audit.acceptances(storm.told, records) == []
        assert audit.clocks(RULES, records) == []
        assert audit.stream(await the_stream(stack, LOG, records[-1].pos), records) == []
        for game in available():
            if game != "trictrac" and game in GAMES:
                await others_are_sound(stack, game)
        assert len(storm.told) > TABLES
        await stack.kill("timer", restart=False)  # nothing more happens: people, bots and clocks are still
        await stack.kill("bots", restart=False)
        for game in GAMES:
            if game in available():
                of_tables = [record.pos for record in await the_log(stack, game) if record.kind == "table"]
                await tally_reached(stack, f"{game}-0", of_tables[-1])
        shown = await rows(stack)
        await rebuilt(stack)
        assert await rows(stack) == shown
        if storm.takeovers:
            tell(
                f"takeovers: median {statistics.median(storm.takeovers):.2f} s, longest {max(storm.takeovers):.2f} s;"
                f" {len(storm.told)} acceptances, {len(storm.unanswered)} unanswered, {len(records)} events: sound"
            )
