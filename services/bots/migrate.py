"""Makes or updates the row of the bots; a deploy runs it before the service starts."""

from __future__ import annotations

from libs.readmodel import migrate_state

SCHEMA = "bots"


async def migrate(dsn: str) -> list[str]:
    """Bring schema `bots` up to date; returns the migrations applied now. `dsn` belongs to the schema's owner."""
    return await migrate_state(dsn, SCHEMA)
