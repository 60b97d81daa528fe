"""Where a table stands: its shared life and its game's state, folded event by event from one stream."""

from __future__ import annotations

import functools
import json
from typing import Any

import msgspec
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from libs.table.life import FOLDS, Life, any_of
from libs.table.rules import Facts, Rules
from stamtafel.table.v1 import table_pb2 as pb

KIT_FOLD = "kit-2"
"""Id of Life and its folds; changed whenever their meaning changes."""

AnyRules = Rules[Any, Any]


class Standing:
    """One table at one version.

    `game` is the rules' state (None before the first play), `rest` the one before the present play, to return to when
    it is voided, `began` the version at which that play began, `draws` the number of draws taken in it, `at` the time
    of the last event (us).
    """

    __slots__ = ("at", "began", "draws", "game", "life", "rest", "rules", "table_id", "version")

    def __init__(self, rules: AnyRules, table_id: str) -> None:
        self.rules = rules
        self.table_id = table_id
        self.life = Life()
        self.game: Any = None
        self.rest: Any = None
        self.began: int = 0
        self.version: int = 0
        self.at: int = 0
        self.draws: int = 0

    def apply(self, event: Message) -> None:
        """Folds one event. Never refuses."""
        self.version += 1
        fold = FOLDS.get(type(event))
        if fold is None:
            self.game = self.rules.evolve(self.game, event)
            return
        self.life = fold(self.life, event)
        if isinstance(event, pb.PlayBegan):
            self._begin(event)
        elif isinstance(event, pb.PlayVoided):
            self.game = self.rest

    def _begin(self, event: pb.PlayBegan) -> None:
        self.draws = 0
        self.rest = self.game
        self.began = self.version
        if self.game is not None and self.life.ended and self.rules.again(self.game) is None:
            return  # games in a row at one table: the next one is a command of the game
        options = options_of(self.rules, event.options)
        if event.position:
            self.game = self.rules.position(options, json.loads(event.position))
        else:
            self.game = self.rules.initial(options)

    def facts(self) -> Facts:
        """Who is a computer player and who is host, as of now."""
        return Facts(self.life.bots(), self.life.host)

    def copy_to(self, other: Standing) -> None:
        """Makes `other` stand where this one stands."""
        other.life = self.life
        other.game = self.game
        other.rest = self.rest
        other.began = self.began
        other.version = self.version
        other.at = self.at
        other.draws = self.draws


def options_of(rules: AnyRules, packed: AnyMessage | bytes) -> Message:
    """The game's options message out of an Any, or out of its bytes."""
    message = AnyMessage.FromString(packed) if isinstance(packed, bytes) else packed
    return rules.options_type.FromString(message.value)


def present_options(rules: AnyRules, life: Life, game: Any) -> AnyMessage:
    """The options as they hold now: those that a command of the game changed, else those of the play."""
    now = None if game is None else rules.options_now(game)
    return AnyMessage.FromString(life.options) if now is None else any_of(now)


class EventTypes:
    """The event messages of one game and of the shared table, by full name, with upcasters for retired ones."""

    def __init__(self, rules: AnyRules) -> None:
        self._by_name: dict[str, type[Message]] = {t.DESCRIPTOR.full_name: t for t in (*FOLDS, *rules.events)}

    def read(self, name: str, data: bytes) -> Message:
        """The stored event. Raises KeyError for a type that neither the table nor the game knows."""
        return self._by_name[name].FromString(data)

    def knows(self, name: str) -> bool:
        """Whether such an event can be in this game's log."""
        return name in self._by_name


@functools.lru_cache(maxsize=16)
def event_types(rules: AnyRules) -> EventTypes:
    """The event types of a game (made once)."""
    return EventTypes(rules)


# -------------------------------------------------------------------------------------------------- snapshots


def fold_id(rules: AnyRules) -> str:
    """Id under which snapshots of today's states are kept."""
    return f"{KIT_FOLD}/{rules.fold}"


class Memory(msgspec.Struct, frozen=True, gc=False):
    """An accepted command that is remembered: its key (sender and id), version it was answered with, when (us)."""

    key: str
    version: int
    at: int


class SnapshotCodec:
    """A standing as bytes and back, in one call of msgspec each way."""

    def __init__(self, rules: AnyRules) -> None:
        self._rules = rules
        state: Any = rules.state_type
        self._shape = msgspec.defstruct(
            "StandingSnapshot",
            [
                ("life", Life),
                ("game", state | None),
                ("rest", state | None),
                ("began", int),
                ("version", int),
                ("at", int),
                ("draws", int),
                ("accepted", tuple[Memory, ...]),
            ],
        )
        self._encoder = msgspec.msgpack.Encoder(enc_hook=_message_out)
        self._decoder = msgspec.msgpack.Decoder(self._shape, dec_hook=_message_in)

    def write(self, standing: Standing, accepted: tuple[Memory, ...]) -> bytes:
        """The bytes of a snapshot."""
        return self._encoder.encode(
            self._shape(
                standing.life,
                standing.game,
                standing.rest,
                standing.began,
                standing.version,
                standing.at,
                standing.draws,
                accepted,
            )
        )

    def read(self, table_id: str, data: bytes) -> tuple[Standing, tuple[Memory, ...]]:
        """The standing and the remembered commands of a snapshot. Raises msgspec.DecodeError for foreign bytes."""
        shape: Any = self._decoder.decode(data)
        standing = Standing(self._rules, table_id)
        standing.life = shape.life
        standing.game = shape.game
        standing.rest = shape.rest
        standing.began = shape.began
        standing.version = shape.version
        standing.at = shape.at
        standing.draws = shape.draws
        return standing, shape.accepted


def _message_out(value: Any) -> Any:
    if isinstance(value, Message):
        return value.SerializeToString()
    raise TypeError(f"a state holds plain values and messages only, not {type(value).__name__}")


def _message_in(wanted: Any, value: Any) -> Any:
    if isinstance(wanted, type) and issubclass(wanted, Message):
        return wanted.FromString(value)
    raise TypeError(f"a state holds plain values and messages only, not {wanted!r}")
