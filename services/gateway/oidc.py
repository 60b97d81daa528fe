"""Accounts of other houses: ID tokens of OpenID Connect issuers, checked with the keys they publish (JWKS)."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jwt
import msgspec
from jwt import PyJWKClient, PyJWKClientConnectionError

from services.gateway.errors import Denied, bad_shape
from services.gateway.tokens import NAME_CHARS, PLAYER, Identity, account_id, known_roles

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA")
LEEWAY_S = 60.0


class Issuer(msgspec.Struct, frozen=True):
    """An issuer that counts.

    `audience` is our client id there; `roles_claim` names the claim with role words, empty: none.
    """

    issuer: str
    audience: str
    jwks_uri: str
    roles_claim: str = ""


class Accounts:
    """Signs people in by their ID tokens."""

    def __init__(self, issuers: Sequence[Issuer], now: Callable[[], float], timeout_s: float = 5.0) -> None:
        """`now` gives seconds since 1970; `timeout_s` is for fetching an issuer's keys."""
        self._issuers = {issuer.issuer: issuer for issuer in issuers}
        self._keys = {
            issuer.issuer: PyJWKClient(issuer.jwks_uri, cache_keys=True, timeout=int(timeout_s) or 1)
            for issuer in issuers
        }
        self._now = now

    async def identify(self, id_token: str) -> Identity:
        """Whose account the ID token is for.

        Raises Denied BAD_SHAPE (no token), TOKEN_INVALID (unknown issuer, wrong signature, audience or claims),
        TOKEN_EXPIRED, NO_ANSWER (the issuer does not give its keys).
        """
        if not id_token:
            raise bad_shape("id_token", "is missing")
        try:
            unchecked: dict[str, Any] = jwt.decode(id_token, options={"verify_signature": False})
            issuer = self._issuers.get(str(unchecked.get("iss")))
            if issuer is None:
                raise Denied("TOKEN_INVALID", "the issuer of this token is not known here")
            find = functools.partial(self._keys[issuer.issuer].get_signing_key_from_jwt, id_token)
            key = await asyncio.to_thread(find)  # PyJWKClient blocks while it fetches
            claims: dict[str, Any] = jwt.decode(
                id_token,
                key,
                algorithms=list(ALGORITHMS),
                issuer=issuer.issuer,
                audience=issuer.audience,
                options={"require": ["sub", "exp"], "verify_exp": False, "verify_iat": False, "verify_nbf": False},
            )
        except PyJWKClientConnectionError as error:
            raise Denied("NO_ANSWER", "the issuer does not answer; try again", retry_after_s=2.0) from error
        except (jwt.PyJWTError, ValueError) as error:
            raise Denied("TOKEN_INVALID", "the token is not valid") from error
        if self._now() >= float(claims["exp"]) + LEEWAY_S:
            raise Denied("TOKEN_EXPIRED", "the ID token has expired")
        name = str(claims.get("name") or claims.get("preferred_username") or "guest")
        name = "".join(c for c in name if c.isprintable()).strip()[:NAME_CHARS] or "guest"
        roles = known_roles(claims.get(issuer.roles_claim)) if issuer.roles_claim else frozenset((PLAYER,))
        return Identity(player_id=account_id(issuer.issuer, str(claims["sub"])), name=name, roles=roles)
