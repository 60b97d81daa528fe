"""All computer players: which tables have any, what they are shown, and the sweep for those who heard nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import msgspec
from google.protobuf.message import DecodeError

from libs.bus import BusError, BusPort, Fact, Live, ask, subscribe_live, subscribe_owner
from libs.readmodel import Row
from libs.service import get_logger
from services.bots.census import Census, Seat
from services.bots.chair import Chair, Manners
from stamtafel.log.v1.log_pb2 import EventRecord
from stamtafel.table.v1 import table_pb2 as pb

UNHEARD_S = 30.0
FORGET_S = 600.0
ASK_S = 5.0
ASK_AT_ONCE = 16
KINDS = ("table",)

_log = get_logger("bots")


class Facts(Protocol):
    """Events of one log."""

    async def take(self, most: int = 256) -> list[Fact]: ...

    async def close(self) -> None: ...


class Ports(msgspec.Struct, frozen=True):
    """What the bots use. `feed(log, position)` opens a log's events of kind `table`; `now` gives seconds."""

    bus: BusPort
    feed: Callable[[str, int], Facts]
    row: Row
    now: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]


class Bots:
    """Load once, then `listen`, and run `follow` for each log, `sweep`, and now and then `save`."""

    def __init__(self, logs: Sequence[str], ports: Ports, manners: Manners) -> None:
        """Nothing happens before `load`."""
        self.logs = tuple(logs)
        self._ports, self._manners = ports, manners
        self.census = Census()
        self.chairs: dict[Seat, Chair] = {}
        self._unanswered: dict[Seat, float] = {}
        self._look = asyncio.Event()
        self._asking = asyncio.Semaphore(ASK_AT_ONCE)
        self._saved = b""

    async def load(self) -> None:
        """Take up what the row says."""
        data = await self._ports.row.load()
        self.census, self._saved = Census(data), data or b""

    async def save(self) -> bool:
        """Write the row if anything changed; returns whether it did."""
        data = self.census.pack()
        if data == self._saved:
            return False
        await self._ports.row.save(data)
        self._saved = data
        return True

    def listen(self) -> None:
        """Hear what the owners publish for computer players, and of new owners (the last updates may be lost)."""
        subscribe_live(self._ports.bus, "*", "*", "bot.*", self._hear)
        subscribe_owner(self._ports.bus, "*", lambda log, _: self._new_owner(log))

    async def follow(self, log: str) -> None:
        """Fold the table events of one log until cancelled. Raises the feed's errors; start it again then."""
        feed = self._ports.feed(log, self.census.positions.get(log, 0))
        try:
            while True:
                for fact in await feed.take():
                    try:
                        self.census.fold(EventRecord.FromString(fact.data))
                    except DecodeError as error:
                        _log.error("a table event cannot be read", log=log, position=fact.seq, exc_info=error)
                        self.census.positions[log] = fact.seq
        finally:
            await feed.close()

    async def sweep(self, every_s: float = 5.0) -> None:
        """Ask for the view of every bot that has heard nothing for 30 s, and forget the chairs that are gone."""
        while True:
            self._look.clear()
            await self.sweep_once()
            looking = asyncio.ensure_future(self._look.wait())
            sleeping = asyncio.ensure_future(self._ports.sleep(every_s))
            try:
                await asyncio.wait((looking, sleeping), return_when=asyncio.FIRST_COMPLETED)
            finally:
                looking.cancel()
                sleeping.cancel()

    async def sweep_once(self) -> int:
        """One round; returns how many bots were asked for."""
        now, seated = self._ports.now(), set(self.census.seats())
        silent = [place for place in seated if self._heard_at(place) + UNHEARD_S <= now]
        await asyncio.gather(*(self._ask(place) for place in silent))
        for place, chair in list(self.chairs.items()):
            if place not in seated and not chair.busy and chair.heard_at + FORGET_S <= now:
                del self.chairs[place]
        self._unanswered = {place: at for place, at in self._unanswered.items() if place in seated}
        return len(silent)

    async def close(self) -> None:
        """Stop all of them."""
        await asyncio.gather(*(chair.close() for chair in self.chairs.values()))

    def _heard_at(self, place: Seat) -> float:
        chair = self.chairs.get(place)
        heard = chair.heard_at if chair is not None else float("-inf")
        return max(heard, self._unanswered.get(place, float("-inf")))

    def _chair(self, place: Seat) -> Chair:
        chair = self.chairs.get(place)
        if chair is None:
            chair = self.chairs[place] = Chair(place, self._manners, lambda: self.census.level(place))
        return chair

    def _hear(self, live: Live) -> None:
        number = live.audience.rpartition(".")[2]
        try:
            update, seat = pb.Update.FromString(live.data), int(number)
        except (DecodeError, ValueError) as error:
            _log.error("an update cannot be read", table=live.table, exc_info=error)
            return
        self._chair(Seat(live.log, live.table, seat)).see(update)

    def _new_owner(self, log: str) -> None:
        for place, chair in self.chairs.items():
            if place.log == log:
                chair.heard_at = float("-inf")
        self._unanswered = {place: at for place, at in self._unanswered.items() if place.log != log}
        self._look.set()

    async def _ask(self, place: Seat) -> None:
        viewer = pb.Viewer(seat=place.seat, as_bot=True)
        query = pb.Query(get_view=pb.GetViewRequest(table_id=place.table, viewer=viewer))
        async with self._asking:
            try:
                data = await ask(self._ports.bus, place.log, query.SerializeToString(), ASK_S)
            except BusError as error:
                _log.debug("no view", table=place.table, seat=place.seat, error=repr(error))
                return  # asked again at the next round: its log has no owner just now
        reply = pb.QueryReply.FromString(data)
        if reply.WhichOneof("body") == "get_view":
            view = reply.get_view.view
            update = pb.Update(table_id=place.table, from_version=view.version, version=view.version, view=view)
            self._chair(place).see(update, asked=True)
        else:
            self._unanswered[place] = self._ports.now()
            _log.debug("no view", table=place.table, seat=place.seat, code=reply.refused.code)
