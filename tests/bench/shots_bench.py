"""Whether simulated shots keep other tables waiting: trictrac's door with twenty carrom shots a second beside it, and
without."""

from __future__ import annotations

import asyncio
import random

from deploy.local.stack import LocalStack
from libs.client.client import Client, connect
from libs.client.setup import Wish, set_up
from stamtafel.carrom.v1 import carrom_pb2 as carrom
from stamtafel.table.v1 import table_pb2 as pb
from tests.bench.door_bench import bench_door

SHOTS_PER_S = 20
TABLES = 4
DOOR_TABLES = 4


class Shooters:
    """Shoots at random at a few carrom tables of one account, `SHOTS_PER_S` in all."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._rng = random.Random(1)
        self.shots = 0

    async def shoot(self, table: str) -> None:
        """One shot after the other at one table, for ever."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            view = await self._client.tables.view(table)
            if view.state == pb.TABLE_STATE_RESTING:
                await self._client.lobby.ready(table)
                continue
            shot = carrom.Shoot(
                x=self._rng.uniform(-0.2, 0.2), angle=self._rng.uniform(-30, 30), speed=self._rng.uniform(2, 6)
            )
            answer = await self._client.tables.act(table, view.to_act[0], shot)
            self.shots += answer.HasField("accepted")
            due += TABLES / SHOTS_PER_S
            await asyncio.sleep(max(0.0, due - loop.time()))


async def bench_shots(stack: LocalStack) -> dict[str, float]:
    """`door_p99_ms_alone`, `door_p99_ms_beside_shots`, `shots_per_s` that were shot meanwhile."""
    alone = await bench_door(stack.server, DOOR_TABLES)
    async with connect(stack.server) as client:
        await client.sign_in_guest("Shooter")
        shooters = Shooters(client)
        wish = Wish("carrom", {"turn_seconds": 0, "sets_to_win": 5}, (), hot_seat=True)
        tables = [(await set_up(client, wish))[0] for _ in range(TABLES)]
        shooting = [asyncio.create_task(shooters.shoot(table)) for table in tables]
        loop = asyncio.get_running_loop()
        while shooters.shots < SHOTS_PER_S:  # the workers are warm
            await asyncio.sleep(0.05)
        shots, began = shooters.shots, loop.time()
        beside = await bench_door(stack.server, DOOR_TABLES)
        rate = (shooters.shots - shots) / (loop.time() - began)
        for task in shooting:
            task.cancel()
        await asyncio.gather(*shooting, return_exceptions=True)
    return {
        "carrom_door_p99_ms_alone": alone[f"door_p99_ms_{DOOR_TABLES}"],
        "carrom_door_p99_ms_beside_shots": beside[f"door_p99_ms_{DOOR_TABLES}"],
        "carrom_shots_per_s_beside": rate,
    }
