"""`HistoryService`: what happened, as it may be known; exports and checks of the stored events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from google.protobuf.message import DecodeError

from libs.log import BrokenChain, Head, LinkedRecord, verify_links
from libs.log.export import export_lines, from_message, to_json
from libs.log.model import Cursor
from services.gateway.catalog import Catalog
from services.gateway.errors import bad_shape, internal
from services.gateway.owners import Owners
from services.gateway.ports import DiceCheck, DiceReport
from services.gateway.rpc import Call
from services.gateway.shapes import seat
from services.gateway.tokens import AUDITOR, Identity
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.log.v1.log_pb2 import EventRecord
from stamtafel.table.v1 import table_pb2 as table

PAGE = 200
LINES_BYTES = 128 * 1024
MOST_VERIFIED = 200_000

Audit = Callable[[str, Identity, str], None]
"""Called with (rpc, auditor, table or log) before an auditor reads what others may not."""


class HistoryService:
    """Reads through the owners of the logs; they say what a viewer may know."""

    def __init__(
        self, owners: Owners, catalog: Catalog, audit: Audit, now_us: Callable[[], int], dice: DiceCheck | None = None
    ) -> None:
        """`now_us` gives microseconds since 1970 (the date of exports);

        `dice` checks draws, None: only the chain is checked.
        """
        self._owners = owners
        self._catalog = catalog
        self._audit = audit
        self._now_us = now_us
        self._dice = dice

    async def list_events(self, request: pb.ListEventsRequest, who: Identity, call: Call) -> None:
        """Events of a table, in pages."""
        log = self._catalog.log_of(request.table_id)
        asked = table.ReadEventsRequest(
            table_id=request.table_id,
            viewer=self._viewer("ListEvents", request, who),
            after_version=request.after_version,
            revealed=request.revealed,
        )
        left = request.limit or None
        while left is None or left > 0:
            asked.limit = PAGE if left is None else min(PAGE, left)
            page = await self._owners.read_events(log, asked)
            if page.events:
                await call.write(pb.ListEventsResponse(events=page.events, last_version=page.last_version))
            if left is not None:
                left -= page.last_version - asked.after_version
            if not page.more or page.last_version <= asked.after_version:
                return
            asked.after_version = page.last_version

    async def replay_table(self, request: pb.ReplayTableRequest, who: Identity, call: Call) -> None:
        """How a table stood, decision by decision."""
        log = self._catalog.log_of(request.table_id)
        asked = table.ReplayViewRequest(
            table_id=request.table_id,
            viewer=self._viewer("ReplayTable", request, who),
            version=request.from_version if request.HasField("from_version") else 1,
            revealed=request.revealed,
        )
        last = request.to_version if request.HasField("to_version") else None
        if last is not None and last < asked.version:
            raise bad_shape("to_version", "is before from_version")
        while True:
            found = await self._owners.replay_view(log, asked)
            if found.view.version:  # 0: before the first decision there is nothing to see
                await call.write(pb.ReplayTableResponse(view=found.view, events=found.events))
            if not found.next_version or (last is not None and found.next_version > last):
                return
            asked.version = found.next_version

    async def export_log(self, request: pb.ExportLogRequest, who: Identity, call: Call) -> None:
        """The stored events of a table or a log as the lines of an export file."""
        if bool(request.table_id) == bool(request.log):
            raise bad_shape("table_id", "either this or log is needed")
        if request.table_id:
            log, streams = self._catalog.log_of(request.table_id), [request.table_id]
            pages = self._table_pages(log, request.table_id, who)
        else:
            who.need(AUDITOR)
            self._catalog.need_log(request.log)
            self._audit("ExportLog", who, request.log)
            log, streams = request.log, []
            pages = self._log_pages(log, request.after_pos)
        await _write_export(log, streams, pages, self._now_us(), call)

    async def get_record(self, request: pb.GetRecordRequest, who: Identity) -> pb.GetRecordResponse:
        """The record of a play in the game's own notation."""
        if request.play < 0:
            raise bad_shape("play", "must not be negative")
        log = self._catalog.log_of(request.table_id)
        viewer = table.Viewer(player=who.player_id)
        asked = table.ReadRecordRequest(table_id=request.table_id, viewer=viewer, play=request.play)
        found = await self._owners.read_record(log, asked)
        return pb.GetRecordResponse(text=found.text, format=found.format)

    async def verify_table(self, request: pb.VerifyTableRequest, who: Identity) -> pb.VerifyTableResponse:
        """Check chain and draws of a table's stored events."""
        log = self._catalog.log_of(request.table_id)
        links: list[LinkedRecord] = []
        async for page in self._table_pages(log, request.table_id, who):
            links.extend(page.links)
            if len(links) > MOST_VERIFIED:
                raise bad_shape("table_id", f"has more than {MOST_VERIFIED} events; export it and verify the file")
        problems: list[str] = []
        try:
            verify_links(links)
        except BrokenChain as broken:
            problems.append(str(broken))
        if links and links[0].record.ver != 1:
            problems.append(f"the first event has version {links[0].record.ver}, not 1")
        dice = self._dice(links) if self._dice is not None and not problems else DiceReport()
        problems.extend(dice.problems)
        last = links[-1].record if links else None
        return pb.VerifyTableResponse(
            sound=not problems,
            events=len(links),
            version=last.ver if last else 0,
            hash=last.hash if last else b"",
            draws=dice.draws,
            plays=dice.plays,
            problems=problems,
        )

    def _viewer(self, rpc: str, request: pb.ListEventsRequest | pb.ReplayTableRequest, who: Identity) -> table.Viewer:
        viewer = table.Viewer(player=who.player_id, as_public=request.as_public)
        if request.HasField("seat"):
            seat("seat", request.seat)
            viewer.seat = request.seat
        if request.as_auditor:
            who.need(AUDITOR)
            self._audit(rpc, who, request.table_id)
            viewer.as_auditor = True
        return viewer

    async def _table_pages(self, log: str, table_id: str, who: Identity) -> AsyncIterator[_Page]:
        viewer = table.Viewer(player=who.player_id)
        asked = table.ReadTableRequest(table_id=table_id, viewer=viewer, limit=PAGE)
        more = True
        while more:
            found = await self._owners.read_table(log, asked)
            links = [
                LinkedRecord(before, from_message(_record(data)))
                for data, before in zip(found.records, found.prev_hashes, strict=True)
            ]
            yield _Page(links, found.head_pos, found.head_hash)
            more = found.more and bool(links)
            if links:
                asked.after_version = links[-1].record.ver

    async def _log_pages(self, log: str, after: int) -> AsyncIterator[_Page]:
        asked = table.ReadLogRequest(after=after, limit=PAGE)
        until: int | None = None
        while until is None or asked.after < until:
            found = await self._owners.read_log(log, asked)
            until = found.head_pos if until is None else until  # what is written meanwhile is not part of this export
            links: list[LinkedRecord] = []
            before = found.prev_hash
            for data in found.records:
                record = from_message(_record(data))
                if record.pos <= until:
                    links.append(LinkedRecord(before, record))
                before = record.hash
            yield _Page(links, found.head_pos, found.head_hash)
            if not links:
                return
            asked.after = links[-1].record.pos


class _Page:
    """A page of stored events; the head of the log when it was read (0: not told)."""

    def __init__(self, links: list[LinkedRecord], head_pos: int, head_hash: bytes) -> None:
        self.links = links
        self.head_pos = head_pos
        self.head_hash = head_hash


async def _write_export(log: str, streams: list[str], pages: AsyncIterator[_Page], at: int, call: Call) -> None:
    """Header, records, trailer; the trailer names the head as the first page told it."""
    first: _Page | None = None
    count = 0
    newest: LinkedRecord | None = None
    async for page in pages:
        if first is None:
            first = page
            header = next(export_lines(_head(log, 0, b""), (), streams, at))
            await call.write(pb.ExportLogResponse(lines=_line(to_json(header))))
        lines = [
            to_json(line)
            for line in export_lines(_head(log, 0, b""), page.links, streams, at)
            if line.HasField("record")
        ]
        await _write_lines(lines, call)
        count += len(page.links)
        newest = page.links[-1] if page.links else newest
    if first is None:
        raise internal()
    head_pos, head_hash = first.head_pos, first.head_hash
    if newest is not None and newest.record.pos > head_pos:
        head_pos, head_hash = newest.record.pos, newest.record.hash
    *_, trailer = export_lines(_head(log, head_pos, head_hash), (), streams, at)
    trailer.trailer.records = count
    await call.write(pb.ExportLogResponse(lines=_line(to_json(trailer))))


async def _write_lines(lines: list[str], call: Call) -> None:
    block = bytearray()
    for line in lines:
        block += _line(line)
        if len(block) >= LINES_BYTES:
            await call.write(pb.ExportLogResponse(lines=bytes(block)))
            block.clear()
    if block:
        await call.write(pb.ExportLogResponse(lines=bytes(block)))


def _line(text: str) -> bytes:
    return text.encode() + b"\n"


def _head(log: str, pos: int, value: bytes) -> Head:
    return Head(log=log, epoch=0, owner="", pos=pos, hash=value, cursor=Cursor(), tries=0, lease_until=0)


def _record(data: bytes) -> EventRecord:
    try:
        return EventRecord.FromString(data)
    except DecodeError as error:
        raise internal() from error
