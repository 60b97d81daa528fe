"""Exports: everything comes back, and a file that was cut or changed is found."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from libs.log import BrokenChain, Cursor, Head, LinkedRecord, link, start_hash
from libs.log.export import (
    BadExport,
    export_lines,
    from_json,
    from_message,
    read_export,
    to_json,
    to_message,
    verify_export,
)
from tests.unit.log.samples import AT, event

LOG = "trictrac-0"
RECORDS = link(LOG, 0, start_hash(LOG), [event("t1", 1), event("t2", 1, data=b"\xff\x00"), event("t1", 2)])
HEAD = Head(LOG, 4, "anna", 3, RECORDS[-1].hash, Cursor(), 0, 0)
LINKS = [
    LinkedRecord(before, r) for before, r in zip([start_hash(LOG), *[r.hash for r in RECORDS]], RECORDS, strict=False)
]


def written(links: list[LinkedRecord], *streams: str) -> list[str]:
    return [to_json(line) for line in export_lines(HEAD, links, streams, AT)]


def test_a_record_survives_the_contract() -> None:
    for r in RECORDS:
        assert from_message(to_message(r)) == r


def test_an_export_comes_back_and_verifies() -> None:
    lines = [from_json(text) for text in written(LINKS)]
    header, links, trailer = read_export(lines)
    assert (header.log, header.exported_at_us, trailer.records, trailer.head_position) == (LOG, AT, 3, 3)
    assert links == LINKS
    verified = verify_export(lines)
    assert (verified.pos, verified.hash, verified.events) == (3, HEAD.hash, 3)


def test_an_export_of_one_table_verifies() -> None:
    assert verify_export(from_json(text) for text in written([LINKS[0], LINKS[2]], "t1")).events == 2


def test_an_export_that_was_cut_or_mixed_is_refused() -> None:
    lines = [from_json(text) for text in written(LINKS)]
    for wrong in (lines[:-1], lines[1:], lines[:2] + lines[3:], [*lines, lines[1]], [lines[0], *lines], []):
        with pytest.raises(BadExport):
            read_export(wrong)
    for text in ("", "{", '{"header":{"colour":1}}', "[]", '{"header":{"format":2}}', "{}"):
        with pytest.raises(BadExport):
            read_export([from_json(text)])


def test_an_export_that_was_changed_is_found() -> None:
    changed = [LINKS[0], LinkedRecord(LINKS[1].prev_hash, replace(RECORDS[1], actor="bert")), LINKS[2]]
    foreign = [LINKS[0], LinkedRecord(LINKS[1].prev_hash, replace(RECORDS[1], log="trictrac-1")), LINKS[2]]
    for links in (changed, foreign):
        with pytest.raises(BrokenChain):
            verify_export(export_lines(HEAD, links, (), AT))
    with pytest.raises(BrokenChain, match="header does not name"):
        verify_export(export_lines(HEAD, LINKS, ["t1"], AT))
    with pytest.raises(BrokenChain, match="head names"):
        verify_export(export_lines(replace(HEAD, hash=bytes(32)), LINKS, (), AT))
