"""Bad input at the door of a whole Stamtafel: a status with a reason each time, no trace, and nothing left behind.

The finer cases are in `tests/unit/gateway`; here the gateway is the real process with every service behind it.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import time
import urllib.request
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import grpc
import jwt
import psutil
import pytest
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from libs.client.client import Client, connect
from libs.client.errors import BadArgument, ClientError, NotAllowed, NotFound, SignInNeeded
from libs.client.setup import Wish, set_up
from libs.client.tables import act_request
from services.gateway.errors import CODES
from services.gateway.keys import Key, KeyRing, read_keys
from services.gateway.tokens import Identity, Tokens
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as trictrac
from tests.fixtures.stack import WholeStack

RANDOM_REQUESTS = 10_000
AT_ONCE = 20
CANCELLED = 5_000
WARM_UP = 500
MOST_GROWTH = 16 * 1024 * 1024  # a leak of 4 kB a watch would be 20 MB
WRITE_FAILED = "Internal error from Core"  # grpc.aio hides what ended a stream when a write came late (grpc #36066)
SLOW_UPDATES = 3_000
MOST_STREAMS = 32  # of one player: a setting of the gateway
METHODS = [
    (f"/{pb.DESCRIPTOR.package}.{service.name}/{method.name}", method)
    for service in pb.DESCRIPTOR.services_by_name.values()
    for method in service.methods
]


class Door:
    """The gateway of the stack, with a signed-in guest, a channel for raw bytes, and a table of his."""

    def __init__(self, stack: WholeStack, channel: Any, client: Client) -> None:
        self.stack, self.channel, self.client = stack, channel, client
        self.table_id = ""

    async def metadata(self) -> Any:
        return await self.client.account.metadata()

    @property
    def process(self) -> psutil.Process:
        """The gateway's process."""
        return psutil.Process(self.stack.stack.child("gateway").pid)

    def figures(self) -> dict[str, float]:
        """Its metrics without labels."""
        url = f"http://127.0.0.1:{self.stack.stack.http_ports['gateway']}/metrics"
        with urllib.request.urlopen(url) as reply:
            return {
                name: float(value)
                for name, value in re.findall(r"^stamtafel_(\w+) (\S+)$", reply.read().decode(), re.M)
            }

    async def until(self, holds: Callable[[dict[str, float]], bool]) -> dict[str, float]:
        """Waits until its metrics are so; returns them."""
        while not holds(found := await asyncio.to_thread(self.figures)):
            await asyncio.sleep(0.05)
        return found

    async def send(self, path: str, method: Any, data: bytes, metadata: Any) -> grpc.aio.AioRpcError | None:
        """Calls any method with any bytes; its error, None: it went well (of a stream only the start is read)."""
        if not method.client_streaming and not method.server_streaming:
            try:
                await self.channel.unary_unary(path)(data, metadata=metadata)
            except grpc.aio.AioRpcError as error:
                return error
            return None
        while True:
            if method.client_streaming:
                stream = self.channel.stream_stream(path)(iter([data]), metadata=metadata)
            else:
                stream = self.channel.unary_stream(path)(data, metadata=metadata)
            try:
                await stream.read()
            except grpc.aio.AioRpcError as error:
                if error.details() != WRITE_FAILED:
                    return error
            else:
                return None
            finally:
                stream.cancel()


@pytest.fixture
async def door(whole_stack: WholeStack) -> AsyncIterator[Door]:
    """Nothing that a test sends may be a bug to the gateway, or end it."""
    await asyncio.to_thread(whole_stack.wait_ready)
    log = whole_stack.stack.log_path("gateway")
    begun, pid = log.stat().st_size, whole_stack.stack.child("gateway").pid
    async with (
        connect(whole_stack.server) as client,
        grpc.aio.insecure_channel(whole_stack.server) as channel,
    ):
        await client.sign_in_guest("Ann")
        # a gateway that has just begun lets all of a game's messages pass until it has heard of the game
        while not all(game.available for game in await client.lobby.games()):
            await asyncio.sleep(0.05)
        made = Door(whole_stack, channel, client)
        wish = Wish("trictrac", {"seats": 3, "throw_seconds": 0}, (), hot_seat=True)
        made.table_id, _ = await set_up(client, wish)
        yield made
    assert whole_stack.stack.child("gateway").pid == pid
    assert "Traceback" not in written(log, begun)


def written(log: Path, begun: int) -> str:
    """What a process wrote since."""
    with log.open("rb") as file:
        file.seek(begun)
        return file.read().decode(errors="replace")


def reason(error: grpc.aio.AioRpcError) -> str:
    """The reason of an error that the gateway gave; its status fits, and no word of it is for programmers."""
    status = rpc_status.from_call(error)
    assert status is not None, error
    assert "Traceback" not in status.message and ".py" not in status.message, status.message
    for packed in status.details:
        info = error_details_pb2.ErrorInfo()
        if packed.Unpack(info):
            assert (info.domain, CODES[info.reason]) == ("stamtafel", error.code().value[0])
            return info.reason
    raise AssertionError(f"{error} has no reason")


# ---------------------------------------------------------------------------------------------------------- tokens


def forged(key: Key, **changed: Any) -> str:
    """A token signed with this key."""
    claims = {"iss": "stamtafel", "sub": "ann", "use": "access", "iat": 1, "exp": time.time() + 600, **changed}
    assert key.private is not None
    return jwt.encode(claims, key.private, algorithm="EdDSA", headers={"kid": key.kid})


async def test_wrong_expired_and_foreign_tokens(door: Door) -> None:
    own = read_keys(door.stack.data / "keys")[-1]
    foreign = Tokens(KeyRing([Key.fresh()]), time.time).session(Identity(player_id="ann", name="Ann"))
    kept = door.client.account.kept
    assert kept is not None
    tokens = {
        "rubbish": "TOKEN_INVALID",
        kept.access[:-4] + "AAAA": "TOKEN_INVALID",
        kept.refresh: "TOKEN_INVALID",
        foreign.access_token: "TOKEN_INVALID",
        forged(own, iss="other"): "TOKEN_INVALID",
        forged(own, exp=2): "TOKEN_EXPIRED",
    }
    needing = [(path, method) for path, method in METHODS if method.name not in ("ListGames",)]
    for token, expected in tokens.items():
        bearer = (("authorization", f"Bearer {token}"),)
        for path, method in needing:
            if "SessionsService" in path and method.name != "GetSelf":
                continue
            error = await door.send(path, method, b"", bearer)
            assert error is not None, path
            assert (error.code(), reason(error)) == (grpc.StatusCode.UNAUTHENTICATED, expected), path


# ------------------------------------------------------------------------------------------------------------ acts


async def fails(kind: type[ClientError], door: Door, request: pb.ActRequest) -> ClientError:
    """What `Act` says to this, and to the same in a `Play` session."""
    stub_path, method = next(one for one in METHODS if one[0].endswith("TablesService/Act"))
    error = await door.send(stub_path, method, request.SerializeToString(), await door.metadata())
    assert error is not None
    why = reason(error)
    async with door.client.tables.play() as play:
        with pytest.raises(kind) as caught:
            await play.act(request)
    assert caught.value.reason == why
    return caught.value


def throw(door: Door) -> pb.ActRequest:
    return act_request(door.table_id, 0, trictrac.Throw(), door.client.new_id())


async def test_acts_that_reach_no_table(door: Door) -> None:
    request = throw(door)
    request.table_id = "trictrac-0-" + "a" * 16
    elsewhere = await door.client.tables.act(request.table_id, 0, trictrac.Throw())
    assert elsewhere.refused.code == "unknown_table"
    request.table_id = "chess-0-" + "a" * 16
    assert (await fails(NotFound, door, request)).reason == "UNKNOWN_TABLE"
    for url, value in (
        ("", b""),
        ("Throw", b""),
        ("type.googleapis.com/stamtafel.trictrac.v1.NoSuch", b""),
        ("type.googleapis.com/google.protobuf.Any", b""),
        ("type.googleapis.com/stamtafel.trictrac.v1.Throw", b"\xff\xff"),
        ("type.googleapis.com/stamtafel.trictrac.v1.View", b""),
    ):
        request = throw(door)
        request.body.type_url, request.body.value = url, value
        found = await fails(BadArgument, door, request)
        assert (found.reason, [field for field, _ in found.violations]) == ("BAD_SHAPE", ["body"]), url
    request = throw(door)
    request.body.value = b"\x00" * 100_000
    path, method = next(one for one in METHODS if one[0].endswith("TablesService/Act"))
    error = await door.send(path, method, request.SerializeToString(), await door.metadata())
    assert error is not None
    assert reason(error) == "TOO_LARGE"
    error = await door.send(path, method, b"\x00" * 5_000_000, await door.metadata())
    assert error is not None
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED  # gRPC's own, before a byte of it was kept


async def test_seats_of_others(door: Door) -> None:
    async with connect(door.stack.server) as stranger:
        await stranger.sign_in_guest("Sam")
        answer = await stranger.tables.act(door.table_id, 0, trictrac.Throw())
        assert answer.refused.code == "not_your_seat"
        with pytest.raises(NotAllowed) as caught:
            await stranger.tables.view(door.table_id, seat=0)
        assert caught.value.reason == "NOT_YOUR_SEAT"
        with pytest.raises(NotAllowed) as caught:
            await anext(stranger.tables.watch(door.table_id, seat=0))
        assert caught.value.reason == "NOT_YOUR_SEAT"
        with pytest.raises(NotAllowed) as caught:
            await stranger.operations.void(door.table_id, "because")
        assert caught.value.reason == "ROLE_MISSING"
    async with connect(door.stack.server) as nobody:
        with pytest.raises(SignInNeeded):
            await nobody.tables.view(door.table_id)


# ----------------------------------------------------------------------------------------------------------- fuzzing


def damaged(chance: random.Random, samples: list[bytes]) -> bytes:
    """Random bytes, or a good request with some bytes changed."""
    if chance.random() < 0.5:
        return chance.randbytes(chance.randrange(120))
    data = bytearray(chance.choice(samples))
    for _ in range(chance.randrange(1, 4)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


async def test_ten_thousand_random_requests(door: Door) -> None:
    chance = random.Random(7)
    metadata = await door.metadata()
    good: list[Message] = [
        throw(door),
        pb.PlayRequest(act=throw(door)),
        pb.PlayRequest(watch=pb.WatchTableRequest(table_id=door.table_id)),
        pb.JoinTableRequest(command_id="j", table_id=door.table_id),
        pb.ListEventsRequest(table_id=door.table_id),
        pb.ExplainTableRequest(table_id=door.table_id),
    ]
    samples = [request.SerializeToString() for request in good]
    requests = iter([(*chance.choice(METHODS), damaged(chance, samples)) for _ in range(RANDOM_REQUESTS)])
    reasons: dict[str, int] = {}

    async def some() -> None:
        for path, method, data in requests:
            error = await door.send(path, method, data, metadata)
            if error is not None:
                reasons[reason(error)] = reasons.get(reason(error), 0) + 1

    await asyncio.gather(*(some() for _ in range(AT_ONCE)))
    assert "INTERNAL" not in reasons
    assert reasons["BAD_SHAPE"] > RANDOM_REQUESTS / 4
    assert (await door.client.tables.view(door.table_id)).table_id == door.table_id


# ------------------------------------------------------------------------------------------------- readers who leave


async def test_thousands_of_cancelled_watches_leave_nothing(door: Door) -> None:
    metadata = await door.metadata()
    watching = pb.WatchTableRequest(table_id=door.table_id)
    ways = [
        ("TablesService/WatchTable", watching.SerializeToString()),
        ("TablesService/Play", pb.PlayRequest(watch=watching).SerializeToString()),
        ("LobbyService/WatchTables", b""),
    ]

    async def cancel(numbers: range) -> None:
        for number in numbers:
            name, data = ways[number % 3]
            path = f"/{pb.DESCRIPTOR.package}.{name}"
            if name.endswith("Play"):
                stream = door.channel.stream_stream(path)(metadata=metadata)
                await stream.write(data)
            else:
                stream = door.channel.unary_stream(path)(data, metadata=metadata)
            if number % 2:
                with contextlib.suppress(grpc.aio.AioRpcError):  # STREAMS: those before are not all gone yet
                    await stream.read()
            stream.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await stream.code()

    async def storm(count: int) -> tuple[dict[str, float], int]:
        share = count // 4
        await asyncio.gather(*(cancel(range(n * share, (n + 1) * share)) for n in range(4)))
        held = ("gateway_streams", "gateway_watches", "gateway_feeds", "gateway_lobby_watches")
        return await door.until(lambda found: not any(found[name] for name in held)), door.process.memory_info().rss

    quiet, small = await storm(WARM_UP)
    await door.until(lambda found: found["gateway_tasks"] <= quiet["gateway_tasks"])
    _, large = await storm(CANCELLED)
    await door.until(lambda found: found["gateway_tasks"] <= quiet["gateway_tasks"])
    assert large - small < MOST_GROWTH


async def test_a_reader_that_does_not_read_is_ended_and_resumes(door: Door) -> None:
    table_id = await door.client.lobby.open("trictrac", options=trictrac.Options(seats=8, throw_seconds=0))
    narrow = [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 4096)]
    async with grpc.aio.insecure_channel(door.stack.server, options=narrow) as channel:
        path = f"/{pb.DESCRIPTOR.package}.TablesService/WatchTable"
        watch = channel.unary_stream(
            path,
            request_serializer=pb.WatchTableRequest.SerializeToString,
            response_deserializer=pb.WatchTableResponse.FromString,
        )
        stream = watch(pb.WatchTableRequest(table_id=table_id, as_public=True), metadata=await door.metadata())
        at = (await stream.read()).update.version
        for number in range(SLOW_UPDATES):
            last = await door.client.lobby.ready(table_id, on=number % 2 == 0)
            if number % 50 == 0 and (await asyncio.to_thread(door.figures))["gateway_watches"] == 0:
                break
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            while True:
                update = (await stream.read()).update
                assert update.from_version == at
                at = update.version
        assert reason(caught.value) == "TOO_SLOW"
        assert at < last
    versions = [at]
    async with contextlib.aclosing(door.client.tables.watch(table_id, as_public=True, from_version=at)) as updates:
        async for update in updates:
            assert update.from_version == versions[-1]
            versions.append(update.version)
            if update.version == last:
                break


async def test_too_many_streams_of_one_player(door: Door) -> None:
    watch = door.channel.unary_stream(f"/{pb.DESCRIPTOR.package}.TablesService/WatchTable")
    data = pb.WatchTableRequest(table_id=door.table_id).SerializeToString()
    streams = [watch(data, metadata=await door.metadata()) for _ in range(MOST_STREAMS + 1)]
    try:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            for stream in streams:
                await stream.read()
        assert reason(caught.value) == "STREAMS"
    finally:
        for stream in streams:
            stream.cancel()
