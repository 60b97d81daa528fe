"""Makes or updates the schema of the read models; a deploy runs it before the service starts."""

from __future__ import annotations

from libs.readmodel import migrate as migrate_schema

SCHEMA = "tally"


async def migrate(dsn: str) -> list[str]:
    """Bring schema `tally` up to date; returns the migrations applied now. `dsn` belongs to the schema's owner."""
    return await migrate_schema(dsn, SCHEMA)
