"""What one audience of one table hears, and how each reader gets it: once, in order, without gaps. No I/O."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple

from libs.bus import Subscribed
from services.gateway.errors import Denied
from services.gateway.wire import Chunk
from stamtafel.table.v1 import table_pb2 as table

MOST_HELD = 256


class Heard(NamedTuple):
    """An update, heard live or asked for. `holders`: player id by seat, empty where nobody sits."""

    from_version: int
    version: int
    reset: bool
    holders: tuple[str, ...]
    chunk: Chunk

    @classmethod
    def of(cls, update: table.Update, data: bytes) -> Heard:
        """From a parsed update and its bytes."""
        view = update.view
        version = update.version
        return cls(
            update.from_version,
            version,
            update.reset,
            tuple([seat.player for seat in view.seats]),
            Chunk(data, version, view.state == table.TABLE_STATE_CLOSED),
        )


class Outcome(Enum):
    """What came of offering an update to a reader."""

    TAKEN = auto()
    GAP = auto()  # something between is missing
    STRANGER = auto()  # the seats changed hands: the owner must say anew what this reader may see
    FULL = auto()  # it does not read fast enough


class Reader:
    """One watch.

    `push` takes a chunk (False: too slow, it has ended the watch itself), `end` tells why a watch is over.
    """

    __slots__ = (
        *("as_public", "audience", "end", "feed", "held", "holders", "joining", "log"),
        *("over", "player", "push", "rejoining", "seat", "table_id", "version"),
    )

    def __init__(
        self, log: str, request: table.WatchRequest, push: Callable[[Chunk], bool], end: Callable[[Denied], None]
    ) -> None:
        """`request` says which table, who looks and what he has."""
        viewer = request.viewer
        self.log = log
        self.table_id = request.table_id
        self.player = viewer.player
        self.seat = viewer.seat if viewer.HasField("seat") else None
        self.as_public = viewer.as_public
        self.version = request.from_version if request.HasField("from_version") else None
        self.push = push
        self.end = end
        self.audience = ""
        self.feed: Feed | None = None
        self.joining = True
        self.rejoining = False
        self.over = False
        self.held: list[Heard] = []
        self.holders: tuple[str, ...] = ()

    def guess(self) -> str:
        """The audience to try first; the owner knows better."""
        return "public" if self.as_public or self.seat is None else f"seat.{self.seat}"

    def request(self) -> table.WatchRequest:
        """The question that brings it up to date."""
        viewer = table.Viewer(player=self.player, seat=self.seat, as_public=self.as_public)
        return table.WatchRequest(table_id=self.table_id, viewer=viewer, from_version=self.version)

    def offer(self, heard: Heard) -> Outcome:
        """Take the next update, if it is the next."""
        if self.joining:
            if len(self.held) < MOST_HELD:  # what is dropped here shows as a gap later
                self.held.append(heard)
            return Outcome.TAKEN
        version = self.version
        if version is not None and heard.version <= version:
            return Outcome.TAKEN
        if heard.holders != self.holders and self._stranger(heard.holders):
            return Outcome.STRANGER
        if heard.from_version != version and not heard.reset:
            return Outcome.GAP
        self.version = heard.version
        self.holders = heard.holders
        return Outcome.TAKEN if self.push(heard.chunk) else Outcome.FULL

    def start(self, heard: Heard, audience: str) -> Outcome:
        """Take the owner's reply. For an audience that is new to it the view counts even if the version is not."""
        fresh = audience != self.audience
        self.audience = audience
        self.joining = False
        self.holders = heard.holders
        if not fresh and self.version is not None and heard.version <= self.version:
            return Outcome.TAKEN
        self.version = heard.version
        return Outcome.TAKEN if self.push(heard.chunk) else Outcome.FULL

    def _stranger(self, holders: tuple[str, ...]) -> bool:
        feed = self.feed
        seat = feed.seat if feed else None
        if seat is not None:
            return _at(holders, seat) != _at(self.holders, seat)
        auto_seat = self.seat is None and not self.as_public and bool(self.player)
        return auto_seat and self.player in holders and self.player not in self.holders


class Feed:
    """One audience of one table."""

    __slots__ = ("asking", "audience", "force", "heard", "latest", "log", "readers", "seat", "table_id")

    def __init__(self, log: str, table_id: str, audience: str) -> None:
        self.log = log
        self.table_id = table_id
        self.audience = audience
        self.seat = int(audience[5:]) if audience.startswith("seat.") else None
        self.readers: dict[Reader, None] = {}
        self.latest = 0
        self.force = False
        self.asking = False
        self.heard: Subscribed | None = None

    def add(self, reader: Reader) -> None:
        """A reader that joins: it holds what it hears until the owner has answered it."""
        reader.feed = self
        reader.joining = True
        reader.held = []
        self.readers[reader] = None

    def remove(self, reader: Reader) -> None:
        """A reader that goes."""
        self.readers.pop(reader, None)
        reader.feed = None
        reader.held = []

    def close(self) -> None:
        """Stop hearing."""
        if self.heard is not None:
            self.heard.close()
            self.heard = None

    def lowest(self) -> Reader | None:
        """The live reader that is furthest behind; None when all are joining."""
        live = [reader for reader in self.readers if not reader.joining]
        return min(live, key=lambda reader: reader.version or 0, default=None)

    def behind(self) -> bool:
        """Whether a live reader lacks something that was heard of."""
        lowest = self.lowest()
        return lowest is not None and (lowest.version or 0) < self.latest

    def request(self, reader: Reader) -> table.WatchRequest:
        """What `reader` lacks, asked as exactly this audience."""
        viewer = table.Viewer(player=reader.player, seat=self.seat, as_public=self.seat is None)
        return table.WatchRequest(table_id=self.table_id, viewer=viewer, from_version=reader.version)


def _at(holders: tuple[str, ...], seat: int) -> str:
    return holders[seat] if seat < len(holders) else ""
