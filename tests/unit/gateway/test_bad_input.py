"""Whatever a client sends, it gets a status with a reason, never a trace, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
from collections.abc import AsyncIterator
from typing import Any

import grpc
import jwt
import pytest
from google.rpc import error_details_pb2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.gateway.assembly import Rules
from services.gateway.errors import CODES
from services.gateway.keys import Key, KeyRing
from services.gateway.limits import Rate
from services.gateway.rpc import Limits
from services.gateway.tokens import Identity, Tokens
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table
from stamtafel.trictrac.v1 import trictrac_pb2 as trictrac
from tests.unit.gateway.waiting import until
from tests.unit.gateway.world import Client, World, detail, reason, world

TABLE = "trictrac-0-abc"
FREE = Rules(games={"trictrac": 1}, commands=Rate(1e6, 1e6), requests=Rate(1e6, 1e6))
METHODS = [
    (f"{service.name}/{method.name}", method)
    for service in pb.DESCRIPTOR.services_by_name.values()
    for method in service.methods
]
OPEN = {"SignInGuest", "SignIn", "RefreshToken", "ListGames"}


@pytest.fixture
async def w() -> AsyncIterator[World]:
    async with world(FREE) as made:
        made.owner.open(holders=("ann",))
        yield made
        assert made.bugs == []


async def call(client: Client, path: str, method: Any, data: bytes) -> grpc.aio.AioRpcError | None:
    """Call any method with any bytes; its error, None: it went well (streams: their first message)."""
    full = f"/stamtafel.gateway.v1.{path}"
    try:
        if method.client_streaming:
            stream = client.channel.stream_stream(full)(iter([data]), metadata=client.metadata)
        elif method.server_streaming:
            stream = client.channel.unary_stream(full)(data, metadata=client.metadata)
        else:
            await client.channel.unary_unary(full)(data, metadata=client.metadata)
            return None
        await stream.read()
        stream.cancel()
    except grpc.aio.AioRpcError as error:
        return error
    return None


def forged(key: Key, **changed: Any) -> str:
    claims = {"iss": "stamtafel", "sub": "ann", "use": "access", "iat": 1, "exp": 2_000_000_000, **changed}
    return jwt.encode(claims, key.private, algorithm="EdDSA", headers={"kid": key.kid})


@pytest.mark.parametrize(("path", "method"), METHODS)
async def test_every_method_without_a_token(w: World, path: str, method: Any) -> None:
    error = await call(w.client(token=""), path, method, b"")
    if method.name in OPEN:
        assert error is None or reason(error)[1] in ("BAD_SHAPE", "TOKEN_INVALID")
    else:
        assert error is not None
        assert reason(error) == ("UNAUTHENTICATED", "TOKEN_MISSING")


async def test_tokens_that_do_not_count(w: World) -> None:
    mine = w.ring
    kid, private = mine.signer
    signer = Key(private.public_key(), private)
    stranger = Key.fresh()
    strangers = Tokens(KeyRing([stranger]), lambda: w.now)
    ann = Identity(player_id="ann", name="Ann")
    session = w.gateway.tokens.session(ann)
    unsigned = jwt.encode({"iss": "stamtafel", "sub": "ann", "use": "access", "iat": 1, "exp": 2e9}, None, "none")
    good = session.access_token
    tokens = {
        "rubbish": "TOKEN_INVALID",
        strangers.session(ann).access_token: "TOKEN_INVALID",
        session.refresh_token: "TOKEN_INVALID",
        good[:-4] + "AAAA": "TOKEN_INVALID",
        unsigned: "TOKEN_INVALID",
        forged(signer, iss="other"): "TOKEN_INVALID",
        forged(signer, exp=1): "TOKEN_EXPIRED",
        jwt.encode({"sub": "ann"}, private, "EdDSA", headers={"kid": kid}): "TOKEN_INVALID",
        jwt.encode({"sub": "ann"}, "x" * 32, "HS256", headers={"kid": kid}): "TOKEN_INVALID",
        jwt.encode({"sub": "ann"}, private, "EdDSA", headers={"kid": "a" * 300}): "TOKEN_INVALID",
    }
    for token, expected in tokens.items():
        client = w.client(token=token)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await client.sessions.GetSelf(pb.GetSelfRequest(), metadata=client.metadata)
        assert reason(caught.value) == ("UNAUTHENTICATED", expected), token
    client = w.client(token=forged(signer, roles=["god", "operator", 7], name="Ann"))
    found = await client.sessions.GetSelf(pb.GetSelfRequest(), metadata=client.metadata)
    assert list(found.player.roles) == [pb.ROLE_PLAYER, pb.ROLE_OPERATOR]


def throw(**fields: Any) -> pb.ActRequest:
    request = pb.ActRequest(command_id="c1", table_id=TABLE, seat=0)
    request.body.Pack(trictrac.Throw(style="throw"))
    for name, value in fields.items():
        if value is None:
            request.ClearField(name)  # type: ignore[arg-type]
        else:
            setattr(request, name, value)
    return request


def with_body(url: str, value: bytes) -> pb.ActRequest:
    request = throw()
    request.body.type_url = url
    request.body.value = value
    return request


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (throw(command_id=""), "command_id"),
        (throw(command_id="x" * 65), "command_id"),
        (throw(command_id="a b"), "command_id"),
        (throw(command_id="a\nb"), "command_id"),
        (throw(seat=None), "seat"),
        (throw(seat=-1), "seat"),
        (throw(body=None), "body"),
        (with_body("", b""), "body"),
        (with_body("Throw", b""), "body"),
        (with_body("type.googleapis.com/", b""), "body"),
        (with_body("type.googleapis.com/stamtafel.table.v1.Act", b""), "body"),
        (with_body("type.googleapis.com/google.protobuf.Any", b""), "body"),
        (with_body("type.googleapis.com/stamtafel.trictrac.v1.Throw", b"\xff\xff"), "body"),
    ],
)
@pytest.mark.parametrize("learned", [False, True])
async def test_acts_of_bad_shape_name_the_field(w: World, request_: pb.ActRequest, field: str, learned: bool) -> None:
    client = w.client("ann")
    if learned:
        await w.gateway.catalog.learn("trictrac")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.tables.Act(request_, metadata=client.metadata)
    assert reason(caught.value) == ("INVALID_ARGUMENT", "BAD_SHAPE")
    bad = detail(caught.value, error_details_pb2.BadRequest)
    assert [violation.field for violation in bad.field_violations] == [field]
    assert w.owner.commands == []


async def test_once_a_game_is_known_only_its_commands_pass(w: World) -> None:
    client = w.client("ann")
    options = with_body("type.googleapis.com/stamtafel.trictrac.v1.Options", b"")
    assert (await client.tables.Act(options, metadata=client.metadata)).answer.HasField("accepted")
    await w.gateway.catalog.learn("trictrac")
    unknown = with_body("type.googleapis.com/stamtafel.trictrac.v1.NoSuch", b"")
    for command_id, request in (("c2", options), ("c3", unknown)):
        request.command_id = command_id
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await client.tables.Act(request, metadata=client.metadata)
        assert reason(caught.value) == ("INVALID_ARGUMENT", "BAD_SHAPE")


async def test_requests_that_are_too_large(w: World) -> None:
    client = w.client("ann")
    large = throw().SerializeToString() + b"\x2a" + b"\xff\xff\x07" + b"\x00" * 131_071
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.raw("TablesService/Act", large)
    assert reason(caught.value) == ("RESOURCE_EXHAUSTED", "TOO_LARGE")
    play = client.channel.stream_stream("/stamtafel.gateway.v1.TablesService/Play")(metadata=client.metadata)
    await play.write(large)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await play.read()
    assert reason(caught.value) == ("RESOURCE_EXHAUSTED", "TOO_LARGE")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.raw("TablesService/Act", b"\x00" * (5 * 1024 * 1024))
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED  # gRPC's own, before a byte was kept


async def test_a_field_of_tomorrow_is_refused(w: World) -> None:
    client = w.client("ann")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.raw("TablesService/Act", throw().SerializeToString() + b"\xf8\x07\x01")
    assert reason(caught.value) == ("INVALID_ARGUMENT", "BAD_SHAPE")


@pytest.mark.parametrize("which", ["match", "imported", "game", "options", "unknown_game", "nonce", "position"])
async def test_tables_that_cannot_be_opened(w: World, which: str) -> None:
    request = pb.OpenTableRequest(command_id="c1", game="trictrac")
    expected = "BAD_SHAPE"
    if which == "match":
        request.open.match.match_id = "m1"
    elif which == "imported":
        request.open.imported = True
        expected = "ROLE_MISSING"
    elif which == "game":
        request.game = ""
    elif which == "options":
        request.open.options.Pack(table.Start())
    elif which == "unknown_game":
        request.game = "chess"
        expected = "UNKNOWN_GAME"
    elif which == "nonce":
        request.open.nonce = b"x" * 65
    else:
        request.open.position = "x" * 20_000
    client = w.client("ann")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.lobby.OpenTable(request, metadata=client.metadata)
    assert reason(caught.value)[1] == expected
    assert w.owner.commands == []


@pytest.fixture(scope="module")
def loop_world() -> Any:
    """A loop of its own, for hypothesis to drive one world with many requests."""
    with asyncio.Runner() as runner:
        manager = world(FREE)
        made = runner.run(manager.__aenter__())
        made.owner.open(holders=("ann",))
        client = made.client("ann")
        yield runner, made, client
        runner.run(manager.__aexit__(None, None, None))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(method=st.sampled_from(METHODS), data=st.binary(max_size=200))
def test_random_bytes_get_a_reason(loop_world: Any, method: tuple[str, Any], data: bytes) -> None:
    runner, made, client = loop_world
    error = runner.run(call(client, *method, data))
    if error is not None:
        code, why = reason(error)
        assert CODES[why] == grpc.StatusCode[code].value[0]
        assert "Traceback" not in error.details() and ".py" not in error.details()
    assert made.bugs == []


async def test_ten_thousand_random_requests(w: World) -> None:
    client = w.client("ann")
    dice = random.Random(1)

    async def some(count: int) -> None:
        for _ in range(count):
            error = await call(client, *dice.choice(METHODS), dice.randbytes(dice.randrange(120)))
            if error is not None:
                reason(error)

    await asyncio.gather(*(some(500) for _ in range(20)))


PIECES = st.sampled_from(
    [
        b"",
        throw().SerializeToString(),
        with_body("type.googleapis.com/stamtafel.trictrac.v1.Throw", b"\x08").SerializeToString(),
        pb.PlayRequest(watch=pb.WatchTableRequest(table_id=TABLE)).SerializeToString(),
        pb.JoinTableRequest(command_id="j", table_id=TABLE, sit=table.Sit(seat=1)).SerializeToString(),
    ]
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    method=st.sampled_from(METHODS), start=PIECES, flips=st.lists(st.tuples(st.integers(0, 200), st.integers(0, 255)))
)
def test_damaged_requests_get_a_reason(
    loop_world: Any, method: tuple[str, Any], start: bytes, flips: list[tuple[int, int]]
) -> None:
    runner, made, client = loop_world
    data = bytearray(start)
    for place, value in flips:
        if data:
            data[place % len(data)] = value
    error = runner.run(call(client, *method, bytes(data)))
    if error is not None:
        reason(error)
    assert made.bugs == []


async def test_a_reader_that_does_not_read_is_ended_too_slow(w: World) -> None:
    found = w.owner.tables[TABLE]
    client = w.client("cleo")
    watch = client.tables.WatchTable(pb.WatchTableRequest(table_id=TABLE), metadata=client.metadata)
    assert (await watch.read()).update.version == 3
    found.view = lambda _: _large_view(found.version)  # type: ignore[method-assign]
    while w.gateway.hub.readers:
        w.owner.move(found)
        await asyncio.sleep(0)
    seen = [3]
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        while True:
            update = (await watch.read()).update
            assert update.from_version == seen[-1]
            seen.append(update.version)
    assert reason(caught.value) == ("RESOURCE_EXHAUSTED", "TOO_SLOW")
    assert w.gateway.watching.open == 0
    resumed = client.tables.WatchTable(
        pb.WatchTableRequest(table_id=TABLE, from_version=seen[-1]), metadata=client.metadata
    )
    assert (await resumed.read()).update.from_version == seen[-1]


def _large_view(version: int) -> table.TableView:
    """A view so large that a socket's buffers fill soon."""
    return table.TableView(table_id=TABLE, version=version, match_id="x" * 50_000)


async def test_many_cancelled_streams_leave_nothing(w: World) -> None:
    async def once(n: int) -> None:
        client = clients[n % 4]
        if n % 3 == 0:
            stream = client.tables.WatchTable(pb.WatchTableRequest(table_id=TABLE), metadata=client.metadata)
        elif n % 3 == 1:
            stream = client.tables.Play(metadata=client.metadata)
            await stream.write(pb.PlayRequest(watch=pb.WatchTableRequest(table_id=TABLE)))
        else:
            stream = client.lobby.WatchTables(pb.WatchTablesRequest(), metadata=client.metadata)
        if n % 2:
            await stream.read()
        stream.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await stream.code()

    def still() -> bool:
        gateway = w.gateway
        held = (gateway.door.streams.open, gateway.hub.readers, gateway.hub.tasks, gateway.lobby_watch.watchers)
        return held == (0, 0, 0, 0)

    clients = [w.client(name) for name in ("ann", "bob", "cleo", "dirk")]
    for n in range(12):
        await once(n)
    await until(still)
    gc.collect()
    before = (len(asyncio.all_tasks()), sum(len(x) for x in w.broker._exact.values()), _objects())
    for n in range(5000):
        await once(n)
    await until(still)
    assert (w.gateway.hub.feeds, w.gateway.watching.open) == (0, 0)
    await until(lambda: len(asyncio.all_tasks()) <= before[0])
    gc.collect()
    assert sum(len(x) for x in w.broker._exact.values()) == before[1]
    assert _objects() <= before[2] + 5


def _objects() -> int:
    """How many readers, feeds, outboxes and plays are alive."""
    names = {"Reader", "Feed", "Outbox", "Play", "Watcher"}
    return sum(type(found).__name__ in names and "gateway" in type(found).__module__ for found in gc.get_objects())


async def test_streams_and_calls_of_one_player_are_limited() -> None:
    rules = Rules(games={"trictrac": 1}, requests=Rate(1.0, 4.0), limits=Limits(streams=2))
    async with world(rules) as w:
        w.owner.open()
        client = w.client("ann")
        held = [
            client.tables.WatchTable(pb.WatchTableRequest(table_id=TABLE), metadata=client.metadata) for _ in range(2)
        ]
        for stream in held:
            await stream.read()
        third = client.tables.WatchTable(pb.WatchTableRequest(table_id=TABLE), metadata=client.metadata)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await anext(aiter(third))
        assert reason(caught.value) == ("RESOURCE_EXHAUSTED", "STREAMS")
        await client.sessions.GetSelf(pb.GetSelfRequest(), metadata=client.metadata)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await client.sessions.GetSelf(pb.GetSelfRequest(), metadata=client.metadata)
        assert reason(caught.value) == ("RESOURCE_EXHAUSTED", "RATE")
        assert detail(caught.value, error_details_pb2.RetryInfo).retry_delay.seconds == 1
        other = w.client("bob")
        await other.sessions.GetSelf(pb.GetSelfRequest(), metadata=other.metadata)
        stranger = w.client(token="")
        for _ in range(4):
            await stranger.lobby.ListGames(pb.ListGamesRequest())
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stranger.lobby.ListGames(pb.ListGamesRequest())
        assert reason(caught.value) == ("RESOURCE_EXHAUSTED", "RATE")


async def test_operators_may_send_as_many_commands_as_they_like() -> None:
    """A match of many games is imported at the speed of its log."""
    async with world(Rules(games={"trictrac": 1}, commands=Rate(1, 2))) as w:
        w.owner.open()
        for player, roles, refused in (("ann", (), True), ("olga", ("operator",), False)):
            client = w.client(player, *roles)
            reasons: list[str] = []
            for number in range(5):
                request = pb.StartTableRequest(command_id=f"c{number}", table_id=TABLE)
                try:
                    await client.lobby.StartTable(request, metadata=client.metadata)
                except grpc.aio.AioRpcError as error:
                    reasons.append(reason(error)[1])
            assert reasons == (["RATE"] * 3 if refused else [])


@pytest.mark.parametrize(
    ("match", "field"),
    [
        (table.Match(seats=[table.MatchSeat(player="p-ann", name="Ann")]), "open.match.seats[0].player"),
        (table.Match(seats=[table.MatchSeat(player="record:1", name="Ann")]), "open.match.seats[0].player"),
        (table.Match(seats=[table.MatchSeat(player="record:0")]), "open.match.seats[0].name"),
        (table.Match(seats=[table.MatchSeat(player="record:0", name="x" * 101)]), "open.match.seats[0].name"),
        (table.Match(seats=[table.MatchSeat(player="record:0", name="A\x1b[2J")]), "open.match.seats[0].name"),
        (table.Match(match_id="m" * 65), "open.match.match_id"),
    ],
)
async def test_who_plays_in_a_record_is_nobody_here(w: World, match: table.Match, field: str) -> None:
    client = w.client("olga", "operator")
    request = pb.OpenTableRequest(command_id="c1", game="trictrac", open=table.OpenTable(imported=True, match=match))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.lobby.OpenTable(request, metadata=client.metadata)
    (wrong,) = detail(caught.value, error_details_pb2.BadRequest).field_violations
    assert wrong.field == field
    assert w.owner.commands == []


async def test_no_owner_and_no_answer_are_unavailable_with_a_time_to_try_again(w: World) -> None:
    w.owner.silent = True
    client = w.client("ann")
    pending = asyncio.create_task(_act(client))
    await until(lambda: w.owner.commands)
    w.gateway.sender.close()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await pending
    assert reason(caught.value) == ("UNAVAILABLE", "NO_ANSWER")
    assert detail(caught.value, error_details_pb2.RetryInfo).retry_delay.seconds == 1
    await w.owner.stop()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.tables.GetView(pb.GetViewRequest(table_id=TABLE), metadata=client.metadata)
    assert reason(caught.value) == ("UNAVAILABLE", "NO_OWNER")
    await w.owner.start()
    # closing twice is what the world does at its end
    w.bus.on_reconnect.append(w.gateway.sender._reconnected)


async def _act(client: Client) -> Any:
    return await client.tables.Act(throw(), metadata=client.metadata)
