"""Parts of the bus that need no server."""

from __future__ import annotations

import re

import pytest

from libs.bus.feed import Tuning
from libs.bus.relay import _at_most, _lines
from libs.bus.streams import from_us, to_us


@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:01.5Z", 1_500_000),
        ("2026-11-30T04:09:57.391792999Z", 1_796_011_797_391_792),
        ("2026-11-30T05:09:57.391792Z", 1_796_015_397_391_792),
        ("2026-11-30T04:09:57.000000001Z", 1_796_011_797_000_000),
    ],
)
def test_times_are_cut_to_microseconds(text: str, us: int) -> None:
    assert to_us(text) == us
    assert to_us(from_us(us)) == us


def parse(lines: bytes) -> list[tuple[bytes, bytes, dict[bytes, bytes], bytes]]:
    """The HPUB lines as (subject, reply, headers, data)."""
    found: list[tuple[bytes, bytes, dict[bytes, bytes], bytes]] = []
    while lines:
        line, _, lines = lines.partition(b"\r\n")
        match = re.fullmatch(rb"HPUB (\S+) +(?:(\S+) )?(\d+) (\d+)", line)
        assert match is not None, line
        head, size = int(match[3]), int(match[4])
        block, data, lines = lines[:head], lines[head:size], lines[size:]
        assert block.startswith(b"NATS/1.0\r\n") and block.endswith(b"\r\n\r\n")
        assert lines.startswith(b"\r\n")
        lines = lines[2:]
        headers = dict(one.split(b":", 1) for one in block[10:-4].split(b"\r\n"))
        found.append((match[1], match[2] or b"", headers, data))
    return found


@pytest.mark.parametrize("count", [2, 9, 10, 11, 99, 100, 101, 999, 1000])
def test_each_event_of_a_batch_expects_the_one_before_and_the_last_is_acknowledged(count: int) -> None:
    batch = [(40 + n, f"t{n}", "play", b"\r\n" * n) for n in range(count)]
    lines = parse(_lines("game-0", batch, 39, "reply.1"))
    assert [int(headers[b"Nats-Expected-Last-Sequence"]) for _, _, headers, _ in lines] == list(range(39, 39 + count))
    assert [subject for subject, *_ in lines] == [b"evt.game-0.t%d.play" % n for n in range(count)]
    assert [data for *_, data in lines] == [b"\r\n" * n for n in range(count)]
    assert [n for n, line in enumerate(lines) if line[1]] == [count - 1]


def test_one_event_alone_expects_the_last_sequence() -> None:
    assert parse(_lines("game-0", [(8, "t", "clock", b"x")], 7, "r")) == [
        (b"evt.game-0.t.clock", b"r", {b"Nats-Expected-Last-Sequence": b"7"}, b"x")
    ]


def test_batches_stay_below_a_size() -> None:
    batch = [(n, "t", "play", b"x" * 10) for n in range(1, 6)]
    assert [record[0] for record in _at_most(batch, 25)] == [1, 2]
    assert [record[0] for record in _at_most(batch, 5)] == [1]
    assert _at_most(batch, 50) == batch


def test_a_pull_asks_for_heartbeats_that_the_server_accepts() -> None:
    tuning = Tuning()
    assert tuning.heartbeat_s * 2 < tuning.expires_s
    assert tuning.batch <= tuning.room
