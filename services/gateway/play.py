"""One `Play` stream: commands in, answers and updates out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from services.gateway.errors import Denied, bad_shape, internal
from services.gateway.feed import Reader
from services.gateway.hub import Hub
from services.gateway.orders import Orders
from services.gateway.outbox import Lane, Outbox
from services.gateway.rpc import Call
from services.gateway.shapes import read
from services.gateway.tokens import Identity
from services.gateway.watching import Watching, too_slow
from services.gateway.wire import Chunk, answer_item, play_item
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table

MOST_OPEN = 256
MOST_WATCHES = 64
MOST_QUEUED = 1024


class PlayParts(msgspec.Struct, frozen=True):
    """What every `Play` stream shares."""

    orders: Orders
    hub: Hub
    watching: Watching
    request_bytes: int
    still: Callable[[Identity], None]
    on_bug: Callable[[str, Exception], None]


class Play:
    """The stream of one client.

    Commands are published in the order in which they come, without waiting for answers. Reading pauses while 256 of
    them are open or 1024 pieces wait for the client, so a client that does not read cannot fill the memory.
    """

    def __init__(self, parts: PlayParts, who: Identity, call: Call) -> None:
        self._parts = parts
        self._who = who
        self._call = call
        self._outbox = Outbox()
        self._loop = asyncio.get_running_loop()
        self._watches: dict[int, tuple[Reader, Lane]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._acts = 0
        self._room = asyncio.Event()
        self._ended = False

    @property
    def outbox(self) -> Outbox:
        """What is to be sent."""
        return self._outbox

    async def run(self) -> None:
        """Serve until the client ends the stream. Raises Denied when it has to end."""
        reading = asyncio.create_task(self._read())
        try:
            while (data := await self._outbox.take()) is not None:
                await self._call.write(data)
                self._room.set()
        finally:
            reading.cancel()
            for reader, _ in self._watches.values():
                self._parts.hub.leave(reader)
            self._watches.clear()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(reading, *self._tasks, return_exceptions=True)

    async def _read(self) -> None:
        try:
            while (data := await self._call.read()) is not None:
                self._parts.still(self._who)
                self._take(read(pb.PlayRequest, data, self._parts.request_bytes))
                while self._acts >= MOST_OPEN or len(self._outbox) >= MOST_QUEUED:
                    self._room.clear()
                    await self._room.wait()
            self._ended = True
            self._maybe_over()
        except Denied as denied:
            self._outbox.finish(denied)
        except Exception as error:
            self._parts.on_bug("Play", error)
            self._outbox.finish(internal())

    def _take(self, request: pb.PlayRequest) -> None:
        kind = request.WhichOneof("body")
        if kind == "act":
            self._act(request.act)
        elif kind == "watch":
            self._watch(request.watch)
        elif kind == "unwatch":
            self._unwatch(request.unwatch.watch_id)
        else:
            raise bad_shape("body", "is missing")

    def _act(self, request: pb.ActRequest) -> None:
        try:
            log, command = self._parts.orders.act(request, self._who)
        except Denied as denied:
            self._status(request.command_id, request.table_id, denied)
            return
        self._acts += 1
        self._spawn(self._deliver(log, command))

    async def _deliver(self, log: str, command: table.Command) -> None:
        try:
            self._outbox.put(answer_item(await self._parts.orders.deliver(log, command)))
        except Denied as denied:
            self._status(command.command_id, command.table_id, denied)
        except Exception as error:
            self._parts.on_bug("Play", error)
            self._status(command.command_id, command.table_id, internal())
        finally:
            self._acts -= 1
            self._room.set()
            self._maybe_over()

    def _watch(self, request: pb.WatchTableRequest) -> None:
        watch_id = request.watch_id
        if watch_id in self._watches:
            # the watch of this id goes on, so its end is no way to say this
            raise bad_shape("watch.watch_id", f"{watch_id} is in use in this stream")
        lane = Lane()

        def push(chunk: Chunk) -> bool:
            if lane.full:
                self._over(watch_id, request.table_id, too_slow())
                return False
            self._outbox.put(chunk.item(watch_id), lane)
            if chunk.closed:
                self._over(watch_id, request.table_id, None)
                return False
            return True

        try:
            if len(self._watches) >= MOST_WATCHES:
                raise Denied("STREAMS", f"a stream may hold {MOST_WATCHES} watches")
            reader = self._parts.watching.reader(
                request, self._who, push, lambda denied: self._over(watch_id, request.table_id, denied)
            )
        except Denied as denied:
            self._end_item(watch_id, request.table_id, denied)
            return
        self._watches[watch_id] = (reader, lane)
        self._spawn(self._join(watch_id, reader))

    async def _join(self, watch_id: int, reader: Reader) -> None:
        try:
            await self._parts.hub.join(reader)
        except Denied as denied:
            self._over(watch_id, reader.table_id, denied)
        except Exception as error:
            self._parts.on_bug("Play", error)
            self._over(watch_id, reader.table_id, internal())

    def _unwatch(self, watch_id: int) -> None:
        found = self._watches.get(watch_id)
        if found is not None:
            self._over(watch_id, found[0].table_id, None)

    def _over(self, watch_id: int, table_id: str, why: Denied | None) -> None:
        found = self._watches.pop(watch_id, None)
        if found is not None:
            self._parts.hub.leave(found[0])
            self._end_item(watch_id, table_id, why)
            self._maybe_over()

    def _end_item(self, watch_id: int, table_id: str, why: Denied | None) -> None:
        ended = pb.WatchEnded(table_id=table_id, problem=None if why is None else why.problem())
        self._outbox.put(play_item(pb.PlayItem(watch_id=watch_id, ended=ended)))

    def _status(self, command_id: str, table_id: str, why: Denied) -> None:
        status = pb.CommandStatus(command_id=command_id, table_id=table_id, problem=why.problem())
        self._outbox.put(play_item(pb.PlayItem(status=status)))

    def _maybe_over(self) -> None:
        """A client that sends no more is served until all its answers are out and its watches are over."""
        if self._ended and not self._acts and not self._watches:
            self._outbox.finish()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
