"""Tables, events and results as text for a terminal. Pure functions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from rich.markup import escape

from libs.client import games
from libs.table.plain import to_plain, type_name
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table

STATES = {
    table.TABLE_STATE_GATHERING: "gathering",
    table.TABLE_STATE_PLAYING: "playing",
    table.TABLE_STATE_RESTING: "resting",
    table.TABLE_STATE_CLOSED: "closed",
}


def names(seats: Iterable[table.SeatView]) -> list[str]:
    """Names by seat: the player's, the regular's with its level, or `free`."""
    return [_name(seat.name, seat.bot) for seat in seats]


def first_names(seats: Iterable[table.SeatView]) -> list[str]:
    """Names by seat without the levels of regulars, for lines that name many."""
    return [(seat.name or "free").partition(" (")[0] for seat in seats]


def seats_line(seats: Iterable[pb.SeatSummary]) -> str:
    """All seats of a table in the list."""
    return ", ".join(_name(seat.name, seat.bot) for seat in seats)


def summary_line(one: pb.TableSummary) -> str:
    """A table of the list in a line: id, state, time and version of its last event, seats."""
    at = one.at.ToDatetime().strftime("%Y-%m-%d %H:%M:%S")
    state = STATES.get(one.state, "unknown") + (" (private)" if one.private else "")
    return f"{one.table_id}  {state:<9}  {at}  v{one.version:<5} {seats_line(one.seats)}"


def _name(name: str, bot: str) -> str:
    if bot:
        return name if bot in name else f"{name or 'regular'} ({bot})"
    return name or "free"


def table_text(view: table.TableView, you: int | None, words: str = "en") -> str:
    """A table as rich markup: who sits where, and the game's own picture (screens draw in markup)."""
    state = STATES.get(view.state, "unknown") + (", paused" if view.paused else "")
    lines = [f"{view.table_id}  version {view.version}  {state}  play {view.play}"]
    lines.append("   ".join(_seat(seat, view, you) for seat in view.seats))
    lines = [escape(line) for line in lines]
    shown = games.unpack(view.game, view.game_view) if view.HasField("game_view") else None
    if shown is not None:
        screen = games.screen(view.game)
        lines += ["", screen.draw(shown, you, words) if screen else escape(_json(shown))]
    return "\n".join(lines)


def _json(shown: Message) -> str:
    return json.dumps(to_plain(shown, unset=False), indent=1)


def _seat(seat: table.SeatView, view: table.TableView, you: int | None) -> str:
    marks = [
        word
        for word, on in (
            ("you", seat.seat == you),
            ("away", seat.away),
            (f"played by {seat.entrusted}" if seat.entrusted else "", bool(seat.entrusted)),
            ("ready", seat.ready and not seat.bot and view.state != table.TABLE_STATE_PLAYING),
        )
        if on and word
    ]
    return f"{seat.seat} {_name(seat.name, seat.bot)}{' (' + ', '.join(marks) + ')' if marks else ''}"


def event_line(game: str, event: table.EventView) -> str:
    """One event in a line: version, time, name, fields that are set."""
    at = event.at.ToDatetime().strftime("%H:%M:%S.%f")[:-3]
    message = games.unpack(game, event.body)
    if message is None:
        return f"{event.version:>5}  {at}  {event.body.TypeName()}"
    if isinstance(message, table.ClocksSet):
        text = ", ".join(_clock(clock) for clock in message.running) or "none runs"
    else:
        text = json.dumps(_plain(game, message), ensure_ascii=False)
    return f"{event.version:>5}  {at}  {type_name(type(message))} {text}"


def _clock(clock: table.RunningClock) -> str:
    due = datetime.fromtimestamp(clock.due_us / 1e6, UTC).strftime("%H:%M:%S.%f")[:-3]
    return f"{f'seat {clock.seat}' if clock.HasField('seat') else 'house'} until {due}"


def _plain(game: str, message: Message) -> Any:
    """The fields that are set; a message inside an Any as itself."""
    plain = to_plain(message, unset=False)
    for field, value in message.ListFields():
        if isinstance(value, AnyMessage) and (inner := games.unpack(game, value)) is not None:
            plain[field.name] = to_plain(inner, unset=False)
    return plain


def result_lines(view: table.TableView) -> list[str]:
    """The places of the play that ended last, best first."""
    if not view.HasField("result"):
        return []
    by_seat = names(view.seats)
    places = sorted((place, seat) for seat, place in enumerate(view.result.places) if place)
    lines = [f"{place}. {by_seat[seat] if seat < len(by_seat) else f'seat {seat}'}" for place, seat in places]
    if view.result.points:
        lines.append(f"points by side: {', '.join(str(points) for points in view.result.points)}")
    return lines


def seconds_left(view: table.TableView, seat: int, now: float) -> float | None:
    """How long the clock of a seat still runs, in seconds at `now` (seconds since 1970); None: none runs."""
    for clock in view.clocks:
        if clock.HasField("seat") and clock.seat == seat:
            return clock.due.ToMicroseconds() / 1e6 - now
    return None
