"""What a read model is: tables, and a fold of events into them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

import asyncpg
import msgspec

from stamtafel.log.v1.log_pb2 import EventRecord

driver: Any = asyncpg
"""asyncpg, which has no types of its own."""

Connection = Any
"""An asyncpg connection inside a transaction; the projection's own tables come first in its `search_path`."""


class Projection(Protocol):
    """One read model.

    `fold` must depend on nothing but the records (no clock, no chance, no serial numbers) and must commute between
    logs, since there is no order between them: then a rebuild gives the same rows. It never sees a record twice.
    """

    @property
    def name(self) -> str:
        """Name among the read models of its schema: `[a-z_]+`."""
        ...

    @property
    def version(self) -> int:
        """Raised whenever tables or fold change their meaning: the next start builds anew beside the old tables."""
        ...

    @property
    def kinds(self) -> tuple[str, ...] | None:
        """Kinds of events that it needs; None for all."""
        ...

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of its tables that readers see, each as a view of the same name in the schema."""
        ...

    @property
    def ddl(self) -> str:
        """Makes its tables; unqualified names."""
        ...

    async def fold(self, connection: Connection, record: EventRecord) -> Iterable[str]:
        """Fold one event; returns the keys of rows that changed, for the notice. Raising sets the event aside."""
        ...


class Place(msgspec.Struct, frozen=True):
    """One log as one build of a projection folds it."""

    consumer: str
    build: int
    log: str

    @property
    def key(self) -> tuple[str, int, str]:
        """The first three parameters of most statements."""
        return self.consumer, self.build, self.log


STATEMENTS_FILE = Path(__file__).with_name("statements.sql")
MIGRATIONS = Path(__file__).with_name("migrations")
