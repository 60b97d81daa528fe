"""Where a client keeps its tokens: one session for each gateway, in a file that only its owner reads."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Protocol

import msgspec

from stamtafel.gateway.v1 import gateway_pb2 as pb

RENEW_AT = 0.8
"""A token is renewed when so much of its time is over."""


class Kept(msgspec.Struct, frozen=True):
    """A session. Times in seconds since 1970; `renew_at`: when to ask for fresh tokens."""

    access: str
    refresh: str
    renew_at: float
    player_id: str
    name: str
    guest: bool = True

    def __repr__(self) -> str:
        return f"Kept(player_id={self.player_id!r}, name={self.name!r})"

    @classmethod
    def of(cls, session: pb.Session, now: float) -> Kept:
        """What is kept of a session that was given at `now`."""
        lasts = max(0.0, session.access_expires.ToSeconds() - now)
        player = session.player
        return cls(
            session.access_token,
            session.refresh_token,
            now + RENEW_AT * lasts,
            player.player_id,
            player.name,
            player.guest,
        )


class TokenStore(Protocol):
    """Keeps sessions by the gateway's address."""

    def load(self, address: str) -> Kept | None:
        """The session for this gateway, if there is one."""
        ...

    def save(self, address: str, kept: Kept) -> None:
        """Keep a session."""
        ...


class MemoryTokens:
    """Keeps sessions as long as the program runs."""

    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}

    def load(self, address: str) -> Kept | None:
        """The session for this gateway, if there is one."""
        return self._kept.get(address)

    def save(self, address: str, kept: Kept) -> None:
        """Keep a session."""
        self._kept[address] = kept


class FileTokens:
    """Keeps sessions in a JSON file (mode 600), replaced whole at each change."""

    def __init__(self, path: Path) -> None:
        """The file and its directory are made when the first session is kept."""
        self._path = path

    def load(self, address: str) -> Kept | None:
        """The session for this gateway, if there is one; a file that cannot be read is taken for an empty one."""
        return self._read().get(address)

    def save(self, address: str, kept: Kept) -> None:
        """Keep a session."""
        all_kept = {**self._read(), address: kept}
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, draft = tempfile.mkstemp(dir=self._path.parent, prefix=".tokens-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(all_kept)) + b"\n")
            Path(draft).replace(self._path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(draft).unlink()
            raise

    def _read(self) -> dict[str, Kept]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, Kept])
        except (OSError, msgspec.MsgspecError):
            return {}
