"""Honest chance from a seed, for yardsticks, benches and tests: nothing here is sealed, or can be verified."""

from collections.abc import Sequence
from random import Random
from typing import Any, TypeVar

from libs.table.rules import Facts, Job

T = TypeVar("T")


class SeededCtx:
    """A `Ctx` that is its own `Draws`; long computations are done on the spot."""

    def __init__(self, rng: Random, facts: Facts | None = None) -> None:
        """`rng`: where chance comes from. `facts`: default: a table of people."""
        self._rng = rng
        self.facts = facts or Facts()

    @property
    def draws(self) -> "SeededCtx":
        """Itself."""
        return self

    def dice(self, n: int) -> tuple[int, ...]:
        """n dice."""
        return tuple(self._rng.randint(1, 6) for _ in range(n))

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return self._rng.choice(items)

    def shuffle(self, items: Sequence[T], at: int | None = None) -> tuple[T, ...]:
        """The items in random order."""
        return tuple(self._rng.sample(items, len(items)))

    def compute(self, job: Job) -> Any:
        """The job's outcome."""
        return job.function(*job.arguments)
