"""What the gateway needs from outside, beside the bus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from libs.log import LinkedRecord
from stamtafel.gateway.v1 import gateway_pb2 as pb


class CommandPort(Protocol):
    """Sends a command and waits for its answer; `libs.bus.CommandSender` is one."""

    async def send(self, log: str, table: str, build: Callable[[str], bytes], deadline_s: float | None = 10.0) -> bytes:
        """The answer's bytes. It publishes before it first waits. Raises `BusError`s."""
        ...


class QueryPort(Protocol):
    """Asks the owner of a log."""

    async def __call__(self, log: str, data: bytes, timeout_s: float) -> bytes:
        """The reply's bytes. Raises `BusError`s."""
        ...


class Listing(msgspec.Struct, frozen=True):
    """Which tables a caller wants to see, and who he is. `states` empty: all but closed ones."""

    player: str
    game: str = ""
    states: tuple[int, ...] = ()
    with_free_seat: bool = False
    mine: bool = False


class Place(msgspec.Struct, frozen=True):
    """Where a page of the list ended: the last table's time (microseconds since 1970) and id."""

    at_us: int
    table_id: str


class LobbyReader(Protocol):
    """Reads the list of tables (the read model of tally)."""

    async def page(self, listing: Listing, after: Place | None, limit: int) -> list[pb.TableSummary]:
        """At most `limit` tables that the listing lets through, the newest event first, behind `after`."""
        ...

    async def get(self, table_ids: Sequence[str]) -> list[pb.TableSummary]:
        """These tables as they are now; unknown ones are left out. Private and closed ones too: `shown` decides."""
        ...


class DiceReport(msgspec.Struct, frozen=True):
    """What a check of the draws found: draws recomputed, plays checked, what is wrong (a sentence each)."""

    draws: int = 0
    plays: tuple[int, ...] = ()
    problems: tuple[str, ...] = ()


class DiceCheck(Protocol):
    """Recomputes the draws of a table's ended plays from their revealed seeds."""

    def __call__(self, records: Sequence[LinkedRecord]) -> DiceReport:
        """`records` are all events of one table, in order."""
        ...


class LobbyDown(Exception):
    """The list of tables cannot be read at the moment."""
