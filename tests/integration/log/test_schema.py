"""The schema: who may change what, and migrations that make exactly what schema.sql says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from libs.log import ChangedMigration, PostgresLog, migrate, open_log
from libs.log.sql import LOG_MIGRATIONS, statements
from tests.integration.log.conftest import PostgresWorld
from tests.unit.log.log_port import LOG, claimed
from tests.unit.log.samples import batch, event

SCHEMA_FILE = LOG_MIGRATIONS.parent / "schema.sql"

CATALOG = """
SELECT 'relation', c.relname, concat_ws(' ', c.relkind, c.reloptions::text, c.relacl::text,
       pg_get_partkeydef(c.oid), pg_get_expr(c.relpartbound, c.oid))
FROM pg_class c WHERE c.relnamespace = $1::regnamespace
UNION ALL
SELECT 'column', a.attrelid::regclass || '.' || a.attname, concat_ws(' ', a.attnum,
       format_type(a.atttypid, a.atttypmod), a.attnotnull,
       a.attcollation::regcollation, pg_get_expr(d.adbin, d.adrelid))
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE c.relnamespace = $1::regnamespace AND a.attnum > 0
UNION ALL
SELECT 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
FROM pg_constraint WHERE connamespace = $1::regnamespace
UNION ALL
SELECT 'function', p.oid::regprocedure::text, concat_ws(' ', pg_get_functiondef(p.oid), p.proacl::text)
FROM pg_proc p WHERE p.pronamespace = $1::regnamespace
UNION ALL
SELECT 'trigger', t.tgrelid::regclass || '.' || t.tgname, pg_get_triggerdef(t.oid)
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = $1::regnamespace
UNION ALL
SELECT 'schema', nspname, nspacl::text FROM pg_namespace WHERE oid = $1::regnamespace
ORDER BY 1, 2, 3
"""


async def catalog(dsn: str, schema: str) -> set[tuple[str, ...]]:
    connection = await asyncpg.connect(dsn)
    try:
        return {tuple(row) for row in await connection.fetch(CATALOG, schema)}
    finally:
        await connection.close()


async def test_the_migrations_make_the_schema_file(fresh_db: str) -> None:
    await migrate(fresh_db, "trictrac")
    migrated = await catalog(fresh_db, "trictrac")
    connection = await asyncpg.connect(fresh_db)
    await connection.execute("DROP SCHEMA trictrac CASCADE; CREATE SCHEMA trictrac; SET search_path TO trictrac")
    await connection.execute(SCHEMA_FILE.read_text())
    await connection.close()
    written = await catalog(fresh_db, "trictrac")
    assert {row for row in migrated if not row[1].startswith(("migration", "trictrac.migration"))} == written


async def test_migrating_again_does_nothing(fresh_db: str) -> None:
    names = sorted(path.name for path in LOG_MIGRATIONS.glob("*.sql"))
    results = await asyncio.gather(*[migrate(fresh_db, "trictrac") for _ in range(3)])
    assert sorted(results) == [[], [], names]
    assert await migrate(fresh_db, "trictrac") == []


async def test_an_edited_migration_is_refused(fresh_db: str, tmp_path: Path) -> None:
    (tmp_path / "0001_pots.sql").write_text("CREATE TABLE pot (id text PRIMARY KEY);")
    assert await migrate(fresh_db, "trictrac", tmp_path, "pots") == ["0001_pots.sql"]
    (tmp_path / "0001_pots.sql").write_text("CREATE TABLE pot (id bigint PRIMARY KEY);")
    with pytest.raises(ChangedMigration, match=r"pots/0001_pots\.sql"):
        await migrate(fresh_db, "trictrac", tmp_path, "pots")


async def test_a_failed_migration_leaves_nothing(fresh_db: str, tmp_path: Path) -> None:
    (tmp_path / "0001_pots.sql").write_text("CREATE TABLE pot (id text PRIMARY KEY); SELECT 1 / 0;")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await migrate(fresh_db, "trictrac", tmp_path, "pots")
    (tmp_path / "0001_pots.sql").write_text("CREATE TABLE pot (id text PRIMARY KEY);")
    assert await migrate(fresh_db, "trictrac", tmp_path, "pots") == ["0001_pots.sql"]


@pytest.mark.parametrize("schema", ["", "Trictrac", "a;b", 'a"b', "1a", "x" * 50])
async def test_strange_schema_names_are_refused(schema: str) -> None:
    with pytest.raises(ValueError, match="not a schema name"):
        await migrate("postgresql://unused", schema)
    with pytest.raises(ValueError, match="not a schema name"):
        await open_log("postgresql://unused", schema)


@pytest.fixture
async def written(world: PostgresWorld) -> AsyncIterator[PostgresLog]:
    log = await world.open()
    await log.append(await claimed(log), batch(1, event("t1", 1)))
    yield log


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET actor = 'x'",
        "DELETE FROM event",
        "TRUNCATE event",
        "UPDATE event_p000000 SET actor = 'x'",
        "DELETE FROM event_p000000",
        "INSERT INTO event_p000000 SELECT * FROM event",
        "DROP TABLE event",
        "DROP TRIGGER append_only ON event",
        "ALTER TABLE event DISABLE TRIGGER ALL",
        "ALTER TABLE event DETACH PARTITION event_p000000",
        "UPDATE secret SET seed = ''",
        "DELETE FROM secret",
        "DELETE FROM log_down",
        "DELETE FROM log_head",
        "CREATE TABLE mine (n int)",
        "SET session_replication_role = replica",
    ],
)
async def test_the_writer_role_cannot_change_history(
    world: PostgresWorld, written: PostgresLog, statement: str
) -> None:
    """Members of the role have nothing else, so a login with only this role is what a service gets."""
    connection = await world.connect()
    await connection.execute(f"CREATE ROLE {world.schema}_login IN ROLE {world.schema}_writer")
    await connection.execute(f"SET SESSION AUTHORIZATION {world.schema}_login")
    await connection.execute(f"SET ROLE {world.schema}_writer")
    try:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)
    finally:
        await connection.execute("RESET SESSION AUTHORIZATION")
        await connection.execute(f"DROP ROLE {world.schema}_login")
        await connection.close()


@pytest.mark.parametrize("statement", ["UPDATE event SET actor = 'x'", "DELETE FROM event_p000000"])
async def test_even_the_owner_is_told(world: PostgresWorld, written: PostgresLog, statement: str) -> None:
    with pytest.raises(asyncpg.RaiseError, match=r"events are never changed: .* of log trictrac-0 position 1"):
        await world.owner.execute(statement)


async def test_the_service_works_as_the_role(world: PostgresWorld, written: PostgresLog) -> None:
    connection = written._desks[LOG].connection
    assert connection is not None
    row = await connection.fetchrow("SELECT current_user AS name, current_setting('synchronous_commit') AS sync")
    assert row is not None and (row["name"], row["sync"]) == (f"{world.schema}_writer", "on")
    for _ in range(3):
        assert (await written._fetch_once("SELECT current_user AS name", ()))[0]["name"] == f"{world.schema}_writer"


def test_every_statement_is_named_and_described() -> None:
    path = LOG_MIGRATIONS.parent / "statements.sql"
    found = statements(path)
    assert len(found) == path.read_text().count("-- name: ")
    assert all(text.split()[0] in {"SELECT", "INSERT", "UPDATE", "WITH"} for text in found.values())
