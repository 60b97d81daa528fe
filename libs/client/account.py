"""Who the client is at one gateway: its tokens, kept fresh."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from libs.client.errors import SignInNeeded
from libs.client.retry import Timing
from libs.client.tokens import Kept, TokenStore
from stamtafel.gateway.v1 import gateway_pb2 as pb

Metadata = tuple[tuple[str, str], ...]


class Account:
    """One player's session at one gateway."""

    def __init__(
        self, address: str, store: TokenStore, timing: Timing, refresh: Callable[[str], Awaitable[pb.Session]]
    ) -> None:
        """`refresh` makes a new session of a refresh token; it raises SignInNeeded when that counts no more."""
        self._address = address
        self._store = store
        self._timing = timing
        self._refresh = refresh
        self._kept = store.load(address)
        self._lock = asyncio.Lock()

    @property
    def kept(self) -> Kept | None:
        """The session, None before a sign-in."""
        return self._kept

    @property
    def player_id(self) -> str:
        """Id of the player. Raises SignInNeeded."""
        return self._need().player_id

    def adopt(self, session: pb.Session) -> None:
        """Use and keep this session."""
        self._kept = Kept.of(session, self._timing.now())
        self._store.save(self._address, self._kept)

    async def metadata(self) -> Metadata:
        """For a call. Fetches fresh tokens when the present ones are nearly over. Raises SignInNeeded."""
        kept = self._need()
        if self._timing.now() >= kept.renew_at:
            await self.renew(kept)
        return (("authorization", f"Bearer {self._need().access}"),)

    async def renew(self, old: Kept | None = None) -> None:
        """Fetch fresh tokens, once for all who find the same session too old."""
        old = old or self._need()
        async with self._lock:
            if self._need() is old:
                self.adopt(await self._refresh(old.refresh))

    def _need(self) -> Kept:
        if self._kept is None:
            raise SignInNeeded("TOKEN_MISSING", "sign in first")
        return self._kept
