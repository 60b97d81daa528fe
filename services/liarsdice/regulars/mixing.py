"""Mixed strategies: a regular never does always the same, else guests learn to read it."""

from collections.abc import Iterable
from math import exp
from random import Random
from typing import NamedTuple

Bid = tuple[int, int]
"""Quantity and face; face 0 is `any`."""
Call = Bid | None
"""A bid, or None for the lift."""
Mixture = list[tuple[Call, float]]
"""Calls with their chances, which sum to 1."""


class Temper(NamedTuple):
    """A regular's character, by its seat: how gladly it bluffs and lifts (shares), never a rule of its own."""

    bluff: float
    lift: float


def temper(seat: int) -> Temper:
    """The regular that sits on that seat."""
    return Temper(((seat * 5) % 8 - 3.5) / 35, ((seat * 3) % 8 - 3.5) / 35)


def softmax(worths: Iterable[tuple[Call, float]], heat: float) -> Mixture:
    """The better a call the likelier: one that is worth `heat` more is e times as likely."""
    listed = list(worths)
    top = max(worth for _, worth in listed)
    weights = [exp((worth - top) / heat) for _, worth in listed]
    total = sum(weights)
    return [(call, weight / total) for (call, _), weight in zip(listed, weights, strict=True)]


def sway(judged: Iterable[tuple[Call, float, bool]], mood: Temper, heat: float) -> Mixture:
    """A mixture of judged calls (worth, whether honest), swayed by the mood: a lift by `lift`, a bluff by `bluff`."""
    return softmax(
        (
            (call, worth + (mood.lift if call is None else 0.0 if honest else mood.bluff))
            for call, worth, honest in judged
        ),
        heat,
    )


def pick(mixture: Mixture, rng: Random) -> Call:
    """One call by its chance."""
    return rng.choices([call for call, _ in mixture], [chance for _, chance in mixture])[0]
