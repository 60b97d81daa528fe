"""What the kit may not make up itself: seeds, invitation codes, and when its log had no owner."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

from libs.table.draws import SEED_BYTES

CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 6


class TableHouse:
    """Implements `draft.House` with the operating system's chance. `gaps` are spans (us) without an owner."""

    def __init__(self, random_bytes: Callable[[int], bytes] = secrets.token_bytes) -> None:
        self._random_bytes = random_bytes
        self.gaps: Sequence[tuple[int, int]] = ()

    def seed(self) -> bytes:
        """32 random bytes."""
        return self._random_bytes(SEED_BYTES)

    def code(self) -> str:
        """Six letters and digits that nobody mistakes for each other (32 signs, so no rejection is needed)."""
        return "".join(CODE_LETTERS[byte % len(CODE_LETTERS)] for byte in self._random_bytes(CODE_LENGTH))

    def downs(self) -> Sequence[tuple[int, int]]:
        """Spans in which the log had no owner."""
        return self.gaps
