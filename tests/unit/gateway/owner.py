"""A tiny owner of one log for the gateway's tests: tables that count, over the in-memory bus."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from libs.bus import MemoryBus, Position, answer, publish_live, publish_owner, serve
from libs.log import NewEvent, link, start_hash
from libs.log.export import to_message
from libs.log.model import EventRecord
from stamtafel.table.v1 import table_pb2 as table
from stamtafel.trictrac.v1 import trictrac_pb2 as trictrac

COMMANDS = [f"stamtafel.trictrac.v1.{name}" for name in ("Throw", "Stand", "TakePoint")]
SEATS = 4


class CountingTable:
    """A table whose only rule is that its version goes up by one with each act of a seat's holder."""

    def __init__(self, table_id: str) -> None:
        self.table_id = table_id
        self.holders = [""] * SEATS
        self.version = 0
        self.state = table.TABLE_STATE_PLAYING
        self.spectators = True
        self.bodies: list[bytes] = []

    def audience(self, viewer: table.Viewer) -> str:
        """Which audience this viewer is; raises LookupError with a refusal's code."""
        if viewer.as_public:
            return "public"
        if viewer.HasField("seat"):
            if viewer.seat >= SEATS:
                raise LookupError("unknown_seat")
            if self.holders[viewer.seat] != viewer.player:
                raise LookupError("not_your_seat")
            return f"seat.{viewer.seat}"
        if viewer.player in self.holders:
            return f"seat.{self.holders.index(viewer.player)}"
        if not self.spectators:
            raise LookupError("no_spectators")
        return "public"

    def view(self, audience: str) -> table.TableView:
        """The table for an audience; the code stands for what only a seat may know."""
        view = table.TableView(table_id=self.table_id, game="trictrac", version=self.version, state=self.state)
        for number, holder in enumerate(self.holders):
            view.seats.add(seat=number, player=holder)
        if audience != "public":
            view.audience = int(audience[5:])
            view.code = f"secret of {audience}"
        return view

    def update(self, audience: str, since: int, reset: bool = False) -> table.Update:
        """What happened after version `since`."""
        update = table.Update(
            table_id=self.table_id, from_version=since, version=self.version, view=self.view(audience), reset=reset
        )
        for version in range(since + 1, self.version + 1):
            update.events.add(version=version, actor="someone")
        return update


class Owner:
    """Answers commands and queries of `trictrac-0`."""

    def __init__(self, bus: MemoryBus, log: str = "trictrac-0") -> None:
        self.bus = bus
        self.log = log
        self.tables: dict[str, CountingTable] = {}
        self.interest: set[tuple[str, str]] = set()
        self.commands: list[table.Command] = []
        self.queries: list[str] = []
        self.records: list[EventRecord] = []
        self.silent = False
        self.before_reply: Callable[[table.Query], None] = lambda _: None
        self._task: asyncio.Task[None] | None = None
        self._served = None

    async def start(self) -> None:
        """Own the log."""
        reader = await self.bus.commands(self.log, Position())
        self._served = serve(self.bus, self.log, self._query)

        async def run() -> None:
            while True:
                for raw in await reader.take():
                    self._command(table.Command.FromString(raw.data))

        self._task = asyncio.create_task(run())

    async def stop(self) -> None:
        """Let go of it."""
        assert self._task is not None and self._served is not None
        self._served.close()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    def notice(self) -> None:
        """Tell that the log has a new owner."""
        publish_owner(self.bus, self.log)

    def open(self, table_id: str = "trictrac-0-abc", holders: tuple[str, ...] = ()) -> CountingTable:
        """A table that exists."""
        found = self.tables[table_id] = CountingTable(table_id)
        found.holders[: len(holders)] = holders
        found.version = 3
        return found

    def move(self, found: CountingTable, publish: bool = True, steps: int = 1) -> None:
        """Something happens at a table; its watched audiences hear of it."""
        before = found.version
        found.version += steps
        if publish:
            for table_id, audience in sorted(self.interest):
                if table_id == found.table_id:
                    data = found.update(audience, before).SerializeToString()
                    publish_live(self.bus, self.log, table_id, audience, data)

    def store(self, table_id: str, count: int) -> None:
        """Stored events of a table, for exports."""
        before = self.records[-1].hash if self.records else start_hash(self.log)
        events = [
            NewEvent(table_id, n, "stamtafel.table.v1.Start", n, f"c{n}", "", "", "ann", 0, b"", "table")
            for n in range(1, count + 1)
        ]
        self.records.extend(link(self.log, len(self.records), before, events))

    def _command(self, command: table.Command) -> None:
        self.commands.append(command)
        if self.silent:
            return
        reply = table.Answer(command_id=command.command_id, table_id=command.table_id)
        code = self._decide(command)
        found = self.tables.get(command.table_id)
        if code:
            reply.refused.code = code
        else:
            assert found is not None
            reply.accepted.version = found.version
        answer(self.bus, command.answer_to, reply.SerializeToString())

    def _decide(self, command: table.Command) -> str:
        kind = command.WhichOneof("body")
        if kind == "open_table":
            self.open(command.table_id, (command.actor.id,))
            return ""
        found = self.tables.get(command.table_id)
        if found is None:
            return "unknown_table"
        if kind == "act":
            if found.holders[command.act.seat] != command.actor.id:
                return "not_your_seat"
            found.bodies.append(command.act.body.value)
        elif kind == "sit":
            found.holders[command.sit.seat] = command.actor.id
        elif kind == "leave":
            found.holders[command.leave.seat] = ""
        elif kind == "close_table":
            found.state = table.TABLE_STATE_CLOSED
        self.move(found)
        return ""

    async def _query(self, data: bytes) -> bytes:
        query = table.Query.FromString(data)
        kind = query.WhichOneof("body") or ""
        self.queries.append(kind)
        self.before_reply(query)
        try:
            reply = getattr(self, f"_{kind}")(getattr(query, kind))
        except LookupError as refusal:
            return table.QueryReply(refused=table.Refusal(code=refusal.args[0])).SerializeToString()
        return table.QueryReply(**{kind: reply}).SerializeToString()

    def _table(self, table_id: str) -> CountingTable:
        found = self.tables.get(table_id)
        if found is None:
            raise LookupError("unknown_table")
        return found

    def _watch(self, asked: table.WatchRequest) -> table.WatchResponse:
        found = self._table(asked.table_id)
        audience = found.audience(asked.viewer)
        self.interest.add((found.table_id, audience))
        since = asked.from_version if asked.HasField("from_version") else 0
        reset = not asked.HasField("from_version") or since > found.version
        return table.WatchResponse(audience=audience, update=found.update(audience, 0 if reset else since, reset))

    def _renew(self, asked: table.RenewRequest) -> table.RenewResponse:
        versions: list[int] = []
        for interest in asked.interests:
            found = self.tables.get(interest.table_id)
            versions.append(found.version if found else 0)
            self.interest.add((interest.table_id, interest.audience))
        return table.RenewResponse(versions=versions)

    def _get_view(self, asked: table.GetViewRequest) -> table.GetViewResponse:
        found = self._table(asked.table_id)
        return table.GetViewResponse(view=found.view(found.audience(asked.viewer)))

    def _describe(self, _: table.DescribeRequest) -> table.DescribeResponse:
        found = table.DescribeResponse(
            game="trictrac",
            options_type="stamtafel.trictrac.v1.Options",
            view_type="stamtafel.trictrac.v1.View",
            command_types=COMMANDS,
            seats=[2, 3, 4],
        )
        found.defaults.Pack(trictrac.Options(seats=4, bok=True))
        found.presets.add(name="quick").options.Pack(trictrac.Options(points=3))
        return found

    def _explain(self, asked: table.ExplainRequest) -> table.ExplainResponse:
        reply = table.ExplainResponse(log=self.log, owner="owner-1", epoch=1, pos=len(self.records))
        if asked.table_id:
            reply.view.CopyFrom(self._table(asked.table_id).view("public"))
        return reply

    def _move_log(self, _: table.MoveLogRequest) -> table.MoveLogResponse:
        return table.MoveLogResponse()

    def _replay_view(self, asked: table.ReplayViewRequest) -> table.ReplayViewResponse:
        found = self._table(asked.table_id)
        if asked.version > found.version:
            raise LookupError("bad_version")
        view = found.view("public")
        view.version = asked.version
        following = asked.version + 1 if asked.version < found.version else 0
        return table.ReplayViewResponse(view=view, next_version=following)

    def _read_events(self, asked: table.ReadEventsRequest) -> table.ReadEventsResponse:
        found = self._table(asked.table_id)
        if asked.revealed and not asked.viewer.as_auditor:
            raise LookupError("play_running")
        last = min(found.version, asked.after_version + asked.limit)
        events = [table.EventView(version=n) for n in range(asked.after_version + 1, last + 1)]
        return table.ReadEventsResponse(events=events, last_version=last, more=last < found.version)

    def _read_table(self, asked: table.ReadTableRequest) -> table.ReadTableResponse:
        self._table(asked.table_id)
        mine = [r for r in self.records if r.stream == asked.table_id]
        page = [r for r in mine if r.ver > asked.after_version][: asked.limit]
        befores = [self.records[r.pos - 2].hash if r.pos > 1 else start_hash(self.log) for r in page]
        return table.ReadTableResponse(
            records=[to_message(r).SerializeToString() for r in page],
            prev_hashes=befores,
            more=bool(page) and page[-1].ver < mine[-1].ver,
            head_pos=len(self.records),
            head_hash=self.records[-1].hash if self.records else b"",
        )

    def _read_log(self, asked: table.ReadLogRequest) -> table.ReadLogResponse:
        page = self.records[asked.after : asked.after + asked.limit]
        return table.ReadLogResponse(
            records=[to_message(r).SerializeToString() for r in page],
            prev_hash=self.records[asked.after - 1].hash if asked.after else start_hash(self.log),
            head_pos=len(self.records),
            head_hash=self.records[-1].hash,
        )

    def _read_record(self, _: table.ReadRecordRequest) -> table.ReadRecordResponse:
        raise LookupError("not_offered")
