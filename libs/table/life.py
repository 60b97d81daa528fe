"""What the tables of all games share, as state: seats, host, options, clocks, seals. Folded from events."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import msgspec
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from msgspec.structs import replace

from stamtafel.table.v1 import table_pb2 as pb

GATHERING = pb.TABLE_STATE_GATHERING
PLAYING = pb.TABLE_STATE_PLAYING
RESTING = pb.TABLE_STATE_RESTING
CLOSED = pb.TABLE_STATE_CLOSED

MISSES_BEFORE_BOT = 3


class Seat(msgspec.Struct, frozen=True, gc=False):
    """One seat. `player` and `bot` empty: free. `missed`: clocks missed in a row (tables with absence `bot`)."""

    player: str = ""
    name: str = ""
    bot: str = ""
    ready: bool = False
    away: bool = False
    entrusted: str = ""
    nonce: bytes = b""
    missed: int = 0

    @property
    def taken(self) -> bool:
        return bool(self.player or self.bot)


class Running(msgspec.Struct, frozen=True, gc=False):
    """A clock that runs; times in microseconds since 1970. `seat` -1: the house's."""

    clock_id: str
    seat: int
    key: str
    set_at: int
    free_until: int
    due: int
    credited: int = 0


class Held(msgspec.Struct, frozen=True, gc=False):
    """A clock that a pause holds; microseconds left."""

    clock_id: str
    seat: int
    key: str
    free_left: int
    left: int


HOUSE = -1


class Life(msgspec.Struct, frozen=True):
    """The shared part of a table's state. `options`, `next_options` and `result` are serialized Any / Result bytes."""

    game: str = ""
    state: int = pb.TABLE_STATE_UNSPECIFIED
    paused: bool = False
    play: int = 0
    seats: tuple[Seat, ...] = ()
    host: int | None = None
    options: bytes = b""
    next_options: bytes = b""
    private: bool = False
    code: str = ""
    spectators: int = pb.SPECTATORS_ALLOWED
    absence: int = pb.ABSENCE_PLAY_ON
    hot_seat: bool = False
    position: str = ""
    imported: bool = False
    opener: str = ""
    match_id: str = ""
    commitment: bytes = b""
    nonces: tuple[bytes, ...] = ()
    ended: int = 0
    clocks: tuple[Running, ...] = ()
    held: tuple[Held, ...] = ()
    result: bytes = b""
    score: tuple[int, ...] | None = None

    def seats_of(self, player: str) -> list[int]:
        """Seats that this player holds, ascending."""
        return [n for n, seat in enumerate(self.seats) if seat.player == player] if player else []

    def bots(self) -> dict[int, str]:
        """Seats of computer players and their levels."""
        return {n: seat.bot for n, seat in enumerate(self.seats) if seat.bot}


def set_seat(life: Life, number: int, seat: Seat) -> Life:
    """`life` with one seat changed."""
    seats = list(life.seats)
    seats[number] = seat
    return replace(life, seats=tuple(seats))


def change_seat(life: Life, number: int, **changes: Any) -> Life:
    """`life` with some fields of one seat changed."""
    return set_seat(life, number, replace(life.seats[number], **changes))


def pack(message: Message) -> bytes:
    """A message as serialized Any, the way options travel and are kept."""
    return any_of(message).SerializeToString()


def any_of(message: Message) -> AnyMessage:
    """A message as Any (faster than Any.Pack, same bytes)."""
    return AnyMessage(type_url=type_url(type(message)), value=message.SerializeToString())


@functools.cache
def type_url(message: type[Message]) -> str:
    """The type URL of a message in an Any."""
    return "type.googleapis.com/" + message.DESCRIPTOR.full_name


# ------------------------------------------------------------------------------------------------------ the fold


def _opened(life: Life, event: pb.TableOpened) -> Life:
    seats = [Seat() for _ in range(event.seats)]
    for number, seat in enumerate(event.match.seats):
        seats[number] = Seat(player=seat.player, name=seat.name)
    return Life(
        game=event.game,
        state=GATHERING,
        seats=tuple(seats),
        options=event.options.SerializeToString(),
        private=event.private,
        code=event.code,
        spectators=event.spectators,
        absence=event.absence,
        hot_seat=event.hot_seat,
        position=event.position,
        imported=event.imported,
        opener=event.opener.id,
        match_id=event.match.match_id,
    )


def _sealed(life: Life, event: pb.DrawsSealed) -> Life:
    return replace(life, commitment=event.commitment)


def _revealed(life: Life, _: pb.DrawsRevealed) -> Life:
    return life


def _seat_taken(life: Life, event: pb.SeatTaken) -> Life:
    return set_seat(life, event.seat, Seat(player=event.player, name=event.name, nonce=event.nonce))


def _bot_seated(life: Life, event: pb.BotSeated) -> Life:
    return set_seat(life, event.seat, Seat(bot=event.level, name=event.name, ready=True))


def _seat_freed(life: Life, event: pb.SeatLeft | pb.BotRemoved) -> Life:
    return set_seat(life, event.seat, Seat())


def _seat_away(life: Life, event: pb.SeatAway) -> Life:
    return change_seat(life, event.seat, away=True)


def _host_moved(life: Life, event: pb.HostMoved) -> Life:
    return replace(life, host=event.seat if event.HasField("seat") else None)


def _code_renewed(life: Life, event: pb.CodeRenewed) -> Life:
    return replace(life, code=event.code)


def _options_set(life: Life, event: pb.OptionsSet) -> Life:
    seats = tuple(
        life.seats[n] if n < len(life.seats) else Seat() for n in range(event.seats)
    )  # the command was refused if this would take a seat from somebody
    seats = tuple(replace(seat, ready=bool(seat.bot)) for seat in seats)
    options = event.options.SerializeToString()
    if life.state == GATHERING:
        return replace(life, seats=seats, options=options)
    return replace(life, seats=seats, next_options=options)


def _seat_ready(life: Life, event: pb.SeatReady) -> Life:
    seat = life.seats[event.seat]
    return set_seat(life, event.seat, replace(seat, ready=event.on, away=False, nonce=event.nonce or seat.nonce))


def _play_began(life: Life, event: pb.PlayBegan) -> Life:
    seats = tuple(replace(s, ready=bool(s.bot), nonce=b"", missed=0, away=False, entrusted="") for s in life.seats)
    return replace(
        life,
        state=PLAYING,
        play=event.play,
        seats=seats,
        options=event.options.SerializeToString(),
        next_options=b"",
        nonces=tuple(event.nonces),
        result=b"",
        score=None,
    )


def _score_changed(life: Life, event: pb.ScoreChanged) -> Life:
    return replace(life, score=tuple(event.score))


def _play_ended(life: Life, event: pb.PlayEnded) -> Life:
    seats = tuple(replace(s, entrusted="", missed=0) for s in life.seats)
    result = event.result.SerializeToString()
    return replace(life, state=RESTING, seats=seats, result=result, position="", ended=life.ended + 1)


def _play_voided(life: Life, _: pb.PlayVoided) -> Life:
    seats = tuple(replace(s, entrusted="", missed=0) for s in life.seats)
    state = RESTING if life.ended else GATHERING
    return replace(life, state=state, seats=seats, paused=False, held=(), score=None)


def _clocks_set(life: Life, event: pb.ClocksSet) -> Life:
    return replace(
        life,
        clocks=tuple(
            Running(
                clock.clock_id,
                clock.seat if clock.HasField("seat") else HOUSE,
                clock.key,
                clock.set_at_us,
                clock.free_until_us,
                clock.due_us,
                clock.credited_us,
            )
            for clock in event.running
        ),
    )


def _clock_missed(life: Life, event: pb.ClockMissed) -> Life:
    return change_seat(life, event.seat, missed=event.missed)


def _paused(life: Life, event: pb.TablePaused) -> Life:
    held = tuple(Held(h.clock_id, h.seat, h.key, h.free_left_us, h.left_us) for h in event.held)
    return replace(life, paused=True, held=held)


def _resumed(life: Life, _: pb.TableResumed) -> Life:
    return replace(life, paused=False, held=())


def _entrusted(life: Life, event: pb.SeatEntrusted) -> Life:
    return change_seat(life, event.seat, entrusted=event.level)


def _returned(life: Life, event: pb.SeatReturned) -> Life:
    return change_seat(life, event.seat, entrusted="", away=False, missed=0)


def _closed(life: Life, _: pb.TableClosed) -> Life:
    return replace(life, state=CLOSED, paused=False, held=())


FOLDS: dict[type[Message], Callable[[Life, Any], Life]] = {
    pb.TableOpened: _opened,
    pb.DrawsSealed: _sealed,
    pb.DrawsRevealed: _revealed,
    pb.SeatTaken: _seat_taken,
    pb.BotSeated: _bot_seated,
    pb.SeatLeft: _seat_freed,
    pb.SeatAway: _seat_away,
    pb.HostMoved: _host_moved,
    pb.BotRemoved: _seat_freed,
    pb.CodeRenewed: _code_renewed,
    pb.OptionsSet: _options_set,
    pb.SeatReady: _seat_ready,
    pb.PlayBegan: _play_began,
    pb.ScoreChanged: _score_changed,
    pb.PlayEnded: _play_ended,
    pb.PlayVoided: _play_voided,
    pb.ClocksSet: _clocks_set,
    pb.ClockMissed: _clock_missed,
    pb.TablePaused: _paused,
    pb.TableResumed: _resumed,
    pb.SeatEntrusted: _entrusted,
    pb.SeatReturned: _returned,
    pb.TableClosed: _closed,
}
"""How each event of `table.v1` changes a table's life."""

CLOCK_EVENTS = frozenset({pb.ClocksSet, pb.ClockMissed})


def kind_of(event: type[Message]) -> str:
    """Which readers may have it: `clock`, `table` or `play`."""
    if event in CLOCK_EVENTS:
        return "clock"
    return "table" if event in FOLDS else "play"
