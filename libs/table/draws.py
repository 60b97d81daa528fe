"""Fair draws that anyone can check (P6).

A play's seed is sealed before it begins (`SHA-256(seed)` is public), the players' nonces are mixed in, and draw i is
HMAC-SHA256(key, i) read block by block. Bytes become dice, choices and shuffles by rejection sampling, so every outcome
is equally likely. `stamtafel verify` runs the same code on an exported log.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import struct
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

SEED_BYTES = 32
_pack = struct.Struct(">QI").pack
_COUNTED = b"draw"
_NAMED = b"place"


def commitment(seed: bytes) -> bytes:
    """The public seal of a seed: its SHA-256."""
    return hashlib.sha256(seed).digest()


@functools.lru_cache(maxsize=32_768)
def play_key(seed: bytes, table_id: str, play: int, nonces: tuple[bytes, ...]) -> bytes:
    """Key of one play: SHA-256 over seed, table id, number of the play and the nonces by seat, length-prefixed."""
    parts = [seed, _sized(table_id.encode()), struct.pack(">I", play)]
    parts.extend(_sized(nonce) for nonce in nonces)
    return hashlib.sha256(b"".join(parts)).digest()


def shared_key(seed: bytes, list_id: str) -> bytes:
    """Key of a shared list of draws (duplicate deals): the same for every table of the round."""
    return hashlib.sha256(seed + _sized(list_id.encode())).digest()


def _sized(part: bytes) -> bytes:
    return struct.pack(">I", len(part)) + part


class SealedDraws:
    """The draws of one play, from draw number `taken` on. Implements `rules.Draws`."""

    __slots__ = ("_key", "taken")

    def __init__(self, key: bytes, taken: int = 0) -> None:
        self._key = key
        self.taken = taken

    def dice(self, n: int) -> tuple[int, ...]:
        """n dice, 1..6 each: one draw."""
        number = self.taken
        self.taken += 1
        fallen: list[int] = []
        block = 0
        while True:
            for byte in hmac.digest(self._key, _COUNTED + _pack(number, block), "sha256"):
                if byte < 252:
                    fallen.append(byte % 6 + 1)
                    if len(fallen) >= n:
                        return tuple(fallen)
            block += 1

    def pick(self, items: Sequence[T]) -> T:
        """One of `items`, all equally likely: one draw."""
        return items[_below(len(items), self._next(None))]

    def shuffle(self, items: Sequence[T], at: int | None = None) -> tuple[T, ...]:
        """`items` in random order (Fisher-Yates): one draw, or the one that belongs to place `at`."""
        stream = self._next(at)
        deck = list(items)
        for last in range(len(deck) - 1, 0, -1):
            other = _below(last + 1, stream)
            deck[last], deck[other] = deck[other], deck[last]
        return tuple(deck)

    def _next(self, at: int | None) -> Iterator[int]:
        number = self.taken
        self.taken += 1
        return _bytes(self._key, _COUNTED, number) if at is None else _bytes(self._key, _NAMED, at)


def _bytes(key: bytes, label: bytes, number: int) -> Iterator[int]:
    block = 0
    while True:
        yield from hmac.digest(key, label + _pack(number, block), "sha256")
        block += 1


def _below(n: int, stream: Iterator[int]) -> int:
    """A number 0..n-1, all equally likely."""
    width = max(1, ((n - 1).bit_length() + 7) // 8)
    limit = (1 << (8 * width)) // n * n
    while True:
        number = 0
        for _ in range(width):
            number = number << 8 | next(stream)
        if number < limit:
            return number % n
