"""The writer on in-memory ports: one answer each, on disk before yes, takeovers, repeats, poison, watching."""

import asyncio
import itertools

import pytest
from google.protobuf.message import Message

from libs.bus import Live, subscribe_live
from libs.log import MemoryLog, verify_log
from libs.log.model import Unavailable
from libs.table.life import any_of
from libs.table.queries import TableQueries
from services.trictrac.rules import Trictrac
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt
from tests.unit.table.owned import LOG, Owned


async def test_an_accepted_command_is_in_the_log_before_its_answer() -> None:
    owned = Owned()
    async with owned.owning():
        table = await owned.two_playing()
        answer = await owned.throw("ann", table, 0, "throw-1")
        records = await MemoryLog(owned.store).read(LOG, 0, 100)
        mine = [record for record in records if record.command_id == "throw-1"]
        assert mine[-1].ver == answer.accepted.version
        assert mine[0].type == "stamtafel.trictrac.v1.DiceThrown"
        assert mine[0].draws == 1
        assert [record.draws for record in mine[1:]] == [0] * (len(mine) - 1)
        verified = await verify_log(MemoryLog(owned.store), LOG)
        assert verified.events == len(records)


async def test_a_repeat_gets_its_first_answer_also_from_the_next_owner() -> None:
    owned = Owned()
    async with owned.owning():
        table = await owned.two_playing()
        refused = await owned.throw("ben", table, 1, "early")
        assert refused.refused.code == "not_your_turn"
        first = await owned.throw("ann", table, 0, "again")
        await owned.throw("ann", table, 0)
        assert await owned.throw("ann", table, 0, "again") == first
        assert await owned.throw("ben", table, 1, "early") == refused
    async with owned.owning("two") as writer:
        pos = writer.head.pos if writer.head else 0
        assert await owned.throw("ann", table, 0, "again") == first
        late = await owned.throw("ben", table, 1, "early")
        assert late.refused.code == "repeated"
        assert writer.head and writer.head.pos == pos


async def test_ids_count_for_their_sender_only() -> None:
    owned = Owned()
    async with owned.owning():
        table = await owned.two_playing()
        first = await owned.throw("ann", table, 0, "same")
        other = await owned.throw("ben", table, 1, "same")
        assert other != first


async def test_unknown_tables_and_bad_ids_are_refused() -> None:
    owned = Owned()
    async with owned.owning():
        unknown = await owned.throw("ann", "trictrac-0-nobodyshome", 0)
        assert unknown.refused.code == "unknown_table"
        table = await owned.two_playing()
        for bad in ("x" * 65, "a\x00b", "a\nb"):
            answer = await owned.throw("ann", table, 0, bad)
            assert (answer.refused.code, answer.refused.field) == ("bad_argument", "command_id")


async def test_a_command_that_comes_too_late_has_no_effect() -> None:
    owned = Owned()
    writer = owned.writer()
    writer.clerk._now_us = lambda: 10**18  # type: ignore[method-assign]
    running = asyncio.create_task(writer.run())
    await writer.owning.wait()
    table = await owned.two_playing()
    answer = await owned.throw("ann", table, 0, valid_for_ms=30_000)
    assert answer.refused.code == "too_late"
    await writer.drain()
    await running


async def test_a_standby_goes_on_where_the_owner_stopped() -> None:
    owned = Owned()
    async with owned.owning():
        table = await owned.two_playing()
        version = (await owned.throw("ann", table, 0)).accepted.version
        view = (await owned.query(get_view=pb.GetViewRequest(table_id=table))).get_view.view
    async with owned.owning("two"):
        again = (await owned.query(get_view=pb.GetViewRequest(table_id=table))).get_view.view
        assert again == view
        assert again.version == version


async def test_a_fenced_owner_forgets_everything_and_stands_by() -> None:
    owned = Owned()
    writer = owned.writer()
    running = asyncio.create_task(writer.run())
    await writer.owning.wait()
    table = await owned.two_playing()
    assert writer.head is not None
    other = MemoryLog(owned.store)
    await other.release(writer.head)
    taken = await other.claim(LOG, "two")
    assert taken is not None
    owned.sent += 1
    sending = asyncio.create_task(owned.throw("ann", table, 0, "lost"))
    await writer.idle.wait()
    assert writer.shelf.tables == {}
    await other.release(taken)
    await writer.owning.wait()
    assert (await sending).HasField("accepted")
    await writer.drain()
    await running


class Brittle(Trictrac):
    """Trictrac whose `stand` is a bug, and whose view breaks on demand."""

    breaks_view = False

    def decide(self, state, seat, command: Message, ctx):  # type: ignore[no-untyped-def]
        if isinstance(command, tt.Stand):
            raise RuntimeError("a bug in the rules")
        return super().decide(state, seat, command, ctx)

    def view(self, state, audience, facts):  # type: ignore[no-untyped-def]
        if self.breaks_view:
            raise RuntimeError("a bug in the view")
        return super().view(state, audience, facts)


async def test_a_bug_in_decide_is_answered_and_the_table_goes_on() -> None:
    owned = Owned(Brittle())
    async with owned.owning():
        table = await owned.two_playing()
        answer = await owned.send("ann", table, act=pb.Act(seat=0, body=any_of(tt.Stand())))
        assert answer.refused.code == "internal"
        assert "bug" not in answer.refused.message
        assert (await owned.throw("ann", table, 0)).HasField("accepted")


async def test_a_table_that_cannot_be_shown_is_set_aside_and_others_go_on() -> None:
    rules = Brittle()
    owned = Owned(rules)
    async with owned.owning():
        bad, good = await owned.two_playing(), await owned.two_playing()
        await owned.query(watch=pb.WatchRequest(table_id=bad))
        rules.breaks_view = True
        await owned.throw("ann", bad, 0)
        rules.breaks_view = False
        assert (await owned.throw("ann", bad, 0)).refused.code == "internal"
        assert (await owned.query(explain=pb.ExplainRequest(table_id=bad))).explain.set_aside
        assert (await owned.throw("ann", good, 0)).HasField("accepted")


async def test_a_database_that_is_away_ends_no_watch() -> None:
    owned = Owned()
    async with owned.owning() as writer:
        table = await owned.two_playing()
        away = MemoryLog(owned.store)
        away.away = True
        queries = TableQueries(writer, away)
        query = pb.Query(watch=pb.WatchRequest(table_id=table, from_version=1))
        with pytest.raises(Unavailable):
            await queries.answer(query.SerializeToString())
        assert (await owned.query(watch=query.watch)).watch.update.from_version == 1


async def test_watchers_get_every_version_once_and_in_order() -> None:
    owned = Owned()
    async with owned.owning():
        table = await owned.two_playing()
        heard: list[pb.Update] = []

        def hear(live: Live) -> None:
            heard.append(pb.Update.FromString(live.data))

        subscribe_live(owned.desk, LOG, table, "public", hear)
        reply = (await owned.query(watch=pb.WatchRequest(table_id=table, from_version=2))).watch
        assert reply.audience == "public"
        assert [event.version for event in reply.update.events] == list(range(3, reply.update.version + 1))
        for number in range(12):
            await owned.throw("ann" if number % 2 else "ben", table, number % 2 ^ 1)
        await owned.query(renew=pb.RenewRequest(interests=[pb.Interest(table_id=table, audience="public")]))
        assert heard
        assert heard[0].from_version == reply.update.version
        for before, after in itertools.pairwise(heard):
            assert after.from_version == before.version
        unwatched = Owned()
        async with unwatched.owning():
            other = await unwatched.two_playing()
            silent: list[Live] = []
            subscribe_live(unwatched.desk, LOG, other, "public", silent.append)
            await unwatched.throw("ann", other, 0)
            assert silent == []


async def test_a_watcher_far_behind_begins_anew() -> None:
    owned = Owned()
    async with owned.owning():
        table = await owned.two_playing()
        reply = (await owned.query(watch=pb.WatchRequest(table_id=table, from_version=999))).watch
        assert reply.update.reset
        assert reply.update.events == []


async def test_a_seats_view_is_for_who_holds_the_seat() -> None:
    owned = Owned()
    async with owned.owning():
        table = await owned.two_playing()
        mine = await owned.query(get_view=pb.GetViewRequest(table_id=table, viewer=pb.Viewer(player="ben")))
        assert mine.get_view.view.audience == 1
        foreign = pb.Viewer(player="ben", seat=0)
        refused = await owned.query(get_view=pb.GetViewRequest(table_id=table, viewer=foreign))
        assert refused.refused.code == "not_your_seat"
        bot = pb.Viewer(player="bots", seat=0, as_bot=True)
        assert (await owned.query(get_view=pb.GetViewRequest(table_id=table, viewer=bot))).refused.code


async def test_a_replay_stops_at_decisions_and_running_plays_are_public() -> None:
    owned = Owned()
    async with owned.owning():
        table = await owned.two_playing()
        version = (await owned.throw("ann", table, 0)).accepted.version
        then = (await owned.query(replay_view=pb.ReplayViewRequest(table_id=table, version=version - 1))).replay_view
        assert then.view.version < version
        assert then.next_version == version
        now = (await owned.query(replay_view=pb.ReplayViewRequest(table_id=table))).replay_view
        assert (now.view.version, now.next_version) == (version, 0)
        beyond = await owned.query(replay_view=pb.ReplayViewRequest(table_id=table, version=10_000))
        assert beyond.refused.code == "bad_version"
        export = await owned.query(read_table=pb.ReadTableRequest(table_id=table, limit=100))
        assert export.refused.code == "play_running"
        auditor = pb.Viewer(player="aud", as_auditor=True)
        seen = await owned.query(read_table=pb.ReadTableRequest(table_id=table, limit=100, viewer=auditor))
        assert len(seen.read_table.records) == version


async def test_the_log_moves_on_request() -> None:
    owned = Owned()
    async with owned.owning():
        table = await owned.two_playing()
        standby = owned.writer("two")
        waiting = asyncio.create_task(standby.run())
        await owned.query(move_log=pb.MoveLogRequest(reason="test"))
        await standby.owning.wait()
        assert (await owned.throw("ann", table, 0)).HasField("accepted")
        await standby.drain()
        await waiting


async def test_snapshots_and_replay_give_the_same_table() -> None:
    owned = Owned()
    async with owned.owning() as writer:
        table = await owned.two_playing(points=12)
        for number in range(30):
            await owned.throw("ann" if number % 2 else "ben", table, number % 2 ^ 1)
        loaded = writer.shelf.tables[table]
        snapshot = writer.shelf.snapshot(loaded)
        await MemoryLog(owned.store).save_snapshots([snapshot])
        before = (loaded.life, loaded.game, loaded.version, loaded.draws, loaded.seed, loaded.accepted)
        for with_snapshot in (True, False):
            if not with_snapshot:
                owned.store.snapshots.clear()
            writer.shelf.tables.clear()
            await writer.shelf.load([table])
            again = writer.shelf.tables[table]
            assert (again.life, again.game, again.version, again.draws, again.seed, again.accepted) == before


async def test_replays_in_any_order_show_the_same_as_a_fold_from_the_beginning() -> None:
    owned = Owned()
    async with owned.owning():
        table = await owned.two_playing()
        for number in range(20):
            await owned.throw("ann" if number % 2 else "ben", table, number % 2 ^ 1)

        async def shown(version: int) -> pb.QueryReply:
            return await owned.query(replay_view=pb.ReplayViewRequest(table_id=table, version=version))

        now = (await shown(1)).replay_view
        last = (await owned.query(get_view=pb.GetViewRequest(table_id=table))).get_view.view.version
        forward = [await shown(version) for version in range(1, last + 1)]
        for version in (last, 3, last // 2, 1, last):
            assert await shown(version) == forward[version - 1]
        assert now.next_version > 1
        for version in range(2, last + 1):
            before, after = forward[version - 2].replay_view, forward[version - 1].replay_view
            assert after.view.version in (before.view.version, before.next_version)
