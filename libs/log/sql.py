"""Named statements from a `.sql` file, and migrations from a folder of them."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from .pg import connect

_name = re.compile(r"^-- name: (\w+)\n(?:--.*\n)+", re.MULTILINE)
_schema = re.compile(r"[a-z][a-z0-9_]{0,40}")


def statements(path: Path) -> dict[str, str]:
    """The statements of a file whose parts begin with `-- name: <name>` and at least one line of description."""
    parts = _name.split(path.read_text())
    return {name: text.strip().rstrip(";") for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def check_schema(schema: str) -> str:
    """`schema` itself, if it can be a service's schema name; else ValueError."""
    if not _schema.fullmatch(schema):
        raise ValueError(f"not a schema name: {schema!r}")
    return schema


LOG_MIGRATIONS = Path(__file__).parent / "migrations"


class ChangedMigration(Exception):
    """A migration that was applied is not the file of that name any more."""


async def migrate(dsn: str, schema: str, folder: Path = LOG_MIGRATIONS, area: str = "log") -> list[str]:
    """Bring `schema` up to the newest file in `folder`; returns the names of the files applied now ([]: up to date).

    Run as the role that owns the schema (a deploy's own step), not as the service. Safe to run twice, also at the same
    time. Each file runs in one transaction with `search_path` = `schema` and is recorded with its SHA-256 under `area`;
    raises `ChangedMigration` when an applied file was edited. The log's own migrations also make the role
    `<schema>_writer`.
    """
    check_schema(schema)
    applied: list[str] = []
    files = [(path.name, path.read_text()) for path in sorted(folder.glob("*.sql"))]  # noqa: ASYNC240 (a few small files)
    connection = await connect(dsn, {"client_min_messages": "warning"}, 30)
    try:
        await connection.execute("SELECT pg_advisory_lock(hashtext('migrate'), hashtext($1))", schema)
        await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        await connection.execute(f"SET search_path TO {schema}")
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS migration (area text, name text, sha256 text NOT NULL,"
            " at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (area, name))"
        )
        rows = await connection.fetch("SELECT name, sha256 FROM migration WHERE area = $1", area)
        known: dict[str, str] = {row["name"]: row["sha256"] for row in rows}
        for name, text in files:
            mark = sha256(text.encode()).hexdigest()
            if name in known:
                if known[name] != mark:
                    raise ChangedMigration(f"{area}/{name} was applied to {schema} with other content")
                continue
            async with connection.transaction():
                await connection.execute(text)
                await connection.execute(
                    "INSERT INTO migration (area, name, sha256) VALUES ($1, $2, $3)", area, name, mark
                )
            applied.append(name)
    finally:
        await connection.close(timeout=10)
    return applied
