"""Lobby commands, the catalog of games, and the list of tables."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import grpc
import pytest

from libs.bus import publish_live
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table
from stamtafel.trictrac.v1 import trictrac_pb2 as trictrac
from tests.unit.gateway.waiting import until
from tests.unit.gateway.world import Client, World, reason, world

TABLE = "trictrac-0-abc"


@pytest.fixture
async def w() -> AsyncIterator[World]:
    async with world() as made:
        yield made


async def test_every_lobby_command_reaches_its_table(w: World) -> None:
    w.owner.open(holders=("ann",))
    client = w.client("ann")
    options = pb.SetOptionsRequest(command_id="c6", table_id=TABLE)
    options.options.Pack(trictrac.Options(points=3))
    requests = {
        "JoinTable": pb.JoinTableRequest(command_id="c1", table_id=TABLE, sit=table.Sit(seat=1, code="x", nonce=b"n")),
        "SetReady": pb.SetReadyRequest(command_id="c2", table_id=TABLE, ready=table.Ready(on=True)),
        "StartTable": pb.StartTableRequest(command_id="c3", table_id=TABLE, expected_version=9),
        "SeatBot": pb.SeatBotRequest(command_id="c4", table_id=TABLE, level="hard", seat=2),
        "RemoveBot": pb.RemoveBotRequest(command_id="c5", table_id=TABLE, seat=0),
        "SetOptions": options,
        "RenewCode": pb.RenewCodeRequest(command_id="c7", table_id=TABLE),
        "LeaveTable": pb.LeaveTableRequest(command_id="c8", table_id=TABLE, seat=1),
        "CloseTable": pb.CloseTableRequest(command_id="c9", table_id=TABLE, reason="late"),
    }
    for name, request in requests.items():
        reply = await getattr(client.lobby, name)(request, metadata=client.metadata)
        assert reply.answer.HasField("accepted"), name
        assert reply.answer.command_id == request.command_id
    sent = {command.WhichOneof("body"): command for command in w.owner.commands}
    assert sent["sit"].sit == requests["JoinTable"].sit
    assert sent["ready"].ready.on
    assert sent["start"].expected_version == 9
    assert sent["seat_bot"].seat_bot == table.SeatBot(level="hard", seat=2)
    assert sent["remove_bot"].remove_bot.seat == 0
    assert sent["set_options"].set_options.options == options.options
    assert sent["leave"].leave.seat == 1
    assert sent["close_table"].close_table.reason == "late"
    assert len(sent) == len(requests)


async def test_opening_names_the_table_before_it_is_there(w: World) -> None:
    client = w.client("ann")
    request = pb.OpenTableRequest(command_id="c1", game="trictrac")
    request.open.options.Pack(trictrac.Options(seats=2))
    one = await client.lobby.OpenTable(request, metadata=client.metadata)
    assert one.answer.accepted.version == 3
    assert (await client.lobby.OpenTable(request, metadata=client.metadata)).table_id == one.table_id
    other = w.client("bob")
    assert (await other.lobby.OpenTable(request, metadata=other.metadata)).table_id != one.table_id
    assert w.owner.commands[0].open_table == request.open
    assert not w.owner.commands[0].HasField("expected_version")


async def test_games_are_described_by_their_owners(w: World) -> None:
    stranger = w.client(token="")
    (game,) = (await stranger.lobby.ListGames(pb.ListGamesRequest())).games
    assert (game.game, game.available, list(game.seats)) == ("trictrac", True, [2, 3, 4])
    assert "stamtafel.trictrac.v1.Throw" in game.command_types
    options = {option.name: (option.kind, option.default_json) for option in game.options}
    assert options["seats"] == ("integer", "4")
    assert options["bok"] == ("flag", "true")
    assert options["preset"] == ("text", "")
    assert [preset.name for preset in game.presets] == ["quick"]
    await w.owner.stop()
    w.now += 100
    (game,) = (await stranger.lobby.ListGames(pb.ListGamesRequest())).games
    assert game.available
    await w.owner.start()


async def test_a_game_that_nobody_serves_is_not_available(w: World) -> None:
    await w.owner.stop()
    (game,) = (await w.client(token="").lobby.ListGames(pb.ListGamesRequest())).games
    assert game == pb.GameInfo(game="trictrac", available=False)
    await w.owner.start()
    (game,) = (await w.client(token="").lobby.ListGames(pb.ListGamesRequest())).games
    assert game.available


def fill(w: World, count: int) -> None:
    for n in range(1, count + 1):
        w.lobby.put(f"t{n}", n, state=table.TABLE_STATE_GATHERING, free_seats=n % 2)


async def listed(client: Client, **fields: object) -> list[str]:
    found: list[str] = []
    request = pb.ListTablesRequest(filter=pb.TableFilter(**fields), page_size=7)  # type: ignore[arg-type]
    while True:
        page = await client.lobby.ListTables(request, metadata=client.metadata)
        found += [row.table_id for row in page.tables]
        if not page.next_page_token:
            return found
        request.page_token = page.next_page_token


async def test_tables_come_in_pages_each_once(w: World) -> None:
    fill(w, 20)
    client = w.client("ann")
    assert await listed(client) == [f"t{n}" for n in range(20, 0, -1)]
    assert await listed(client, with_free_seat=True) == [f"t{n}" for n in range(19, 0, -2)]
    assert await listed(client, game="chess") == []
    assert await listed(client, states=[table.TABLE_STATE_PLAYING]) == []


async def test_private_tables_are_seen_from_their_seats_only(w: World) -> None:
    seats = [pb.SeatSummary(seat=0, player="ann")]
    w.lobby.put("t1", 1, state=table.TABLE_STATE_GATHERING, private=True, seats=seats)
    w.lobby.put("t2", 2, state=table.TABLE_STATE_GATHERING)
    assert await listed(w.client("ann")) == ["t2", "t1"]
    assert await listed(w.client("ann"), mine=True) == ["t1"]
    assert await listed(w.client("bob")) == ["t2"]


@pytest.mark.parametrize("token", ["x", "!!!", "W10", "WzEsMl0", "WyJhIiwiYiJd", "bnVsbA", "W1tbW1tbW1tb"])
async def test_page_tokens_of_others(w: World, token: str) -> None:
    client = w.client()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.lobby.ListTables(pb.ListTablesRequest(page_token=token), metadata=client.metadata)
    assert reason(caught.value) == ("INVALID_ARGUMENT", "BAD_SHAPE")


async def test_the_list_is_watched(w: World) -> None:
    fill(w, 2)
    client = w.client("ann")
    stream = client.lobby.WatchTables(pb.WatchTablesRequest(), metadata=client.metadata)
    assert [(await stream.read()).table.table_id for _ in range(2)] == ["t2", "t1"]
    assert (await stream.read()).complete

    running = asyncio.create_task(w.gateway.lobby_watch.run())
    w.lobby.put("t3", 3, state=table.TABLE_STATE_GATHERING)
    publish_live(w.owner.bus, "tally", "lobby", "public", b"t3\nt1")
    changes = [await stream.read() for _ in range(2)]
    assert {change.table.table_id for change in changes} == {"t3", "t1"}
    w.lobby.put("t3", 4, state=table.TABLE_STATE_CLOSED)
    publish_live(w.owner.bus, "tally", "lobby", "public", b"t3")
    assert (await stream.read()).gone_table_id == "t3"
    del w.lobby.rows["t1"]
    w.lobby.put("t5", 5, state=table.TABLE_STATE_PLAYING)
    publish_live(w.owner.bus, "tally", "lobby", "public", b"")
    assert (await stream.read()).table.table_id == "t5"
    assert (await stream.read()).gone_table_id == "t1"
    w.bus.disconnect()
    w.lobby.put("t6", 6, state=table.TABLE_STATE_PLAYING)
    w.bus.reconnect()
    assert (await stream.read()).table.table_id == "t6"
    stream.cancel()
    await until(lambda: not w.gateway.lobby_watch.watchers)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_list_that_cannot_be_read(w: World) -> None:
    w.lobby.down = True
    client = w.client()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.lobby.ListTables(pb.ListTablesRequest(), metadata=client.metadata)
    assert reason(caught.value) == ("UNAVAILABLE", "NO_OWNER")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.lobby.WatchTables(pb.WatchTablesRequest(), metadata=client.metadata).read()
    assert reason(caught.value) == ("UNAVAILABLE", "NO_OWNER")
    assert w.gateway.lobby_watch.watchers == 0
