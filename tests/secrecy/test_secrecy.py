"""Nobody receives what he may not know: games through the gateway, with every kind of audience attached.

Each seat (people and computer players), a spectator, a late joiner, a watcher who resumes again and again, readers of
the history, refused commanders, the processes' logs and metrics pages: everything that they received is scanned.
"""

from __future__ import annotations

import asyncio
import contextlib
import urllib.request
from random import Random
from typing import Any

import pytest

from libs.bus import Bus, Live, subscribe_live
from libs.client.client import Client, connect
from libs.client.errors import ClientError, NotPossible, Refused
from libs.client.player import Chair, play_to_the_end
from libs.log import open_log
from libs.log.model import EventRecord
from libs.table.life import any_of
from stamtafel.gateway.v1 import gateway_pb2 as gw
from stamtafel.table.v1 import table_pb2 as pb
from tests.fixtures.stack import WholeStack
from tests.secrecy.scan import Heard, Secrets, Seeds, games_with_secrets, leaks, spellings
from tests.secrecy.test_worlds import leaky
from tests.unit.table.owned import Owned

GAMES = games_with_secrets()


class Ears:
    """Collects what everybody hears at one table, with the version he stood at."""

    def __init__(self, table: str, secrets: Secrets) -> None:
        self.table = table
        self.secrets = secrets
        self.heard: list[Heard] = []
        self.over = asyncio.Event()
        self.late = asyncio.Event()
        self.version = 0

    async def watch(self, who: str, client: Client, audience: int | None, since: int | None = None) -> None:
        """Follows the table to the end of the play."""
        updates = client.tables.watch(self.table, audience, as_public=audience is None, from_version=since)
        async with contextlib.aclosing(updates):
            async for update in updates:
                self.heard.append(Heard(who, audience, update.version, update))
                self.version = max(self.version, update.version)
                if self.version >= self.secrets.late:
                    self.late.set()
                if any(event.body.TypeName() == pb.PlayEnded.DESCRIPTOR.full_name for event in update.events):
                    self.over.set()
                if self.over.is_set() and update.view.state == pb.TABLE_STATE_RESTING:
                    self.late.set()
                    return

    async def resume(self, client: Client, rng: Random) -> None:
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

    async def meddle(self, stranger: Client, player: Client, seat: int, rng: Random) -> None:
        """Sends commands that are refused: a stranger's, out of turn, not held, not legal."""
        while not self.over.is_set():
            for client, who, audience in ((stranger, "stranger", None), (player, "refused", seat)):
                version = self.version
                command, word = self.secrets.meddling(rng)
                try:
                    answer = await client.tables.act(self.table, seat, command)
                except ClientError as error:
                    self.heard.append(Heard(who, audience, version, f"{error.reason} {error.message}"))
                    continue
                if answer.HasField("refused"):
                    said = " ".join(f"{d.key}={d.value}" for d in answer.refused.details)
                    text = f"{answer.refused.message} {answer.refused.field} {said}"
                    others = text.replace(word, "")  # what he named himself is no news to him
                    self.heard.append(Heard(who, audience, max(version, answer.refused.version), others))

    async def play(self, client: Client, game: str, seat: int) -> None:
        """A person's seat, played to the end; a meddler may have acted for it in between."""
        while not self.over.is_set():
            chair = Chair(game, self.table, seat, "easy", Random(seat))
            with contextlib.suppress(Refused):
                async with client.tables.play() as session:
                    await play_to_the_end(
                        session,
                        chair,
                        lambda update: self.heard.append(Heard("player", seat, update.version, update)),
                        client.new_id,
                    )
                return


async def stored(stack: WholeStack, game: str, table: str) -> tuple[list[EventRecord], list[bytes]]:
    """All events of a table, and every seed that was ever sealed for it."""
    log = await open_log(stack.stack.database_url, game)
    try:
        return await log.read_stream(table, 0, 10_000), [one.seed for one in await log.secrets([table])]
    finally:
        await log.close()


def pages(stack: WholeStack) -> list[tuple[str, str]]:
    """The metrics page of every process, and every log file."""
    found = []
    for name, port in stack.stack.http_ports.items():
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as page:
            found.append((f"metrics of {name}", page.read().decode()))
    logs = (stack.data / "logs").glob("*.log")
    found.extend((path.name, path.read_text(errors="replace")) for path in logs)
    return found


@pytest.mark.parametrize("game", GAMES)
async def test_nobody_receives_what_he_may_not_know(whole_stack: WholeStack, game: str) -> None:
    secrets = GAMES[game]
    async with contextlib.AsyncExitStack() as open_clients:
        clients = [await open_clients.enter_async_context(connect(whole_stack.server)) for _ in range(5)]
        for number, client in enumerate(clients):
            await client.sign_in_guest(f"Guest{number}")
        south, north, onlooker, late, stranger = clients
        table = await south.lobby.open(game, options=secrets.whole)
        await north.lobby.join(table, 2)
        for seat in (1, 3):
            await south.lobby.seat_bot(table, "easy", seat)
        ears = Ears(table, secrets)
        bus = await Bus.connect(whole_stack.stack.nats_url, "secrecy")

        def overhear(live: Live) -> None:
            update = pb.Update.FromString(live.data)
            seat = int(live.audience.rpartition(".")[2])
            ears.heard.append(Heard(live.audience, seat, update.version, update))

        subscribe_live(bus, f"{game}-0", table, "bot.*", overhear)
        await south.lobby.ready(table)
        async with asyncio.TaskGroup() as group:
            group.create_task(ears.watch("south", south, 0))
            group.create_task(ears.watch("north", north, 2))
            group.create_task(ears.watch("spectator", onlooker, None))
            group.create_task(ears.play(south, game, 0))
            group.create_task(ears.play(north, game, 2))
            await north.lobby.ready(table)
            group.create_task(ears.resume(onlooker, Random(1)))
            group.create_task(ears.read_history(onlooker, None))
            group.create_task(ears.read_history(south, 0))
            group.create_task(ears.meddle(stranger, north, 2, Random(2)))
            await ears.late.wait()
            group.create_task(ears.watch("late", late, None))
        await bus.close()
    records, sealed = await stored(whole_stack, game, table)
    everybody = {"south", "north", "player", "spectator", "late", "resumed", "bot.1", "bot.3", "stranger", "refused"}
    assert everybody | {"replay", "history of None", "history of 0"} <= {heard.who for heard in ears.heard}
    truth, seeds = secrets.truth(records), Seeds(records, sealed)
    assert any(since is not None for since in seeds.open.values())
    found = [leak for heard in ears.heard for leak in leaks(truth, seeds, heard)]
    assert found == [], found[:20]
    written = pages(whole_stack)
    assert {f"metrics of {game}", f"{game}.log"} <= {name for name, _ in written}
    for name, page in written:
        assert not any(form.decode("latin-1") in page for seed in sealed for form in spellings(seed)), name
        assert not (told := secrets.telling.search(page)), f"{name}: {told}"


async def heard_of(rules: Any, secrets: Secrets) -> tuple[list[Heard], list[EventRecord], list[bytes]]:
    """What all audiences hear of a running game on the in-memory log and bus, and what is stored."""
    owned = Owned(rules)
    heard: list[Heard] = []
    async with owned.owning() as writer:
        table = f"{owned.log}-aaaaaaaaaaaaaaaa"
        how = pb.OpenTable(options=any_of(secrets.whole), hot_seat=True)
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
        return heard, await log.read_stream(table, 0, 1000), [one.seed for one in await log.secrets([table])]


@pytest.mark.parametrize("hole", [None, "events", "view"])
@pytest.mark.parametrize("game", GAMES)
async def test_the_scan_finds_a_field_left_open_on_purpose(game: str, hole: str | None) -> None:
    secrets = GAMES[game]
    rules = secrets.rules if hole is None else leaky(secrets.rules, hole)
    heard, records, sealed = await heard_of(rules, secrets)
    truth, seeds = secrets.truth(records), Seeds(records, sealed)
    found = [leak for one in heard for leak in leaks(truth, seeds, one)]
    assert heard
    assert bool(found) == (hole is not None), found[:5]


async def test_the_scan_finds_a_sealed_seed_in_any_spelling() -> None:
    game, secrets = next(iter(GAMES.items()))
    _, records, sealed = await heard_of(secrets.rules, secrets)
    (seed,) = sealed
    truth, seeds = secrets.truth(records), Seeds(records, sealed)
    told: list[Any] = [pb.EventView(body=any_of(pb.DrawsRevealed(seed=seed))), f"key {seed.hex()}", game]
    told.extend(form.decode() for form in spellings(seed)[1:])
    found = [bool(leaks(truth, seeds, Heard("somebody", None, 3, what))) for what in told]
    assert found == [True, True, False, *[True] * (len(told) - 3)]
