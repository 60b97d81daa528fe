"""A computer player: what it sees in, what it does out. It sees only what its seat sees (R11.1 and its like)."""

from random import Random
from typing import Any, NamedTuple, Protocol

from google.protobuf.message import Message


class Look(NamedTuple):
    """What a computer player has before it when it thinks.

    `view` is the game's view for this seat, `options` the table's complete options, `events` the game's events that
    this seat has been shown since it looked last (redacted, in order; empty after a restart: the view alone must do).
    `rng` is the bot's own chance, never the game's. `level` is `easy`, `normal` or `hard`.
    """

    seat: int
    level: str
    options: Message
    view: Message
    actions: tuple[str, ...]
    events: tuple[Message, ...]
    rng: Random


class Thought(NamedTuple):
    """What it does: a command of the game, or None to wait for the next update. `memory` is handed back next time.

    `memory` is plain, picklable data: heavy thinking runs in a worker process. `wait_s` is how long a person would
    seem to think; the bots service may shorten it.
    """

    command: Message | None
    memory: Any = None
    wait_s: float = 0.5


class Brain(Protocol):
    """`services/<game>/bot.py` exports one function of this shape as `think`.

    `memory` is None at the start of a play. Deterministic for the same arguments and the same state of `rng`.
    """

    def __call__(self, look: Look, memory: Any) -> Thought: ...
