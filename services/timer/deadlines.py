"""The deadlines of all tables, in memory: the newest set of each table, and a heap of when to look at which."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import NamedTuple


class Deadline(NamedTuple):
    """A clock of a table and when it is up, in microseconds since 1970."""

    log: str
    table: str
    clock_id: str
    due: int


class Deadlines:
    """Which clocks run. The newest set of a table wins; what the heap still holds of older ones is passed over."""

    def __init__(self) -> None:
        """Empty."""
        self._tables: dict[str, tuple[str, dict[str, int]]] = {}
        self._heap: list[tuple[int, int, Deadline]] = []
        self._entries: dict[tuple[str, str], int] = {}  # number of the one heap entry that counts for a clock
        self._numbers = count()
        self._running = 0

    def __len__(self) -> int:
        """Number of clocks that run."""
        return self._running

    def put(self, log: str, table: str, running: Mapping[str, int]) -> list[str]:
        """The clocks of a table are these now, `{clock_id: due}`. Returns the ids that ended or were moved."""
        before = self._tables.get(table, (log, {}))[1]
        gone = [clock_id for clock_id, due in before.items() if running.get(clock_id) != due]
        for clock_id in gone:
            self._entries.pop((table, clock_id), None)
        for clock_id, due in running.items():
            if before.get(clock_id) != due:
                self._push(due, Deadline(log, table, clock_id, due))
        self._running += len(running) - len(before)
        if running:
            self._tables[table] = (log, dict(running))
        else:
            self._tables.pop(table, None)
        if len(self._heap) > 2 * self._running + 1024:
            self._sweep()
        return gone

    def again(self, deadline: Deadline, at: int) -> None:
        """Look at it once more at `at`, if it still runs."""
        if self.runs(deadline):
            self._push(at, deadline)

    def drop(self, deadline: Deadline) -> None:
        """The table says that this clock does not run."""
        if self.runs(deadline):
            log, running = self._tables[deadline.table]
            self.put(log, deadline.table, {key: due for key, due in running.items() if key != deadline.clock_id})

    def runs(self, deadline: Deadline) -> bool:
        """Whether the newest set has it, with this due."""
        found = self._tables.get(deadline.table)
        return found is not None and found[1].get(deadline.clock_id) == deadline.due

    def next_at(self) -> int | None:
        """When to look next; None: nothing runs."""
        heap = self._heap
        while heap and not self._counts(heap[0]):
            heapq.heappop(heap)
        return heap[0][0] if heap else None

    def take_due(self, now: int) -> Iterator[Deadline]:
        """Those that are up at `now`, earliest first; each once, until it is set again or put off (`again`)."""
        heap = self._heap
        while heap and heap[0][0] <= now:
            entry = heapq.heappop(heap)
            if self._counts(entry):
                del self._entries[entry[2].table, entry[2].clock_id]
                yield entry[2]

    def sets(self) -> Iterable[tuple[str, str, Mapping[str, int]]]:
        """Log, table and running clocks of every table that has any."""
        return ((log, table, running) for table, (log, running) in self._tables.items())

    def _push(self, at: int, deadline: Deadline) -> None:
        number = self._entries[deadline.table, deadline.clock_id] = next(self._numbers)
        heapq.heappush(self._heap, (at, number, deadline))

    def _counts(self, entry: tuple[int, int, Deadline]) -> bool:
        return self._entries.get((entry[2].table, entry[2].clock_id)) == entry[1]

    def _sweep(self) -> None:
        """Forget what is passed over anyway, so that the heap does not outgrow the clocks that run."""
        self._heap = [entry for entry in self._heap if self._counts(entry)]
        heapq.heapify(self._heap)
