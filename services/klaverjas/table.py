"""A table of klaverjas without the platform, for strength and speed measurements: chance from a seeded generator."""

from collections.abc import Sequence
from random import Random
from typing import Any, TypeVar

from libs.table.rules import Facts, Job, NotYet

T = TypeVar("T")


class RandomCtx:
    """A `Ctx` whose chance is a generator's. Serves as its own `Draws`; computes nothing."""

    facts = Facts()

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    @property
    def draws(self) -> "RandomCtx":
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
        """Klaverjas has nothing to compute."""
        raise NotYet(job)
