"""Acts, views, watches and Play through a real gRPC port."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

import grpc
import pytest

from services.gateway.assembly import Rules
from services.gateway.limits import Rate
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table
from stamtafel.trictrac.v1 import trictrac_pb2 as trictrac
from tests.unit.gateway.waiting import until
from tests.unit.gateway.world import Client, World, reason, world

TABLE = "trictrac-0-abc"


def act(command_id: str, seat: int = 0, table_id: str = TABLE, style: str = "cup") -> pb.ActRequest:
    request = pb.ActRequest(command_id=command_id, table_id=table_id, seat=seat)
    request.body.Pack(trictrac.Throw(style=style))
    return request


@pytest.fixture
async def w() -> AsyncIterator[World]:
    async with world() as made:
        yield made


class Playing:
    """A Play stream with its items one by one."""

    def __init__(self, client: Client) -> None:
        self.call = client.tables.Play(metadata=client.metadata)
        self.items: list[pb.PlayItem] = []

    async def send(self, **body: Any) -> None:
        await self.call.write(pb.PlayRequest(**body))

    async def next(self) -> pb.PlayItem:
        while not self.items:
            response = await self.call.read()
            assert response is not grpc.aio.EOF, await self.call.code()
            self.items.extend(response.items)
        return self.items.pop(0)

    async def until(self, kind: str) -> pb.PlayItem:
        while True:
            item = await self.next()
            if item.WhichOneof("body") == kind:
                return item


async def test_an_act_gets_the_logs_answer_also_a_refusal(w: World) -> None:
    w.owner.open(holders=("ann",))
    client = w.client("ann")
    reply = await client.tables.Act(act("c1"), metadata=client.metadata)
    assert reply.answer.accepted.version == 4
    refused = await client.tables.Act(act("c2", seat=1), metadata=client.metadata)
    assert refused.answer.refused.code == "not_your_seat"
    sent = w.owner.commands[0]
    assert sent.actor == table.Actor(id="ann", name="Ann", kind=table.ACTOR_KIND_PLAYER)
    assert sent.valid_for_ms == 30_000
    assert not w.bugs


async def test_a_table_that_a_log_here_could_hold_is_the_logs_business(w: World) -> None:
    client = w.client()
    reply = await client.tables.Act(act("c1", table_id="trictrac-0-nosuch"), metadata=client.metadata)
    assert reply.answer.refused.code == "unknown_table"


async def test_view_is_that_of_the_callers_seat(w: World) -> None:
    w.owner.open(holders=("ann", "bob"))
    for player, code in (("ann", "secret of seat.0"), ("bob", "secret of seat.1"), ("cleo", "")):
        client = w.client(player)
        reply = await client.tables.GetView(pb.GetViewRequest(table_id=TABLE), metadata=client.metadata)
        assert reply.view.code == code


async def watched(client: Client, **fields: Any) -> AsyncIterator[table.Update]:
    call = client.tables.WatchTable(pb.WatchTableRequest(table_id=TABLE, **fields), metadata=client.metadata)
    async for response in call:
        yield response.update


async def test_a_watch_starts_with_the_view_of_now_and_goes_on_without_gaps(w: World) -> None:
    found = w.owner.open()
    updates = watched(w.client("cleo"))
    first = await anext(updates)
    assert (first.version, first.reset) == (3, True)
    for version in (4, 5, 6):
        w.owner.move(found)
        update = await anext(updates)
        assert (update.from_version, update.version) == (version - 1, version)
        assert not update.view.code


async def test_a_watch_resumes_from_its_version(w: World) -> None:
    found = w.owner.open()
    w.owner.move(found, publish=False, steps=4)
    first = await anext(watched(w.client(), from_version=5))
    assert (first.from_version, first.version) == (5, 7)
    assert [event.version for event in first.events] == [6, 7]


async def test_a_watch_of_a_closed_table_ends(w: World) -> None:
    found = w.owner.open()
    updates = watched(w.client())
    await anext(updates)
    found.state = table.TABLE_STATE_CLOSED
    w.owner.move(found)
    assert [update.version async for update in updates] == [4]
    assert w.gateway.hub.feeds == 0


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"table_id": "trictrac-0-nosuch"}, ("NOT_FOUND", "UNKNOWN_TABLE")),
        ({"table_id": "chess-0-abc"}, ("NOT_FOUND", "UNKNOWN_TABLE")),
        ({"table_id": "trictrac-0-*"}, ("NOT_FOUND", "UNKNOWN_TABLE")),
        ({"table_id": ""}, ("NOT_FOUND", "UNKNOWN_TABLE")),
        ({"table_id": TABLE, "seat": 1}, ("PERMISSION_DENIED", "NOT_YOUR_SEAT")),
        ({"table_id": TABLE, "seat": 99}, ("PERMISSION_DENIED", "NOT_YOUR_SEAT")),
        ({"table_id": TABLE, "seat": -1}, ("INVALID_ARGUMENT", "BAD_SHAPE")),
    ],
)
async def test_what_cannot_be_watched(w: World, fields: dict[str, Any], expected: tuple[str, str]) -> None:
    w.owner.open(holders=("ann", "bob"))
    client = w.client("ann")
    call = client.tables.WatchTable(pb.WatchTableRequest(**fields), metadata=client.metadata)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await anext(aiter(call))
    assert reason(caught.value) == expected
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.tables.GetView(
            pb.GetViewRequest(table_id=fields["table_id"], seat=fields.get("seat")), metadata=client.metadata
        )
    assert reason(caught.value) == expected
    assert w.gateway.hub.feeds == 0


async def test_play_answers_and_shows_the_effect(w: World) -> None:
    w.owner.open(holders=("ann",))
    play = Playing(w.client("ann"))
    await play.send(watch=pb.WatchTableRequest(table_id=TABLE, watch_id=7))
    first = await play.until("update")
    assert (first.watch_id, first.update.version, first.update.view.code) == (7, 3, "secret of seat.0")
    await play.send(act=act("c1"))
    items = [await play.next(), await play.next()]
    kinds = {item.WhichOneof("body"): item for item in items}
    assert kinds["answer"].answer.accepted.version == 4
    assert kinds["update"].update.version == 4
    await play.send(unwatch=pb.Unwatch(watch_id=7))
    ended = await play.until("ended")
    assert (ended.watch_id, ended.ended.HasField("problem")) == (7, False)
    await play.call.done_writing()
    assert await play.call.read() is grpc.aio.EOF
    assert await play.call.code() is grpc.StatusCode.OK


async def test_acts_of_a_stream_are_published_in_order_without_waiting(w: World) -> None:
    found = w.owner.open(holders=("ann",))
    w.owner.silent = True
    play = Playing(w.client("ann"))
    for n in range(100):
        await play.send(act=act(f"c{n}", style=f"{n}"))
    await until(lambda: len(w.owner.commands) == 100)
    assert [command.command_id for command in w.owner.commands] == [f"c{n}" for n in range(100)]
    assert found.version == 3


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (act(""), "BAD_SHAPE"),
        (act("x" * 65), "BAD_SHAPE"),
        (act("c1", table_id="nowhere"), "UNKNOWN_TABLE"),
        (pb.ActRequest(command_id="c1", table_id=TABLE, seat=0), "BAD_SHAPE"),
        (act("c1", seat=-1), "BAD_SHAPE"),
    ],
)
async def test_what_stops_one_command_is_a_message_and_not_the_end(
    w: World, request_: pb.ActRequest, expected: str
) -> None:
    w.owner.open(holders=("ann",))
    play = Playing(w.client("ann"))
    await play.send(act=request_)
    item = await play.until("status")
    assert item.status.command_id == request_.command_id
    assert item.status.problem.reason == expected
    await play.send(act=act("good"))
    assert (await play.until("answer")).answer.command_id == "good"


async def test_a_watch_that_cannot_be_is_ended_in_play(w: World) -> None:
    w.owner.open(holders=("ann", "bob"))
    play = Playing(w.client("ann"))
    await play.send(watch=pb.WatchTableRequest(table_id=TABLE, seat=1, watch_id=1))
    ended = await play.until("ended")
    assert (ended.watch_id, ended.ended.problem.reason) == (1, "NOT_YOUR_SEAT")
    await play.send(watch=pb.WatchTableRequest(table_id="nowhere", watch_id=2))
    assert (await play.until("ended")).ended.problem.reason == "UNKNOWN_TABLE"
    await play.send(watch=pb.WatchTableRequest(table_id=TABLE, watch_id=1))
    assert (await play.until("update")).update.version == 3


@pytest.mark.parametrize(
    "requests",
    [
        [pb.PlayRequest()],
        [pb.PlayRequest(watch=pb.WatchTableRequest(table_id=TABLE, watch_id=1))] * 2,
    ],
)
async def test_a_request_that_names_no_command_ends_play(w: World, requests: Iterable[pb.PlayRequest]) -> None:
    w.owner.open()
    play = Playing(w.client())
    for request in requests:
        await play.call.write(request)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        while await play.call.read() is not grpc.aio.EOF:
            pass
    assert reason(caught.value) == ("INVALID_ARGUMENT", "BAD_SHAPE")


async def test_a_seat_taken_while_watching_is_seen_from_then_on(w: World) -> None:
    w.owner.open()
    client = w.client("ann")
    updates = watched(client)
    assert not (await anext(updates)).view.HasField("audience")
    await client.lobby.JoinTable(
        pb.JoinTableRequest(command_id="c1", table_id=TABLE, sit=table.Sit(seat=2)), metadata=client.metadata
    )
    update = await anext(updates)
    assert (update.view.audience, update.version) == (2, 4)


async def test_a_seat_given_up_is_not_seen_any_more(w: World) -> None:
    found = w.owner.open(holders=("ann",))
    updates = watched(w.client("ann"))
    assert (await anext(updates)).view.code == "secret of seat.0"
    found.holders[0] = "bob"
    w.owner.move(found)
    update = await anext(updates)
    assert (update.from_version, update.version, update.view.code) == (3, 4, "")


async def test_a_named_seat_given_up_ends_the_watch(w: World) -> None:
    found = w.owner.open(holders=("ann",))
    updates = watched(w.client("ann"), seat=0)
    await anext(updates)
    found.holders[0] = "bob"
    w.owner.move(found)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await anext(updates)
    assert reason(caught.value) == ("PERMISSION_DENIED", "NOT_YOUR_SEAT")


async def test_an_expired_token_ends_play_at_its_next_request() -> None:
    async with world() as w:
        w.owner.open(holders=("ann",))
        play = Playing(w.client("ann"))
        await play.send(act=act("c1"))
        await play.until("answer")
        w.now += 4000
        await play.send(act=act("c2"))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await play.call.read()
        assert reason(caught.value) == ("UNAUTHENTICATED", "TOKEN_EXPIRED")


async def test_a_stopping_gateway_sends_its_streams_away() -> None:
    async with world() as w:
        w.owner.open()
        updates = watched(w.client())
        await anext(updates)
        play = Playing(w.client())
        await play.send(watch=pb.WatchTableRequest(table_id=TABLE))
        await play.until("update")
        stopping = asyncio.create_task(w.server.stop(5))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await anext(updates)
        assert reason(caught.value) == ("UNAVAILABLE", "SHUTDOWN")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await play.call.read()
        assert reason(caught.value) == ("UNAVAILABLE", "SHUTDOWN")
        await stopping


async def test_too_many_commands_of_one_player_wait() -> None:
    async with world(Rules(games={"trictrac": 1}, commands=Rate(1.0, 2.0))) as w:
        w.owner.open(holders=("ann",))
        play = Playing(w.client("ann"))
        for n in range(3):
            await play.send(act=act(f"c{n}"))
        item = await play.until("status")
        assert (item.status.problem.reason, item.status.problem.retry_after.seconds) == ("RATE", 1)
        w.now += 1
        await play.send(act=act("c3"))
        assert (await play.until("answer")).answer.command_id != ""
