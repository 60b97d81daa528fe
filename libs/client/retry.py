"""How long a client keeps trying: the same command id for at most 60 s, waiting longer each time."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

import msgspec

from libs.client.errors import ClientError

PATIENCE_S = 60.0
"""A table remembers command ids for two minutes: within one minute the same id has no second effect."""
FIRST_WAIT_S = 0.1
MOST_WAIT_S = 3.0


class Timing(msgspec.Struct, frozen=True):
    """Time and chance of a client. `clock` gives seconds that never go back, `now` seconds since 1970."""

    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


class Backoff:
    """The waits of one undertaking."""

    def __init__(self, timing: Timing, patience_s: float = PATIENCE_S) -> None:
        """Patience counts from now on, and anew after each `reset`."""
        self._timing = timing
        self._patience_s = patience_s
        self.reset()

    def reset(self) -> None:
        """It went well: start over."""
        self._until = self._timing.clock() + self._patience_s
        self._wait = FIRST_WAIT_S

    def wait_for(self, error: ClientError) -> float:
        """Seconds to wait before the next try. Raises `error` when trying again is no use, or patience is at an end."""
        wait = self._wait * (0.5 + self._timing.chance())
        if error.retry_after_s is not None:
            wait = max(error.retry_after_s, 0.0) + FIRST_WAIT_S * self._timing.chance()
        if not error.retryable or self._timing.clock() + wait > self._until:
            raise error
        self._wait = min(self._wait * 2, MOST_WAIT_S)
        return wait

    async def after(self, error: ClientError) -> None:
        """Wait before the next try, or raise `error`."""
        await self._timing.sleep(self.wait_for(error))
