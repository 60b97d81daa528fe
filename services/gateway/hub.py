"""Watching: one live subscription for each (table, audience), shared by all who watch as that audience.

A feed hears the owner's updates and knows the version it has reached; its readers get each update once, in order,
without gaps (design: "Watching"). Whatever may have been missed is asked from the owner: at a gap, when a renewal
names a newer version, at the owner's notice, after a reconnect. That somebody may look as an audience is the owner's
word (`Watch`), taken when a reader joins and again whenever the seats of the table change hands.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any

from google.protobuf.message import DecodeError

from libs.bus import Live, Wire, subscribe_live, subscribe_owner
from services.gateway.errors import Denied, internal
from services.gateway.feed import Feed, Heard, Outcome, Reader
from services.gateway.owners import Owners
from stamtafel.table.v1 import table_pb2 as table

RENEW_S = 10.0
RETRY_S = (0.25, 0.5, 1.0, 2.0)
MOST_HOPS = 4
AWAY = ("NO_OWNER", "NO_ANSWER")


class Hub:
    """All feeds of this gateway."""

    def __init__(self, bus: Wire, owners: Owners, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """`sleep` waits between tries to reach an owner that is away."""
        self._bus = bus
        self._owners = owners
        self._sleep = sleep
        self._feeds: dict[tuple[str, str], Feed] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._notice = subscribe_owner(bus, "*", lambda log, _: self.refresh(log))
        bus.on_reconnect.append(self.refresh)

    @property
    def feeds(self) -> int:
        """Open feeds: live subscriptions."""
        return len(self._feeds)

    @property
    def readers(self) -> int:
        """Watches of all feeds."""
        return sum(len(feed.readers) for feed in self._feeds.values())

    @property
    def tasks(self) -> int:
        """Questions to owners under way in the background."""
        return len(self._tasks)

    async def join(self, reader: Reader) -> None:
        """Bring `reader` up to date and keep it so until `leave`. Raises Denied when the owner refuses or is away."""
        try:
            await self._attach(reader)
        except BaseException:
            self.leave(reader)
            raise

    def leave(self, reader: Reader) -> None:
        """Stop delivering to `reader`; may be called any number of times."""
        reader.over = True
        self._drop(reader)

    def refresh(self, log: str | None = None) -> None:
        """Ask again for every feed (of a log): something may have been missed."""
        for feed in list(self._feeds.values()):
            if log is None or feed.log == log:
                feed.force = True
                self._ask(feed)

    async def renew(self) -> None:
        """Keep the owners interested, one question for each log; asks again for feeds that are behind."""
        logs: dict[str, list[Feed]] = {}
        for feed in self._feeds.values():
            logs.setdefault(feed.log, []).append(feed)
        await asyncio.gather(*(self._renew(log, feeds) for log, feeds in logs.items()))

    async def keep(self, beat: Callable[[], None] = lambda: None) -> None:
        """Renew for ever, every 10 s (a supervised loop)."""
        while True:
            beat()
            await self.renew()
            await self._sleep(RENEW_S)

    async def close(self) -> None:
        """End all feeds."""
        self._notice.close()
        self._bus.on_reconnect.remove(self.refresh)
        for feed in self._feeds.values():
            feed.close()
        self._feeds.clear()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def counts(self) -> Counter[str]:
        """Readers by log (metrics)."""
        counted: Counter[str] = Counter()
        for feed in self._feeds.values():
            counted[feed.log] += len(feed.readers)
        return counted

    def _feed(self, log: str, table_id: str, audience: str) -> Feed:
        key = (table_id, audience)
        feed = self._feeds.get(key)
        if feed is None:
            feed = self._feeds[key] = Feed(log, table_id, audience)
            feed.heard = subscribe_live(self._bus, log, table_id, audience, self._hearer(feed))
        return feed

    def _hearer(self, feed: Feed) -> Callable[[Live], None]:
        def hear(live: Live) -> None:
            try:
                update = table.Update.FromString(live.data)
            except DecodeError:
                feed.force = True
                self._ask(feed)
                return
            self._take(feed, Heard.of(update, live.data))

        return hear

    def _take(self, feed: Feed, heard: Heard) -> None:
        """Offer an update to all readers of a feed."""
        if heard.version > feed.latest:
            feed.latest = heard.version
        for reader in tuple(feed.readers):
            self._after(feed, reader, reader.offer(heard))

    def _after(self, feed: Feed, reader: Reader, outcome: Outcome) -> None:
        if outcome is Outcome.GAP:
            self._ask(feed)
        elif outcome is Outcome.FULL:
            self.leave(reader)
        elif outcome is Outcome.STRANGER:
            self._rejoin(reader)

    async def _attach(self, reader: Reader) -> None:
        """Put `reader` on the feed of the audience that the owner names, listening before asking."""
        audience = reader.audience or reader.guess()
        for _ in range(MOST_HOPS):
            feed = self._feed(reader.log, reader.table_id, audience)
            feed.add(reader)
            try:
                reply = await self._owners.watch(reader.log, reader.request())
            except BaseException:
                self._drop(reader)
                raise
            if reader.over:
                return
            if reply.audience == audience:
                self._settle(feed, reader, reply.update)
                return
            self._drop(reader)
            audience = reply.audience
        raise internal()

    def _settle(self, feed: Feed, reader: Reader, update: table.Update) -> None:
        """The owner has answered a joining reader: its reply first, then what was heard meanwhile."""
        held, reader.held = reader.held, []
        heard = Heard.of(update, update.SerializeToString())
        self._after(feed, reader, reader.start(heard, feed.audience))
        for later in held:
            if reader.feed is feed:
                self._after(feed, reader, reader.offer(later))

    def _drop(self, reader: Reader) -> None:
        feed = reader.feed
        if feed is None:
            return
        feed.remove(reader)
        if not feed.readers:
            feed.close()
            self._feeds.pop((feed.table_id, feed.audience), None)

    def _rejoin(self, reader: Reader) -> None:
        """Let the owner say anew what `reader` may see; until then it gets nothing."""
        if reader.over or reader.rejoining:
            return
        reader.rejoining = True
        self._drop(reader)
        self._spawn(self._rejoined(reader))

    async def _rejoined(self, reader: Reader) -> None:
        try:
            for tries in itertools.count():
                if reader.over:
                    return
                try:
                    await self._attach(reader)
                    return
                except Denied as denied:
                    if denied.reason not in AWAY:
                        self.leave(reader)
                        reader.end(denied)
                        return
                await self._sleep(_wait(tries))
        finally:
            reader.rejoining = False

    def _ask(self, feed: Feed) -> None:
        if not feed.asking:
            feed.asking = True
            self._spawn(self._catch_up(feed))

    async def _catch_up(self, feed: Feed) -> None:
        """Ask the owner for what a feed lacks, until it lacks nothing. All its readers may see the same bytes."""
        tries = 0
        try:
            while (reader := feed.lowest()) is not None and (feed.force or feed.behind()):
                feed.force = False
                before = reader.version
                try:
                    reply = await self._owners.watch(feed.log, feed.request(reader))
                except Denied as denied:
                    if denied.reason in AWAY:
                        feed.force = True
                        await self._sleep(_wait(tries))
                        tries += 1
                    else:
                        feed.force = True
                        self._rejoin(reader)
                    continue
                if reply.audience != feed.audience:
                    feed.force = True
                    self._rejoin(reader)
                    continue
                self._take(feed, Heard.of(reply.update, reply.update.SerializeToString()))
                if reader.version == before and feed.behind():
                    await self._sleep(_wait(tries))  # the owner that answered is behind itself
                    tries += 1
        finally:
            feed.asking = False

    async def _renew(self, log: str, feeds: list[Feed]) -> None:
        request = table.RenewRequest(
            interests=[table.Interest(table_id=feed.table_id, audience=feed.audience) for feed in feeds]
        )
        try:
            versions: Iterable[int] = (await self._owners.renew(log, request)).versions
        except Denied:
            versions = [0] * len(feeds)  # the owner may have forgotten us: ask, and hear why
        for feed, version in zip(feeds, versions, strict=False):
            lowest = feed.lowest()
            if lowest is not None and (version > (lowest.version or 0) or not version):
                feed.force = True
                self._ask(feed)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _wait(tries: int) -> float:
    return RETRY_S[min(tries, len(RETRY_S) - 1)]
