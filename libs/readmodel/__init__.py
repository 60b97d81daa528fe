"""Projections: events folded into tables, exactly once, rebuilt beside what readers see.

`Projection` is what a read model is, `Host` keeps several up to date in a process, `request_rebuild` builds one anew,
`retry_poison` folds what was set aside. `Feed` reads a log's events wherever they are; `StateRow` keeps the state of a
reactor that has no tables.
"""

from .builds import Build, Standing, build_schema, connected, migrate, promote, request_rebuild, standings
from .errors import Moved, OutOfOrder, Retired, is_poison
from .feed import Feed, LogRefused
from .host import Host, HostPorts
from .projection import Connection, Place, Projection
from .runner import Ports, Retried, Runner, retry_poison
from .saved import MemoryRow, Row, StateRow, migrate_state

__all__ = [
    "Build",
    "Connection",
    "Feed",
    "Host",
    "HostPorts",
    "LogRefused",
    "MemoryRow",
    "Moved",
    "OutOfOrder",
    "Place",
    "Ports",
    "Projection",
    "Retired",
    "Retried",
    "Row",
    "Runner",
    "Standing",
    "StateRow",
    "build_schema",
    "connected",
    "is_poison",
    "migrate",
    "migrate_state",
    "promote",
    "request_rebuild",
    "retry_poison",
    "standings",
]
