"""What a game implements: one object of pure functions, driven by the kit, the writer, the case runner and `verify`.

Nothing here does I/O, reads a clock or draws. See docs/design/rules_protocol.md, section 1.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from google.protobuf.message import Message

from stamtafel.table.v1.table_pb2 import Result

T = TypeVar("T")
Options = TypeVar("Options", bound=Message)
State = TypeVar("State")

Event = Message


class Refused(Exception):
    """A command that is not accepted: raised by the rules, turned into an answer, never a crash.

    `code` is one of the rules file's codes, `message` one sentence for a person (it names the field and the allowed
    values), `field` the argument or option at fault, `details` further plain values by name (text in the answer).
    """

    def __init__(self, code: str, message: str, field: str | None = None, **details: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.details = details

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class Job(NamedTuple):
    """A draw that takes long: a module-level function and its plain arguments, run in a spawned worker process."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class NotYet(Exception):
    """`ctx.compute(job)` has no outcome yet: the table is parked until the job is done, then `decide` runs again."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.function.__name__)
        self.job = job


class Clock(NamedTuple):
    """A clock that runs now. The same `key` is the same clock still running; a new key starts afresh.

    `free_ms` runs first and costs nothing, then `limit_ms` (positive) counts down; both whole milliseconds.
    """

    seat: int
    key: str
    limit_ms: int
    free_ms: int = 0


class Seating(NamedTuple):
    """Seats of a table by its options: how many, which are computer players (`{seat: level}`), the host's or None."""

    seats: int
    bots: Mapping[int, str] = {}
    host: int | None = None


class Facts(NamedTuple):
    """Who is a computer player now (`{seat: level}`) and which seat is host now (None: nobody)."""

    bots: Mapping[int, str] = {}
    host: int | None = None


class Draws(Protocol):
    """Chance, passed in. Each call is one draw of the rules file's Randomness table."""

    def dice(self, n: int) -> tuple[int, ...]:
        """n dice, 1..6 each, in the order in which they fall."""
        ...

    def pick(self, items: Sequence[T]) -> T:
        """One of `items`, all equally likely."""
        ...

    def shuffle(self, items: Sequence[T], at: int | None = None) -> tuple[T, ...]:
        """`items` in random order. `at` names the draw's place itself (duplicate deals: the deck of boompje `at`)."""
        ...


class Ctx(Protocol):
    """All that `start`, `decide` and `expire` may use beside the state: facts, chance, long computations. No time."""

    @property
    def facts(self) -> Facts: ...

    @property
    def draws(self) -> Draws: ...

    def compute(self, job: Job) -> Any:
        """The job's outcome (plain data), or raises NotYet."""
        ...


class Rules(Protocol[Options, State]):
    """One game. Every method is a pure function of its arguments.

    `State` is a frozen `msgspec.Struct` of plain values (int, str, bool, None, tuple, nested frozen structs, messages
    that nobody changes), so a snapshot is one call of msgspec.
    """

    game: str
    """Name of the game, e.g. `trictrac`; also the service's and the proto package's name."""
    fold: str
    """Id of State + evolve; a new one whenever either changes its meaning (old snapshots are then ignored)."""
    hides: bool
    """Some seat may not know everything (hands, cups): no practice positions, spectators see the public form."""
    presets: tuple[str, ...]
    """Names of the rules file's presets, in its order."""
    options_type: type[Options]
    view_type: type[Message]
    state_type: type[State]
    commands: tuple[type[Message], ...]
    events: tuple[type[Message], ...]
    queries: Mapping[str, Callable[[Mapping[str, Any]], Any]]
    """The rules file's Queries: plain JSON in and out. The runner passes the case's `with` (and `options` if given)."""

    def options(self, asked: Options) -> Options:
        """Preset, defaults and checks: the complete options. Raises Refused with `field`."""
        ...

    def seating(self, options: Options) -> Seating:
        """Seats, computer players and host that the options ask for."""
        ...

    def initial(self, options: Options) -> State:
        """The state before the first event; `options` are complete."""
        ...

    def start(self, state: State, ctx: Ctx) -> list[Event]:
        """Opening events of a play; may be empty."""
        ...

    def evolve(self, state: State, event: Event) -> State:
        """The next state. Never refuses, never draws."""
        ...

    def decide(self, state: State, seat: int, command: Message, ctx: Ctx) -> list[Event]:
        """Events of an accepted command, at least one. Raises Refused or NotYet. Meets only messages of `commands`."""
        ...

    def unreadable(self, command: str | None, field: str | None) -> Refused:
        """The refusal for what no message of the contract can carry. `command` None: an option; its name is `field`."""
        ...

    def expire(self, state: State, seat: int, ctx: Ctx) -> list[Event]:
        """What the missed clock of that seat does; [] when no clock of that seat runs."""
        ...

    def clocks(self, state: State) -> tuple[Clock, ...]:
        """All clocks that run now."""
        ...

    def to_act(self, state: State) -> frozenset[int]:
        """Seats the game waits for."""
        ...

    def actions(self, state: State, seat: int, facts: Facts | None = None) -> tuple[str, ...]:
        """Names of the commands that would be accepted from that seat now, also out of turn.

        `facts` None: bots and host are those that the options name.
        """
        ...

    def some(self, state: State, seat: int) -> Iterable[Message]:
        """Legal commands of that seat now: all where few, else a good sample."""
        ...

    def result(self, state: State) -> Result | None:
        """Result of the play that has ended; None while one runs."""
        ...

    def score(self, state: State) -> tuple[int, ...] | None:
        """Live score by side, for tournaments; None where the game has none."""
        ...

    def options_now(self, state: State) -> Options | None:
        """The options as they hold now, where a command of the game changes them; None: as the play began."""
        ...

    def again(self, state: State) -> Options | None:
        """Options of a rematch (starter, dealer, white moved on); None: the next game is a command of the game."""
        ...

    def view(self, state: State, audience: int | None, facts: Facts) -> Message:
        """What one seat sees now; None is the public."""
        ...

    def redact(self, event: Event, state: State, audience: int | None) -> Message | None:
        """What the audience may know of `event` when the table stands at `state`. None: not even that it happened."""
        ...

    def redraw(self, state: State, event: Event, draws: Draws) -> Message:
        """The same event with its chance drawn again from `draws`, on the state before it (verify)."""
        ...

    def position(self, options: Options, given: Mapping[str, Any]) -> State:
        """The rules file's Position, as JSON (cases, practice). Raises Refused."""
        ...


@runtime_checkable
class RefusesEarly(Protocol):
    """A game whose rules file checks seat and end of game before the command itself, also one that cannot be read."""

    def early(self, state: Any, seat: int) -> Refused | None:
        """The refusal that any command of this seat meets now, whatever it is; None when the command decides."""
        ...


def unread(rules: object, state: Any, seat: int, unreadable: Refused) -> Refused:
    """What a command that cannot be read is refused with: `unreadable`, unless the game's order has a check before."""
    early = rules.early(state, seat) if isinstance(rules, RefusesEarly) else None
    return early or unreadable
