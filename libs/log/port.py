"""The port: what a writer, a relay and a reader may ask of an event log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from .model import Batch, EventRecord, Head, LinkedRecord, Loaded, Secret, Snapshot

LEASE_S = 3.0
"""How long an owner may be silent before another may take the log, in seconds."""

DOWN_AFTER_US = 2_000_000
"""A log that gave no sign of life for longer than this had no owner meanwhile: clocks stand still (microseconds)."""


class Log(Protocol):
    """An event log: several named logs (`trictrac-0`), each with one owner, gapless positions and a hash chain.

    Every method may raise `Unavailable`. Adapters: `libs.log.postgres.PostgresLog`, `libs.log.memory.MemoryLog`.
    """

    async def claim(self, log: str, owner: str, lease_s: float = LEASE_S) -> Head | None:
        """Become the owner of `log`, when its lease is over or `owner` has it already. Creates it if it is new.

        Waits for a statement of an earlier owner that is still running, then raises the epoch: afterwards `pos` is
        final. None: somebody else holds it. Records the time without an owner (over 2 s) and returns it as `gap`.
        Counts in `tries`, except when this object holds the log already (it claims again because of a doubt).
        """
        ...

    async def append(self, head: Head, batch: Batch) -> tuple[Head, list[EventRecord]]:
        """Commit `batch` behind `head` in one statement and extend the lease; the new head and the stored records.

        Positions follow `head.pos`. `tries` becomes 0 if the cursor moved. Raises `Fenced` (nothing was written),
        `OutcomeUnknown` (claim, then look at `pos`) or `BadBatch`. One call at a time for each log.
        """
        ...

    async def extend(self, head: Head, lease_s: float = LEASE_S, *, idle: bool = False) -> Head:
        """Keep the log for another `lease_s` seconds. `idle`: nothing waits, so earlier claims harmed nobody (tries 0).

        Raises `Fenced`.
        """
        ...

    async def release(self, head: Head) -> None:
        """Give the log up in good order: the lease ends now. Does nothing if it is another's by now."""
        ...

    async def read(self, log: str, after: int, limit: int) -> list[EventRecord]:
        """At most `limit` records of `log` behind position `after`, in order. Raises `Gap` if one is missing."""
        ...

    async def read_stream(self, stream: str, after_ver: int, limit: int) -> list[EventRecord]:
        """At most `limit` records of one stream behind version `after_ver`, in order. Raises `Gap`."""
        ...

    async def read_links(self, log: str, positions: Sequence[int]) -> list[LinkedRecord]:
        """The records at `positions`, each with the hash of the event before it, by position; unknown ones absent."""
        ...

    async def load(self, streams: Sequence[str], fold: str) -> dict[str, Loaded]:
        """Snapshot (of `fold` only) and later events of many streams in one query; unknown streams are absent."""
        ...

    async def save_snapshots(self, snapshots: Sequence[Snapshot]) -> None:
        """Keep these states; one of the same `fold` that is older than the kept one changes nothing."""
        ...

    async def head(self, log: str) -> Head | None:
        """The head row as last committed; only to look at. None: no such log."""
        ...

    async def heads(self) -> list[Head]:
        """The head rows of all logs here, by name."""
        ...

    async def downs(self, log: str) -> list[tuple[int, int]]:
        """The times without an owner (from, to), in order."""
        ...

    async def secret(self, stream: str, play: int) -> bytes | None:
        """The seed of one play."""
        ...

    async def secrets(self, streams: Iterable[str]) -> list[Secret]:
        """All seeds of these streams, by stream and play."""
        ...

    async def checkpoints(self, consumer: str, version: int) -> dict[str, int]:
        """Up to which position of each log a consumer of this version has gone."""
        ...

    async def save_checkpoint(self, consumer: str, version: int, log: str, pos: int) -> None:
        """Remember that `consumer` has dealt with `log` up to `pos`. A lower `pos` changes nothing."""
        ...

    async def close(self) -> None:
        """Close all connections; never hangs on a frozen server."""
        ...
