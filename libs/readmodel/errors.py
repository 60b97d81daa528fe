"""Which errors are an event's own fault, and which are the database's or the operator's."""

from __future__ import annotations

import asyncio

import asyncpg

from libs.log.pg import REFUSED

_NOT_THE_EVENT: tuple[type[BaseException], ...] = (
    OSError,
    TimeoutError,
    asyncio.CancelledError,
    asyncpg.InterfaceError,
    asyncpg.PostgresConnectionError,
    asyncpg.TransactionRollbackError,
    asyncpg.InsufficientResourcesError,
    asyncpg.OperatorInterventionError,
    asyncpg.PostgresSystemError,
    asyncpg.InvalidTransactionStateError,
    asyncpg.ReadOnlySQLTransactionError,
    # Wrong SQL, a missing table or right: every event would fail, so the projection stops instead of setting all aside.
    asyncpg.SyntaxOrAccessError,
)


class Moved(Exception):
    """The checkpoint went back: the database is another one, or an older copy. Start again from what it says."""


class Retired(Exception):
    """This build is not wanted any more."""


class OutOfOrder(Exception):
    """The feed left a position out, or gave one twice."""


def is_poison(error: BaseException) -> bool:
    """Whether to set the event aside (true) or to stop and try the same again (false)."""
    if isinstance(error, REFUSED):  # first, for the driver's own refusal of a value is one of its interface errors
        return True
    return isinstance(error, Exception) and not isinstance(error, (*_NOT_THE_EVENT, Moved, Retired, OutOfOrder))
