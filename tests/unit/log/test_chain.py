"""The hash chain: what it binds, and that every change is found."""

from __future__ import annotations

from hashlib import sha256

import pytest
from msgspec.structs import replace

from libs.log import BrokenChain, LinkedRecord, Verifier, digest, link, start_hash, verify, verify_links
from tests.unit.log.samples import AT, event

LOG = "trictrac-0"
RECORDS = link(
    LOG, 0, start_hash(LOG), [event("t1", 1), event("t2", 1), event("t1", 2), event("t1", 3), event("t2", 2)]
)


def test_the_digest_is_what_the_docstring_says() -> None:
    """Spelled out once by hand, so that nobody changes the encoding by accident: stored chains would break."""
    e = event("t1", 7, data=b"\x01\x02", actor="ö", command_id="c", correlation_id="", causation_id="x", kind="play")
    texts = [b"t1", b"play", b"stamtafel.trictrac.v1.DiceThrown", b"c", b"", b"x", "ö".encode(), b"\x01\x02"]
    expected = bytes(32)
    expected += (9).to_bytes(8, "big") + (7).to_bytes(8, "big") + (AT + 7).to_bytes(8, "big") + (1).to_bytes(4, "big")
    expected += b"".join(len(text).to_bytes(4, "big") for text in texts) + b"".join(texts)
    assert digest(bytes(32), 9, e) == sha256(expected).digest()
    assert start_hash(LOG) == sha256(b"stamtafel.log.v1\0trictrac-0").digest()


def test_neighbouring_texts_do_not_run_into_each_other() -> None:
    assert digest(bytes(32), 1, event("ab", 1, kind="c")) != digest(bytes(32), 1, event("a", 1, kind="bc"))


def test_verify_accepts_what_was_written() -> None:
    assert verify(RECORDS, start_hash(LOG)).pos == 5
    assert verify(RECORDS[2:], RECORDS[1].hash, 2).events == 3
    verifier = Verifier(start_hash(LOG))
    verifier.add(RECORDS[:2])
    done = verifier.add(RECORDS[2:])
    assert (done.pos, done.hash, done.events) == (5, RECORDS[-1].hash, 5)
    assert verify([], start_hash(LOG)).events == 0


CHANGES = [
    {"data": b"\x08\x06"},
    {"actor": "player:bert"},
    {"at": AT},
    {"draws": 2},
    {"type": "x"},
    {"kind": "table"},
    {"command_id": "other"},
    {"correlation_id": "other"},
    {"causation_id": "other"},
    {"hash": bytes(32)},
    {"stream": "t3", "ver": 1},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: "+".join(change))
def test_a_changed_field_is_found_where_it_stands(change: dict[str, object]) -> None:
    records = list(RECORDS)
    records[2] = replace(records[2], **change)
    with pytest.raises(BrokenChain, match="the hash does not fit") as found:
        verify(records, start_hash(LOG))
    assert found.value.pos == 3


def test_a_change_with_its_hash_made_again_breaks_the_next() -> None:
    records = list(RECORDS)
    forged = replace(records[2], data=b"\x08\x06")
    records[2] = replace(forged, hash=digest(records[1].hash, 3, forged))
    with pytest.raises(BrokenChain) as found:
        verify(records, start_hash(LOG))
    assert found.value.pos == 4


def test_missing_doubled_and_swapped_records_are_found() -> None:
    for records, pos in (
        (RECORDS[:1] + RECORDS[2:], 3),
        (RECORDS[:2] + RECORDS[1:], 2),
        ([RECORDS[1], RECORDS[0]], 2),
        (RECORDS[1:], 2),
    ):
        with pytest.raises(BrokenChain) as found:
            verify(records, start_hash(LOG))
        assert found.value.pos == pos


def test_another_log_is_no_part_of_this_one() -> None:
    with pytest.raises(BrokenChain):
        verify(RECORDS, start_hash("trictrac-1"))
    with pytest.raises(BrokenChain, match="belongs to log"):
        verify([RECORDS[0], replace(RECORDS[1], log="trictrac-1")], start_hash(LOG))


def links() -> list[LinkedRecord]:
    before = [start_hash(LOG), *[r.hash for r in RECORDS]]
    return [LinkedRecord(before[r.pos - 1], r) for r in RECORDS if r.stream == "t1"]


def test_links_check_a_table_alone() -> None:
    assert verify_links(links()) == 3
    assert verify_links(links()[1:]) == 2
    assert verify_links([]) == 0


def test_links_find_changes() -> None:
    one, two, three = links()
    wrong = [
        [one, LinkedRecord(bytes(32), two.record)],
        [one, LinkedRecord(two.prev_hash, replace(two.record, draws=5))],
        [one, three],
        [two, one],
        [LinkedRecord(bytes(32), replace(one.record, hash=digest(bytes(32), 1, one.record)))],
        [
            two,
            LinkedRecord(bytes(32), replace(three.record, hash=digest(bytes(32), three.record.pos, three.record))),
        ],
    ]
    for case in wrong:
        with pytest.raises(BrokenChain):
            verify_links(case)
