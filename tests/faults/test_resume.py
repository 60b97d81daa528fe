"""A watcher that was cut off gets every later update once, in order, whatever happened to the service meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from pathlib import Path

import pytest

from deploy.local.stack import LocalStack, StackOptions
from libs.client.client import Client, connect
from libs.client.errors import Refused
from libs.client.keys import session_by_keys
from libs.client.setup import Wish, set_up
from libs.client.tables import viewing
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table
from stamtafel.trictrac.v1 import trictrac_pb2 as trictrac

LOG = "trictrac-0"
ENV = {"STAMTAFEL_COMMANDS_PER_SECOND": "100000", "STAMTAFEL_REQUESTS_PER_SECOND": "100000"}
TROUBLES = ("nothing", "move", "kill", "gateway", "move", "kill")


@pytest.fixture
async def stack(tmp_path: Path) -> AsyncIterator[LocalStack]:
    async with LocalStack(tmp_path / "stack", StackOptions(env=ENV)) as made:
        await made.start(["trictrac", "tally", "gateway"])
        await made.add_replica("trictrac")
        yield made


class Player:
    """Plays all seats of a table on and on, so that there is always something to be told. `version`: reached so far."""

    def __init__(self, client: Client, table_id: str) -> None:
        self._client, self._table = client, table_id
        self._stop = asyncio.Event()
        self._task = asyncio.create_task(self._play())
        self.version = 0

    async def _play(self) -> None:
        while not self._stop.is_set():
            view = await self._client.tables.view(self._table)
            self.version = view.version
            if view.state != table.TABLE_STATE_PLAYING:
                with contextlib.suppress(Refused):  # `repeated`: a first copy was heard after all
                    await self._client.lobby.ready(self._table)
            elif view.to_act:
                await self._client.tables.act(self._table, view.to_act[0], trictrac.Throw())

    async def gone_on(self, by: int) -> None:
        """Waits until so many more events have happened."""
        goal = self.version + by
        await until(lambda: self.version >= goal or self._task.done())
        if self._task.done():
            await self._task

    async def stop(self) -> None:
        """Stops behind the present command."""
        self._stop.set()
        await self._task


class Watcher:
    """What one watcher is told: `versions` of events, which join without a gap or a repeat."""

    def __init__(self) -> None:
        self.versions: list[int] = []

    @property
    def at(self) -> int:
        """The version that he has."""
        return self.versions[-1] if self.versions else 0

    def hear(self, update: table.Update) -> None:
        """One update joins what he has."""
        assert not update.reset
        assert update.from_version == self.at
        self.versions += [event.version for event in update.events]
        assert self.at == update.version == update.view.version

    async def read(self, updates: AsyncGenerator[table.Update], goal: int | None = None) -> None:
        """Reads until he has the version `goal` and is cut off then; None: until the table is closed."""
        async with contextlib.aclosing(updates):
            async for update in updates:
                self.hear(update)
                if goal is not None and self.at >= goal:
                    return
        assert goal is None, "the watch ended"


async def until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.01)


async def owner(operator: Client) -> pb.LogInfo:
    """The log as its owner tells it, once there is one."""
    while True:
        for log in await operator.operations.logs():
            if log.log == LOG and log.available:
                return log
        await asyncio.sleep(0.05)


async def move(operator: Client) -> None:
    """Has the owner hand the log over, and waits for the next one."""
    before = await owner(operator)
    await operator.operations.move(LOG, "test of moving")
    while (await owner(operator)).epoch == before.epoch:
        await asyncio.sleep(0.05)


async def cause(trouble: str, stack: LocalStack, operator: Client, owners: set[str]) -> None:
    """What happens while the watcher is away. `owners` notes who had the log."""
    owners.add((await owner(operator)).owner)
    if trouble == "move":
        await move(operator)
    elif trouble == "kill":
        await stack.kill((await owner(operator)).owner)
    elif trouble == "gateway":
        await stack.kill("gateway")
    owners.add((await owner(operator)).owner)


async def test_every_later_update_once_and_in_order(stack: LocalStack) -> None:
    chance = random.Random(5)
    async with connect(stack.server) as ann, connect(stack.server) as operator:
        await ann.sign_in_guest("Ann")
        operator.account.adopt(session_by_keys(stack.data / "keys", "olga", ["operator"]))
        wish = Wish("trictrac", {"seats": 3, "points": 2, "throw_seconds": 0}, (), hot_seat=True)
        table_id, _ = await set_up(ann, wish)
        player = Player(ann, table_id)
        cut, steady, session = Watcher(), Watcher(), Watcher()
        owners: set[str] = set()

        def watch(version: int) -> AsyncGenerator[table.Update]:
            return ann.tables.watch(table_id, as_public=True, from_version=version)

        async with ann.tables.play() as play, asyncio.TaskGroup() as group:
            group.create_task(steady.read(watch(0)))
            group.create_task(session.read(play.watch(viewing(table_id, 0, False, 0))))
            for trouble in TROUBLES:
                await cut.read(watch(cut.at), cut.at + chance.randrange(1, 40))
                await cause(trouble, stack, operator, owners)
                await player.gone_on(chance.randrange(1, 40))
            await player.stop()
            last = await operator.operations.close(table_id, "the test is over")
            await cut.read(watch(cut.at))
        everything = list(range(1, last + 1))
        assert cut.versions == everything
        assert steady.versions == everything
        assert session.versions == everything
        assert len(owners) > 1, "the log has moved"
