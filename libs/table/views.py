"""What one audience sees of a table, and what it may know of an event. The only way out of the service.

An audience is a seat number or None, the public. Redaction is judged by a standing: "what may this audience know of the
event when the table stands there" (rules_protocol.md, section 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from libs.table.life import FOLDS, HOUSE, PLAYING, Life, any_of, type_url
from libs.table.standing import Standing, options_of, present_options
from stamtafel.table.v1 import table_pb2 as pb


class Happened(NamedTuple):
    """An event with its place: version after it, time (us), who caused it."""

    version: int
    at: int
    actor: str
    event: Message


def stamp(us: int) -> Timestamp:
    """Microseconds since 1970 as a Timestamp."""
    return Timestamp(seconds=us // 1_000_000, nanos=us % 1_000_000 * 1000)


def table_view(standing: Standing, audience: int | None) -> pb.TableView:
    """The whole table as this audience sees it now."""
    view = _common(standing)
    view.MergeFrom(_own(standing, audience))
    return view


def _common(standing: Standing) -> pb.TableView:
    """What every audience sees alike."""
    life = standing.life
    view = pb.TableView(
        table_id=standing.table_id,
        game=life.game,
        version=standing.version,
        state=life.state,  # pyright: ignore[reportArgumentType]
        paused=life.paused,
        play=life.play,
        seats=_seats(life),
        clocks=_clocks(life),
        options=AnyMessage.FromString(life.next_options)
        if life.next_options
        else present_options(standing.rules, life, standing.game),
        private=life.private,
        spectators=life.spectators,  # pyright: ignore[reportArgumentType]
        absence=life.absence,  # pyright: ignore[reportArgumentType]
        hot_seat=life.hot_seat,
        commitment=life.commitment,
        match_id=life.match_id,
        at=stamp(standing.at),
        imported=life.imported,
    )
    if life.result:
        view.result.ParseFromString(life.result)
    if standing.game is not None and life.state == PLAYING:
        view.to_act.extend(sorted(standing.rules.to_act(standing.game)))
    return view


def _own(standing: Standing, audience: int | None) -> pb.TableView:
    """What only this audience sees: its seat, the code, the game's view, its actions."""
    view = pb.TableView()
    if audience is not None:
        view.audience = audience
        view.code = standing.life.code
    if standing.game is not None:
        rules = standing.rules
        shown = rules.view(standing.game, audience, standing.facts())
        view.game_view.type_url = type_url(type(shown))
        view.game_view.value = shown.SerializeToString()
        if audience is not None:
            view.actions.extend(rules.actions(standing.game, audience, standing.facts()))
    return view


def _seats(life: Life) -> list[pb.SeatView]:
    return [
        pb.SeatView(
            seat=number,
            player=seat.player,
            name=seat.name,
            bot=seat.bot,
            ready=seat.ready,
            away=seat.away,
            entrusted=bool(seat.entrusted),
            host=number == life.host,
        )
        for number, seat in enumerate(life.seats)
    ]


def _clocks(life: Life) -> list[pb.ClockView]:
    return [
        pb.ClockView(
            clock_id=clock.clock_id,
            seat=None if clock.seat == HOUSE else clock.seat,
            free_until=stamp(clock.free_until),
            due=stamp(clock.due),
        )
        for clock in life.clocks
    ]


def redact(event: Message, standing: Standing, audience: int | None, version: int | None = None) -> Message | None:
    """The event as the audience may know it when the table stands there; None: not even that it happened.

    `version`: the event's own; None: it happens now.
    """
    if type(event) not in FOLDS:
        return standing.rules.redact(event, _judged_by(standing, version), audience)
    if audience is None:
        if isinstance(event, pb.CodeRenewed):
            return pb.CodeRenewed()
        if isinstance(event, pb.TableOpened) and event.code:
            public = pb.TableOpened()
            public.CopyFrom(event)
            public.code = ""
            return public
    return event


def _judged_by(standing: Standing, version: int | None) -> Any:
    """The state that redaction is judged by: of an earlier play the one in which it ended.

    After the first play was voided there is none: a table's very first.
    """
    if version is not None and version < standing.began and standing.rest is not None:
        return standing.rest
    if standing.game is not None:
        return standing.game
    return standing.rules.initial(options_of(standing.rules, standing.life.options))


def event_views(happened: Iterable[Happened], standing: Standing, audience: int | None) -> list[pb.EventView]:
    """The events as the audience may know them now."""
    shown: list[pb.EventView] = []
    for entry in happened:
        body = redact(entry.event, standing, audience, entry.version)
        if body is not None:
            shown.append(_event_view(entry, body))
    return shown


def update_for(standing: Standing, from_version: int, happened: Sequence[Happened], audience: int | None) -> pb.Update:
    """What changed since `from_version`, and the whole view of now."""
    return pb.Update(
        table_id=standing.table_id,
        from_version=from_version,
        version=standing.version,
        events=event_views(happened, standing, audience),
        view=table_view(standing, audience),
    )


class Updates:
    """The updates of several audiences about the same change, as bytes.

    What all share is made and serialized once: serialized messages that stand one behind the other are read as one
    message, so an update is the shared part followed by the audience's own.
    """

    def __init__(self, standing: Standing, from_version: int, happened: Sequence[Happened]) -> None:
        self._standing = standing
        self._happened = happened
        self._shared = pb.Update(
            table_id=standing.table_id,
            from_version=from_version,
            version=standing.version,
            view=_common(standing),
        ).SerializeToString()
        self._made: dict[int | None, bytes] = {}
        self._open_events: dict[int, pb.EventView] = {}

    def of(self, audience: int | None) -> bytes:
        """The serialized Update for a seat, or the public."""
        made = self._made.get(audience)
        if made is None:
            own = pb.Update(events=self._events(audience), view=_own(self._standing, audience))
            made = self._made[audience] = self._shared + own.SerializeToString()
        return made

    def _events(self, audience: int | None) -> list[pb.EventView]:
        """As `event_views`; what is shown as it is stored is packed once for all."""
        shown: list[pb.EventView] = []
        for entry in self._happened:
            body = redact(entry.event, self._standing, audience, entry.version)
            if body is None:
                continue
            if body is entry.event:
                known = self._open_events.get(entry.version)
                if known is None:
                    known = self._open_events[entry.version] = _event_view(entry, body)
                shown.append(known)
            else:
                shown.append(_event_view(entry, body))
        return shown


def _event_view(entry: Happened, body: Message) -> pb.EventView:
    return pb.EventView(version=entry.version, at=stamp(entry.at), actor=entry.actor, body=any_of(body))


def audience_name(audience: int | None, bot: bool = False) -> str:
    """An audience as the live subjects name it: `public`, `seat.<n>`, `bot.<n>`."""
    if audience is None:
        return "public"
    return f"{'bot' if bot else 'seat'}.{audience}"


def audience_seat(name: str) -> int | None:
    """The seat behind an audience's name; None: the public."""
    return None if name == "public" else int(name.rpartition(".")[2])
