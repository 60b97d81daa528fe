"""What the rest of the platform needs from a bus. `Bus` gives it over NATS, `MemoryBus` inside one process.

All times are whole microseconds since 1970, all sequences count from 1. A log's name (`trictrac-0`) and a table's id
contain no dots.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol

import msgspec

Handler = Callable[[bytes, bytes, bytes, bytes], None]
"""(subject, reply subject, data, raw headers); a plain function that returns at once."""


class Position(msgspec.Struct, frozen=True):
    """Where a reader of commands stands: the stream's creation time, the last sequence it has, and that message's time.

    Zeros mean "nothing yet". The number alone is worth nothing: a stream made anew, or one that lost its tail, uses it
    again.
    """

    stream_created: int = 0
    seq: int = 0
    at: int = 0


class Raw(NamedTuple):
    """One command as it lies in the stream. `stream` is the table's id, `at_us` the time the server stamped on it."""

    seq: int
    at_us: int
    stream: str
    data: bytes


class Fact(NamedTuple):
    """One event as it lies in `EVT_<log>`:

    `seq` is its position in the log, `stream` the table, `kind` play, table or clock.
    """

    seq: int
    stream: str
    kind: str
    data: bytes


class Gap(msgspec.Struct, frozen=True):
    """Commands `first`..`last` left the stream before they were read (they expired). Their senders ask again."""

    log: str
    first: int
    last: int


class Subscribed(Protocol):
    """A subscription."""

    def close(self) -> None:
        """End it; nothing is delivered afterwards."""
        ...


class Wire(Protocol):
    """The plain half of the bus: messages that nobody keeps."""

    on_reconnect: list[Callable[[], None]]
    on_disconnect: list[Callable[[], None]]

    @property
    def is_connected(self) -> bool:
        """Whether a publish now would reach the server."""
        ...

    def publish(self, subject: str, data: bytes, reply: str = "") -> None:
        """Send and forget. While disconnected this does nothing. Raises `TooLarge`."""
        ...

    def publish_failure(self, reply: str) -> None:
        """Reply to a request that it failed."""
        ...

    def subscribe(self, subject: str, handler: Handler) -> Subscribed:
        """Call `handler` for each message; survives reconnects."""
        ...

    async def request(self, subject: str, data: bytes, timeout_s: float = 2.0) -> bytes:
        """Send and wait for one reply.

        Raises `Unavailable` (nobody listens), `NoAnswer`, `Disconnected`, `QueryFailed`.
        """
        ...


class Commands(Protocol):
    """The commands of one log, in stream order, from a position."""

    @property
    def stream_created(self) -> int:
        """Creation time of the stream that the last `take` came from;

        With `seq` and `at_us` of its last command, the new position.
        """
        ...

    async def start(self) -> None:
        """Begin reading ahead; returns once the stream exists. `take` begins too."""
        ...

    async def take(self, most: int = 256) -> list[Raw]:
        """Wait until a command is there, then give what is queued, at most `most`, of one life of the stream."""
        ...

    async def fetch(self, seqs: Sequence[int]) -> list[Raw]:
        """Read particular commands again (those that wait for a computation); the ones that are gone are left out."""
        ...

    async def history(self, since_us: int, before_seq: int, most: int) -> list[Raw]:
        """The last `most` commands below `before_seq` that are not older than `since_us`, oldest first."""
        ...

    async def close(self) -> None:
        """Stop."""
        ...


class Events(Protocol):
    """The events of one log, from a position."""

    async def take(self, most: int = 256) -> list[Fact]:
        """Wait until an event is there, then give all that are queued, at most `most`. Raises `Lost`."""
        ...

    async def close(self) -> None:
        """Stop."""
        ...


Committed = tuple[int, str, str, bytes]
"""(position, stream, kind, data) of a committed event, as the relay sends it."""

ReadCommitted = Callable[[int, int], Awaitable[Sequence[Committed]]]
"""`read(after_position, limit)`: the committed events that follow, in order."""


class Relaying(Protocol):
    """Copies a log's committed events to `EVT_<log>`."""

    async def start(self) -> None:
        """Begin; returns at once, the work goes on beside."""
        ...

    def notify(self, records: Sequence[Committed]) -> None:
        """These were just committed: a hint that saves reading them back."""
        ...

    async def close(self) -> None:
        """Stop."""
        ...


class BusPort(Wire, Protocol):
    """Everything: what a service takes as its bus."""

    async def commands(self, log: str, position: Position, on_gap: Callable[[Gap], None] | None = None) -> Commands:
        """A reader of the log's commands; makes the stream if it is missing. For the log's owner only."""
        ...

    def events(self, log: str, after_seq: int, kinds: tuple[str, ...] | None = None) -> Events:
        """A reader of the log's events behind `after_seq`; all of them, or those of some kinds."""
        ...

    def relay(self, log: str, read: ReadCommitted) -> Relaying:
        """The log's relay. For the log's owner only."""
        ...

    async def close(self) -> None:
        """Leave."""
        ...
