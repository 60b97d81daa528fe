"""Commands for the machine itself: up, down, status, settings, rebuild."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from typing import Annotated, Any

import typer

from libs.client.cli_base import EXIT_FAILED, EXIT_NOT_REACHABLE, ROOT, command, fail, place_of, say
from libs.client.place import child_environment, database_url
from libs.readmodel import connected, request_rebuild, standings
from libs.service.settings import SettingRow, all_settings, describe

READ_MODELS = ("services.tally.__main__",)
"""Modules with a SCHEMA and its PROJECTIONS, found by name: a library may not import a service."""


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    for run in (up, down, status, settings, rebuild):
        app.command(run.__name__)(run)


def up(
    context: typer.Context,
    services: Annotated[str, typer.Option(help="Only these, with commas between.")] = "",
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = "info",
) -> None:
    """Start Stamtafel on this machine and stay until Ctrl-C."""
    _local(context, "up", "--services", services, "--log-level", log_level)


def down(context: typer.Context) -> None:
    """Stop what `up` started."""
    _local(context, "down")


def status(context: typer.Context) -> None:
    """Tell what runs here."""
    _local(context, "status")


def _local(context: typer.Context, *words: str) -> None:
    """Become `python -m deploy.local`: signals of the terminal then reach it and nobody between."""
    action, *more = words
    arguments = [sys.executable, "-m", "deploy.local", action, "--data", str(place_of(context).data), *more]
    sys.stdout.flush()
    os.execve(sys.executable, arguments, child_environment(ROOT))


def settings(
    service: Annotated[str, typer.Argument(help="Only of this service.")] = "",
) -> None:
    """All settings of all services: environment variable, what it takes, default, meaning."""
    rows = [row for cls in all_settings() for row in describe(cls)]
    known = sorted({row.service for row in rows})
    if service and service not in known:
        fail(f"there is no service {service}; there are {', '.join(known)}", 2)
    for name in [service] if service else known:
        _settings_of(name, [row for row in rows if row.service == name])


def _settings_of(service: str, rows: list[SettingRow]) -> None:
    say(f"{service}:")
    for row in rows:
        say(f"  {row.env}  ({row.allowed}; default {row.default or 'empty'})")
        say(f"      {row.meaning}")


@command
async def rebuild(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The read model, e.g. lobby.")],
    wait: Annotated[bool, typer.Option(help="Wait until it is shown.")] = True,
) -> None:
    """Build a read model anew from the logs, beside the one that is shown, and switch when it has caught up."""
    found = {one.name: (schema, one) for schema, projections in _read_models() for one in projections}
    if name not in found:
        fail(f"there is no read model {name}; there are {', '.join(sorted(found)) or 'none'}", 2)
    schema, projection = found[name]
    dsn = database_url(place_of(context).data)
    if not dsn:
        fail("no database is known: set DATABASE_URL, or name the data directory with --data", EXIT_NOT_REACHABLE)
    async with connected(dsn, schema) as connection:
        build = await request_rebuild(connection, schema, projection)
        say(f"build {build.build} of {name} has begun")
        last = ""
        while wait:
            mine = [one for one in await standings(connection) if one.build.build == build.build]
            mine = [one for one in mine if one.build.consumer == name]
            if not mine or mine[0].build.state == "retired":
                fail(f"build {build.build} of {name} was given up", EXIT_FAILED)
            if mine[0].build.state == "active":
                say(f"build {build.build} of {name} is shown")
                return
            now = ", ".join(f"{one.log} at {one.pos}" for one in mine if one.log)
            if now != last:
                say(now)
            last = now
            await asyncio.sleep(0.2)


def _read_models() -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name in READ_MODELS:
        module: Any = importlib.import_module(name)
        found.append((module.SCHEMA, module.PROJECTIONS))
    return found
