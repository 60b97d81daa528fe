"""Makes or updates the row of the timer; a deploy runs it before the service starts."""

from __future__ import annotations

from libs.readmodel import migrate_state

SCHEMA = "timer"


async def migrate(dsn: str) -> list[str]:
    """Bring schema `timer` up to date; returns the migrations applied now. `dsn` belongs to the schema's owner."""
    return await migrate_state(dsn, SCHEMA)
