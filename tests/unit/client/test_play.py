"""`Play` sessions through lost streams: commands keep their ids, watches their place."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable

import pytest

from libs.client.errors import BadArgument, ClientError, NotReachable
from libs.client.play import Play
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1.table_pb2 import Accepted, Answer, Update
from tests.unit.client.fakes import FakeTime, update

UNAVAILABLE, INVALID = 14, 3


class Door:
    """A gateway whose every stream is a test's to drive: what it got, what it says, when it breaks."""

    def __init__(self) -> None:
        self.streams: asyncio.Queue[Stream] = asyncio.Queue()

    async def __call__(self, asked: Callable[[], AsyncIterator[pb.PlayRequest]]) -> AsyncGenerator[pb.PlayResponse]:
        stream = Stream()
        reading = asyncio.create_task(stream.read(asked()))
        self.streams.put_nowait(stream)
        try:
            while True:
                item = await stream.said.get()
                if isinstance(item, ClientError):
                    raise item
                yield pb.PlayResponse(items=[item])
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


class Stream:
    """One stream."""

    def __init__(self) -> None:
        self.got: asyncio.Queue[pb.PlayRequest] = asyncio.Queue()
        self.said: asyncio.Queue[pb.PlayItem | ClientError] = asyncio.Queue()

    async def read(self, requests: AsyncIterator[pb.PlayRequest]) -> None:
        async for request in requests:
            self.got.put_nowait(request)

    def accept(self, request: pb.PlayRequest, version: int = 7) -> None:
        act = request.act
        answer = Answer(command_id=act.command_id, table_id=act.table_id, accepted=Accepted(version=version))
        self.said.put_nowait(pb.PlayItem(answer=answer))

    def tell(self, watch: pb.PlayRequest, told: Update) -> None:
        self.said.put_nowait(pb.PlayItem(watch_id=watch.watch.watch_id, update=told))

    def lose(self) -> None:
        self.said.put_nowait(NotReachable("UNAVAILABLE", "lost"))


def act(command_id: str = "c1") -> pb.ActRequest:
    return pb.ActRequest(command_id=command_id, table_id="t", seat=0)


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


async def test_a_command_and_its_answer(time: FakeTime) -> None:
    door = Door()
    async with Play(door, time.timing()) as play:
        waiting = asyncio.create_task(play.act(act()))
        stream = await door.streams.get()
        stream.accept(await stream.got.get())
        assert (await waiting).accepted.version == 7


async def test_what_has_no_answer_is_sent_again_with_its_id_and_in_order(time: FakeTime) -> None:
    door = Door()
    async with Play(door, time.timing()) as play:
        waiting = [asyncio.create_task(play.act(act(name))) for name in ("c1", "c2", "c3")]
        stream = await door.streams.get()
        first = [await stream.got.get() for _ in waiting]
        stream.accept(first[1])
        await waiting[1]
        stream.lose()
        stream = await door.streams.get()
        again = [await stream.got.get() for _ in range(2)]
        assert [request.act.command_id for request in again] == ["c1", "c3"]
        assert again == [first[0], first[2]]
        for request in again:
            stream.accept(request)
        await asyncio.gather(*waiting)
        assert play.streams == 2


async def test_a_watch_goes_on_from_its_version(time: FakeTime) -> None:
    door = Door()
    async with Play(door, time.timing()) as play:
        updates = play.watch(pb.WatchTableRequest(table_id="t"))
        first = asyncio.create_task(anext(updates))
        stream = await door.streams.get()
        watch = await stream.got.get()
        assert not watch.watch.HasField("from_version")
        stream.tell(watch, update(0, 5, reset=True))
        assert (await first).version == 5
        stream.lose()
        stream = await door.streams.get()
        watch = await stream.got.get()
        assert watch.watch.from_version == 5
        stream.tell(watch, update(3, 6))
        stream.tell(watch, update(9, 10))  # a gap: the session asks again
        told = await anext(updates)
        assert [event.version for event in told.events] == [6]
        assert (await stream.got.get()).WhichOneof("body") == "unwatch"
        again = await stream.got.get()
        assert again.watch.from_version == 6 and again.watch.watch_id != watch.watch.watch_id
        stream.tell(again, update(6, 10))
        assert (await anext(updates)).version == 10
        stream.said.put_nowait(pb.PlayItem(watch_id=again.watch.watch_id, ended=pb.WatchEnded(table_id="t")))
        assert [one async for one in updates] == []


async def test_a_watch_that_was_ended_for_a_while_begins_again(time: FakeTime) -> None:
    door = Door()
    async with Play(door, time.timing()) as play:
        updates = play.watch(pb.WatchTableRequest(table_id="t", from_version=4))
        coming = asyncio.create_task(anext(updates))
        stream = await door.streams.get()
        watch = await stream.got.get()
        slow = pb.Problem(code=8, reason="TOO_SLOW", message="64 updates are waiting")
        stream.said.put_nowait(
            pb.PlayItem(watch_id=watch.watch.watch_id, ended=pb.WatchEnded(table_id="t", problem=slow))
        )
        again = await stream.got.get()
        assert again.watch.from_version == 4
        stream.tell(again, update(4, 70))
        assert (await coming).version == 70
        gone = pb.Problem(code=5, reason="UNKNOWN_TABLE", message="no such table")
        stream.said.put_nowait(
            pb.PlayItem(watch_id=again.watch.watch_id, ended=pb.WatchEnded(table_id="t", problem=gone))
        )
        with pytest.raises(ClientError, match="no such table"):
            await anext(updates)


async def test_a_status_means_the_same_again_or_an_error(time: FakeTime) -> None:
    door = Door()
    async with Play(door, time.timing()) as play:
        waiting = asyncio.create_task(play.act(act()))
        stream = await door.streams.get()
        first = await stream.got.get()
        unknown = pb.Problem(code=UNAVAILABLE, reason="NO_ANSWER", message="no answer in time")
        stream.said.put_nowait(pb.PlayItem(status=pb.CommandStatus(command_id="c1", table_id="t", problem=unknown)))
        assert await stream.got.get() == first
        bad = pb.Problem(code=INVALID, reason="BAD_SHAPE", message="seat: is missing")
        stream.said.put_nowait(pb.PlayItem(status=pb.CommandStatus(command_id="c1", table_id="t", problem=bad)))
        with pytest.raises(BadArgument, match="seat: is missing"):
            await waiting


async def test_after_a_minute_without_a_gateway_everybody_hears_of_it(time: FakeTime) -> None:
    async def dead(_: Callable[[], AsyncIterator[pb.PlayRequest]]) -> AsyncGenerator[pb.PlayResponse]:
        raise NotReachable("UNAVAILABLE", "connection refused")
        yield

    began = time.now
    async with Play(dead, time.timing()) as play:
        updates = play.watch(pb.WatchTableRequest(table_id="t"))
        results = await asyncio.gather(play.act(act()), anext(updates), return_exceptions=True)
        assert [type(result) for result in results] == [NotReachable, NotReachable]
        assert 50 < time.now - began <= 60
        with pytest.raises(NotReachable):
            await play.act(act("c2"))


async def test_leaving_ends_everything(time: FakeTime) -> None:
    door = Door()
    play = Play(door, time.timing())
    async with play:
        waiting = asyncio.create_task(play.act(act()))
        stream = await door.streams.get()
        await stream.got.get()
        async with contextlib.aclosing(play.watch(pb.WatchTableRequest(table_id="t"))) as updates:
            coming = asyncio.create_task(anext(updates))
            watch = await stream.got.get()
            stream.tell(watch, update(0, 1))
            await coming
        assert (await stream.got.get()).unwatch.watch_id == watch.watch.watch_id
    with pytest.raises(NotReachable):
        await waiting
