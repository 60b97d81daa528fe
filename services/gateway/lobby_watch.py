"""The list of tables, live. The read model says which tables changed; each watcher gets the newest row of those it
may see.

Rows are read once for all watchers. What waits for a slow reader is one row for each table, so it never grows: the
newest replaces the older one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from libs.bus import Live, Wire, subscribe_live
from services.gateway.errors import bad_shape
from services.gateway.outbox import Outbox
from services.gateway.ports import Listing, LobbyDown, LobbyReader, Place
from services.gateway.rpc import Call
from services.gateway.tokens import Identity
from services.gateway.watching import Watching
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table

PAGE = 200


class Watcher:
    """One stream's part of the list: what it has shown, and what has changed since."""

    def __init__(self, listing: Listing) -> None:
        self.listing = listing
        self.shown: dict[str, int] = {}
        self.changed: dict[str, pb.TableSummary | None] = {}
        self.everything = True
        self.complete = False
        self.wake = asyncio.Event()

    def tell(self, rows: Iterable[tuple[str, pb.TableSummary | None]]) -> None:
        """These tables are now so (None: gone)."""
        self.changed.update(rows)
        self.wake.set()

    def tell_all(self) -> None:
        """Anything may have changed."""
        self.everything = True
        self.wake.set()

    def news(self, table_id: str, row: pb.TableSummary | None) -> pb.WatchTablesResponse | None:
        """What to send about a table; None: nothing that this watcher sees has changed."""
        if row is not None and shown(self.listing, row):
            if row.version < self.shown.get(table_id, 0):
                return None  # it has been sent newer than this
            self.shown[table_id] = row.version
            return pb.WatchTablesResponse(table=row)
        if self.shown.pop(table_id, None) is None:
            return None
        return pb.WatchTablesResponse(gone_table_id=table_id)


class LobbyWatch:
    """Serves the watchers of the list."""

    def __init__(
        self, bus: Wire, reader: LobbyReader, watching: Watching, on_failure: Callable[[Exception], None]
    ) -> None:
        """`on_failure` hears when the read model could not be read; the watchers then read it all again later."""
        self._bus = bus
        self._reader = reader
        self._watching = watching
        self._on_failure = on_failure
        self._watchers: set[Watcher] = set()
        self._ids: set[str] = set()
        self._wake = asyncio.Event()
        self._heard = subscribe_live(bus, "tally", "lobby", "public", self._on_notice)
        bus.on_reconnect.append(self._anything)

    @property
    def watchers(self) -> int:
        """Open watches."""
        return len(self._watchers)

    async def run(self) -> None:
        """Read what changed and tell the watchers, for ever (a supervised loop)."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            ids, self._ids = self._ids, set()
            if not ids or not self._watchers:
                continue
            try:
                rows = await self._reader.get(sorted(ids))
            except LobbyDown as error:
                self._on_failure(error)
                self._anything()
                continue
            found = {row.table_id: row for row in rows}
            for watcher in self._watchers:
                watcher.tell((table_id, found.get(table_id)) for table_id in ids)

    async def serve(self, listing: Listing, who: Identity, call: Call) -> None:
        """One stream. Raises LobbyDown when the list cannot be read, Denied when the stream has to end."""
        outbox = Outbox()
        watcher = Watcher(listing)
        self._watchers.add(watcher)
        with self._watching.held(outbox, who):
            writing = asyncio.create_task(self._write(watcher, call))
            ending = asyncio.create_task(outbox.take())  # nothing is ever put: it ends with the stream's outcome
            try:
                await asyncio.wait((writing, ending), return_when=asyncio.FIRST_COMPLETED)
                if writing.done():
                    writing.result()
                else:
                    ending.result()
            finally:
                self._watchers.discard(watcher)
                writing.cancel()
                ending.cancel()
                await asyncio.gather(writing, ending, return_exceptions=True)

    async def close(self) -> None:
        """Stop hearing."""
        self._heard.close()
        self._bus.on_reconnect.remove(self._anything)

    async def _write(self, watcher: Watcher, call: Call) -> None:
        while True:
            if watcher.everything:
                watcher.everything = False
                await self._write_all(watcher, call)
                if not watcher.complete:
                    watcher.complete = True
                    await call.write(pb.WatchTablesResponse(complete=True))
            while watcher.changed and not watcher.everything:
                table_id, row = watcher.changed.popitem()
                news = watcher.news(table_id, row)
                if news is not None:
                    await call.write(news)
            if not watcher.everything:
                watcher.wake.clear()
                if not watcher.changed:
                    await watcher.wake.wait()

    async def _write_all(self, watcher: Watcher, call: Call) -> None:
        missing = set(watcher.shown)
        after: Place | None = None
        while True:
            page = await self._reader.page(watcher.listing, after, PAGE)
            for row in page:
                missing.discard(row.table_id)
                if watcher.shown.get(row.table_id) != row.version:
                    news = watcher.news(row.table_id, row)
                    if news is not None:
                        await call.write(news)
            if len(page) < PAGE:
                break
            after = Place(page[-1].at.ToMicroseconds(), page[-1].table_id)
        for table_id in missing:
            del watcher.shown[table_id]
            await call.write(pb.WatchTablesResponse(gone_table_id=table_id))

    def _on_notice(self, live: Live) -> None:
        if not live.data:
            self._anything()
            return
        self._ids.update(live.data.decode(errors="replace").split("\n"))
        self._wake.set()

    def _anything(self) -> None:
        for watcher in self._watchers:
            watcher.tell_all()


def listing_of(asked: pb.TableFilter, who: Identity) -> Listing:
    """A filter for this caller. Raises Denied BAD_SHAPE."""
    for number, state in enumerate(asked.states):
        if state not in table.TableState.values() or state == table.TABLE_STATE_UNSPECIFIED:
            raise bad_shape(f"filter.states[{number}]", "is no state of a table")
    return Listing(
        player=who.player_id,
        game=asked.game,
        states=tuple(asked.states),
        with_free_seat=asked.with_free_seat,
        mine=asked.mine,
    )


def shown(listing: Listing, row: pb.TableSummary) -> bool:
    """Whether the listing lets this table through: the same as `page` in lobby.sql."""
    mine = any(seat.player == listing.player for seat in row.seats) and bool(listing.player)
    return (
        (not listing.game or row.game == listing.game)
        and (row.state in listing.states if listing.states else row.state != table.TABLE_STATE_CLOSED)
        and (not listing.with_free_seat or row.free_seats > 0)
        and (mine or not (listing.mine or row.private))
    )
