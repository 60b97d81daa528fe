"""What brokers do to their clients:

Killed, wiped, tail lost, frozen; and what nats-py would do to ours. Real server throughout.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from libs.bus import (
    Backlog,
    Bus,
    CommandReader,
    CommandSender,
    Committed,
    Disconnected,
    EventReader,
    Gap,
    Lost,
    Position,
    Raw,
    Relay,
    TooLarge,
    Unavailable,
    answer,
    ensure_commands,
    serve,
)
from libs.bus.feed import Tuning
from libs.bus.streams import api, stream_info
from tests.fixtures.nats import NatsServer
from tests.unit.bus.cases import FakeLog, Hand, take_all

LOG = "game-0"
QUICK = Tuning(heartbeat_s=0.05, expires_s=1.0, retry_s=0.02)


class Owner:
    """A game that answers every command with its data's number and keeps what it took."""

    def __init__(self, bus: Bus, reader: CommandReader) -> None:
        self.bus = bus
        self.reader = reader
        self.took: list[tuple[int, Raw]] = []
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while True:
            for raw in await self.reader.take():
                self.took.append((self.reader.stream_created, raw))
                reply, _, number = raw.data.partition(b" ")
                answer(self.bus, reply.decode(), number)

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self.reader.close()

    def check(self) -> None:
        """Each message once, in stream order; a command twice only if its sender sent it twice."""
        by_life: dict[int, list[int]] = {}
        for born, raw in self.took:
            by_life.setdefault(born, []).append(raw.seq)
        for seqs in by_life.values():
            assert seqs == sorted(set(seqs))
        times = [raw.at_us for _, raw in self.took]
        assert times == sorted(times)


async def owner_of(bus: Bus) -> Owner:
    return Owner(bus, await bus.commands(LOG, Position()))


async def reconnected(bus: Bus, action: Callable[[], Awaitable[None] | None]) -> None:
    """Do something that breaks the connection, and wait until it stands again."""
    back = asyncio.Event()
    bus.on_reconnect.append(back.set)
    done = action()
    if done is not None:
        await done
    await back.wait()
    bus.on_reconnect.remove(back.set)


async def publish(bus: Bus, *datas: bytes) -> None:
    """Publish commands and wait for their acks."""
    for data in datas:
        await bus.request(f"cmd.{LOG}.t", data)


@pytest.mark.parametrize("wipe", [False, True], ids=["same store", "store wiped"])
async def test_commands_flow_over_a_killed_broker(nats_server: NatsServer, wipe: bool) -> None:
    game, gateway = await Bus.connect(nats_server.url, "game"), await Bus.connect(nats_server.url, "gateway")
    owner = await owner_of(game)
    sender = CommandSender(gateway, "gateway.1")
    answered = 0
    some = asyncio.Event()

    async def call(worker: int) -> None:
        nonlocal answered
        for n in range(60):
            number = b"%d" % (worker * 1000 + n)
            got = await sender.send(LOG, f"t{worker}", lambda to, number=number: b"%b %b" % (to.encode(), number), 60.0)
            assert got == number
            answered += 1
            if answered % 300 == 0:
                some.set()

    calls = asyncio.gather(*(call(worker) for worker in range(20)))
    for _ in range(2):
        some.clear()
        await some.wait()
        nats_server.kill()
        if wipe:
            nats_server.wipe()
        nats_server.start()
    await calls
    assert answered == 1200
    owner.check()
    assert {raw.data.partition(b" ")[2] for _, raw in owner.took} == {
        b"%d" % (w * 1000 + n) for w in range(20) for n in range(60)
    }
    assert len({born for born, _ in owner.took}) == (3 if wipe else 1)
    await owner.close()
    await game.close()
    await gateway.close()


async def test_a_stream_that_lost_its_tail_is_read_by_time(nats_server: NatsServer) -> None:
    """Numbers 3 and 4 are given out again; a reader that trusted its number would be deaf to them."""
    bus = await Bus.connect(nats_server.url, "game")
    reader = await bus.commands(LOG, Position())
    await publish(bus, b"1", b"2")
    assert [raw.data for raw in await take_all(reader, 2)] == [b"1", b"2"]
    kept = nats_server.directory / "kept"

    def back_to_two() -> None:
        nats_server.kill()
        shutil.copytree(nats_server.store, kept)
        nats_server.start()

    await reconnected(bus, back_to_two)
    await publish(bus, b"3", b"4", b"5")
    taken = await take_all(reader, 3)
    assert [raw.data for raw in taken] == [b"3", b"4", b"5"]
    born = reader.stream_created

    def lose_the_tail() -> None:
        nats_server.kill()
        nats_server.wipe()
        kept.rename(nats_server.store)
        nats_server.start()

    await reconnected(bus, lose_the_tail)
    await publish(bus, b"3 again")
    (raw,) = await reader.take()
    assert (raw.seq, raw.data) == (3, b"3 again")
    assert reader.stream_created == born
    # a reader that starts with the old position, as after a restart of the game, finds the same
    again = await bus.commands(LOG, Position(born, taken[-1].seq, taken[-1].at_us))
    assert await again.take() == [raw]
    await reader.close()
    await again.close()
    await bus.close()


async def test_events_are_refilled_with_the_same_numbers(nats_server: NatsServer) -> None:
    bus, far = await Bus.connect(nats_server.url, "game"), await Bus.connect(nats_server.url, "tally")
    source = FakeLog(3000)
    relay = bus.relay(LOG, source.read)
    await relay.start()
    full, clocks = far.events(LOG, 0), far.events(LOG, 0, ("clock",))
    assert await take_all(full, 3000) == source.facts()
    assert len(await take_all(clocks, 1000)) == 1000
    for wipe in (False, True):
        before = len(source.records)
        nats_server.kill()
        if wipe:
            nats_server.wipe()
        relay.notify(source.grow(6))  # committed while the broker is away
        nats_server.start()
        assert await take_all(full, 6) == source.facts(before)
        assert await take_all(clocks, 2) == [fact for fact in source.facts(before) if fact.kind == "clock"]
        info = await stream_info(bus, f"EVT_{LOG}")
        assert info is not None and (info.first_seq, info.last_seq) == (1, before + 6)
    for part in (full, clocks, relay, bus, far):
        await part.close()


async def test_a_stream_deleted_under_its_readers(nats_server: NatsServer) -> None:
    """While a stream is made anew the server may drop a publish without a word (seen):

    The sender's repeat covers it.
    """
    bus, source = await Bus.connect(nats_server.url, "game"), FakeLog(10)
    gaps: list[Gap] = []
    owner = Owner(bus, await bus.commands(LOG, Position(), gaps.append))
    sender = CommandSender(bus, "gateway.1")
    assert await sender.send(LOG, "t", lambda to: to.encode() + b" 1") == b"1"
    relay = bus.relay(LOG, source.read)
    await relay.start()
    events = bus.events(LOG, 0)
    await take_all(events, 10)
    await api(bus, f"STREAM.DELETE.CMD_{LOG}")
    await api(bus, f"STREAM.DELETE.EVT_{LOG}")
    assert await sender.send(LOG, "t", lambda to: to.encode() + b" 2", 60.0) == b"2"
    owner.check()
    assert len({born for born, _ in owner.took}) == 2
    assert gaps == []
    relay.notify(source.grow(1))  # refused or unheard: the relay looks, makes the stream, fills it
    assert await take_all(events, 1) == source.facts(10)
    for part in (owner, events, relay, bus):
        await part.close()


async def test_a_pull_that_went_under_is_issued_again(nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """nats-py would wait for ever on a pull that the server no longer knows."""
    bus, far = await Bus.connect(nats_server.url, "game"), await Bus.connect(nats_server.url, "far")
    await ensure_commands(bus, LOG)
    swallowed: list[str] = []
    really = bus.publish

    def swallow_first_pull(subject: str, data: bytes, reply: str = "") -> None:
        if "MSG.NEXT" in subject and not swallowed:
            swallowed.append(subject)
        else:
            really(subject, data, reply)

    monkeypatch.setattr(bus, "publish", swallow_first_pull)
    reader = CommandReader(bus, LOG, Position(), tuning=QUICK)
    await publish(far, b"1")
    assert [raw.data for raw in await reader.take()] == [b"1"]
    assert swallowed and reader.lives == 2
    for part in (reader, bus, far):
        await part.close()


async def test_a_message_lost_on_the_way_is_read_again(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus, far = await Bus.connect(nats_server.url, "game"), await Bus.connect(nats_server.url, "far")
    source = FakeLog(9)
    relay = bus.relay(LOG, source.read)
    await relay.start()
    await relay.reached(9)
    reader = EventReader(far, LOG, 0, ("clock",), QUICK)
    feed = reader._feed
    hear = feed._on_message
    dropped: list[bytes] = []

    def lossy(subject: bytes, reply: bytes, data: bytes, header: bytes) -> None:
        if reply.startswith(b"$JS.ACK") and reader.position == 3 and not dropped:
            dropped.append(data)
        else:
            hear(subject, reply, data, header)

    monkeypatch.setattr(feed, "_on_message", lossy)
    assert await take_all(reader, 3) == [fact for fact in source.facts() if fact.kind == "clock"]
    assert dropped == [b"event 6"] and reader.lives == 2
    for part in (reader, relay, bus, far):
        await part.close()


async def test_a_frozen_broker_delays_and_loses_nothing(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus, gateway = await Bus.connect(nats_server.url, "game"), await Bus.connect(nats_server.url, "gateway")
    await ensure_commands(bus, LOG)
    # heartbeats far apart: on a busy machine quick ones are overdue by themselves, and no pull is open at the freeze
    tuning = Tuning(heartbeat_s=0.5, expires_s=5.0, retry_s=0.02)
    owner = Owner(bus, CommandReader(bus, LOG, Position(), tuning=tuning))
    hand = Hand()
    sender = CommandSender(gateway, "gateway.1", clock=hand)
    assert await sender.send(LOG, "t", lambda to: to.encode() + b" 1") == b"1"
    overdue = asyncio.Event()
    feed = owner.reader._feed
    break_off = feed.break_off

    def noticed(why: str) -> None:
        break_off(why)
        if why == "overdue pull":
            overdue.set()

    monkeypatch.setattr(feed, "break_off", noticed)
    nats_server.freeze()
    built = asyncio.Event()

    def build(to: str) -> bytes:
        built.set()
        return to.encode() + b" 2"

    call = asyncio.create_task(sender.send(LOG, "t", build))
    await built.wait()
    await overdue.wait()
    hand.now += 1.0
    sender.tick()
    assert sender.resent == 1
    nats_server.thaw()
    assert await call == b"2"
    owner.check()
    await owner.close()
    await bus.close()
    await gateway.close()


async def test_nothing_is_kept_for_later_while_disconnected(nats_server: NatsServer) -> None:
    bus = await Bus.connect(nats_server.url, "game")
    reader = await bus.commands(LOG, Position())
    gone = asyncio.Event()
    bus.on_disconnect.append(gone.set)
    nats_server.kill()
    await gone.wait()
    assert not bus.is_connected
    bus.publish(f"cmd.{LOG}.t", b"while away")
    with pytest.raises(Disconnected):
        await bus.request(f"cmd.{LOG}.t", b"while away")
    await asyncio.sleep(0)
    await reconnected(bus, nats_server.start)
    await publish(bus, b"after")
    assert [raw.data for raw in await reader.take()] == [b"after"]
    await reader.close()
    await bus.close()


async def test_a_request_that_is_out_when_the_connection_breaks_fails_at_once(nats_server: NatsServer) -> None:
    bus, far = await Bus.connect(nats_server.url, "a"), await Bus.connect(nats_server.url, "b")
    asked = asyncio.Event()

    async def never(data: bytes) -> bytes:
        asked.set()
        await asyncio.Event().wait()
        return b""

    serve(far, LOG, never)
    await far.request("$JS.API.INFO", b"")
    call = asyncio.create_task(bus.request(f"qry.{LOG}", b"", 60.0))
    await asked.wait()
    nats_server.kill()
    with pytest.raises(Disconnected):
        await call
    nats_server.start()
    await bus.close()
    await far.close()


async def test_a_full_stream_is_a_backlog_at_once(nats_server: NatsServer) -> None:
    bus = await Bus.connect(nats_server.url, "gateway")
    await ensure_commands(bus, LOG)
    config = (await api(bus, f"STREAM.INFO.CMD_{LOG}"))["config"]
    await api(bus, f"STREAM.UPDATE.CMD_{LOG}", config | {"max_msgs": 1})
    await publish(bus, b"1")
    sender = CommandSender(bus, "gateway.1", clock=lambda: 0.0)
    with pytest.raises(Backlog, match="maximum messages"):
        await sender.send(LOG, "t", str.encode)
    await bus.close()


async def test_commands_that_expired_unread_raise_the_alarm(nats_server: NatsServer) -> None:
    bus = await Bus.connect(nats_server.url, "game")
    first = await bus.commands(LOG, Position())
    await publish(bus, b"1", b"2", b"3", b"4")
    one = (await first.take(1))[0]
    await api(bus, f"STREAM.PURGE.CMD_{LOG}", {"seq": 4})
    gaps: list[Gap] = []
    second = await bus.commands(LOG, Position(first.stream_created, 1, one.at_us), gaps.append)
    assert [raw.data for raw in await second.take()] == [b"4"]
    assert gaps == [Gap(LOG, 2, 3)]
    for part in (first, second, bus):
        await part.close()


async def test_a_reader_behind_the_stream_s_beginning_is_told(nats_server: NatsServer) -> None:
    bus, source = await Bus.connect(nats_server.url, "game"), FakeLog(10)
    relay = bus.relay(LOG, source.read)
    await relay.start()
    await relay.reached(10)
    await api(bus, f"STREAM.PURGE.EVT_{LOG}", {"seq": 5})
    for kinds in (None, ("clock",)):
        reader = bus.events(LOG, 2, kinds)
        with pytest.raises(Lost) as lost:
            await reader.take()
        assert lost.value.first_available == 5
        await reader.close()
    reader = bus.events(LOG, 4)
    assert await take_all(reader, 6) == source.facts(4)
    for part in (reader, relay, bus):
        await part.close()


async def test_a_stream_made_anew_begins_where_it_is_told(nats_server: NatsServer) -> None:
    bus, source = await Bus.connect(nats_server.url, "game"), FakeLog(2500)
    relay = Relay(bus, LOG, source.read, first_seq=2001)
    await relay.start()
    await relay.reached(2500)
    info = await stream_info(bus, f"EVT_{LOG}")
    assert info is not None and (info.first_seq, info.last_seq, info.messages) == (2001, 2500, 500)
    for part in (relay, bus):
        await part.close()


async def test_a_stream_ahead_of_its_log_is_not_written_to(nats_server: NatsServer) -> None:
    """The log was set back (restored from a copy): new events under old numbers would be two truths."""
    bus, source = await Bus.connect(nats_server.url, "game"), FakeLog(10)
    relay = bus.relay(LOG, source.read)
    await relay.start()
    await relay.reached(10)
    await relay.close()
    older, asked = FakeLog(7), asyncio.Event()

    async def read(after: int, limit: int) -> list[Committed]:
        asked.set()
        return await older.read(after, limit)

    second = Relay(bus, LOG, read, retry_s=0.01)
    await second.start()
    for _ in range(3):
        asked.clear()
        await asked.wait()
    assert second.position == -1
    older.records += [*source.records[7:], (11, "t", "play", b"new")]
    await second.reached(11)
    for part in (second, bus):
        await part.close()


async def test_a_log_that_cannot_be_read_delays_the_relay(nats_server: NatsServer) -> None:
    bus, source = await Bus.connect(nats_server.url, "game"), FakeLog(10)
    failures = 3

    async def read(after: int, limit: int) -> list[Committed]:
        nonlocal failures
        failures -= 1
        if failures >= 0:
            raise OSError("no database")
        return await source.read(after, limit)

    relay = Relay(bus, LOG, read, retry_s=0.01)
    await relay.start()
    await relay.reached(10)
    for part in (relay, bus):
        await part.close()


async def test_a_frozen_server_does_not_hold_a_reconnect(nats_server: NatsServer, tmp_path: Path) -> None:
    """nats-py closes the old socket in an orderly way, which waits for ever for a peer that does not read."""
    second = NatsServer(tmp_path / "second")
    second.start()
    bus = await Bus.connect(nats_server.url, "a")
    bus._client.set_server_pool([second.url])
    nats_server.freeze()
    for _ in range(64):
        bus.write(b"PUB x 262144\r\n" + b"x" * 262144 + b"\r\n")
    await asyncio.sleep(0)
    await reconnected(bus, lambda: bus._client._process_op_err(OSError("no pong")))
    with pytest.raises(Unavailable):
        await bus.request("nobody", b"")
    await bus.close()
    second.kill()


async def test_a_bug_of_a_hearer_does_not_stop_the_reconnect(nats_server: NatsServer) -> None:
    bus = await Bus.connect(nats_server.url, "a")
    errors: list[Exception] = []
    bus.on_error.append(errors.append)

    def bug() -> None:
        raise ValueError("a bug")

    bus.on_disconnect.append(bug)
    bus.on_reconnect.append(bug)
    for _ in range(2):
        await reconnected(bus, lambda: bus.write(b"NONSENSE\r\n"))
    assert [str(error) for error in errors if isinstance(error, ValueError)] == ["a bug"] * 4
    with pytest.raises(Unavailable):
        await bus.request("nobody", b"")
    await bus.close()


async def test_the_server_s_errors_do_not_close_the_connection(nats_server: NatsServer) -> None:
    """nats-py closes for good on most `-ERR`; this connection comes back with its subscriptions."""
    bus = await Bus.connect(nats_server.url, "a")

    async def echo(data: bytes) -> bytes:
        return data

    serve(bus, LOG, echo)
    await reconnected(bus, lambda: bus.write(b"NONSENSE\r\n"))
    assert await bus.request(f"qry.{LOG}", b"still here") == b"still here"
    with pytest.raises(TooLarge):
        bus.publish("x", b"x" * (1024 * 1024 + 1))
    with pytest.raises(Unavailable):
        await bus.request("nobody", b"")
    await bus.close()
