"""Who somebody is: access and refresh tokens, signed by the gateway itself, checked without any look-up.

Claims: `sub` player id, `name`, `roles` (words of `ROLES`), `guest`, `use` (`access` or `refresh`), `iss`, `iat`,
`exp`.
"""

from __future__ import annotations

import base64
import secrets
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from typing import Any, cast

import jwt
import msgspec

from services.gateway.errors import Denied, bad_shape
from services.gateway.keys import KeyRing
from stamtafel.gateway.v1 import gateway_pb2 as pb

ISSUER = "stamtafel"
ALGORITHM = "EdDSA"
MOST_CACHED = 10_000
NAME_CHARS = 40

PLAYER, OPERATOR, ANALYST, AUDITOR = "player", "operator", "analyst", "auditor"
ROLES: dict[str, pb.Role.ValueType] = {
    PLAYER: pb.ROLE_PLAYER,
    OPERATOR: pb.ROLE_OPERATOR,
    ANALYST: pb.ROLE_ANALYST,
    AUDITOR: pb.ROLE_AUDITOR,
}


class Identity(msgspec.Struct, frozen=True):
    """A person as a token names him. `expires`: seconds since 1970."""

    player_id: str
    name: str
    roles: frozenset[str] = frozenset((PLAYER,))
    guest: bool = False
    expires: float = 0.0

    def need(self, role: str) -> None:
        """Raises Denied ROLE_MISSING without this role."""
        if role not in self.roles:
            raise Denied("ROLE_MISSING", f"this needs the role {role}")

    def need_any(self, *roles: str) -> None:
        """Raises Denied ROLE_MISSING without one of these roles."""
        if self.roles.isdisjoint(roles):
            raise Denied("ROLE_MISSING", f"this needs one of the roles {', '.join(roles)}")

    def player(self) -> pb.Player:
        """As the contract shows him."""
        roles = [ROLES[word] for word in ROLES if word in self.roles]
        return pb.Player(player_id=self.player_id, name=self.name, roles=roles, guest=self.guest)


def guest_id() -> str:
    """A new player id."""
    return "g-" + base64.b32encode(secrets.token_bytes(10)).decode().lower()


def account_id(issuer: str, subject: str) -> str:
    """The player id of an issuer's account: always the same, and nobody can make it for another issuer."""
    digest = sha256(b"%d:" % len(issuer.encode()) + issuer.encode() + subject.encode()).digest()
    return "p-" + base64.b32encode(digest[:15]).decode().lower()


def clean_name(name: str, field: str = "name") -> str:
    """A name to show: without blanks around it, 1..40 characters, none of them a control. Raises Denied BAD_SHAPE."""
    name = name.strip()
    if not 1 <= len(name) <= NAME_CHARS:
        raise bad_shape(field, f"needs 1 to {NAME_CHARS} characters")
    if not name.isprintable():
        raise bad_shape(field, "must not hold control characters")
    return name


class Tokens:
    """Makes and checks tokens."""

    def __init__(
        self, ring: KeyRing, now: Callable[[], float], access_s: float = 3600.0, refresh_s: float = 30 * 86400.0
    ) -> None:
        """`now` gives seconds since 1970; `access_s` and `refresh_s` are how long tokens count."""
        self._ring = ring
        self._now = now
        self._access_s = access_s
        self._refresh_s = refresh_s
        self._cache: OrderedDict[str, Identity] = OrderedDict()

    def session(self, who: Identity) -> pb.Session:
        """Fresh tokens for `who` (his `expires` does not matter)."""
        now = self._now()
        session = pb.Session(
            access_token=self._sign(who, "access", now, self._access_s),
            refresh_token=self._sign(who, "refresh", now, self._refresh_s),
            player=who.player(),
        )
        session.access_expires.FromSeconds(int(now + self._access_s))
        session.refresh_expires.FromSeconds(int(now + self._refresh_s))
        return session

    def access(self, token: str) -> Identity:
        """Who this access token is for. Raises Denied TOKEN_INVALID or TOKEN_EXPIRED."""
        who = self._cache.get(token)
        if who is None:
            who = self._check(token, "access")
            self._cache[token] = who
            if len(self._cache) > MOST_CACHED:
                self._cache.popitem(last=False)
        self.still(who)
        return who

    def refresh(self, token: str) -> Identity:
        """Who this refresh token is for. Raises Denied TOKEN_INVALID or TOKEN_EXPIRED."""
        who = self._check(token, "refresh")
        self.still(who)
        return who

    def still(self, who: Identity) -> None:
        """Raises Denied TOKEN_EXPIRED when the token of `who` has run out."""
        if self._now() >= who.expires:
            raise Denied("TOKEN_EXPIRED", "the token has expired; refresh it")

    def left_s(self, who: Identity) -> float:
        """Seconds until the token of `who` runs out."""
        return who.expires - self._now()

    def _sign(self, who: Identity, use: str, now: float, lasts: float) -> str:
        kid, key = self._ring.signer
        claims: dict[str, Any] = {
            "iss": ISSUER,
            "sub": who.player_id,
            "name": who.name,
            "roles": sorted(who.roles),
            "guest": who.guest,
            "use": use,
            "iat": int(now),
            "exp": int(now + lasts),
        }
        return jwt.encode(claims, key, algorithm=ALGORITHM, headers={"kid": kid})

    def _check(self, token: str, use: str) -> Identity:
        invalid = Denied("TOKEN_INVALID", "the token is not valid here")
        try:
            kid = jwt.get_unverified_header(token).get("kid")
            key = self._ring.checker(kid) if isinstance(kid, str) else None
            if key is None:
                raise invalid
            claims = jwt.decode(
                token,
                key,
                algorithms=[ALGORITHM],
                issuer=ISSUER,
                # times are compared with the injected clock
                options={
                    "require": ["sub", "exp", "iat"],
                    "verify_exp": False,
                    "verify_iat": False,
                    "verify_aud": False,
                },
            )
        except (jwt.PyJWTError, ValueError) as error:
            raise invalid from error
        if claims.get("use") != use:
            raise invalid
        return Identity(
            player_id=str(claims["sub"]),
            name=str(claims.get("name", "")),
            roles=known_roles(claims.get("roles")),
            guest=bool(claims.get("guest", False)),
            expires=float(claims["exp"]),
        )


def known_roles(words: object) -> frozenset[str]:
    """The roles among these words; always `player` too. Anything that is no list of words gives just that."""
    asked: list[object] = [*cast("list[object]", words)] if isinstance(words, list) else []
    return frozenset(word for word in asked if isinstance(word, str) and word in ROLES) | {PLAYER}
