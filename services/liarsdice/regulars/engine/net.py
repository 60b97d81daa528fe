"""The nets: out of what a seat senses, a mixture of calls. Plain numpy; weights in `two_*.npz` and `more_*.npz`."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from services.liarsdice.regulars.engine.rounds import Rounds
from services.liarsdice.regulars.engine.senses import sense
from services.liarsdice.regulars.engine.situations import Bools, Floats, Ints

WEIGHTS = Path(__file__).parent
Layers = Sequence[Floats]
"""Weights and biases in turn, `[inputs, outputs]` and `[outputs]`; rectifiers between layers."""
Nets = Sequence[Layers]
"""Nets that play as one: the mean of their mixtures. What one of them does wrong, the others do not."""


def forward(layers: Layers, inputs: Floats) -> list[Floats]:
    """The outputs of every layer; the last one plain."""
    out: list[Floats] = []
    for at in range(0, len(layers), 2):
        inputs = inputs @ layers[at] + layers[at + 1]
        if at + 2 < len(layers):
            np.maximum(inputs, 0, out=inputs)
        out.append(inputs)
    return out


def mixture(scores: Floats, legal: Bools) -> Floats:
    """Shares of the legal calls, by their scores (softmax)."""
    masked = np.where(legal, scores, -np.inf)
    shares = np.exp(masked - masked.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def shares(nets: Nets, rounds: Rounds, rows: Ints) -> Floats:
    """`[row, call]`: how the seat in turn of each round mixes its calls."""
    legal = rounds.legal(rows)
    seen = sense(rounds, rows, legal)
    total = np.zeros(legal.shape, np.float32)
    for layers in nets:
        total += mixture(forward(layers, seen)[-1], legal)
    return total / np.float32(len(nets))


def drawn(shares: Floats, rng: np.random.Generator) -> Ints:
    """One call a row, by chance."""
    at = (shares.cumsum(axis=1) <= rng.random((len(shares), 1), dtype=np.float32)).sum(axis=1)
    last = shares.shape[1] - 1 - np.argmax(shares[:, ::-1] > 0, axis=1)
    return np.minimum(at, last)


@cache
def load(cups: str) -> Nets:
    """The shipped nets for `two` cups, or for `more`."""
    return tuple(read(path) for path in sorted(WEIGHTS.glob(f"{cups}_*.npz")))


def read(path: Path) -> Layers:
    """A net from a file."""
    with np.load(path) as file:
        return tuple(file[name].astype(np.float32) for name in sorted(file.files))


def save(path: Path, layers: Layers) -> None:
    """Writes a net in half precision."""
    arrays = {f"layer{at:02}": part.astype(np.float16) for at, part in enumerate(layers)}
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)  # pyright: ignore[reportArgumentType]
