"""Who watches which table: interest by audience, which lasts 30 s unless it is renewed."""

from __future__ import annotations

from collections.abc import Iterable

INTEREST_S = 30.0


class Watchers:
    """Watched audiences by table. Times are seconds of a monotonic clock, passed in."""

    def __init__(self) -> None:
        self._until: dict[str, dict[str, float]] = {}

    def add(self, table_id: str, audience: str, now: float) -> None:
        """Someone watches as this audience for the next 30 s."""
        self._until.setdefault(table_id, {})[audience] = now + INTEREST_S

    def watched(self, table_id: str) -> bool:
        """Whether anybody watches the table (or did until a moment ago)."""
        return table_id in self._until

    def audiences(self, table_id: str, now: float) -> Iterable[str]:
        """The audiences watched now."""
        until = self._until.get(table_id)
        if until is None:
            return ()
        return [audience for audience, end in until.items() if end > now]

    def sweep(self, now: float) -> None:
        """Forgets interest that has run out."""
        for table_id in list(self._until):
            kept = {audience: end for audience, end in self._until[table_id].items() if end > now}
            if kept:
                self._until[table_id] = kept
            else:
                del self._until[table_id]

    def clear(self) -> None:
        """Forgets everybody."""
        self._until.clear()
