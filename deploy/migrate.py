"""Bring the database to the form that the programs need: `python -m deploy.migrate [service ...]`, before they start.

A service that keeps a log gets the log's schema under its name; one that has a `migrate.py` of its own (read models) is
asked after that. Both may run again and by several at once.
"""

import asyncio
import importlib
import importlib.util
import sys
from collections.abc import Awaitable, Callable, Iterable
from typing import cast

from deploy.catalog import Service, available, find
from libs.service import Settings, SettingsError, load

Migrate = Callable[[str], Awaitable[object]]


async def migrate_all(dsn: str, services: Iterable[Service]) -> None:
    """Migrate for each service in turn; `dsn` belongs to a role that may create schemas and roles."""
    for service in services:
        if service.keeps_log:
            from libs.log import migrate  # not needed where nothing keeps a log

            await migrate(dsn, service.name)
        if _has_own(service):
            own = cast("Migrate", importlib.import_module(f"{service.module}.migrate").migrate)
            await own(dsn)


def _has_own(service: Service) -> bool:
    try:
        return importlib.util.find_spec(f"{service.module}.migrate") is not None
    except ModuleNotFoundError:
        return False


def main() -> None:
    """Migrate for the services named as arguments, or for all."""
    try:
        settings = load(Settings)
        services = [find(name) for name in sys.argv[1:]] or available()
    except (SettingsError, LookupError) as bad:
        raise SystemExit(f"migrate: {bad}") from None
    asyncio.run(migrate_all(settings.database_url, services))


if __name__ == "__main__":
    main()
