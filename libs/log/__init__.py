"""The event log: append with a fenced head, read by position or stream, lease, hash chain, verification.

`Log` is the port; `open_log` gives it on Postgres, `MemoryLog` in memory. `migrate` makes the schema.
"""

from .chain import Verified, Verifier, digest, link, start_hash, verify, verify_links, verify_log
from .memory import MemoryLog, MemoryStore
from .model import (
    BadBatch,
    Batch,
    BrokenChain,
    Cursor,
    EventRecord,
    Fenced,
    Gap,
    Head,
    LinkedRecord,
    Loaded,
    LogError,
    NewEvent,
    OutcomeUnknown,
    Secret,
    Snapshot,
    Unavailable,
)
from .port import DOWN_AFTER_US, LEASE_S, Log
from .postgres import Options, PostgresLog, open_log
from .sql import ChangedMigration, migrate

__all__ = [
    "DOWN_AFTER_US",
    "LEASE_S",
    "BadBatch",
    "Batch",
    "BrokenChain",
    "ChangedMigration",
    "Cursor",
    "EventRecord",
    "Fenced",
    "Gap",
    "Head",
    "LinkedRecord",
    "Loaded",
    "Log",
    "LogError",
    "MemoryLog",
    "MemoryStore",
    "NewEvent",
    "Options",
    "OutcomeUnknown",
    "PostgresLog",
    "Secret",
    "Snapshot",
    "Unavailable",
    "Verified",
    "Verifier",
    "digest",
    "link",
    "migrate",
    "open_log",
    "start_hash",
    "verify",
    "verify_links",
    "verify_log",
]
