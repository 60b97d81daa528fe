"""The hash chain over stored events: pure functions that anyone can repeat on an export.

    hash(n) = SHA-256(hash(n-1) || numbers || lengths || texts and data),   hash(0) = start_hash(log)

with, all big-endian: pos u64, ver u64, at i64 (microseconds), draws u32; then the u32 byte lengths of stream, kind,
type, command_id, correlation_id, causation_id, actor (UTF-8) and data; then those bytes in that order. Every stored
field takes part except `hash` itself and `log`, which `start_hash` binds.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from struct import Struct as Layout
from struct import error as LayoutError

from msgspec import Struct

from .model import BadBatch, BrokenChain, EventRecord, LinkedRecord, NewEvent
from .port import Log

_pack = Layout(">QQqI8I").pack
_join = b"".join


def start_hash(log: str) -> bytes:
    """The chain's value before the first event of `log` (32 bytes)."""
    return sha256(b"stamtafel.log.v1\x00" + log.encode()).digest()


def digest(prev_hash: bytes, pos: int, event: NewEvent) -> bytes:
    """The chain's value at `event`, standing at position `pos` behind `prev_hash` (32 bytes).

    Raises `BadBatch` for a number that its field cannot hold.
    """
    data = event.data
    stream = event.stream.encode()
    kind = event.kind.encode()
    type_ = event.type.encode()
    command_id = event.command_id.encode()
    correlation_id = event.correlation_id.encode()
    causation_id = event.causation_id.encode()
    actor = event.actor.encode()
    try:
        numbers = _pack(
            pos,
            event.ver,
            event.at,
            event.draws,
            len(stream),
            len(kind),
            len(type_),
            len(command_id),
            len(correlation_id),
            len(causation_id),
            len(actor),
            len(data),
        )
    except LayoutError as e:
        raise BadBatch(f"{event.stream} version {event.ver}: {e}") from e
    return sha256(
        _join((prev_hash, numbers, stream, kind, type_, command_id, correlation_id, causation_id, actor, data))
    ).digest()


def link(log: str, pos: int, prev_hash: bytes, events: Iterable[NewEvent]) -> list[EventRecord]:
    """Records of `events` as they will stand behind position `pos`, whose hash is `prev_hash`."""
    records: list[EventRecord] = []
    add = records.append
    for e in events:
        pos += 1
        prev_hash = digest(prev_hash, pos, e)
        add(
            EventRecord(
                e.stream,
                e.ver,
                e.type,
                e.at,
                e.command_id,
                e.correlation_id,
                e.causation_id,
                e.actor,
                e.draws,
                e.data,
                e.kind,
                log,
                pos,
                prev_hash,
            )
        )
    return records


class Verified(Struct, frozen=True):
    """What was found to hold: the chain up to `pos` with value `hash`, over `events` events."""

    pos: int
    hash: bytes
    events: int


class Verifier:
    """Checks records of one log in order, in as many portions as wanted.

    Starts behind position `pos`, whose hash is `prev_hash`. From 0 every stream must begin with version 1; from a later
    position the first version of a stream is taken as it is.
    """

    def __init__(self, prev_hash: bytes, pos: int = 0) -> None:
        self._whole = pos == 0
        self._hash = prev_hash
        self._pos = pos
        self._events = 0
        self._log: str | None = None
        self._versions: dict[str, int] = {}

    def add(self, records: Iterable[EventRecord]) -> Verified:
        """Check the next records. Raises `BrokenChain` at the first that does not fit."""
        versions = self._versions
        for r in records:
            if r.pos != self._pos + 1:
                raise BrokenChain(r.pos, f"expected position {self._pos + 1}")
            if self._log is None:
                self._log = r.log
            elif r.log != self._log:
                raise BrokenChain(r.pos, f"belongs to log {r.log}, not {self._log}")
            known = versions.get(r.stream, 0 if self._whole else r.ver - 1)
            if r.ver != known + 1:
                raise BrokenChain(r.pos, f"{r.stream} has version {r.ver}, expected {known + 1}")
            if digest(self._hash, r.pos, r) != r.hash:
                raise BrokenChain(r.pos, "the hash does not fit the content")
            versions[r.stream] = r.ver
            self._pos, self._hash = r.pos, r.hash
            self._events += 1
        return Verified(self._pos, self._hash, self._events)


def verify(records: Iterable[EventRecord], prev_hash: bytes, pos: int = 0) -> Verified:
    """Check that `records` follow position `pos` (hash `prev_hash`) without a gap and as they were written.

    Checks positions, versions of each stream and the chain; raises `BrokenChain`. For a whole log `prev_hash` is
    `start_hash(log)`.
    """
    return Verifier(prev_hash, pos).add(records)


def verify_links(links: Iterable[LinkedRecord]) -> int:
    """Check records that are not neighbours (one table's events) by their own links; returns how many.

    Positions must rise, versions of a stream follow each other, each record fit its previous hash, and neighbours that
    are both there fit each other. Raises `BrokenChain`.
    """
    count, pos, last = 0, 0, b""
    versions: dict[str, int] = {}
    for link in links:
        r = link.record
        if r.pos <= pos:
            raise BrokenChain(r.pos, f"stands behind position {pos}")
        if r.pos == pos + 1 and pos and link.prev_hash != last:
            raise BrokenChain(r.pos, "does not follow the event before it")
        if r.pos == 1 and link.prev_hash != start_hash(r.log):
            raise BrokenChain(1, "does not begin its log")
        if r.ver != versions.get(r.stream, r.ver - 1) + 1:
            raise BrokenChain(r.pos, f"{r.stream} has version {r.ver}, expected {versions[r.stream] + 1}")
        if digest(link.prev_hash, r.pos, r) != r.hash:
            raise BrokenChain(r.pos, "the hash does not fit the content")
        count, pos, last = count + 1, r.pos, r.hash
        versions[r.stream] = r.ver
    return count


async def verify_log(port: Log, log: str, page: int = 2000) -> Verified:
    """Read all of `log` and check it, also against its head row. Raises `BrokenChain` or `Gap`."""
    verifier = Verifier(start_hash(log))
    head = await port.head(log)
    done = verifier.add(())
    while records := await port.read(log, done.pos, page):
        if head is not None:
            for r in records:
                if r.pos == head.pos and r.hash != head.hash:
                    raise BrokenChain(r.pos, "is not the event that the log's head names")
        done = verifier.add(records)
    if head is not None and done.pos < head.pos:
        raise BrokenChain(done.pos + 1, f"is missing: the log's head stands at {head.pos}")
    return done
