"""Waiting for a condition in turns of the event loop, not in time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], object]) -> None:
    """Let everything else run until `condition()` holds."""
    while not condition():
        await asyncio.sleep(0)
