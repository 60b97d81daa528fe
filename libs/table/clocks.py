"""A table's clocks: what the rules want to run becomes one `ClocksSet` at the end of a decision. Times are us."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message

from libs.table.life import CLOSED, HOUSE, PLAYING, Held, Life, Running
from libs.table.rules import Clock
from stamtafel.table.v1 import table_pb2 as pb

MS = 1000
HOUSE_IDLE_US = 15 * 60 * 1_000_000
HOUSE_PLAYING_US = 24 * 3600 * 1_000_000
_NOW_PLAYING = "house-playing"
_NOW_IDLE = "house-idle"


def wanted_set(life: Life, wanted: Sequence[Clock], now: int, version: int) -> tuple[Running, ...] | None:
    """The clocks that run from now on, or None when nothing changes.

    `wanted` is what the rules say runs now; `version` that of the coming ClocksSet event, from which new ids are made.
    A table with no clock of its own has one for the house.
    """
    running = life.clocks
    if life.state == CLOSED:
        return () if running else None
    if not wanted:
        return _house_set(life, now, version)
    if len(wanted) == 1 and len(running) == 1:  # nearly always
        clock, old = wanted[0], running[0]
        if clock.key == old.key and clock.seat == old.seat:
            return None
        return (_started(clock, now, f"{version}-0"),)
    if len(wanted) == len(running) and all(
        clock.key == old.key and clock.seat == old.seat for clock, old in zip(wanted, running, strict=True)
    ):
        return None
    kept = {(old.seat, old.key): old for old in running}
    return tuple(
        kept.get((clock.seat, clock.key)) or _started(clock, now, f"{version}-{place}")
        for place, clock in enumerate(wanted)
    )


def _started(clock: Clock, now: int, clock_id: str) -> Running:
    free_until = now + clock.free_ms * MS
    return Running(clock_id, clock.seat, clock.key, now, free_until, free_until + clock.limit_ms * MS)


def _house_set(life: Life, now: int, version: int) -> tuple[Running, ...] | None:
    playing = life.state == PLAYING
    key = _NOW_PLAYING if playing else _NOW_IDLE
    running = life.clocks
    if len(running) == 1 and running[0].seat == HOUSE and running[0].key == key:
        return None
    return (house_clock(playing, now, f"{version}-h"),)


def house_clock(playing: bool, now: int, clock_id: str) -> Running:
    """The clock that closes a forgotten table."""
    key = _NOW_PLAYING if playing else _NOW_IDLE
    return Running(clock_id, HOUSE, key, now, now, now + house_limit(playing))


def house_limit(playing: bool) -> int:
    """How long a table may be forgotten, in us."""
    return HOUSE_PLAYING_US if playing else HOUSE_IDLE_US


def clocks_event(running: Sequence[Running]) -> pb.ClocksSet:
    """The event that sets these clocks."""
    return pb.ClocksSet(
        running=[
            pb.RunningClock(
                clock_id=clock.clock_id,
                seat=None if clock.seat == HOUSE else clock.seat,
                key=clock.key,
                set_at_us=clock.set_at,
                free_until_us=clock.free_until,
                due_us=clock.due,
                credited_us=clock.credited,
            )
            for clock in running
        ]
    )


def time_left(clock: Running, now: int) -> int:
    """What a clock has left beyond its free time, us, never below zero."""
    return max(0, clock.due - max(now, clock.free_until))


def fill_bank(event: Message, running: Sequence[Running], now: int) -> None:
    """Writes what the running clocks have left (ms) into an event's `bank_left_ms`, one number a seat.

    The rules fill the field from their state where an event stops a clock; the time that has passed is known here only.
    """
    left = getattr(event, "bank_left_ms", None)
    if left:
        for clock in running:
            if 0 <= clock.seat < len(left):
                left[clock.seat] = time_left(clock, now) // MS


def hold(clock: Running, now: int) -> Held:
    """A running clock as a pause holds it."""
    free_left = max(0, clock.free_until - now)
    return Held(clock.clock_id, clock.seat, clock.key, free_left, time_left(clock, now))


def let_go(held: Held, now: int) -> Running:
    """A held clock that runs on from now."""
    free_until = now + held.free_left
    return Running(held.clock_id, held.seat, held.key, now, free_until, free_until + held.left)


def overlap(clock: Running, downs: Sequence[tuple[int, int]], now: int) -> int:
    """Time (us) that a clock stood still because its log had no owner, beyond what was given back already."""
    still = sum(max(0, min(end, now) - max(start, clock.set_at)) for start, end in downs)
    return max(0, still - clock.credited)
