"""How long a piece of work takes when nobody else runs."""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, TypeVar

T = TypeVar("T")
ROUNDS = 5


def micros(moments: Sequence[T], work: Callable[[T], Any], before: Callable[[], None] = lambda: None) -> float:
    """Microseconds a moment, the best of `ROUNDS`; `before` runs unmeasured before each."""
    best = float("inf")
    for _ in range(ROUNDS):
        before()
        began = perf_counter()
        for moment in moments:
            work(moment)
        best = min(best, perf_counter() - began)
    return best / len(moments) * 1e6
