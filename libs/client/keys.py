"""Sessions with roles for who can read the gateway's keys: the operator of a machine needs no issuer of accounts.

The gateway's own module makes the tokens; it is found by name, as a library may not import a service.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from libs.client.setup import BadWish
from stamtafel.gateway.v1 import gateway_pb2 as pb


def session_by_keys(directory: Path, name: str, roles: Sequence[str]) -> pb.Session:
    """A session for `local:<name>` with these roles, signed with the keys in `directory`. Raises BadWish."""
    keys: Any = importlib.import_module("services.gateway.keys")
    tokens: Any = importlib.import_module("services.gateway.tokens")
    for role in roles:
        if role not in tokens.ROLES:
            raise BadWish(f"a role is {', '.join(tokens.ROLES)}, not {role!r}")
    try:
        ring = keys.KeyRing(keys.read_keys(directory))
    except (keys.NoKey, OSError, ValueError):
        raise BadWish(f"{directory} holds no key of a gateway that can be read; --data names another place") from None
    player = tokens.account_id("local", name)
    who = tokens.Identity(player_id=player, name=name, roles=frozenset([*roles, tokens.PLAYER]))
    session: pb.Session = tokens.Tokens(ring, time.time).session(who)
    return session
