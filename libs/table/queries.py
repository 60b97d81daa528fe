"""Questions to the owner of a log: watching, views, replays, stored events. Each is redacted for who asks.

What may be seen: the public by anybody unless the table refuses spectators; a seat's view by who holds the seat (now,
or in an ended play); everything of a running play only by an auditor, and that read is logged.
"""

from __future__ import annotations

import importlib
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from google.protobuf.message import DecodeError, Message

from libs.log.chain import start_hash
from libs.log.export import to_message
from libs.log.model import EventRecord, Fenced, Head, Unavailable
from libs.log.port import Log
from libs.table.describe import describe
from libs.table.life import CLOSED, PLAYING, any_of
from libs.table.rules import Refused
from libs.table.standing import AnyRules, Standing, event_types
from libs.table.tables import Table
from libs.table.views import Happened, audience_name, event_views, stamp, table_view, update_for
from libs.table.writer import Writer
from stamtafel.table.v1 import table_pb2 as pb

_log = logging.getLogger("stamtafel.queries")

MOST_EVENTS = 1000
PAGE = 500
NEXT = 100
REPLAYS = 64


class TableQueries:
    """Answers `Query` messages for one log. Reads memory only between two batches, the rest from the log."""

    def __init__(self, writer: Writer, log: Log) -> None:
        self._writer = writer
        self._log = log
        self._rules: AnyRules = writer.rules
        self._types = event_types(writer.rules)
        self._replays: OrderedDict[str, tuple[Standing, list[Happened]]] = OrderedDict()
        self._handlers: dict[str, Callable[[Any], Awaitable[Message]]] = {
            "watch": self.watch,
            "renew": self.renew,
            "get_view": self.get_view,
            "replay_view": self.replay_view,
            "read_events": self.read_events,
            "read_log": self.read_log,
            "read_table": self.read_table,
            "explain": self.explain,
            "move_log": self.move_log,
            "describe": self.describe,
            "read_record": self.read_record,
        }

    async def answer(self, data: bytes) -> bytes:
        """A serialized Query in, a serialized QueryReply out.

        Raises Fenced when the log is lost meanwhile and Unavailable while the database is away: no answer, which makes
        the asker ask again, where a refusal would end his watch.
        """
        try:
            query = pb.Query.FromString(data)
            name = query.WhichOneof("body") or ""
            handler = self._handlers.get(name)
            if handler is None:
                raise Refused("bad_argument", "this query is not known here", "body")
            found = await handler(getattr(query, name))
            return pb.QueryReply(**{name: found}).SerializeToString()  # pyright: ignore[reportArgumentType]
        except DecodeError:
            refused = Refused("bad_argument", "these bytes are no query")
        except Refused as refusal:
            refused = refusal
        except (Fenced, Unavailable):
            raise
        except Exception:
            _log.exception("a query failed")
            refused = Refused("internal", "something went wrong on the server")
        refusal_message = pb.Refusal(code=refused.code, message=refused.message, field=refused.field or "")
        return pb.QueryReply(refused=refusal_message).SerializeToString()

    # ------------------------------------------------------------------------------------------------ looking on

    async def watch(self, asked: pb.WatchRequest) -> pb.WatchResponse:
        """Registers interest and brings the viewer up to date from his version."""
        table_id = asked.table_id

        def look() -> tuple[Standing, int | None, str]:
            table = self._table(table_id)
            seat = audience_for(table, asked.viewer)
            name = audience_name(seat, bot=asked.viewer.as_bot)
            self._writer.watchers.add(table_id, name, time.monotonic())
            return table.frozen(), seat, name

        standing, seat, name = await self._writer.at_rest([table_id], look)
        since = asked.from_version if asked.HasField("from_version") else None
        if since is None or since > standing.version or standing.version - since > MOST_EVENTS:
            update = update_for(standing, 0, (), seat)
            update.reset = True
        elif since == standing.version:
            update = update_for(standing, since, (), seat)
        else:
            records = await self._log.read_stream(table_id, since, standing.version - since)
            update = update_for(standing, since, self._happened(records), seat)
        return pb.WatchResponse(audience=name, update=update)

    async def renew(self, asked: pb.RenewRequest) -> pb.RenewResponse:
        """Keeps interests alive and tells the versions."""
        table_ids = list({interest.table_id for interest in asked.interests})

        def keep() -> list[int]:
            now = time.monotonic()
            versions: list[int] = []
            for interest in asked.interests:
                table = self._writer.shelf.tables.get(interest.table_id)
                if table is not None:
                    self._writer.watchers.add(interest.table_id, interest.audience, now)
                versions.append(table.version if table is not None else 0)
            return versions

        return pb.RenewResponse(versions=await self._writer.at_rest(table_ids, keep))

    async def get_view(self, asked: pb.GetViewRequest) -> pb.GetViewResponse:
        """The present view."""

        def look() -> pb.TableView:
            table = self._table(asked.table_id)
            return table_view(table, audience_for(table, asked.viewer))

        return pb.GetViewResponse(view=await self._writer.at_rest([asked.table_id], look))

    def _table(self, table_id: str) -> Table:
        table = self._writer.shelf.tables.get(table_id)
        if table is None:
            raise Refused("unknown_table", f"there is no table {table_id}", "table_id")
        if table.set_aside:
            raise Refused("internal", "this table is set aside until an operator has looked at it")
        return table

    async def _now(self, table_id: str) -> Standing:
        """The table as it stands now, kept still."""
        return await self._writer.at_rest([table_id], lambda: self._table(table_id).frozen())

    def _happened(self, records: Sequence[EventRecord]) -> list[Happened]:
        return [Happened(r.ver, r.at, r.actor, self._types.read(r.type, r.data)) for r in records]

    # -------------------------------------------------------------------------------------------------- replays

    async def replay_view(self, asked: pb.ReplayViewRequest) -> pb.ReplayViewResponse:
        """The table as it stood at the decision at or before a version."""
        now = await self._now(asked.table_id)
        version = asked.version if asked.HasField("version") else now.version
        if not 0 < version <= now.version:
            raise Refused("bad_version", f"version is 1..{now.version}, not {version}", "version")
        then, decision, next_version = await self._stood(now, version)
        ended = then.life.play < now.life.play or now.life.state != PLAYING
        seat = audience_for_ended(now, then, asked.viewer) if ended else self._running_audience(now, asked.viewer)
        all_known = self._all_known(now, ended, asked.viewer, asked.revealed)
        events = event_views_as_stored(decision) if all_known else event_views(decision, then if ended else now, seat)
        return pb.ReplayViewResponse(view=table_view(then, seat), events=events, next_version=next_version)

    def _running_audience(self, now: Standing, viewer: pb.Viewer) -> int | None:
        check_may_look(now, viewer)
        if viewer.as_auditor:
            _log.warning("auditor %s reads running play %d of %s", viewer.player, now.life.play, now.table_id)
            return viewer.seat if viewer.HasField("seat") else None
        return None

    @staticmethod
    def _all_known(now: Standing, ended: bool, viewer: pb.Viewer, revealed: bool) -> bool:
        """Whether the events come as they are stored: ended plays on demand, running ones for auditors."""
        if revealed and not ended and not viewer.as_auditor:
            raise Refused("play_running", "everything is shown when the play has ended", "revealed")
        return revealed

    async def _stood(self, now: Standing, version: int) -> tuple[Standing, list[Happened], int]:
        """The standing at the decision at or before `version`, that decision's events, the next decision's version."""
        boundary, decision = self._kept(now.table_id, version)
        before = decision
        then = Standing(self._rules, now.table_id)
        boundary.copy_to(then)
        command_id, draws = "", 0
        async for record in self._records(now.table_id, boundary.version, now.version):
            if record.command_id != command_id:
                if then.version > version:
                    break
                then.draws += draws
                boundary = Standing(self._rules, now.table_id)
                then.copy_to(boundary)
                before, decision = decision, []
                command_id, draws = record.command_id, record.draws
            event = self._types.read(record.type, record.data)
            then.at = record.at
            then.apply(event)
            decision.append(Happened(record.ver, record.at, record.actor, event))
        if then.version > version:
            self._keep(boundary, before)
            return boundary, before, then.version
        then.draws += draws
        self._keep(then, decision)
        return then, decision, 0

    def _kept(self, table_id: str, version: int) -> tuple[Standing, list[Happened]]:
        """Where the last replay of this table stood, if it was not yet past `version`; else its beginning."""
        kept = self._replays.get(table_id)
        if kept is not None and kept[0].version <= version:
            return kept[0], list(kept[1])
        return Standing(self._rules, table_id), []

    def _keep(self, standing: Standing, decision: list[Happened]) -> None:
        """Remembers where a replay stood: the next question is mostly about the next decision."""
        self._replays[standing.table_id] = (standing, decision)
        self._replays.move_to_end(standing.table_id)
        if len(self._replays) > REPLAYS:
            self._replays.popitem(last=False)

    async def _records(self, table_id: str, after: int, until: int) -> AsyncIterator[EventRecord]:
        while after < until:
            page = await self._log.read_stream(table_id, after, min(PAGE if not after else NEXT, until - after))
            if not page:
                return
            for record in page:
                yield record
            after = page[-1].ver

    async def read_events(self, asked: pb.ReadEventsRequest) -> pb.ReadEventsResponse:
        """Events of one table, as the viewer may know them now; ended plays on demand as they are stored."""
        now = await self._now(asked.table_id)
        playing = now.life.state == PLAYING
        seat = self._reading_audience(now, asked.viewer)
        limit = min(max(asked.limit, 1), MOST_EVENTS)
        records = await self._log.read_stream(asked.table_id, asked.after_version, limit)
        happened = self._happened(records)
        if self._all_known(now, not playing, asked.viewer, asked.revealed):
            events = event_views_as_stored(happened)
        else:
            events = event_views(happened, now, seat)
        last = records[-1].ver if records else asked.after_version
        return pb.ReadEventsResponse(events=events, last_version=last, more=last < now.version)

    def _reading_audience(self, now: Standing, viewer: pb.Viewer) -> int | None:
        if now.life.state == PLAYING:
            return self._running_audience(now, viewer) if viewer.as_auditor else audience_for(now, viewer)
        return audience_for_ended(now, now, viewer)

    async def read_log(self, asked: pb.ReadLogRequest) -> pb.ReadLogResponse:
        """Stored events by position, for services behind the event stream; of some kinds only, if they say so."""
        limit = min(max(asked.limit, 1), MOST_EVENTS)
        records = await self._log.read(self._writer.log, asked.after, limit)
        wanted, head = set(asked.kinds), self._head()
        return pb.ReadLogResponse(
            records=[to_message(r).SerializeToString() for r in records if not wanted or r.kind in wanted],
            prev_hash=await self._hash_at(asked.after),
            head_pos=head.pos,
            head_hash=head.hash,
            last=records[-1].pos if records else asked.after,
        )

    async def _hash_at(self, pos: int) -> bytes:
        """The chain's value at a position; at 0 its start."""
        if pos == 0:
            return start_hash(self._writer.log)
        found = await self._log.read(self._writer.log, pos - 1, 1)
        return found[0].hash if found else b""

    def _head(self) -> Head:
        head = self._writer.head
        if head is None:
            raise Fenced(f"{self._writer.log} has another owner")
        return head

    async def read_table(self, asked: pb.ReadTableRequest) -> pb.ReadTableResponse:
        """Stored events of one table with the links of the chain: nothing of a running play but for auditors."""
        now = await self._now(asked.table_id)
        check_may_look(now, asked.viewer)
        if now.life.state == PLAYING:
            if not asked.viewer.as_auditor:
                raise Refused("play_running", "a table is exported when its play has ended", "table_id")
            _log.warning("auditor %s exports running play %d of %s", asked.viewer.player, now.life.play, now.table_id)
        limit = min(max(asked.limit, 1), MOST_EVENTS)
        records = await self._log.read_stream(asked.table_id, asked.after_version, limit)
        links = await self._log.read_links(self._writer.log, [record.pos for record in records])
        last, head = records[-1].ver if records else asked.after_version, self._head()
        return pb.ReadTableResponse(
            records=[to_message(link.record).SerializeToString() for link in links],
            prev_hashes=[link.prev_hash for link in links],
            more=last < now.version,
            head_pos=head.pos,
            head_hash=head.hash,
        )

    async def read_record(self, asked: pb.ReadRecordRequest) -> pb.ReadRecordResponse:
        """The record of a play in the game's notation; of a running one only where nothing is hidden.

        Raises Refused `not_offered` where the game has none, or cannot say in it what happened.
        """
        try:
            module = importlib.import_module(f"services.{self._rules.game}.record")
        except ModuleNotFoundError:
            raise Refused("not_offered", f"{self._rules.game} has no notation; export its log") from None
        now = await self._now(asked.table_id)
        check_may_look(now, asked.viewer)
        running = now.life.state == PLAYING
        play = asked.play or (now.life.play - running or now.life.play)
        if running and play == now.life.play and self._rules.hides:
            raise Refused("play_running", "the record is written when the play has ended", "play")
        events: list[Message] = []
        names: list[str] = []
        headers: dict[str, str] = {}
        inside = False
        then = Standing(self._rules, now.table_id)
        before: Any = None
        async for record in self._records(asked.table_id, 0, now.version):
            event = self._types.read(record.type, record.data)
            if isinstance(event, pb.TableOpened):
                headers = {header.key: header.value for header in event.headers}
            elif isinstance(event, pb.PlayBegan):
                inside = event.play == play
                names = list(event.players) if inside else names
                before = then.game if inside else before
            elif isinstance(event, pb.PlayEnded | pb.PlayVoided):
                inside = False
            elif inside and event.DESCRIPTOR.file.package != "stamtafel.table.v1":
                events.append(event)
            then.apply(event)
        if not events:
            if play and running and play == now.life.play:
                raise Refused("play_running", "nothing has happened in this play yet", "play")
            raise Refused("bad_argument", f"play is 1..{now.life.play}, not {play}", "play")
        shown = [_name_of(now, number, player) for number, player in enumerate(names)]
        more: dict[str, Any] = {"headers": headers} if getattr(module, "HEADERS", False) else {}
        # Games in a row at one table (liarsdice) go on from where the one before ended; a rematch starts anew.
        if before is not None and self._rules.again(before) is None:
            more["before"] = before
        return pb.ReadRecordResponse(text=module.write(events, shown, **more), format=getattr(module, "FORMAT", ""))

    # --------------------------------------------------------------------------------------------- for operators

    async def explain(self, asked: pb.ExplainRequest) -> pb.ExplainResponse:
        """What the owner knows of its log and of one table."""

        def look() -> pb.ExplainResponse:
            head = self._writer.head
            assert head is not None
            known = pb.ExplainResponse(
                log=head.log,
                owner=head.owner,
                epoch=head.epoch,
                pos=head.pos,
                command_seq=head.cursor.seq,
                tables=len(self._writer.shelf.tables),
            )
            if asked.table_id:
                table = self._writer.shelf.tables.get(asked.table_id)
                if table is None:
                    raise Refused("unknown_table", f"there is no table {asked.table_id}", "table_id")
                known.set_aside = table.set_aside
                known.parked = table.working
                if not table.set_aside:
                    known.view.CopyFrom(table_view(table, None))
            return known

        return await self._writer.at_rest([asked.table_id] if asked.table_id else [], look)

    async def move_log(self, asked: pb.MoveLogRequest) -> pb.MoveLogResponse:
        """Lets another process have the log."""
        _log.warning("%s is moved: %s", self._writer.log, asked.reason)
        await self._writer.move()
        return pb.MoveLogResponse()

    async def describe(self, _: pb.DescribeRequest) -> pb.DescribeResponse:
        """What the game is: types, seats, options, presets."""
        return describe(self._rules)


def event_views_as_stored(happened: Sequence[Happened]) -> list[pb.EventView]:
    """The events with nothing left out."""
    return [pb.EventView(version=h.version, at=stamp(h.at), actor=h.actor, body=any_of(h.event)) for h in happened]


def _name_of(now: Standing, number: int, player: str) -> str:
    seats = now.life.seats
    if number < len(seats) and seats[number].name and seats[number].player in ("", player):
        return seats[number].name
    return player


def check_may_look(standing: Standing, viewer: pb.Viewer) -> None:
    """Refuses strangers at tables without spectators; auditors may look everywhere."""
    life = standing.life
    if life.spectators == pb.SPECTATORS_REFUSED and life.state != CLOSED and not viewer.as_auditor:
        if viewer.player and viewer.player in (life.opener, *(seat.player for seat in life.seats)):
            return
        raise Refused("no_spectators", "this table is shown to its seats only")


def audience_for(standing: Standing, viewer: pb.Viewer) -> int | None:
    """The audience a viewer belongs to now: a seat he holds, or the public. Raises `not_your_seat`, `no_spectators`."""
    seats = standing.life.seats
    if viewer.as_bot:
        number = viewer.seat
        if not viewer.HasField("seat") or not 0 <= number < len(seats):
            raise Refused("unknown_seat", f"seat is 0..{len(seats) - 1}", "seat")
        if not (seats[number].bot or seats[number].entrusted):
            raise Refused("not_your_seat", f"no computer player acts for seat {number}", "seat")
        return number
    check_may_look(standing, viewer)
    if viewer.as_public:
        return None
    if viewer.HasField("seat"):
        number = viewer.seat
        if not 0 <= number < len(seats):
            raise Refused("unknown_seat", f"seat is 0..{len(seats) - 1}, not {number}", "seat")
        if not viewer.player or seats[number].player != viewer.player:
            raise Refused("not_your_seat", f"seat {number} is not yours", "seat")
        return number
    mine = standing.life.seats_of(viewer.player)
    return mine[0] if mine else None


def audience_for_ended(now: Standing, then: Standing, viewer: pb.Viewer) -> int | None:
    """The audience for an ended play: any of its seats, for everybody who may look at the table at all."""
    check_may_look(now, viewer)
    if viewer.as_public or not viewer.HasField("seat"):
        mine = then.life.seats_of(viewer.player)
        return mine[0] if mine and not viewer.as_public else None
    if not 0 <= viewer.seat < len(now.life.seats):
        raise Refused("unknown_seat", f"seat is 0..{len(now.life.seats) - 1}, not {viewer.seat}", "seat")
    # Before the first decision there is no table yet, and so no seat of it.
    return viewer.seat if viewer.seat < len(then.life.seats) else None
