"""Nobody receives what he may not know: klaverjas through the gateway, with every kind of audience attached.

Each seat (people and computer players), a spectator, a late joiner, a watcher who resumes again and again, readers of
the history, refused commanders, the processes' logs and metrics pages: everything that they received is scanned.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import random
import urllib.request
from typing import Any

import pytest

from libs.bus import Bus, Live, subscribe_live
from libs.client.client import Client, connect
from libs.client.errors import ClientError, NotPossible
from libs.log import open_log
from libs.table.life import any_of
from services.klaverjas.rules import Klaverjas
from stamtafel.gateway.v1 import gateway_pb2 as gw
from stamtafel.klaverjas.v1 import klaverjas_pb2 as kj
from stamtafel.table.v1 import table_pb2 as pb
from tests.fixtures.stack import WholeStack
from tests.secrecy.scan import Heard, Truth
from tests.unit.table.owned import Owned

OPTIONS = kj.Options(boompjes=2, move_seconds=0, trump_seconds=0)


class Ears:
    """Collects what everybody hears at one table, with the version he stood at."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.heard: list[Heard] = []
        self.over = asyncio.Event()
        self.version = 0

    async def watch(self, who: str, client: Client, audience: int | None, since: int | None = None) -> None:
        """Follows the table to the end of the play."""
        updates = client.tables.watch(self.table, audience, as_public=audience is None, from_version=since)
        async with contextlib.aclosing(updates):
            async for update in updates:
                self.heard.append(Heard(who, audience, update.version, update))
                self.version = max(self.version, update.version)
                if update.view.state == pb.TABLE_STATE_RESTING:
                    self.over.set()
                    return

    async def resume(self, client: Client, rng: random.Random) -> None:
        """Leaves and comes back from an older version, again and again."""
        while not self.over.is_set():
            since = rng.randint(0, max(self.version, 1))
            updates = client.tables.watch(self.table, as_public=True, from_version=since)
            async with contextlib.aclosing(updates):
                update = await anext(updates)
                self.heard.append(Heard("resumed", None, update.version, update))

    async def read_history(self, client: Client, audience: int | None) -> None:
        """Lists events and replays while the play runs; an export is refused."""
        who = f"history of {audience}"
        while not self.over.is_set():
            events = gw.ListEventsRequest(table_id=self.table, as_public=audience is None, seat=audience)
            got = [event async for event in client.history.events(events)]
            self.heard.extend(Heard(who, audience, got[-1].version, event) for event in got)
            replay = gw.ReplayTableRequest(table_id=self.table, as_public=True, from_version=max(1, self.version - 3))
            try:
                async for picture in client.history.replay(replay):
                    self.heard.append(Heard("replay", None, picture.view.version, picture.view))
                    for event in picture.events:
                        self.heard.append(Heard("replay", None, picture.view.version, event))
                export = gw.ExportLogRequest(table_id=self.table)
                async for piece in client.history.export(export):
                    assert self.over.is_set() or b'"DrawsRevealed"' in piece, "a running play was exported"
                    return
            except NotPossible:
                pass

    async def meddle(self, stranger: Client, player: Client, seat: int, rng: random.Random) -> None:
        """Sends commands that are refused: a stranger, the wrong turn, cards that are not held or not legal."""
        cards = [suit + rank for suit in "SHDC" for rank in "789TJQKA"]
        while not self.over.is_set():
            for client, who, audience in ((stranger, "stranger", None), (player, "refused", seat)):
                version = self.version
                card = rng.choice(cards)
                try:
                    answer = await client.tables.act(self.table, seat, kj.Play(card=card))
                except ClientError as error:
                    self.heard.append(Heard(who, audience, version, f"{error.reason} {error.message}"))
                    continue
                if answer.HasField("refused"):
                    said = " ".join(f"{d.key}={d.value}" for d in answer.refused.details)
                    text = f"{answer.refused.message} {answer.refused.field} {said}"
                    others = text.replace(card, "")  # the card that he named himself is no news to him
                    self.heard.append(Heard(who, audience, max(version, answer.refused.version), others))


async def play_seat(client: Client, table: str, seat: int, rng: random.Random) -> None:
    """A person who plays at random what his view allows."""
    updates = client.tables.watch(table, seat)
    async with contextlib.aclosing(updates):
        async for update in updates:
            view = update.view
            if view.state == pb.TABLE_STATE_RESTING:
                return
            if seat not in view.to_act:
                continue
            mine = kj.View.FromString(view.game_view.value)
            if mine.phase == "choose_trump":
                await client.tables.act(table, seat, kj.ChooseTrump(suit=rng.choice("SHDC")))
            else:
                await client.tables.act(table, seat, kj.Play(card=rng.choice(list(mine.my_legal))))


async def stored(stack: WholeStack, table: str) -> list[Any]:
    log = await open_log(stack.stack.database_url, "klaverjas")
    try:
        return await log.read_stream(table, 0, 10_000)
    finally:
        await log.close()


def pages(stack: WholeStack) -> list[str]:
    """The metrics page of every process, and every log file."""
    found = []
    for port in stack.stack.http_ports.values():
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as page:
            found.append(page.read().decode())
    found.extend(path.read_text(errors="replace") for path in (stack.data / "logs").glob("*.log"))
    return found


async def test_nobody_receives_what_he_may_not_know(whole_stack: WholeStack) -> None:
    rng = random.Random(7)
    async with contextlib.AsyncExitStack() as open_clients:
        clients = [await open_clients.enter_async_context(connect(whole_stack.server)) for _ in range(5)]
        for number, client in enumerate(clients):
            await client.sign_in_guest(f"P{number}")
        south, north, onlooker, late, stranger = clients
        table = await south.lobby.open("klaverjas", options=OPTIONS)
        await north.lobby.join(table, 2)
        for seat in (1, 3):
            await south.lobby.seat_bot(table, "easy", seat)
        ears = Ears(table)
        bus = await Bus.connect(whole_stack.stack.nats_url, "secrecy")

        def overhear(live: Live) -> None:
            update = pb.Update.FromString(live.data)
            seat = int(live.audience.rpartition(".")[2])
            ears.heard.append(Heard(live.audience, seat, update.version, update))

        subscribe_live(bus, "klaverjas-0", table, "bot.*", overhear)
        watching = [
            asyncio.create_task(ears.watch("south", south, 0)),
            asyncio.create_task(ears.watch("north", north, 2)),
            asyncio.create_task(ears.watch("spectator", onlooker, None)),
        ]
        await south.lobby.ready(table)
        playing = [
            asyncio.create_task(play_seat(south, table, 0, rng)),
            asyncio.create_task(play_seat(north, table, 2, rng)),
        ]
        await north.lobby.ready(table)
        others = [
            asyncio.create_task(ears.resume(onlooker, random.Random(1))),
            asyncio.create_task(ears.read_history(onlooker, None)),
            asyncio.create_task(ears.read_history(south, 0)),
            asyncio.create_task(ears.meddle(stranger, north, 2, random.Random(2))),
        ]
        while ears.version < 60:
            await asyncio.sleep(0.01)
        watching.append(asyncio.create_task(ears.watch("late", late, None)))
        await asyncio.gather(*watching, *playing, *others)
        await bus.close()
        records = await stored(whole_stack, table)
    truth = Truth(records)
    kinds = {heard.who for heard in ears.heard}
    assert {
        "south",
        "north",
        "spectator",
        "late",
        "resumed",
        "bot.1",
        "bot.3",
        "stranger",
        "refused",
        "replay",
    } <= kinds
    assert {"history of None", "history of 0"} <= kinds
    leaks = [leak for heard in ears.heard for leak in truth.leaks(heard)]
    assert leaks == [], leaks[:20]
    assert len(truth.seeds) == 1
    seed = truth.seeds[0][1]
    for page in pages(whole_stack):
        assert seed.hex() not in page
        assert base64.b64encode(seed).decode() not in page
        assert "cards_dealt" not in page
        assert not any(word in page for word in ("my_hand", '"hands"'))


class LeakyEvents(Klaverjas):
    """Klaverjas that forgets to redact its events."""

    def redact(self, event, state, audience):  # type: ignore[no-untyped-def]
        return event


class LeakyView(Klaverjas):
    """Klaverjas that shows everybody the view of seat 0."""

    def view(self, state, audience, facts):  # type: ignore[no-untyped-def]
        return super().view(state, 0, facts)


@pytest.mark.parametrize(("rules", "leaks"), [(Klaverjas(), False), (LeakyEvents(), True), (LeakyView(), True)])
async def test_the_scan_finds_a_field_left_open_on_purpose(rules: Klaverjas, leaks: bool) -> None:
    owned = Owned(rules)
    heard: list[Heard] = []
    async with owned.owning() as writer:
        table = f"{owned.log}-aaaaaaaaaaaaaaaa"
        how = pb.OpenTable(options=any_of(OPTIONS), hot_seat=True)
        await owned.send("ann", table, open_table=how)

        def hear(live: Live) -> None:
            update = pb.Update.FromString(live.data)
            heard.append(Heard("public", None, update.version, update))

        subscribe_live(owned.desk, owned.log, table, "public", hear)
        await owned.query(watch=pb.WatchRequest(table_id=table, viewer=pb.Viewer(as_public=True)))
        for _ in range(3):
            await owned.send("ann", table, sit=pb.Sit())
        await owned.send("ann", table, ready=pb.Ready(on=True))
        for _ in range(12):
            standing = writer.shelf.tables[table]
            seat = min(rules.to_act(standing.game))
            body = next(iter(rules.some(standing.game, seat)))
            await owned.send("ann", table, act=pb.Act(seat=seat, body=any_of(body)))
        await owned.query(get_view=pb.GetViewRequest(table_id=table))
        log = writer.ports.log
        truth = Truth(await log.read_stream(table, 0, 1000))
    found = [leak for one in heard for leak in truth.leaks(one)]
    assert heard
    assert bool(found) == leaks, found[:5]
