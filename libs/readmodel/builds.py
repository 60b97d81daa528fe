"""Builds of a projection: each has tables in a schema of its own, and views in the read models' schema show one.

A new build is filled beside the active one (blue and green) and takes its place in one transaction when it has caught
up.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncGenerator, Sequence
from typing import Any, Literal

import msgspec

from libs.log.sql import migrate as migrate_schema

from .projection import MIGRATIONS, Connection, Projection, driver
from .runner import SQL

_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


class Build(msgspec.Struct, frozen=True):
    """One build. `building`: being filled; `active`: what readers see; `retired`: to be dropped."""

    consumer: str
    build: int
    version: int
    state: Literal["building", "active", "retired"]


class Standing(msgspec.Struct, frozen=True):
    """How far a build has come in one log (None: it has not begun), and how many events it has set aside there."""

    build: Build
    log: str | None
    pos: int
    at: int
    aside: int


async def migrate(dsn: str, schema: str) -> list[str]:
    """Make or update a schema of read models and its role `<schema>_reader`; returns the migrations applied now.

    Builds are made by the service itself, so its login must be the one that runs this (it owns what it derives).
    """
    return await migrate_schema(dsn, schema, MIGRATIONS, area="readmodel")


def build_schema(schema: str, consumer: str, build: int) -> str:
    """Name of the schema that holds the tables of a build."""
    name = f"{schema}_{consumer}_b{build}"
    if not _NAME.fullmatch(schema) or not _NAME.fullmatch(consumer) or len(name) > 63:
        raise ValueError(f"not a name for a build's schema: {name!r}")
    return name


async def connect(dsn: str, schema: str) -> Connection:
    """A connection to the schema of read models, for the functions below."""
    settings = {"search_path": schema, "client_min_messages": "warning"}
    return await driver.connect(dsn, timeout=10, command_timeout=60, server_settings=settings)


@contextlib.asynccontextmanager
async def connected(dsn: str, schema: str) -> AsyncGenerator[Connection]:
    """`connect`, and the end of it; a server that does not answer cannot hold it up."""
    connection = await connect(dsn, schema)
    try:
        yield connection
    finally:
        connection.terminate()


async def ensure_builds(connection: Connection, schema: str, projection: Projection) -> list[Build]:
    """The builds that today's code fills, newest first: at least one of today's version, made now if there is none.

    The very first build of a projection is active at once. Builds of another version are left to the process that made
    them, or stand still until the new one has caught up.
    """
    async with connection.transaction():
        builds = await _locked(connection, projection.name)
        mine = [b for b in builds if b.version == projection.version and b.state != "retired"]
        if not mine:
            state = "building" if any(b.state == "active" for b in builds) else "active"
            mine = [await _add(connection, schema, projection, (builds, state))]
        return mine


async def request_rebuild(connection: Connection, schema: str, projection: Projection) -> Build:
    """Begin to build the projection from the beginning of its logs; one that is being built already is kept.

    The service that hosts it fills the new build and shows it when it has caught up; till then readers see the old one.
    """
    async with connection.transaction():
        builds = await _locked(connection, projection.name)
        for build in builds:
            if build.state == "building" and build.version == projection.version:
                return build
        return await _add(connection, schema, projection, (builds, "building"))


async def promote(connection: Connection, schema: str, projection: Projection, build: int) -> bool:
    """Show `build`, if it stands in every log where the active build stands, or further. False: not yet.

    Both builds are held while positions are compared and the views are switched, in one transaction.
    """
    async with connection.transaction():
        builds = await _locked(connection, projection.name)
        active = next((b.build for b in builds if b.state == "active"), None)
        if not any(b.build == build and b.state == "building" for b in builds):
            return False
        if active is not None:
            rows = await connection.fetch(SQL["hold_checkpoints"], projection.name, [active, build])
            reached = {row["log"]: row["pos"] for row in rows if row["build"] == build}
            if any(reached.get(row["log"], 0) < row["pos"] for row in rows if row["build"] == active):
                return False
            await connection.execute(SQL["set_state"], projection.name, active, "retired")
        await connection.execute(SQL["set_state"], projection.name, build, "active")
        await _show(connection, schema, projection, build)
        return True


async def drop_retired(connection: Connection, schema: str, consumer: str) -> int:
    """Drop the tables of retired builds and forget their positions; returns how many there were."""
    async with connection.transaction():
        retired = [b for b in await _locked(connection, consumer) if b.state == "retired"]
        for build in retired:
            await connection.execute(SQL["forget_build"], consumer, build.build)
            await connection.execute(f"DROP SCHEMA IF EXISTS {build_schema(schema, consumer, build.build)} CASCADE")
    return len(retired)


async def standings(connection: Connection) -> list[Standing]:
    """All builds with their positions, for operators."""
    rows: Sequence[Any] = await connection.fetch(SQL["builds"])
    return [
        Standing(
            Build(row["consumer"], row["build"], row["version"], row["state"]),
            row["log"],
            row["pos"] or 0,
            row["at"] or 0,
            row["aside"],
        )
        for row in rows
    ]


async def _locked(connection: Connection, consumer: str) -> list[Build]:
    # A projection without builds has no row to wait at, so two processes that start at once meet at this lock.
    await connection.execute("SELECT pg_advisory_xact_lock(hashtext('readmodel'), hashtext($1))", consumer)
    rows = await connection.fetch(SQL["lock_builds"], consumer)
    return [Build(consumer, row["build"], row["version"], row["state"]) for row in rows]


async def _add(
    connection: Connection,
    schema: str,
    projection: Projection,
    among: tuple[list[Build], Literal["building", "active"]],
) -> Build:
    builds, state = among
    build = Build(projection.name, max((b.build for b in builds), default=0) + 1, projection.version, state)
    tables = build_schema(schema, projection.name, build.build)
    await connection.execute(f"DROP SCHEMA IF EXISTS {tables} CASCADE")
    await connection.execute(f"CREATE SCHEMA {tables}")
    await connection.execute(f"SET LOCAL search_path TO {tables}")
    await connection.execute(projection.ddl)
    await connection.execute(f"SET LOCAL search_path TO {schema}")
    await connection.execute(SQL["add_build"], build.consumer, build.build, build.version, state)
    if state == "active":
        await _show(connection, schema, projection, build.build)
    return build


async def _show(connection: Connection, schema: str, projection: Projection, build: int) -> None:
    tables = build_schema(schema, projection.name, build)
    for table in projection.tables:
        await connection.execute(f"DROP VIEW IF EXISTS {schema}.{table}")
        await connection.execute(f"CREATE VIEW {schema}.{table} AS SELECT * FROM {tables}.{table}")
        await connection.execute(f"GRANT SELECT ON {schema}.{table} TO {schema}_reader")
