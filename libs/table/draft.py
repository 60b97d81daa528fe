"""A decision in the making: events are folded as they are added, on a copy; a refusal simply drops the copy."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from google.protobuf.message import Message
from msgspec.structs import replace

from libs.table.clocks import clocks_event, fill_bank, wanted_set
from libs.table.draws import SealedDraws, commitment, play_key
from libs.table.imported import ListedDraws
from libs.table.life import PLAYING, Running
from libs.table.rules import Draws, Facts, Job, NotYet
from libs.table.standing import Standing
from stamtafel.table.v1 import table_pb2 as pb


class House(Protocol):
    """What the kit may not make up itself: new seeds, invitation codes, and when the log had no owner."""

    def seed(self) -> bytes:
        """32 random bytes."""
        ...

    def code(self) -> str:
        """An invitation code."""
        ...

    def downs(self) -> Sequence[tuple[int, int]]:
        """Spans (us) in which the log had no owner."""
        ...


class Sealed(NamedTuple):
    """A seed to keep secret until its play ends."""

    play: int
    seed: bytes


class Draft(Standing):
    """A table's next decision. Starts where the table stands, ends as the events that the command causes."""

    __slots__ = (
        "_base",
        "_house_draws",
        "_outcomes",
        "_scripted",
        "events",
        "house",
        "last_at",
        "now",
        "sealed",
        "seed",
    )

    def __init__(self, standing: Standing, seed: bytes, now: int, house: House) -> None:
        self.rules = standing.rules
        self.table_id = standing.table_id
        standing.copy_to(self)
        self.seed = seed
        self.last_at = standing.at
        self.now = max(now, standing.at)
        self.house = house
        self.events: list[Message] = []
        self.sealed: list[Sealed] = []
        self._outcomes: Sequence[Any] = ()
        self._house_draws: SealedDraws | None = None
        self._base = 0
        self._scripted: ListedDraws | None = None

    # ------------------------------------------------------------------------------------------------ events

    def add(self, event: Message) -> None:
        """Adds one event and folds it."""
        self.apply(event)
        self.events.append(event)

    def add_played(self, events: Sequence[Message]) -> None:
        """Adds the game's events; where one stops a clock with a bank, writes what is left into it."""
        running = self.life.clocks
        evolve = self.rules.evolve
        for event in events:
            if running and _has_bank(type(event)):
                fill_bank(event, running, self.now)
            self.game = evolve(self.game, event)
        self.version += len(events)
        self.events.extend(events)

    def settle_clocks(self) -> None:
        """Closes the decision with one ClocksSet, if other clocks run now."""
        life = self.life
        wanted = self.rules.clocks(self.game) if life.state == PLAYING and not life.paused else ()
        running = wanted_set(life, wanted, self.now, self.version + 1)
        if running is not None:
            self.set_clocks(running)

    def set_clocks(self, running: Sequence[Running]) -> None:
        """Adds the ClocksSet of exactly these clocks (what its fold would make of it is known already)."""
        self.version += 1
        self.life = replace(self.life, clocks=tuple(running))
        self.events.append(clocks_event(running))

    # ----------------------------------------------------------------------------------------------- the seal

    def seal(self) -> None:
        """Draws and seals the seed of the next play."""
        play = self.life.play + 1
        self.seed = self.house.seed()
        self.sealed.append(Sealed(play, self.seed))
        self.add(pb.DrawsSealed(play=play, commitment=commitment(self.seed)))

    def reveal(self) -> None:
        """Reveals the seed of the present play."""
        self.add(pb.DrawsRevealed(play=self.life.play, seed=self.seed))

    # ------------------------------------------------------------------------------------- what rules may use

    def use(self, scripted: ListedDraws | None, outcomes: Sequence[Any]) -> None:
        """Gives the decision its scripted draws (imported records) and the outcomes of finished computations."""
        self._scripted = scripted
        self._outcomes = outcomes

    def ctx(self, next_play: bool = False) -> Ctx:
        """What `start`, `decide` and `expire` may use. `next_play`: chance is that of the play to come."""
        return Ctx(self, next_play)

    def outcomes(self) -> list[Any]:
        """Outcomes of the decision's computations so far, in order."""
        return list(self._outcomes)

    @property
    def scripted(self) -> ListedDraws | None:
        """The draws that the record lists for this command; None: this is no imported table."""
        return self._scripted

    def chance(self, next_play: bool) -> Draws:
        """The draws of the present play, or of the next one."""
        if self._scripted is not None:
            return self._scripted
        if self._house_draws is None:
            life = self.life
            if next_play:
                play, nonces, base = life.play + 1, tuple(seat.nonce for seat in life.seats), 0
            else:
                play, nonces, base = life.play, life.nonces, self.draws
            self._house_draws = SealedDraws(play_key(self.seed, self.table_id, play, nonces), base)
            self._base = base
        return self._house_draws

    def draws_taken(self) -> int:
        """How many of the table's draws this decision took; the standing counts them from here on."""
        if self._house_draws is None:
            return 0
        self.draws = self._house_draws.taken
        return self.draws - self._base


@functools.cache
def _has_bank(event: type[Message]) -> bool:
    return "bank_left_ms" in event.DESCRIPTOR.fields_by_name


class Ctx:
    """Implements `rules.Ctx` over a draft; draws are set up only when the first one is asked for."""

    __slots__ = ("_draft", "_draws", "_next_play", "_outcomes")

    def __init__(self, draft: Draft, next_play: bool) -> None:
        self._draft = draft
        self._next_play = next_play
        self._draws: Draws | None = None
        self._outcomes: list[Any] | None = None

    @property
    def facts(self) -> Facts:
        return self._draft.facts()

    @property
    def draws(self) -> Draws:
        if self._draws is None:
            self._draws = self._draft.chance(self._next_play)
        return self._draws

    def compute(self, job: Job) -> Any:
        """The job's outcome, or NotYet(job). At an imported table it stands in the record, where draws do."""
        if self._draft.scripted is not None:
            return self._draft.scripted.outcome()
        if self._outcomes is None:
            self._outcomes = self._draft.outcomes()
        if not self._outcomes:
            raise NotYet(job)
        return self._outcomes.pop(0)
