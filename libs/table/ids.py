"""Ids of tables and logs: pure functions that every service computes alike.

A log is `<service>-<shard>`, a table `<log>-<16 letters>`: base32 (lower case) of 80 bits of a hash of who opens it and
with which command. So whoever sends `OpenTable` knows the id before it asks, a repeat names the same table, and routing
needs no look-up (design: the writer, "Opening a table").
"""

import base64
from hashlib import sha256

ID_CHARS = 16


def table_id(game: str, shards: int, actor: str, command_id: str) -> str:
    """The id of the table that `actor` (an actor's id) opens with this command, on one of `shards` logs of `game`.

    The same hash names the table and picks the shard. Raises ValueError for fewer than one shard.
    """
    if shards < 1:
        raise ValueError(f"{game} has {shards} shards, at least 1 is needed")
    digest = sha256(b"%d:" % len(actor.encode()) + actor.encode() + command_id.encode()).digest()
    shard = int.from_bytes(digest[10:18], "big") % shards
    return f"{game}-{shard}-{base64.b32encode(digest[:10]).decode().lower()}"


def log_of(table: str) -> str:
    """The log that holds a table: `trictrac-0-01j8...` -> `trictrac-0`. Raises ValueError if that is no table's id."""
    log, dash, rest = table.rpartition("-")
    game, dash2, shard = log.rpartition("-")
    # '.', '*', '>' and blanks would change a NATS subject
    if not (dash and dash2 and game and shard.isdecimal() and _plain(game) and _plain(rest)):
        raise ValueError(f"{table!r} is no id of a table")
    return log


def game_of(log: str) -> str:
    """The game (service) of a log: `trictrac-0` -> `trictrac`."""
    return log.rpartition("-")[0]


def logs_of(game: str, shards: int) -> list[str]:
    """All logs of a game."""
    return [f"{game}-{shard}" for shard in range(shards)]


def _plain(part: str) -> bool:
    return part.isascii() and part.isalnum()
