"""The log on a real Postgres: a schema of its own for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest

from libs.log import Options, PostgresLog, migrate, open_log
from tests.unit.log.log_port import World


class PostgresWorld(World):
    """One schema; `owner` is a connection of the role that owns it, `database_owner` what a DBA could do."""

    def __init__(self, dsn: str, schema: str, owner: asyncpg.Connection) -> None:
        self.dsn, self.schema, self.owner = dsn, schema, owner
        self.opened: list[PostgresLog] = []

    async def open(self, deadline_s: float = 30, readers: int = 2) -> PostgresLog:
        log = await open_log(self.dsn, self.schema, options=Options(deadline_s=deadline_s, readers=readers))
        self.opened.append(log)
        return log

    async def age(self, log: str, seconds: float) -> None:
        await self.owner.execute(
            "UPDATE log_head SET lease_until = lease_until - $2, alive_at = alive_at - $2 WHERE log = $1",
            log,
            round(seconds * 1e6),
        )

    async def until(self, condition: str, *args: object) -> None:
        """Wait until the database says that `condition` (an SQL expression) is true."""
        while not await self.owner.fetchval(f"SELECT {condition}", *args):
            pass

    async def connect(self) -> asyncpg.Connection:
        return await asyncpg.connect(self.dsn, server_settings={"search_path": self.schema})


@pytest.fixture
async def world(pg_dsn: str) -> AsyncIterator[PostgresWorld]:
    schema = f"t{uuid4().hex[:12]}"
    await migrate(pg_dsn, schema)
    owner = await asyncpg.connect(pg_dsn, server_settings={"search_path": schema})
    world = PostgresWorld(pg_dsn, schema, owner)
    yield world
    for log in world.opened:
        await log.close()
    await owner.execute(f"DROP SCHEMA {schema} CASCADE")
    await owner.execute(f"DROP ROLE {schema}_writer")
    await owner.close()
