"""Time as the timer uses it."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Time(Protocol):
    """A wall clock to read and to wait by."""

    def now_us(self) -> int:
        """Microseconds since 1970."""
        ...

    async def wait(self, wake: asyncio.Event, until_us: int | None) -> None:
        """Until `wake` is set (the waiter clears it) or the time has come; None: until it is set."""
        ...


class WallTime:
    """The real one."""

    def now_us(self) -> int:
        """Microseconds since 1970."""
        return time.time_ns() // 1000

    async def wait(self, wake: asyncio.Event, until_us: int | None) -> None:
        """Until `wake` is set or the time has come."""
        if until_us is None:
            await wake.wait()
            return
        # A wall clock may be put back: look again after a minute at the latest.
        seconds = min(60.0, max(0.0, (until_us - self.now_us()) / 1e6))
        handle = asyncio.get_running_loop().call_later(seconds, wake.set)
        try:
            await wake.wait()
        finally:
            handle.cancel()
