"""The tables of one log in memory: loaded from snapshot and tail, remembered with the commands they accepted."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from libs.log.model import EventRecord, Loaded, Snapshot
from libs.log.port import Log
from libs.table.draft import Draft
from libs.table.life import PLAYING
from libs.table.standing import AnyRules, Memory, SnapshotCodec, Standing, event_types, fold_id

_log = logging.getLogger("stamtafel.table")

REMEMBERED = 128
"""Accepted commands that a table remembers at least."""
REMEMBER_US = 120 * 1_000_000
"""How long it remembers more of them."""


def memory_key(actor: str, command_id: str) -> str:
    """What a command is remembered by: its id counts for its sender only."""
    return f"{actor}/{command_id}"


class Table(Standing):
    """One table of the owner: its standing, the seed it keeps, what it accepted, what waits for it."""

    __slots__ = ("accepted", "queue", "seed", "set_aside", "snapped", "touched", "working")

    def __init__(self, rules: AnyRules, table_id: str) -> None:
        super().__init__(rules, table_id)
        self.seed = b""
        self.accepted: dict[str, tuple[int, int]] = {}
        self.set_aside = ""
        self.snapped = 0
        self.touched = 0
        self.queue: list[Any] = []
        self.working = False

    def adopt(self, draft: Draft, memory: str) -> None:
        """Takes over what a decision made of the table; `memory` is the key of its command."""
        self.life = draft.life
        self.game = draft.game
        self.rest = draft.rest
        self.began = draft.began
        self.version = draft.version
        self.draws = draft.draws
        self.at = draft.now
        self.seed = draft.seed
        self.remember(memory, draft.version, draft.now)

    def remember(self, memory: str, version: int, at: int) -> None:
        """Remembers an accepted command; forgets those that are both many and old."""
        accepted = self.accepted
        accepted[memory] = (version, at)
        if len(accepted) > REMEMBERED:
            oldest = next(iter(accepted))
            if accepted[oldest][1] < at - REMEMBER_US:
                del accepted[oldest]

    def memories(self) -> tuple[Memory, ...]:
        """What a snapshot keeps of the accepted commands."""
        return tuple(Memory(key, version, at) for key, (version, at) in self.accepted.items())

    def frozen(self) -> Standing:
        """The table as it stands now, untouched by later decisions."""
        still = Standing(self.rules, self.table_id)
        self.copy_to(still)
        return still


def fold_records(standing: Standing, records: Iterable[EventRecord], each: Callable[[EventRecord], None]) -> None:
    """Folds stored events, a decision's draws counted when it is complete; calls `each` after every event.

    Decisions are told apart by their command ids. Raises KeyError for a type this server does not know, or whatever a
    broken `evolve` raises.
    """
    types = event_types(standing.rules)
    decision, draws = "", 0
    for record in records:
        if record.command_id != decision:
            standing.draws += draws
            decision, draws = record.command_id, 0
        draws += record.draws
        standing.at = record.at
        standing.apply(types.read(record.type, record.data))
        each(record)
    standing.draws += draws


class Shelf:
    """Loads tables, keeps them, and lets go of the least used."""

    def __init__(self, rules: AnyRules, log: Log, most: int = 20_000) -> None:
        self._rules = rules
        self._log = log
        self._most = most
        self._codec = SnapshotCodec(rules)
        self._fold = fold_id(rules)
        self.tables: dict[str, Table] = {}

    def clear(self) -> None:
        """Forgets every table (the log is another's now)."""
        self.tables.clear()

    def new(self, table_id: str) -> Table:
        """An empty table, not yet on the shelf."""
        return Table(self._rules, table_id)

    async def load(self, table_ids: Sequence[str]) -> None:
        """Puts these tables on the shelf, if the log has them. One query for all, one more for their seeds."""
        loaded = await self._log.load(table_ids, self._fold)
        if not loaded:
            return
        seeds: dict[tuple[str, int], bytes] = {
            (secret.stream, secret.play): secret.seed for secret in await self._log.secrets(loaded)
        }
        for table_id, found in loaded.items():
            table = self.restored(table_id, found)
            life = table.life
            play = life.play if life.state == PLAYING else life.play + 1
            table.seed = seeds.get((table_id, play), b"")
            self.tables[table_id] = table

    def restored(self, table_id: str, found: Loaded) -> Table:
        """The table out of its snapshot and the events after it; set aside when its events cannot be folded."""
        table = Table(self._rules, table_id)
        if found.snapshot is not None:
            standing, memories = self._codec.read(table_id, found.snapshot.data)
            standing.copy_to(table)
            table.snapped = table.version
            table.accepted = {memory.key: (memory.version, memory.at) for memory in memories}

        def remember(record: EventRecord) -> None:
            table.remember(memory_key(record.actor, record.command_id), record.ver, record.at)

        try:
            fold_records(table, found.tail, remember)
        except Exception as error:
            table.set_aside = f"its events cannot be folded behind version {table.version} ({type(error).__name__})"
            _log.error("table %s is set aside", table_id, exc_info=error)
        return table

    def snapshot(self, table: Table) -> Snapshot:
        """The table as a snapshot of now."""
        table.snapped = table.version
        return Snapshot(table.table_id, table.version, self._fold, self._codec.write(table, table.memories()))

    def to_evict(self) -> list[Table]:
        """The least used tables beyond the shelf's room, none of them waiting for a computation."""
        over = len(self.tables) - self._most
        if over <= 0:
            return []
        resting = sorted((t for t in self.tables.values() if not t.queue and not t.working), key=lambda t: t.touched)
        return resting[: over + self._most // 20]
