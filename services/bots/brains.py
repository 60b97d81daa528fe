"""The brains of all games, found by name: `services.<game>.bot`. The only place where a service imports games' modules.

Light thinking runs in place, heavy thinking (`HEAVY` levels of a game) in a spawned worker process.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from libs.table.brain import Brain, Look, Thought
from libs.table.jobs import Jobs
from libs.table.life import any_of
from libs.table.rules import Job

_GAME = "services.{game}.bot"


class Mind(NamedTuple):
    """What a game's bot module offers. `courtesy(view, seat)`: another seat has a passing chance now."""

    think: Brain
    courtesy: Callable[[Message, int], bool]
    heavy: frozenset[str]


class Sight(NamedTuple):
    """What a seat has before it, as it came: messages still packed, so that it can go to another process."""

    game: str
    seat: int
    level: str
    options: AnyMessage
    view: AnyMessage
    actions: tuple[str, ...]
    events: Sequence[AnyMessage]


@lru_cache(maxsize=64)
def mind(game: str) -> Mind:
    """The bot module of a game. Raises ModuleNotFoundError for a game without one."""
    if not game.isidentifier():
        raise ModuleNotFoundError(f"{game!r} is no game")
    module: Any = importlib.import_module(_GAME.format(game=game))
    return Mind(module.think, getattr(module, "courtesy", _no_chance), frozenset(getattr(module, "HEAVY", ())))


def _no_chance(view: Message, seat: int) -> bool:
    return False


@lru_cache(maxsize=4096)
def _message_class(name: str) -> type[Message]:
    return message_factory.GetMessageClass(descriptor_pool.Default().FindMessageTypeByName(name))


def unpack(packed: AnyMessage) -> Message:
    """The message inside. Raises KeyError for a type that this process does not know."""
    return _message_class(packed.TypeName()).FromString(packed.value)


def think(sight: Sight, memory: Any, seed: int) -> Thought:
    """One thought, in place; `seed` is the bot's chance. Raises whatever the game's brain raises."""
    brain = mind(sight.game).think  # first: importing the module brings its messages with it
    look = Look(
        sight.seat,
        sight.level,
        unpack(sight.options),
        unpack(sight.view),
        sight.actions,
        tuple(unpack(event) for event in sight.events),
        Random(seed),
    )
    return brain(look, memory)


def think_packed(sight: tuple[Any, ...], memory: Any, seed: int) -> tuple[bytes | None, Any, float]:
    """`think` in a worker process: Any messages as their bytes, in and out."""
    game, seat, level, options, view, actions, events = sight
    thought = think(
        Sight(
            game,
            seat,
            level,
            AnyMessage.FromString(options),
            AnyMessage.FromString(view),
            actions,
            [AnyMessage.FromString(event) for event in events],
        ),
        memory,
        seed,
    )
    command = None if thought.command is None else any_of(thought.command).SerializeToString()
    return command, thought.memory, thought.wait_s


class Thinker:
    """Thinks where it costs least."""

    def __init__(self, jobs: Jobs) -> None:
        """`jobs` runs what is heavy."""
        self._jobs = jobs

    async def think(self, sight: Sight, memory: Any, seed: int) -> tuple[AnyMessage | None, Any, float]:
        """Command, memory and seconds to wait. Raises what the brain raises, or JobFailed from a worker."""
        if sight.level not in mind(sight.game).heavy:
            thought = think(sight, memory, seed)
            command = None if thought.command is None else any_of(thought.command)
            return command, thought.memory, thought.wait_s
        packed = (
            sight.game,
            sight.seat,
            sight.level,
            sight.options.SerializeToString(),
            sight.view.SerializeToString(),
            sight.actions,
            [event.SerializeToString() for event in sight.events],
        )
        data, memory, wait_s = await self._jobs.run(Job(think_packed, (packed, memory, seed)))
        return (None if data is None else AnyMessage.FromString(data)), memory, wait_s

    def courteous(self, sight: Sight) -> bool:
        """Whether another seat has a passing chance that acting at once would take from it."""
        return mind(sight.game).courtesy(unpack(sight.view), sight.seat)
