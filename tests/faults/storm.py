"""A storm: many tables are played through the gateway while processes are killed with `kill -9` at random moments.

What every client was told is written down (`Told`), for the audit afterwards. Chance is seeded; the moments are not
repeatable, for the processes are real.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import random
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import asyncpg

from deploy.local.stack import LocalStack
from libs.client.client import Client, connect
from libs.client.errors import ClientError, Refused
from libs.table.plain import from_plain
from stamtafel.gateway.v1 import gateway_pb2 as gw
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt

ACT_CHANCE = 0.9  # else the clock acts
BESIDE_TABLES = 2
VICTIMS = (
    "trictrac",
    "trictrac",
    "trictrac",
    "gateway",
    "gateway",
    "timer",
    "bots",
    "tally",
    "nats",
    "postgres",
    "klaverjas",
    "backgammon",
    "carrom",
    "liarsdice",
)


class Told(NamedTuple):
    """An acceptance that a client saw."""

    actor: str
    command_id: str
    table: str
    version: int


def regulars_only(game: str, seats: int) -> dict[str, object]:
    """Options, by the names of its rules file, of a table where computer players hold every seat."""
    if game == "liarsdice":
        return {"table": "regulars", "seats": seats, "regulars": list(range(seats))}
    return {"bots": [{"seat": seat, "level": "easy"} for seat in range(seats)]}


class Storm:
    """Plays `tables` tables of two people and a computer player, and kills. `told` and `unanswered` are the record.

    Of every other game that runs in the stack, computer players play two tables beside.
    """

    def __init__(self, stack: LocalStack, tables: int, seed: int, say: Callable[[str], None] = lambda _: None) -> None:
        self._stack = stack
        self._others = [game for game in ("backgammon", "carrom", "klaverjas", "liarsdice") if game in stack.names()]
        self._tables = tables
        self._rng = random.Random(seed)
        self._say = say
        self._stop = asyncio.Event()
        self.told: list[Told] = []
        self.unanswered: list[tuple[str, str]] = []
        self.kills: list[str] = []
        self.takeovers: list[float] = []
        self.ids: list[str] = []

    async def rage(self, kills: int) -> None:
        """Plays until this many processes were killed, and then until every one of them is back."""
        async with connect(self._stack.server) as ann, connect(self._stack.server) as ben:
            people = [
                (ann, (await ann.sign_in_guest("Ann")).player_id),
                (ben, (await ben.sign_in_guest("Ben")).player_id),
            ]
            await self._beside(ann)
            playing = [asyncio.create_task(self._table(people, n)) for n in range(self._tables)]
            try:
                await self._until(lambda: len(self.ids) == self._tables or any(task.done() for task in playing))
                for number in range(kills):
                    await self._kill(number)
                await self._stack.wait_ready()
                await self._calm()
            finally:
                self._stop.set()
                await asyncio.gather(*playing)

    async def _beside(self, client: Client) -> None:
        """Tables of the other games, with computer players at every seat."""
        for game in self._others:
            rules = importlib.import_module(f"services.{game}.rules").RULES
            seats = rules.seating(rules.options(rules.options_type())).seats
            for _ in range(BESIDE_TABLES):
                options = from_plain(rules.options_type, regulars_only(game, seats))
                await client.lobby.open(game, options=options)

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            await asyncio.sleep(0.02)

    async def _calm(self) -> None:
        """Waits until play goes on at every table after the last kill, or has nothing left to do."""
        seen = len(self.told)
        await self._until(lambda: len(self.told) > seen + self._tables)

    async def _kill(self, number: int) -> None:
        victims = [name for name in VICTIMS if name in self._stack.names()]
        if "trictrac-2" in self._stack.names():
            victims.append("trictrac-2")
        victim = self._rng.choice(victims)
        await self._moment(victim, number)
        await self._until(lambda: self._stack.child(victim).pid is not None)  # it may be down from the last kill
        before, began = len(self.told), time.perf_counter()
        await self._stack.kill(victim)
        self.kills.append(victim)
        await self._until(lambda: len(self.told) > before)
        took = time.perf_counter() - began
        if victim.startswith("trictrac"):
            self.takeovers.append(took)
        self._say(f"kill {number + 1:3}: {victim:12} play went on after {took:.2f} s")

    async def _moment(self, victim: str, number: int) -> None:
        """A random moment; every second time the game is killed right behind a commit, before its relay can be done."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._rng.uniform(0.05, 0.8)):
                await self._stop.wait()
        if victim.startswith("trictrac") and number % 2:
            await self._behind_a_commit()

    async def _behind_a_commit(self) -> None:
        connection = await asyncpg.connect(self._stack.database_url)
        try:
            ask = "SELECT pos FROM trictrac.log_head"
            pos = await connection.fetchval(ask)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(3.0):
                    while await connection.fetchval(ask) == pos:
                        pass
        finally:
            await connection.close()

    # ------------------------------------------------------------------------------------------------ one table

    async def _table(self, people: Sequence[tuple[Client, str]], number: int) -> None:
        rng = random.Random(number)
        (ann, _), (ben, _) = people
        options = tt.Options(seats=3, points=3, throw_seconds=5)
        table = await ann.lobby.open("trictrac", options=options, bots=["easy"])
        await ben.lobby.join(table)
        await self._ready(people, table)
        self.ids.append(table)
        watch = ann.tables.watch(table, as_public=True)
        try:
            async with contextlib.aclosing(watch):
                stopping = asyncio.create_task(self._stop.wait())
                while not self._stop.is_set():
                    coming = asyncio.ensure_future(anext(watch))
                    await asyncio.wait((coming, stopping), return_when=asyncio.FIRST_COMPLETED)
                    if not coming.done():
                        coming.cancel()
                        await asyncio.gather(coming, return_exceptions=True)
                        break
                    await self._answer(people, table, coming.result().view, rng)
        except ClientError as error:
            raise AssertionError(f"the watch of {table} broke: {error.reason} {error}") from error

    async def _ready(self, people: Sequence[tuple[Client, str]], table: str) -> None:
        for client, _ in people:
            try:
                await client.lobby.ready(table)
            except Refused as refused:
                assert refused.reason in ("wrong_state", "repeated"), refused

    async def _answer(
        self, people: Sequence[tuple[Client, str]], table: str, view: pb.TableView, rng: random.Random
    ) -> None:
        if view.state == pb.TABLE_STATE_RESTING:
            await self._ready(people, table)
            return
        seats = {seat.player: seat.seat for seat in view.seats if seat.player}
        for client, player in people:
            seat = seats.get(player)
            if seat in view.to_act and rng.random() < ACT_CHANCE:
                game = tt.View.FromString(view.game_view.value)
                can_stand = "stand" in game.seats[seat].actions
                await self._act(
                    client, player, table, seat, tt.Stand() if can_stand and rng.random() < 0.5 else tt.Throw()
                )

    async def _act(self, client: Client, player: str, table: str, seat: int, body: tt.Throw | tt.Stand) -> None:
        command_id = client.new_id()
        try:
            answer = await client.tables.act(table, seat, body, command_id)
        except ClientError as error:
            assert error.retryable, f"{error.reason}: {error}"
            self.unanswered.append((player, command_id))
            return
        if answer.HasField("accepted"):
            self.told.append(Told(player, command_id, table, answer.accepted.version))
        else:
            assert answer.refused.code != "internal", answer


async def everything(client: Client) -> list[gw.TableSummary]:
    """All tables of the lobby."""
    return [summary async for summary in client.lobby.tables(gw.TableFilter())]
