"""Live updates: what a table's watchers see now. Nobody keeps these messages; who missed one asks the owner.

Subjects: `live.<log>.<table>.public`, `live.<log>.<table>.seat.<n>`, `live.<log>.<table>.bot.<n>`, and
`live.<log>.owner` when a log has got a new owner. `*` stands for any log or table, so the bots hear `live.*.*.bot.*`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from libs.bus.ports import Subscribed, Wire


class Live(NamedTuple):
    """One update as it arrived. `audience` is `public`, `seat.<n>` or `bot.<n>`."""

    log: str
    table: str
    audience: str
    data: bytes


def publish_live(bus: Wire, log: str, table: str, audience: str, data: bytes) -> None:
    """Send an update to whoever watches as this audience."""
    bus.publish(f"live.{log}.{table}.{audience}", data)


def publish_owner(bus: Wire, log: str, data: bytes = b"") -> None:
    """Tell everybody that the log has a new owner: watchers ask it again."""
    bus.publish(f"live.{log}.owner", data)


def subscribe_live(bus: Wire, log: str, table: str, audience: str, callback: Callable[[Live], None]) -> Subscribed:
    """Call the plain function `callback` for each update;

    `log` and `table` may be `*`, `audience` also `seat.*` or `bot.*`.
    """

    def hear(subject: bytes, reply: bytes, data: bytes, header: bytes) -> None:
        _, from_log, from_table, from_audience = subject.decode().split(".", 3)
        callback(Live(from_log, from_table, from_audience, data))

    return bus.subscribe(f"live.{log}.{table}.{audience}", hear)


def subscribe_owner(bus: Wire, log: str, callback: Callable[[str, bytes], None]) -> Subscribed:
    """Call `callback(log, data)` when the log (`*`: any) has got a new owner."""

    def hear(subject: bytes, reply: bytes, data: bytes, header: bytes) -> None:
        callback(subject.split(b".")[1].decode(), data)

    return bus.subscribe(f"live.{log}.owner", hear)
