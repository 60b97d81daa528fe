"""A `Play` session: commands and watches of any number of tables on one stream, which mends itself.

When the stream breaks, a new one takes up every watch from its last version and sends every command without an answer
again, with the same id.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Self

from libs.client.errors import ClientError, NotReachable, ServerFault, from_problem
from libs.client.retry import PATIENCE_S, Backoff, Timing
from libs.client.watch import Follower, Gap
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1.table_pb2 import Answer, Update

Requests = Callable[[], AsyncIterator[pb.PlayRequest]]
OpenPlay = Callable[[Requests], AsyncGenerator[pb.PlayResponse]]
"""Opens one stream that sends what the requests give. It raises ClientErrors."""


class _Sent:
    """A command that waits for its answer."""

    def __init__(self, request: pb.ActRequest, timing: Timing) -> None:
        self.request = request
        self.answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.backoff = Backoff(timing, PATIENCE_S)


class _Watch:
    """A table that is followed."""

    def __init__(self, request: pb.WatchTableRequest, timing: Timing) -> None:
        self.request = request
        self.place = Follower(request.from_version if request.HasField("from_version") else None)
        self.updates: asyncio.Queue[Update | ClientError | None] = asyncio.Queue()
        self.backoff = Backoff(timing)
        self.left = False

    def asked(self, watch_id: int) -> pb.PlayRequest:
        request = pb.WatchTableRequest()
        request.CopyFrom(self.request)
        request.watch_id = watch_id
        if self.place.version is not None:
            request.from_version = self.place.version
        return pb.PlayRequest(watch=request)


class Play:
    """Use it as an async context; leaving it ends the stream. `streams`: how many were opened so far."""

    def __init__(self, open_play: OpenPlay, timing: Timing) -> None:
        self._open_play = open_play
        self._timing = timing
        self._outbox: asyncio.Queue[pb.PlayRequest | None] = asyncio.Queue()
        self._sent: dict[tuple[str, str], _Sent] = {}
        self._watches: dict[int, _Watch] = {}
        self._ids = itertools.count(1)
        self._later: set[asyncio.Task[None]] = set()
        self._task: asyncio.Task[None] | None = None
        self._failure: ClientError | None = None
        self.streams = 0

    async def __aenter__(self) -> Self:
        """Begin; the stream is opened in the background."""
        self._task = asyncio.create_task(self._keep(), name="play")
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the stream. Commands without an answer fail with NotReachable: their outcome is unknown."""
        tasks = [*self._later, *([self._task] if self._task else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._fail(NotReachable("CLOSED", "the session was closed before the answer came"))

    async def act(self, request: pb.ActRequest) -> Answer:
        """Send one command and wait for its answer, up to 60 s through lost connections. Raises ClientError."""
        if self._failure is not None:
            raise self._failure
        key = (request.table_id, request.command_id)
        sent = self._sent[key] = _Sent(request, self._timing)
        self._outbox.put_nowait(pb.PlayRequest(act=request))
        try:
            return await sent.answer
        finally:
            self._sent.pop(key, None)

    async def watch(self, request: pb.WatchTableRequest) -> AsyncGenerator[Update]:
        """Follow a table: each update once, in order, without a gap; ends when the table is closed.

        Raises the ClientError that ended it for good.
        """
        if self._failure is not None:
            raise self._failure
        watch = _Watch(request, self._timing)
        self._begin(watch)
        try:
            while True:
                item = await watch.updates.get()
                if item is None:
                    return
                if isinstance(item, ClientError):
                    raise item
                yield item
        finally:
            self._leave(watch)

    # ------------------------------------------------------------------------------------------------ the stream

    async def _keep(self) -> None:
        try:
            await self._stay_connected()
        except ClientError as final:
            self._fail(final)
        except Exception as bug:  # whoever waits must hear of it
            self._fail(ServerFault("CLIENT_BUG", f"the session broke: {bug!r}"))
            raise

    async def _stay_connected(self) -> None:
        patience = Backoff(self._timing)
        error: ClientError | None = None
        while True:
            self._renew_outbox(error)
            outbox = self._outbox
            self.streams += 1
            error = NotReachable("CLOSED", "the gateway ended the stream")
            try:
                async with contextlib.aclosing(self._open_play(lambda outbox=outbox: _requests(outbox))) as replies:
                    async for reply in replies:
                        patience.reset()
                        for item in reply.items:
                            self._take(item)
            except ClientError as ended:
                error = ended
            await patience.after(error)

    def _renew_outbox(self, broken: ClientError | None) -> None:
        """What a new stream begins with: all watches from where they are, all commands without an answer, in order.

        A command whose 60 s are over fails with what broke the last stream.
        """
        self._outbox = asyncio.Queue()
        for watch in list(self._watches.values()):
            self._begin_again(watch)
        for sent in self._sent.values():
            try:
                if broken is not None:
                    sent.backoff.wait_for(broken)
            except ClientError as final:
                if not sent.answer.done():
                    sent.answer.set_exception(final)
            else:
                self._outbox.put_nowait(pb.PlayRequest(act=sent.request))

    def _take(self, item: pb.PlayItem) -> None:
        kind = item.WhichOneof("body")
        if kind == "answer":
            sent = self._sent.get((item.answer.table_id, item.answer.command_id))
            if sent is not None and not sent.answer.done():
                sent.answer.set_result(item.answer)
        elif kind == "update":
            self._updated(item)
        elif kind == "status":
            self._stopped(item.status)
        elif kind == "ended":
            self._over(item)

    def _updated(self, item: pb.PlayItem) -> None:
        watch = self._watches.get(item.watch_id)
        if watch is None:
            return
        try:
            update = watch.place.take(item.update)
        except Gap:
            self._outbox.put_nowait(pb.PlayRequest(unwatch=pb.Unwatch(watch_id=item.watch_id)))
            self._begin_again(watch)
            return
        if update is not None:
            watch.backoff.reset()
            watch.updates.put_nowait(update)

    def _stopped(self, status: pb.CommandStatus) -> None:
        """A command did not reach its log, or nobody knows whether it did: send the same again, if that is of use."""
        sent = self._sent.get((status.table_id, status.command_id))
        if sent is None or sent.answer.done():
            return

        def again() -> None:
            if not sent.answer.done():
                self._outbox.put_nowait(pb.PlayRequest(act=sent.request))

        try:
            self._do_later(sent.backoff.wait_for(from_problem(status.problem)), again)
        except ClientError as final:
            sent.answer.set_exception(final)

    def _over(self, item: pb.PlayItem) -> None:
        watch = self._watches.get(item.watch_id)
        if watch is None:
            return
        if not item.ended.HasField("problem"):
            watch.updates.put_nowait(None)
            return
        del self._watches[item.watch_id]
        try:
            wait = watch.backoff.wait_for(from_problem(item.ended.problem))
        except ClientError as final:
            watch.updates.put_nowait(final)
            return
        self._do_later(wait, lambda: self._begin(watch))

    # ----------------------------------------------------------------------------------------------- watches

    def _begin(self, watch: _Watch) -> None:
        if watch.left:
            return
        watch_id = next(self._ids)
        self._watches[watch_id] = watch
        self._outbox.put_nowait(watch.asked(watch_id))

    def _begin_again(self, watch: _Watch) -> None:
        for watch_id in [known for known, other in self._watches.items() if other is watch]:
            del self._watches[watch_id]
        self._begin(watch)

    def _leave(self, watch: _Watch) -> None:
        watch.left = True
        for watch_id in [known for known, other in self._watches.items() if other is watch]:
            del self._watches[watch_id]
            self._outbox.put_nowait(pb.PlayRequest(unwatch=pb.Unwatch(watch_id=watch_id)))

    def _do_later(self, wait: float, what: Callable[[], None]) -> None:
        async def later() -> None:
            await self._timing.sleep(wait)
            what()

        task = asyncio.create_task(later())
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    def _fail(self, error: ClientError) -> None:
        self._failure = error
        for sent in self._sent.values():
            if not sent.answer.done():
                sent.answer.set_exception(error)
        for watch in self._watches.values():
            watch.updates.put_nowait(error)


async def _requests(outbox: asyncio.Queue[pb.PlayRequest | None]) -> AsyncIterator[pb.PlayRequest]:
    while (request := await outbox.get()) is not None:
        yield request
