"""How much one player, or one stranger's address, may ask for: token buckets and a count of open streams."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager

import msgspec

from services.gateway.errors import Denied


class Rate(msgspec.Struct, frozen=True):
    """So many a second in the long run, at most `burst` at once."""

    per_second: float
    burst: float


class Buckets:
    """A token bucket for each key. Forgets the keys unused for longest when there are more than `most_keys`.

    A forgotten bucket comes back full, so `most_keys` must be far above the number of keys that are busy at one time.
    """

    def __init__(self, rate: Rate, clock: Callable[[], float], most_keys: int = 50_000) -> None:
        """`clock` gives seconds that never go back."""
        self._rate = rate
        self._clock = clock
        self._most_keys = most_keys
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str, what: str = "requests") -> None:
        """Take one token. Raises Denied RATE with the time until there is one again."""
        now = self._clock()
        rate = self._rate
        left, at = self._buckets.pop(key, (rate.burst, now))
        left = min(rate.burst, left + (now - at) * rate.per_second)
        if left < 1.0:
            self._buckets[key] = (left, now)
            wait = (1.0 - left) / rate.per_second
            raise Denied("RATE", f"too many {what}; at most {rate.per_second:g} a second", retry_after_s=wait)
        self._buckets[key] = (left - 1.0, now)
        if len(self._buckets) > self._most_keys:
            self._buckets.popitem(last=False)

    def __len__(self) -> int:
        return len(self._buckets)


class Streams:
    """Counts the open streams of each player."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[str] = Counter()

    @property
    def open(self) -> int:
        """Open streams of all players."""
        return self._open.total()

    @contextmanager
    def hold(self, player: str) -> Generator[None]:
        """Hold one stream of `player`. Raises Denied STREAMS when he has as many as allowed."""
        if self._open[player] >= self._most:
            raise Denied("STREAMS", f"{self._most} streams are open already; end one first", retry_after_s=1.0)
        self._open[player] += 1
        try:
            yield
        finally:
            self._open[player] -= 1
            if not self._open[player]:
                del self._open[player]
