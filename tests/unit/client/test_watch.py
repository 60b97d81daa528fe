"""A watch through lost connections: each update once, in order, without a gap."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.client.errors import ClientError, NotFound, NotReachable, TryLater
from libs.client.retry import Backoff
from libs.client.watch import follow
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1.table_pb2 import Update
from tests.unit.client.fakes import FakeTime, update

Script = list[list[Update | ClientError]]


class Streams:
    """Scripted streams, one after the other; remembers from which version each was asked for."""

    def __init__(self, script: Script) -> None:
        self.script = list(script)
        self.asked: list[int | None] = []
        self.open = 0

    async def __call__(self, request: pb.WatchTableRequest) -> AsyncGenerator[pb.WatchTableResponse]:
        self.asked.append(request.from_version if request.HasField("from_version") else None)
        self.open += 1
        try:
            for item in self.script.pop(0):
                if isinstance(item, ClientError):
                    raise item
                yield pb.WatchTableResponse(update=item)
        finally:
            self.open -= 1


async def seen(streams: Streams, time: FakeTime, since: int | None = None) -> list[tuple[int, int]]:
    request = pb.WatchTableRequest(table_id="t")
    if since is not None:
        request.from_version = since
    return [(u.from_version, u.version) async for u in follow(streams, request, lambda: Backoff(time.timing()))]


def lost() -> NotReachable:
    return NotReachable("UNAVAILABLE", "lost")


async def test_it_resumes_from_the_last_version() -> None:
    streams = Streams([[update(0, 5, reset=True), update(5, 6), lost()], [lost()], [update(6, 9), update(9, 10)]])
    assert await seen(streams, FakeTime()) == [(0, 5), (5, 6), (6, 9), (9, 10)]
    assert streams.asked == [None, 6, 6]
    assert streams.open == 0


async def test_what_is_known_comes_no_second_time() -> None:
    streams = Streams([[update(3, 7), lost()], [update(7, 7), update(3, 7), update(5, 9), update(9, 10)]])
    assert await seen(streams, FakeTime(), since=3) == [(3, 7), (7, 9), (9, 10)]
    assert streams.asked == [3, 7]


async def test_a_cut_update_keeps_only_new_events() -> None:
    streams = Streams([[update(0, 4), lost()], [update(2, 6)]])
    request = pb.WatchTableRequest(table_id="t", from_version=0)
    updates = [u async for u in follow(streams, request, lambda: Backoff(FakeTime().timing()))]
    assert [event.version for u in updates for event in u.events] == [1, 2, 3, 4, 5, 6]


async def test_a_gap_is_asked_for_again() -> None:
    streams = Streams([[update(0, 2), update(4, 5)], [update(2, 5), update(5, 6)]])
    assert await seen(streams, FakeTime(), since=0) == [(0, 2), (2, 5), (5, 6)]
    assert streams.asked == [0, 2]


async def test_too_much_at_once_begins_anew_from_the_view() -> None:
    streams = Streams([[update(0, 2), lost()], [update(0, 4000, reset=True), update(4000, 4001)]])
    assert await seen(streams, FakeTime(), since=0) == [(0, 2), (0, 4000), (4000, 4001)]


async def test_a_slow_reader_goes_on_at_once() -> None:
    slow = TryLater("TOO_SLOW", "64 updates are waiting", retry_after_s=0.0)
    time = FakeTime()
    streams = Streams([[update(0, 2), slow], [update(2, 90)]])
    assert await seen(streams, time, since=0) == [(0, 2), (2, 90)]
    assert sum(time.slept) < 0.2


async def test_what_waiting_does_not_mend_is_raised() -> None:
    with pytest.raises(NotFound):
        await seen(Streams([[NotFound("UNKNOWN_TABLE", "no such table")]]), FakeTime())


async def test_patience_ends_after_a_minute_without_an_update() -> None:
    time = FakeTime()
    began = time.now
    with pytest.raises(NotReachable):
        await seen(Streams([[lost()] for _ in range(1000)]), time)
    assert 50 < time.now - began <= 60


async def test_leaving_early_ends_the_stream() -> None:
    streams = Streams([[update(0, 1), update(1, 2)]])
    request = pb.WatchTableRequest(table_id="t")
    async with contextlib.aclosing(follow(streams, request, lambda: Backoff(FakeTime().timing()))) as updates:
        async for _ in updates:
            break
    assert streams.open == 0


@given(st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(1, 5), max_size=4)), max_size=8))
async def test_any_cuts_give_the_whole_story(cuts: list[tuple[int, list[int]]]) -> None:
    """However connections break, and whatever a new one repeats, every version is told once and in order."""
    at = 0
    script: Script = []
    for repeated, steps in cuts:
        known = max(0, at - repeated)
        stream: list[Update | ClientError] = []
        for step in steps:
            at = max(known, at) + step
            stream.append(update(known, at))
            known = at
        script.append([*stream, lost()])
    script.append([update(max(0, at - 1), at + 1)])
    told: list[int] = []
    request = pb.WatchTableRequest(table_id="t", from_version=0)
    async for one in follow(Streams(script), request, lambda: Backoff(FakeTime().timing())):
        told += [event.version for event in one.events]
    assert told == list(range(1, at + 2))
