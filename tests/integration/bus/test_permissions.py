"""deploy/nats/secured.conf on a real server: each user can do its work, and the server refuses the rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from libs.bus import (
    ApiError,
    Bus,
    CommandSender,
    Live,
    Position,
    answer,
    ask,
    publish_live,
    serve,
    subscribe_live,
    subscribe_owner,
)
from libs.bus.streams import api
from tests.fixtures.nats import CONFIG, NatsServer
from tests.unit.bus.cases import FakeLog, take_all

LOG = "game-0"
USERS = ("game", "tally", "gateway", "timer", "bots", "client")


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    passwords = {f"NATS_{user.upper()}_PASSWORD": f"pw-{user}" for user in USERS}
    server = NatsServer(tmp_path_factory.mktemp("secured"), CONFIG.with_name("secured.conf"), passwords)
    server.start()
    yield server
    server.kill()


class Party:
    """All users, connected, and what the server refused each of them."""

    def __init__(self, buses: dict[str, Bus]) -> None:
        self.buses = buses
        self.refusals: dict[str, asyncio.Queue[str]] = {}
        for user, bus in buses.items():
            queue = self.refusals[user] = asyncio.Queue()
            bus.on_error.append(lambda error, queue=queue: queue.put_nowait(str(error)))

    def __getitem__(self, user: str) -> Bus:
        return self.buses[user]

    async def refused_subscription(self, user: str, subject: str) -> None:
        heard = self[user].subscribe(subject, lambda *message: None)
        refusal = await self.refusals[user].get()
        assert "permissions violation for subscription" in refusal and subject.lower() in refusal
        heard.close()

    async def refused_publish(self, user: str, subject: str, body: object = None) -> None:
        self[user].publish(subject, b"" if body is None else msgspec.json.encode(body))
        refusal = await self.refusals[user].get()
        assert "permissions violation for publish" in refusal and subject.lower() in refusal

    def check_no_refusal(self) -> None:
        for user, queue in self.refusals.items():
            assert queue.empty(), f"{user}: {queue.get_nowait()}"


@pytest.fixture
async def party(secured: NatsServer) -> AsyncIterator[Party]:
    address = secured.url.removeprefix("nats://")
    party = Party({user: await Bus.connect(f"nats://{user}:pw-{user}@{address}", user) for user in USERS})
    yield party
    for bus in party.buses.values():
        await bus.close()


async def filled(party: Party) -> FakeLog:
    """An owner's streams with some events."""
    source = FakeLog(30)
    relay = party["game"].relay(LOG, source.read)
    await relay.start()
    await relay.reached(30)
    await relay.close()
    return source


async def test_each_user_can_do_its_work(party: Party) -> None:
    game = party["game"]
    source = await filled(party)
    reader = await game.commands(LOG, Position())
    for user in ("gateway", "timer", "bots", "tally", "game"):
        sender = CommandSender(party[user], f"{user}.1")
        call = asyncio.create_task(sender.send(LOG, "t1", lambda to: to.encode()))
        (raw,) = await reader.take()
        answer(game, raw.data.decode(), b"yes")
        assert await call == b"yes"
        sender.close()
    await reader.history(0, 10, 10)
    await reader.fetch([1])

    async def handler(data: bytes) -> bytes:
        return b"the view"

    served = serve(game, LOG, handler)
    await game.request("$JS.API.INFO", b"")
    for user in ("gateway", "timer", "bots", "tally"):
        assert await ask(party[user], LOG, b"") == b"the view"
    served.close()
    for user, kind in (("timer", "clock"), ("bots", "table"), ("tally", "table"), ("gateway", "table")):
        events = party[user].events(LOG, 0, (kind,))
        assert await take_all(events, 10) == [fact for fact in source.facts() if fact.kind == kind]
        await events.close()
    full = game.events(LOG, 0)
    assert await take_all(full, 30) == source.facts()
    got: asyncio.Queue[Live] = asyncio.Queue()
    subscribe_live(party["bots"], "*", "*", "bot.*", got.put_nowait)
    subscribe_live(party["gateway"], LOG, "t1", "seat.0", got.put_nowait)
    for user in ("bots", "gateway", "timer", "tally"):
        subscribe_owner(party[user], "*", lambda log, data: None)
        await party[user].request("$JS.API.INFO", b"")
    publish_live(game, LOG, "t1", "bot.0", b"")
    publish_live(game, LOG, "t1", "seat.0", b"")
    assert {(await got.get()).audience, (await got.get()).audience} == {"bot.0", "seat.0"}
    await full.close()
    await reader.close()
    party.check_no_refusal()


async def test_tally_owns_its_own_log(party: Party) -> None:
    tally, source = party["tally"], FakeLog(20)
    reader = await tally.commands("tally-0", Position())
    relay = tally.relay("tally-0", source.read)
    await relay.start()
    events = tally.events("tally-0", 0)
    assert await take_all(events, 20) == source.facts()
    notices: asyncio.Queue[Live] = asyncio.Queue()
    subscribe_live(party["gateway"], "tally", "lobby", "public", notices.put_nowait)
    await party["gateway"].request("$JS.API.INFO", b"")
    publish_live(tally, "tally", "lobby", "public", b"changed")
    assert (await notices.get()).data == b"changed"
    await tally.request("cmd.tally-0.t", b"x")
    (raw,) = await reader.take()
    assert await reader.fetch([raw.seq]) == [raw]
    again = await tally.commands("tally-0", Position(reader.stream_created, raw.seq, raw.at_us))
    assert await again.history(0, raw.seq + 1, 10) == [raw]
    for part in (reader, again, relay, events):
        await part.close()
    party.check_no_refusal()


@pytest.mark.parametrize("user", ["client", "bots", "timer", "tally", "gateway"])
async def test_only_owners_hear_commands_and_full_events(party: Party, user: str) -> None:
    for subject in (f"cmd.{LOG}.t1", "cmd.>", f"evt.{LOG}.t1.play", "evt.>", "_INBOX_game.>", "$JS.API.>", ">"):
        await party.refused_subscription(user, subject)


@pytest.mark.parametrize("user", ["client", "bots", "timer", "tally"])
async def test_live_updates_of_seats_are_for_the_gateway_only(party: Party, user: str) -> None:
    for subject in (f"live.{LOG}.t1.seat.0", "live.*.*.seat.*", f"live.{LOG}.t1.public", "live.>"):
        await party.refused_subscription(user, subject)


async def test_a_client_s_account_hears_and_says_nothing(party: Party) -> None:
    other_table = f"live.{LOG}.t2"
    for subject in (
        f"{other_table}.bot.1",
        f"{other_table}.seat.1",
        f"live.{LOG}.owner",
        "qry.>",
        f"EVT_{LOG}",
        "$SYS.>",
    ):
        await party.refused_subscription("client", subject)
    for subject in (f"cmd.{LOG}.t1", f"qry.{LOG}", "ans.gateway.1", "_INBOX_game.1", "_INBOX_client.1", "$JS.API.INFO"):
        await party.refused_publish("client", subject)


async def test_nobody_hears_another_s_answers(party: Party) -> None:
    for user in ("client", "bots", "timer", "tally", "game"):
        await party.refused_subscription(user, "ans.gateway.>")
        await party.refused_subscription(user, "_INBOX_gateway.>")
        await party.refused_subscription(user, "ans.>")


@pytest.mark.parametrize("user", ["client", "bots", "timer", "tally", "gateway"])
async def test_kind_play_is_refused_every_way_round(party: Party, user: str) -> None:
    await filled(party)
    stream = f"EVT_{LOG}"
    config: dict[str, Any] = {"ack_policy": "none", "deliver_policy": "all", "name": "spy"}
    for subject in (
        f"$JS.API.CONSUMER.CREATE.{stream}",
        f"$JS.API.CONSUMER.CREATE.{stream}.spy",
        f"$JS.API.CONSUMER.CREATE.{stream}.spy.evt.{LOG}.*.play",
        f"$JS.API.CONSUMER.CREATE.{stream}.spy.evt.{LOG}.*.*",
        f"$JS.API.CONSUMER.CREATE.{stream}.spy.evt.{LOG}.>",
        f"$JS.API.CONSUMER.CREATE.{stream}.spy.>",
        f"$JS.API.CONSUMER.DURABLE.CREATE.{stream}.spy",
        f"$JS.API.CONSUMER.CREATE.CMD_{LOG}.spy",
        f"$JS.API.CONSUMER.NAMES.{stream}",
        f"$JS.API.CONSUMER.LIST.{stream}",
        f"$JS.API.STREAM.MSG.GET.{stream}",
        f"$JS.API.DIRECT.GET.{stream}",
        f"$JS.API.STREAM.SNAPSHOT.{stream}",
        f"$JS.API.STREAM.UPDATE.{stream}",
        f"$JS.API.STREAM.DELETE.{stream}",
        f"$JS.API.STREAM.MSG.GET.CMD_{LOG}",
        f"$JS.API.DIRECT.GET.CMD_{LOG}",
        f"$JS.API.CONSUMER.DURABLE.CREATE.CMD_{LOG}.spy",
        "$JS.API.STREAM.CREATE.MINE",
        f"evt.{LOG}.t1.play",
        f"live.{LOG}.t1.public",
    ):
        await party.refused_publish(user, subject, {"stream_name": stream, "config": config, "seq": 1})


@pytest.mark.parametrize(
    ("user", "kind"), [("bots", "table"), ("timer", "clock"), ("tally", "table"), ("gateway", "clock")]
)
async def test_the_body_cannot_ask_for_more_than_the_subject(party: Party, user: str, kind: str) -> None:
    await filled(party)
    stream, allowed = f"EVT_{LOG}", f"evt.{LOG}.*.{kind}"
    other = f"evt.{LOG}.*.play"
    bodies: list[dict[str, Any]] = [
        {"filter_subject": other},
        {"filter_subjects": [other]},
        {"filter_subjects": [allowed, other]},
        {"filter_subject": allowed, "filter_subjects": [other]},
        {},
    ]
    for extra in bodies:
        config = {"name": "spy", "ack_policy": "none", "deliver_policy": "all", **extra}
        with pytest.raises(ApiError):
            await api(
                party[user],
                f"CONSUMER.CREATE.{stream}.spy.{allowed}",
                {"stream_name": stream, "config": config, "action": "create"},
            )
    party.check_no_refusal()


async def test_a_wrong_password_does_not_get_in(secured: NatsServer) -> None:
    address = secured.url.removeprefix("nats://")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await Bus.connect(f"nats://game:wrong@{address}", "game")


def test_no_password_stands_in_the_files() -> None:
    for name in ("server.conf", "secured.conf"):
        for line in Path(CONFIG.with_name(name)).read_text().splitlines():
            if "password:" in line:
                assert "password: $NATS_" in line
