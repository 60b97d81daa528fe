"""A clock that stands still until a test moves it."""

import asyncio
import heapq
from itertools import count


class ScriptedClock:
    """Time that a test moves by hand; passes for `time.time` and `time.monotonic`, its `sleep` for `asyncio.sleep`.

    Calling it gives seconds, `us()` whole microseconds. `sleep` returns once `advance` has passed its end, in the order
    of the ends.
    """

    def __init__(self, start_us: int = 1_700_000_000_000_000) -> None:
        self._now_us = start_us
        self._order = count()
        self._sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrived = asyncio.Event()

    def __call__(self) -> float:
        return self._now_us / 1_000_000

    def us(self) -> int:
        """Microseconds since 1970."""
        return self._now_us

    @property
    def sleeping(self) -> int:
        """How many wait in `sleep`."""
        return sum(not future.done() for _, _, future in self._sleepers)

    async def sleep(self, seconds: float) -> None:
        """Waits until the clock has been moved that far."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now_us + round(seconds * 1_000_000), next(self._order), future))
        self._arrived.set()
        await future

    async def until_sleeping(self, n: int = 1) -> None:
        """Waits until n sleepers wait: the code under test has come to rest there."""
        while self.sleeping < n:
            self._arrived.clear()
            await self._arrived.wait()

    def advance(self, seconds: float) -> None:
        """Moves the clock and wakes whoever is due."""
        self._now_us += round(seconds * 1_000_000)
        while self._sleepers and self._sleepers[0][0] <= self._now_us:
            _, _, future = heapq.heappop(self._sleepers)
            if not future.done():
                future.set_result(None)
