"""Pausing, moving clocks, voiding, closing, and what a clock that is up does to the table."""

from __future__ import annotations

from msgspec.structs import replace

from libs.table.clocks import MS, hold, house_limit, let_go, overlap
from libs.table.draft import Draft
from libs.table.life import HOUSE, MISSES_BEFORE_BOT, PLAYING, Running
from libs.table.plays import free_left_seats
from libs.table.rules import Refused
from libs.table.seats import check_host, check_kind
from stamtafel.table.v1 import table_pb2 as pb


def _check_may_pause(draft: Draft, actor: pb.Actor) -> None:
    if actor.kind == pb.ACTOR_KIND_OPERATOR:
        return
    check_host(draft, actor)
    if not draft.life.private:
        raise Refused("not_offered", "only private tables are paused by their host")


def pause(draft: Draft, command: pb.Command) -> None:
    """Pause: every clock keeps what it has left."""
    _check_may_pause(draft, command.actor)
    if draft.life.state != PLAYING or draft.life.paused:
        raise Refused("wrong_state", "only a running play can be paused")
    event = pb.TablePaused(by=command.actor.id)
    for clock in draft.life.clocks:
        if clock.seat != HOUSE:
            held = hold(clock, draft.now)
            event.held.add(
                clock_id=held.clock_id,
                seat=held.seat,
                key=held.key,
                free_left_us=held.free_left,
                left_us=held.left,
            )
    draft.add(event)


def resume(draft: Draft, command: pb.Command) -> None:
    """Resume: the clocks run on with what they had left."""
    _check_may_pause(draft, command.actor)
    if not draft.life.paused:
        raise Refused("wrong_state", "the table is not paused")
    held = draft.life.held
    draft.add(pb.TableResumed(by=command.actor.id))
    if held:
        draft.set_clocks([let_go(clock, draft.now) for clock in held])


def _check_reason(reason: str) -> None:
    if not 1 <= len(reason) <= 200:
        raise Refused("bad_argument", f"reason is 1..200 characters, not {len(reason)}", "reason")


def running_clock(draft: Draft, clock_id: str) -> Running:
    """The running clock with this id. Raises Refused `no_such_clock`."""
    for clock in draft.life.clocks:
        if clock.clock_id == clock_id:
            return clock
    raise Refused("no_such_clock", f"clock {clock_id!r} does not run", "clock_id")


def adjust_clock(draft: Draft, command: pb.Command) -> None:
    """AdjustClock: an operator moves a clock, with a reason."""
    check_kind(command.actor, pb.ACTOR_KIND_OPERATOR)
    asked = command.adjust_clock
    _check_reason(asked.reason)
    clock = running_clock(draft, asked.clock_id)
    due = max(draft.now, clock.due + asked.by_ms * MS)
    _put_clock(draft, replace(clock, due=due, free_until=min(clock.free_until, due)))


def _put_clock(draft: Draft, moved: Running) -> None:
    draft.set_clocks([moved if clock.clock_id == moved.clock_id else clock for clock in draft.life.clocks])


def void_play(draft: Draft, command: pb.Command) -> None:
    """VoidPlay: an operator takes the play back, with a reason; its seed is revealed, the next one sealed."""
    check_kind(command.actor, pb.ACTOR_KIND_OPERATOR)
    _check_reason(command.void_play.reason)
    if draft.life.state != PLAYING:
        raise Refused("wrong_state", "no play is running")
    draft.add(pb.PlayVoided(play=draft.life.play, reason=command.void_play.reason))
    draft.reveal()
    draft.seal()
    free_left_seats(draft)


def close_table(draft: Draft, command: pb.Command) -> None:
    """CloseTable: the host at rest, an operator or a service at any time."""
    actor, note = command.actor, command.close_table.reason
    if len(note) > 200:
        raise Refused("bad_argument", f"reason is 0..200 characters, not {len(note)}", "reason")
    if actor.kind == pb.ACTOR_KIND_OPERATOR:
        reason = "operator"
    elif actor.kind == pb.ACTOR_KIND_SERVICE:
        reason = "match"
    else:
        check_host(draft, actor)
        if draft.life.state == PLAYING:
            raise Refused("wrong_state", "not while a play runs")
        reason = "host"
    close(draft, reason, note)


def close(draft: Draft, reason: str, note: str = "") -> None:
    """Closes the table for good; a play that runs is void, and its seed revealed."""
    if draft.life.state == PLAYING:
        draft.add(pb.PlayVoided(play=draft.life.play, reason=f"closed: {reason}"))
        draft.reveal()
    draft.add(pb.TableClosed(reason=reason, note=note))


# ------------------------------------------------------------------------------------------------ a clock is up


def expired_seat(draft: Draft, clock_id: str) -> int | None:
    """The seat whose clock is up, or None when the clock was moved or was the house's (all done then).

    Raises Refused `no_such_clock`, or `not_due` with the rest in ms. A clock that stood still because its log had no
    owner is moved by that time instead.
    """
    clock = running_clock(draft, clock_id)
    if draft.now < clock.due:
        rest = (clock.due - draft.now + MS - 1) // MS
        raise Refused("not_due", f"clock {clock_id!r} has {rest} ms left", "clock_id", rest_ms=rest)
    if clock.seat == HOUSE:
        _house_expired(draft, clock)
        return None
    back = overlap(clock, draft.house.downs(), draft.now)
    if back:
        due = draft.now + back if clock.free_until < draft.now else clock.due + back
        _put_clock(draft, replace(clock, due=due, credited=clock.credited + back))
        return None
    return clock.seat


def drop_clock(draft: Draft, clock_id: str) -> None:
    """Forgets the clock that was up, so that one with the same key, if the rules still want it, starts afresh."""
    life = draft.life
    draft.life = replace(life, clocks=tuple(clock for clock in life.clocks if clock.clock_id != clock_id))


def _house_expired(draft: Draft, clock: Running) -> None:
    """Nobody touched the table since the clock was set: it closes. Somebody did: the clock is put off."""
    forgotten_at = draft.last_at + house_limit(draft.life.state == PLAYING)
    if draft.last_at > clock.set_at and forgotten_at > draft.now:
        _put_clock(draft, replace(clock, set_at=draft.now, free_until=draft.now, due=forgotten_at))
    else:
        close(draft, "idle")


def note_miss(draft: Draft, seat: int) -> None:
    """Counts a missed clock at tables with absence `bot`; the third in a row entrusts the seat to a computer player."""
    life = draft.life
    if life.absence != pb.ABSENCE_BOT or not life.seats[seat].player:
        return
    missed = life.seats[seat].missed + 1
    draft.add(pb.ClockMissed(seat=seat, missed=missed))
    if missed >= MISSES_BEFORE_BOT and not life.seats[seat].entrusted:
        draft.add(pb.SeatEntrusted(seat=seat, level="normal"))
