"""Which errors set an event aside, and which stop the projection."""

import asyncio
from typing import Any

import asyncpg
import pytest

from libs.readmodel import Moved, OutOfOrder, Retired, is_poison

driver: Any = asyncpg


@pytest.mark.parametrize(
    "error",
    [
        ValueError("bad"),
        KeyError("bad"),
        asyncpg.UniqueViolationError("twice"),
        asyncpg.DivisionByZeroError("zero"),
        driver.exceptions._base.DataError("text for a number"),
    ],
)
def test_the_events_own_fault(error: Exception) -> None:
    assert is_poison(error)


@pytest.mark.parametrize(
    "error",
    [
        ConnectionResetError(),
        TimeoutError(),
        asyncio.CancelledError(),
        asyncpg.InterfaceError("connection is closed"),
        asyncpg.DeadlockDetectedError("deadlock"),
        asyncpg.DiskFullError("full"),
        asyncpg.AdminShutdownError("bye"),
        asyncpg.UndefinedTableError("missing"),
        asyncpg.InsufficientPrivilegeError("no"),
        asyncpg.ReadOnlySQLTransactionError("standby"),
        Moved(),
        Retired(),
        OutOfOrder(),
        KeyboardInterrupt(),
    ],
)
def test_not_the_events_fault(error: BaseException) -> None:
    assert not is_poison(error)
