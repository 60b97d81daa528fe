"""The Python client against a whole Stamtafel: lost gateways, people at one device, refusals."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from libs.client.client import Client, connect
from libs.client.errors import NotPossible, Refused
from libs.client.player import Chair, play_to_the_end
from libs.client.setup import BadWish, Wish, set_up
from libs.client.tables import act_request, viewing
from libs.client.terminal import Paper, Terminal
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table
from stamtafel.trictrac.v1 import trictrac_pb2 as trictrac
from tests.fixtures.stack import WholeStack


@pytest.fixture
async def client(whole_stack: WholeStack) -> AsyncIterator[Client]:
    async with connect(whole_stack.server) as made:
        await made.sign_in_guest("Ann")
        yield made


async def play_by_hand(client: Client, table_id: str, breaks: set[int], broken: asyncio.Event) -> int:
    """All seats throw until the play is over; at some throws `broken` is set. Accepted commands."""
    done, not_before = 0, 0
    async with client.tables.play() as play, contextlib.aclosing(play.watch(viewing(table_id, 0, False, 0))) as updates:
        async for update in updates:
            view = update.view
            if view.state == table.TABLE_STATE_RESTING:
                return done
            if not view.to_act or view.version < not_before:
                continue
            if done in breaks:
                broken.set()
            request = act_request(table_id, view.to_act[0], trictrac.Throw(), client.new_id())
            answer = await play.act(request)
            assert answer.HasField("accepted"), answer
            not_before, done = answer.accepted.version, done + 1
    raise AssertionError("the table was closed")


async def test_no_update_is_lost_when_the_gateway_is_killed(whole_stack: WholeStack, client: Client) -> None:
    table_id, _ = await set_up(
        client, Wish("trictrac", {"seats": 3, "points": 4, "throw_seconds": 0}, (), hot_seat=True)
    )
    broken, over = asyncio.Event(), asyncio.Event()
    versions: list[int] = []
    resumed: list[bool] = []

    async def watcher(public: bool) -> list[int]:
        told: list[int] = []
        async with contextlib.aclosing(client.tables.watch(table_id, as_public=public, from_version=0)) as updates:
            async for update in updates:
                assert not update.reset and update.from_version == (told[-1] if told else 0)
                told += [event.version for event in update.events]
                versions.append(update.version)
                if update.view.state == table.TABLE_STATE_RESTING:
                    return told
        raise AssertionError("the watch ended")

    async def killer() -> None:
        while not over.is_set():
            await broken.wait()
            broken.clear()
            if not over.is_set():
                await asyncio.to_thread(whole_stack.kill, "gateway")
                resumed.append(True)

    watching = [asyncio.create_task(watcher(public)) for public in (True, False)]
    killing = asyncio.create_task(killer())
    played = await play_by_hand(client, table_id, {2, 9}, broken)
    told = await asyncio.gather(*watching)
    over.set()
    broken.set()
    await killing
    await asyncio.to_thread(whole_stack.wait_ready)
    last = (await client.tables.view(table_id)).version
    assert told[0] == told[1] == list(range(1, last + 1))
    assert len(resumed) == 2
    events = [event async for event in client.history.events(pb.ListEventsRequest(table_id=table_id))]
    thrown = [event for event in events if event.body.TypeName().endswith((".DiceThrown", ".DieThrown"))]
    assert len(thrown) == played, "a command that was sent again has one effect"


async def test_two_people_at_one_device(client: Client) -> None:
    """Typed commands, `?`, a typing mistake, a refusal, a rematch, and leaving."""
    wish = Wish("trictrac", {"seats": 2, "points": 1, "throw_seconds": 0}, (), hot_seat=True)
    table_id, seats = await set_up(client, wish)
    assert seats == [0, 1]
    keyboard: asyncio.Queue[str | None] = asyncio.Queue()
    screen: list[str] = []
    typed = iter(("?", "jump", "ok"))
    rematches: list[str] = []

    def write(line: str) -> None:
        screen.append(line)
        if line.startswith(("Your move", "Type t", "'jump'", "there is nothing to stand on")):
            keyboard.put_nowait(next(typed, "t"))
        elif line.startswith("a plays again"):
            keyboard.put_nowait("q" if rematches else "a")
            rematches.append(line)

    assert await Terminal(client, table_id, seats, Paper(write)).run(keyboard)
    text = "\n".join(screen)
    assert "Type t (throw)" in text and "'jump' is no command here" in text and "nothing to stand on" in text
    assert "Your move, seat 0" in text and "Your move, seat 1" in text
    assert len(rematches) == 2 and "play 2" in text
    view = await client.tables.view(table_id)
    assert view.play == 2 and not any(seat.player for seat in view.seats)


async def test_the_regulars_of_the_options_may_be_of_any_level(client: Client) -> None:
    options = {"seats": 3, "table": "regulars"}
    table_id, _ = await set_up(client, Wish("liarsdice", options, ["hard", "easy"]))
    assert [seat.bot for seat in (await client.tables.view(table_id)).seats] == ["", "hard", "easy"]
    with pytest.raises(BadWish, match="only 2 seats are left for regulars, not 3"):
        await set_up(client, Wish("liarsdice", options, ["hard"] * 3))


async def test_the_next_game_of_liarsdice_is_typed(client: Client) -> None:
    """Where the next game is a command of the game, the game's own words go on between games, house rules too."""
    wish = Wish("liarsdice", {"seats": 2, "dice_each": 1}, (), hot_seat=True)
    table_id, seats = await set_up(client, wish)
    keyboard: asyncio.Queue[str | None] = asyncio.Queue()
    screen: list[str] = []
    between = iter(("rules any_kind=on", "næste", "a", "q"))

    def write(line: str) -> None:
        screen.append(line)
        if line.startswith("Your move"):
            keyboard.put_nowait("løft")
        elif line.startswith("no bid lies"):
            keyboard.put_nowait("1 seksere")
        elif line.startswith("q quits"):
            keyboard.put_nowait(next(between))

    assert await Terminal(client, table_id, seats, Paper(write), "da").run(keyboard)
    assert next(between, None) is None
    text = "\n".join(screen)
    assert "Skriv næste for næste spil." in text and "husregler: en slags" in text and "a plays again" not in text
    view = await client.tables.view(table_id)
    assert view.play == 3


async def test_the_command_lines_own_player_sits_with_people(client: Client) -> None:
    wish = Wish("trictrac", {"seats": 4, "points": 1}, ("easy",), hot_seat=True)
    table_id, seats = await set_up(client, wish)
    assert len(seats) == 3
    heard: list[int] = []
    async with client.tables.play() as play:
        chairs = [
            Chair("trictrac", table_id, seat, level)
            for seat, level in zip(seats, ("easy", "normal", "hard"), strict=True)
        ]
        ends = await asyncio.gather(
            *(
                play_to_the_end(play, chair, lambda update: heard.append(update.version), client.new_id)
                for chair in chairs
            )
        )
    assert {sorted(end.result.places)[0] for end in ends} == {1}
    assert max(heard) == ends[0].version


async def test_refusals_and_history_of_a_running_play(client: Client) -> None:
    wish = Wish("trictrac", {"seats": 2, "throw_seconds": 0}, (), hot_seat=True)
    table_id, _ = await set_up(client, wish)
    with pytest.raises(Refused) as refused:
        await client.lobby.join(table_id)
    assert refused.value.reason == "wrong_state" or refused.value.reason == "table_full"
    view = await client.tables.view(table_id)
    other = 1 - view.to_act[0]
    answer = await client.tables.act(table_id, other, trictrac.Throw())
    assert (answer.refused.code, answer.refused.version) == ("not_your_turn", view.version)
    first = await client.tables.act(table_id, view.to_act[0], trictrac.Throw(), "the-same")
    assert first == await client.tables.act(table_id, view.to_act[0], trictrac.Throw(), "the-same")
    with pytest.raises(NotPossible) as running:
        [piece async for piece in client.history.export(pb.ExportLogRequest(table_id=table_id))]
    assert running.value.reason == "PLAY_RUNNING"
