"""Exports: records as contract messages, JSON lines out and in, and the check of a whole file without a server."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError

from stamtafel.log.v1.log_pb2 import EventRecord as EventMessage
from stamtafel.log.v1.log_pb2 import ExportHeader, ExportLine, ExportRecord, ExportTrailer

from .chain import Verified, verify_links
from .model import BrokenChain, EventRecord, Head, LinkedRecord, LogError

FORMAT = 1


class BadExport(LogError):
    """The file is no export of this format, or was cut short."""


def to_message(record: EventRecord) -> EventMessage:
    """A record as the contract's message."""
    message = EventMessage()  # field by field: a third cheaper than by keywords, and this is done for every event
    message.log = record.log
    message.position = record.pos
    message.stream = record.stream
    message.version = record.ver
    message.kind = record.kind
    message.type = record.type
    message.data = record.data
    message.at_us = record.at
    message.command_id = record.command_id
    message.correlation_id = record.correlation_id
    message.causation_id = record.causation_id
    message.actor = record.actor
    message.draws = record.draws
    message.hash = record.hash
    return message


def from_message(message: EventMessage) -> EventRecord:
    """The record that a message stands for."""
    return EventRecord(
        stream=message.stream,
        ver=message.version,
        type=message.type,
        at=message.at_us,
        command_id=message.command_id,
        correlation_id=message.correlation_id,
        causation_id=message.causation_id,
        actor=message.actor,
        draws=message.draws,
        data=message.data,
        kind=message.kind,
        log=message.log,
        pos=message.position,
        hash=message.hash,
    )


def export_lines(head: Head, links: Iterable[LinkedRecord], streams: Iterable[str], at: int) -> Iterator[ExportLine]:
    """The lines of an export of `links` (see `Log.read_links`), made when the log stood at `head`, at `at` (us)."""
    header = ExportHeader(format=FORMAT, log=head.log, streams=sorted(streams), exported_at_us=at)
    yield ExportLine(header=header)
    count = 0
    for link in links:
        count += 1
        yield ExportLine(record=ExportRecord(previous_hash=link.prev_hash, event=to_message(link.record)))
    yield ExportLine(trailer=ExportTrailer(records=count, head_position=head.pos, head_hash=head.hash))


def to_json(line: ExportLine) -> str:
    """One line of JSON, without its line end."""
    return json.dumps(MessageToDict(line, preserving_proto_field_name=True), separators=(",", ":"))


def from_json(text: str) -> ExportLine:
    """The line that `to_json` wrote. Raises `BadExport`."""
    try:
        return ParseDict(json.loads(text), ExportLine())
    except (ValueError, ParseError) as e:
        raise BadExport(f"not a line of an export: {e}") from e


def read_export(lines: Iterable[ExportLine]) -> tuple[ExportHeader, list[LinkedRecord], ExportTrailer]:
    """The parts of an export. Raises `BadExport` for a wrong order, count or format."""
    header: ExportHeader | None = None
    links: list[LinkedRecord] = []
    trailer: ExportTrailer | None = None
    for line in lines:
        part = line.WhichOneof("line")
        if trailer is not None or (part == "header") != (header is None):
            raise BadExport(f"a {part or 'blank line'} in the wrong place")
        if part == "header":
            header = line.header
            if header.format != FORMAT:
                raise BadExport(f"format {header.format} is not known")
        elif part == "record":
            links.append(LinkedRecord(line.record.previous_hash, from_message(line.record.event)))
        elif part == "trailer":
            trailer = line.trailer
        else:
            raise BadExport("a blank line")
    if header is None or trailer is None or trailer.records != len(links):
        raise BadExport("the export was cut short")
    return header, links, trailer


def verify_export(lines: Iterable[ExportLine]) -> Verified:
    """Check an export: every hash, all positions and versions, and the head if its event is there.

    Raises `BadExport` or `BrokenChain`. Returns the head that the export names and the number of events.
    """
    header, links, trailer = read_export(lines)
    wanted = set(header.streams)
    for link in links:
        if link.record.log != header.log:
            raise BrokenChain(link.record.pos, f"belongs to log {link.record.log}, not {header.log}")
        if wanted and link.record.stream not in wanted:
            raise BrokenChain(link.record.pos, f"is of {link.record.stream}, which the header does not name")
        if link.record.pos == trailer.head_position and link.record.hash != trailer.head_hash:
            raise BrokenChain(link.record.pos, "is not the event that the head names")
    count = verify_links(links)
    return Verified(trailer.head_position, trailer.head_hash, count)
