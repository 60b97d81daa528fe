"""What the log stores and returns, and what can go wrong. Plain frozen values, no I/O.

Times are integer microseconds since 1970-01-01 UTC. Positions count from 1 in each log, versions from 1 in each stream.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class NewEvent(Struct, frozen=True, gc=False):
    """An event that a decision made, not yet in the log.

    `kind` ("play", "table" or "clock") names the relay's subject and who may read it; `at` is the time of the command
    in its stream; `draws` is the number of draws that the decision took, given with its first event (else 0); `type` is
    the full name of the contract's message and `data` its bytes, stored as they are.
    """

    stream: str
    ver: int
    type: str
    at: int
    command_id: str
    correlation_id: str
    causation_id: str
    actor: str
    draws: int
    data: bytes
    kind: str


class EventRecord(NewEvent, frozen=True, gc=False):
    """An event as it stands in the log: with its place and its value in the chain.

    `hash` is the chain's value *at* this event (see `libs.log.chain.digest`). It is stored beside every event, so that
    an export of one table can carry it together with the previous one, and any span verifies without the rest.
    """

    log: str
    pos: int
    hash: bytes


class LinkedRecord(Struct, frozen=True, gc=False):
    """A record with the chain's value of the event before it: enough to check this one on its own."""

    prev_hash: bytes
    record: EventRecord


class Cursor(Struct, frozen=True, gc=False):
    """How far the commands were read.

    `stream_created` is the creation time of the command stream (0: nothing read yet), `seq` and `at` the number and
    time of its last message read, `waiting` the numbers at or below `seq` whose outcome is still being computed.
    """

    stream_created: int = 0
    seq: int = 0
    at: int = 0
    waiting: tuple[int, ...] = ()


class Head(Struct, frozen=True):
    """The head row of a log as an owner (or onlooker) last saw it.

    `hash` is the hash of the event at `pos`, or `start_hash(log)` at 0. `lease_until` and `gap` are on the database's
    clock. `tries` counts claims, this one included, since the cursor last moved: 1 after any ordinary start, more only
    if owners died without progress. `gap` is the time without an owner that the call which gave this head has just
    recorded (the newest entry of `downs`), else None.
    """

    log: str
    epoch: int
    owner: str
    pos: int
    hash: bytes
    cursor: Cursor
    tries: int
    lease_until: int
    gap: tuple[int, int] | None = None


class Secret(Struct, frozen=True, gc=False):
    """The sealed seed of one play at a table. It is in no event before it is revealed."""

    stream: str
    play: int
    seed: bytes

    def __repr__(self) -> str:
        return f"Secret(stream={self.stream!r}, play={self.play}, seed=<sealed>)"


class Batch(Struct, frozen=True):
    """What one commit writes. A batch of refusals has no events and only moves the cursor."""

    events: Sequence[NewEvent]
    cursor: Cursor
    secrets: Sequence[Secret] = ()


class Snapshot(Struct, frozen=True, gc=False):
    """A cached state of one stream at a version. Worth nothing when `fold` is not today's rules' id."""

    stream: str
    ver: int
    fold: str
    data: bytes


class Loaded(Struct, frozen=True):
    """A stream's newest usable snapshot and the events after it, in order."""

    snapshot: Snapshot | None
    tail: list[EventRecord]


class LogError(Exception):
    """Anything this package raises."""


class Fenced(LogError):
    """Another owner has the log: nothing was written, forget everything about it and step down."""


class Unavailable(LogError):
    """The database could not be reached or did not answer in time. Claim again before anything else is written."""


class OutcomeUnknown(Unavailable):
    """The connection was lost, or the deadline passed, during a commit: the batch is in the log or it is not.

    The connection was terminated. Call `claim`, which waits for the lost statement, and compare `pos`.
    """


class BadBatch(LogError):
    """The log cannot store this batch (version taken, NUL in a text, number out of range): a bug of the writer."""


class Gap(LogError):
    """Positions of a log, or versions of a stream, do not follow each other: the database lost or doubled rows."""

    def __init__(self, where: str, expected: int, found: int) -> None:
        super().__init__(f"{where}: expected {expected}, found {found}")
        self.where, self.expected, self.found = where, expected, found


class BrokenChain(LogError):
    """The records are not those that were written: `pos` is the first that does not fit, `why` says what."""

    def __init__(self, pos: int, why: str) -> None:
        super().__init__(f"position {pos}: {why}")
        self.pos, self.why = pos, why
