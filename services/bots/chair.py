"""One computer player on one chair: looks at the newest view, thinks, waits as a person would, acts.

While a command of it is on its way it does nothing else, and after an acceptance it waits for a view that shows the
effect: so it never acts twice on what it saw once. A refusal makes it look again only at something newer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any, Protocol

import msgspec
from google.protobuf.any_pb2 import Any as AnyMessage

from libs.bus import Backlog, NoAnswer
from libs.service import get_logger
from services.bots.brains import Sight
from services.bots.census import Seat
from stamtafel.table.v1 import table_pb2 as pb

COURTESY_S = 1.5
BACKLOG_S = 1.0
MOST_EVENTS = 1000

Send = Callable[[str, str, Callable[[str], bytes]], Awaitable[bytes]]
"""`send(log, table, build)` sends until it is answered and returns the answer; `build(answer_to)` gives the command."""

_log = get_logger("bots")
_PLAY_BEGAN = pb.PlayBegan.DESCRIPTOR.full_name


class Thinks(Protocol):
    """A `services.bots.brains.Thinker`."""

    async def think(self, sight: Sight, memory: Any, seed: int) -> tuple[AnyMessage | None, Any, float]: ...

    def courteous(self, sight: Sight) -> bool: ...


class Report(Protocol):
    """What is counted."""

    def acted(self, code: str) -> None:
        """A command was answered: `accepted`, or the code of its refusal."""
        ...

    def failed(self) -> None:
        """A brain or a worker failed."""
        ...


class Manners(msgspec.Struct, frozen=True):
    """What a chair uses.

    `pace` multiplies every wait (0: none). `now` gives seconds, `sleep` waits that long, `seed` gives the bot's chance.
    """

    thinker: Thinks
    send: Send
    report: Report
    pace: float
    now: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    seed: Callable[[], int]


class Chair:
    """The player on it forgets nothing but what a restart takes: then the view alone must do."""

    def __init__(self, place: Seat, manners: Manners, level: Callable[[], str | None]) -> None:
        """`level` gives the level for an entrusted seat, whose view does not say it."""
        self.place, self._manners, self._level = place, manners, level
        self.version = 0
        self.heard_at = manners.now()
        self._view: pb.TableView = pb.TableView()
        self._events: list[AnyMessage] = []
        self._memory: Any = None
        self._tries = 0
        self._not_before = 0
        self._newer = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        """Whether it thinks, waits or has sent something."""
        return self._task is not None

    def see(self, update: pb.Update, asked: bool = False) -> None:
        """Take in a view. `asked`: asked for, because nothing was heard; then the same version is looked at again."""
        self.heard_at = self._manners.now()
        if update.version < self.version or (update.version == self.version and not asked):
            return
        if update.version > self.version:
            self._remember(update)
            self._newer.set()
            self._tries = 0
        else:
            self._tries += 1  # what was tried at this version was refused, and the same id would be refused again
        if not self.busy and self.version >= self._not_before and self._wanted():
            self._task = asyncio.create_task(self._play(), name=f"bot {self.place.table} {self.place.seat}")
            self._task.add_done_callback(self._rest)

    async def close(self) -> None:
        """Stop; what is on its way may still take effect."""
        task = self._task
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _remember(self, update: pb.Update) -> None:
        if update.view.play != self._view.play:
            self._memory, self._events = None, []
        events: list[AnyMessage] = [event.body for event in update.events]
        began = [n for n, body in enumerate(events) if body.TypeName() == _PLAY_BEGAN]
        if began:
            self._memory, self._events, events = None, [], events[began[-1] + 1 :]
        self._events += [body for body in events if not body.TypeName().startswith("stamtafel.table.")]
        del self._events[:-MOST_EVENTS]
        self._view, self.version = update.view, update.version

    def _wanted(self) -> bool:
        view, seat = self._view, self.place.seat
        if view.paused or not view.game_view.type_url or seat >= len(view.seats):
            return False
        if not (view.seats[seat].bot or view.seats[seat].entrusted):
            return False
        return seat in view.to_act or bool(view.actions)

    async def _play(self) -> None:
        since = self._manners.now()
        while self._wanted() and self.version >= self._not_before:
            seen, view, events = self.version, self._view, list(self._events)
            self._newer.clear()
            sight = self._sight(view, events)
            command, memory, wait_s = await self._manners.thinker.think(sight, self._memory, self._manners.seed())
            if command is not None:
                wait_s = max(wait_s, COURTESY_S) if self._manners.thinker.courteous(sight) else wait_s
                await self._wait(wait_s * self._manners.pace - (self._manners.now() - since))
            if self.version != seen:
                continue  # something happened meanwhile: look again, with the waiting done so far
            self._memory = memory
            del self._events[: len(events)]
            if command is None:
                return
            code = await self._act(command, seen)
            since = self._manners.now()
            if code == "backlog":
                await self._manners.sleep(BACKLOG_S)
                self._tries += 1
            elif code != "accepted" and self.version == seen:
                return  # nothing has changed: no sense in trying again before something does, or the sweep asks

    def _sight(self, view: pb.TableView, events: list[AnyMessage]) -> Sight:
        seat = self.place.seat
        level = view.seats[seat].bot or self._level() or "normal"
        return Sight(view.game, seat, level, view.options, view.game_view, tuple(view.actions), events)

    async def _wait(self, seconds: float) -> None:
        """Wait so long, or until there is something newer to see."""
        if seconds <= 0:
            return
        sleeping = asyncio.ensure_future(self._manners.sleep(seconds))
        newer = asyncio.ensure_future(self._newer.wait())
        try:
            await asyncio.wait((sleeping, newer), return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()
            newer.cancel()

    async def _act(self, body: AnyMessage, version: int) -> str:
        place = self.place
        command = pb.Command(
            command_id=command_id(place, version, self._tries),
            table_id=place.table,
            actor=pb.Actor(id="bots", kind=pb.ACTOR_KIND_BOT),
            act=pb.Act(seat=place.seat, body=body),
        )

        def build(answer_to: str) -> bytes:
            command.answer_to = answer_to
            return command.SerializeToString()

        try:
            answer = pb.Answer.FromString(await self._manners.send(place.log, place.table, build))
        except Backlog:
            return "backlog"
        except NoAnswer:  # the sender was closed
            return "no_answer"
        if answer.HasField("accepted"):
            self._not_before = max(self._not_before, answer.accepted.version)
            code = "accepted"
        else:
            code = answer.refused.code
            _log.debug("a bot was refused", table=place.table, seat=place.seat, code=code, type=body.TypeName())
        self._manners.report.acted(code)
        return code

    def _rest(self, ended: asyncio.Task[None]) -> None:
        self._task = None
        if not ended.cancelled() and (error := ended.exception()) is not None:
            self._manners.report.failed()
            _log.error("a bot failed", table=self.place.table, seat=self.place.seat, exc_info=error)
            return
        if not ended.cancelled() and self._newer.is_set():
            # Something was seen between the last look and the end of the task.
            self._newer.clear()
            if self.version >= self._not_before and self._wanted():
                self._task = asyncio.create_task(self._play(), name=ended.get_name())
                self._task.add_done_callback(self._rest)


def command_id(place: Seat, version: int, tries: int = 0) -> str:
    """The same for a second thought about the same version, so that it has no second effect."""
    text = f"{place.table} {place.seat} {version} {tries}"
    return "bot-" + sha256(text.encode()).hexdigest()[:32]
