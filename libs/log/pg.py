"""asyncpg as this project uses it, with types: it ships none of its own that pyright accepts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import asyncpg

_driver: Any = asyncpg

LOST = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a statement that meets the server's farewell finds the driver in a wrong state
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.TooManyConnectionsError,
    asyncpg.ReadOnlySQLTransactionError,
)
"""What says that the server is away, and nothing about the statement. `REFUSED` first: one of these is a subclass."""

REFUSED = (asyncpg.DataError, _driver.exceptions._base.DataError, asyncpg.IntegrityConstraintViolationError)
"""What says that the values do not fit their columns or constraints."""


class Row(Protocol):
    """A row, by column name or unpacked in order."""

    def __getitem__(self, key: str) -> Any: ...
    def __iter__(self) -> Any: ...


class Prepared(Protocol):
    """A prepared statement of one connection."""

    async def fetchrow(self, *args: object) -> Row | None: ...


class Connection(Protocol):
    """One connection. `terminate` drops it at once, `close` says goodbye (and can hang on a frozen server)."""

    async def execute(self, query: str, *args: object) -> str: ...
    async def fetch(self, query: str, *args: object) -> list[Row]: ...
    async def fetchrow(self, query: str, *args: object) -> Row | None: ...
    async def prepare(self, query: str) -> Prepared: ...
    def transaction(self) -> AbstractAsyncContextManager[object]: ...
    def is_closed(self) -> bool: ...
    def terminate(self) -> None: ...
    async def close(self, *, timeout: float | None = None) -> None: ...


class Pool(Protocol):
    """A pool of connections."""

    def acquire(self, *, timeout: float | None = None) -> AbstractAsyncContextManager[Connection]: ...
    def terminate(self) -> None: ...


async def connect(dsn: str, settings: Mapping[str, str], timeout_s: float) -> Connection:
    """A new connection with these server settings."""
    return await _driver.connect(dsn, timeout=timeout_s, server_settings=dict(settings))


async def create_pool(
    dsn: str,
    settings: Mapping[str, str],
    timeout_s: float,
    size: int,
    prepare: Callable[[Connection], Awaitable[None]],
) -> Pool:
    """A pool of at most `size` connections, each made ready by `prepare` when it is first needed.

    No minimum: the driver would open connections of its own accord, also to a server that just threw us out.
    """
    return await _driver.create_pool(
        dsn, min_size=0, max_size=size, init=prepare, timeout=timeout_s, server_settings=dict(settings)
    )
