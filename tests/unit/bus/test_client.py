"""Our parser against every way a stream of bytes can be cut, and what it relies on inside nats-py."""

from __future__ import annotations

import asyncio
import inspect
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nats.aio.client import Client

from libs.bus.client import BusClient

Message = tuple[bytes, bytes, bytes, bytes]
word = st.text("abcXYZ0-_$.", min_size=1, max_size=12).map(str.encode)
body = st.binary(max_size=60)
header = st.binary(max_size=20).map(lambda tail: b"NATS/1.0\r\nA: " + tail.replace(b"\r", b"") + b"\r\n\r\n")
message = st.tuples(word, st.just(b"") | word, body, st.just(b"") | header)


def wire(subject: bytes, reply: bytes, data: bytes, head: bytes) -> bytes:
    """A message as the server writes it."""
    args = b" ".join(part for part in (subject, b"7", reply) if part)
    if head:
        return b"HMSG %b %d %d\r\n%b%b\r\n" % (args, len(head), len(head) + len(data), head, data)
    return b"MSG %b %d\r\n%b\r\n" % (args, len(data), data)


async def feed(client: BusClient, data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for start, end in itertools.pairwise(edges):
        await client._ps.parse(data[start:end])


@given(st.lists(message, max_size=8), st.lists(st.integers(0, 2000), max_size=8))
def test_messages_arrive_whole_however_the_bytes_are_cut(messages: list[Message], cuts: list[int]) -> None:
    client = BusClient()
    client._status = Client.CONNECTED
    got: list[Message] = []
    client.handlers[b"7"] = lambda *args: got.append(args)
    data = b"+OK\r\n".join(wire(*one) for one in messages)
    asyncio.run(feed(client, data, cuts))
    assert got == messages
    assert client._ps.rest == b""


async def test_messages_for_closed_subscriptions_are_skipped() -> None:
    client = BusClient()
    client._status = Client.CONNECTED
    await client._ps.parse(b"MSG a 9 3\r\nabc\r\n")
    assert client._ps.rest == b""


async def test_a_bug_in_a_handler_is_reported_and_reading_goes_on() -> None:
    client = BusClient()
    client._status = Client.CONNECTED
    errors: list[Exception] = []
    got: list[bytes] = []

    async def report(error: Exception) -> None:
        errors.append(error)

    def handler(subject: bytes, reply: bytes, data: bytes, head: bytes) -> None:
        got.append(data)
        if data == b"1":
            raise ValueError("a bug")

    client._error_cb = report
    client.handlers[b"7"] = handler
    await client._ps.parse(wire(b"a", b"", b"1", b"") + wire(b"a", b"", b"2", b""))
    assert got == [b"1", b"2"]
    assert [str(error) for error in errors] == ["a bug"]


async def test_a_ping_is_answered() -> None:
    client = BusClient()
    client._status = Client.CONNECTED
    client._flush_queue = asyncio.Queue()
    client._flusher_task = asyncio.create_task(asyncio.Event().wait())
    await client._ps.parse(b"PING\r\n")
    assert client._pending == [b"PONG\r\n"]
    client._flusher_task.cancel()
    await asyncio.gather(client._flusher_task, return_exceptions=True)


@pytest.mark.parametrize(
    "name", ["_ps", "_subs", "_sid", "_status", "_transport", "_error_cb", "_process_err", "_process_op_err"]
)
def test_nats_py_still_has_what_the_client_replaces(name: str) -> None:
    assert hasattr(Client(), name)


def test_nats_py_still_replays_its_subscriptions_by_number() -> None:
    source = inspect.getsource(Client._attempt_reconnect)
    assert "self._subs.items()" in source and "sub._subject" in source
    assert "self._ps.parse" in inspect.getsource(Client._read_loop)
