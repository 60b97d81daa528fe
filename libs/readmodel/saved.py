"""One row that holds the whole state of a reactor, positions included: written now and then, read at its start.

What happened since the last write is read again from the streams, so losing a write costs only time.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from libs.log.sql import check_schema, migrate, statements

from .projection import Connection, driver

_SQL = statements(Path(__file__).with_name("saved.sql"))
_MIGRATIONS = Path(__file__).with_name("state_migrations")


class Row(Protocol):
    """Where a state is kept."""

    async def load(self) -> bytes | None:
        """What was saved last; None: nothing yet."""
        ...

    async def save(self, data: bytes) -> None:
        """Replace it."""
        ...


async def migrate_state(dsn: str, schema: str) -> list[str]:
    """Make or update the schema of a reactor that keeps one row; returns the migrations applied now."""
    return await migrate(dsn, schema, _MIGRATIONS, area="state")


class StateRow:
    """The row in Postgres; connects for each call, which is rare, so nothing has to be kept alive."""

    def __init__(self, dsn: str, schema: str, name: str = "state") -> None:
        """`schema` was made by `migrate_state`."""
        self._dsn, self._schema, self._name = dsn, check_schema(schema), name

    async def load(self) -> bytes | None:
        """What was saved last; None: nothing yet. Raises asyncpg's errors, OSError, TimeoutError."""
        connection = await self._connect()
        try:
            return await connection.fetchval(_SQL["load"], self._name)
        finally:
            connection.terminate()

    async def save(self, data: bytes) -> None:
        """Replace it, on disk when this returns. Raises as `load` does."""
        connection = await self._connect()
        try:
            await connection.execute(_SQL["save"], self._name, data)
        finally:
            connection.terminate()

    async def _connect(self) -> Connection:
        settings = {"search_path": self._schema}
        return await driver.connect(self._dsn, timeout=10, command_timeout=10, server_settings=settings)


class MemoryRow:
    """The same without a database."""

    def __init__(self, data: bytes | None = None) -> None:
        """`data` as if it had been saved before."""
        self.data = data
        self.saves = 0

    async def load(self) -> bytes | None:
        """What was saved last."""
        return self.data

    async def save(self, data: bytes) -> None:
        """Replace it."""
        self.data = data
        self.saves += 1
