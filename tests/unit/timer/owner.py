"""A stand-in for the owner of a log: sets clocks, answers expiries as tables do. And time that a test moves."""

import asyncio
from collections.abc import Callable
from typing import Any

from libs.bus import BusPort, Position, answer
from libs.testing.clock import ScriptedClock
from stamtafel.table.v1 import table_pb2 as pb
from tests.unit.readmodel.records import Script

LOG = "trictrac-0"


class ScriptedTime:
    """The timer's clock on a scripted one."""

    def __init__(self, clock: ScriptedClock) -> None:
        self.clock = clock
        self.waits = asyncio.Event()
        self.until: int | None = None

    def now_us(self) -> int:
        return self.clock.us()

    async def wait(self, wake: asyncio.Event, until_us: int | None) -> None:
        self.until = until_us
        self.waits.set()
        sleeper: asyncio.Task[None] | None = None
        if until_us is not None:
            sleeper = asyncio.create_task(self.clock.sleep(max(0, until_us - self.clock.us()) / 1e6))
            sleeper.add_done_callback(lambda ended: None if ended.cancelled() else wake.set())
        try:
            if not (until_us is not None and until_us <= self.clock.us()):
                await wake.wait()
        finally:
            self.waits.clear()
            if sleeper is not None:
                sleeper.cancel()


class Owner:
    """Tables that know only their clocks. `deaf`: commands lie in the stream unread."""

    def __init__(self, bus: Any, log: str = LOG, now_us: Callable[[], int] = lambda: 0) -> None:
        self.bus: BusPort = bus
        self.script = Script(log)
        self.clocks: dict[str, dict[str, int]] = {}
        self.seen: list[pb.Command] = []
        self.answered: dict[str, pb.Answer] = {}
        self.effects: list[tuple[str, str]] = []
        self.refuse: Callable[[pb.Command], pb.Refusal | None] = lambda _: None
        self.hearing = asyncio.Event()
        self.hearing.set()
        self._now_us = now_us
        self._turn = asyncio.Condition()
        self._relay = bus.relay(log, self.script.read)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        await self._relay.start()
        self._commands = await self.bus.commands(self.script.log, Position())
        self._tasks.append(asyncio.create_task(self._decide()))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._relay.close()
        await self._commands.close()

    def set(self, table: str, **clocks: int) -> None:
        """The clocks of a table are these now, by due time in us."""
        self.clocks[table] = clocks
        running = [pb.RunningClock(clock_id=clock_id, due_us=due) for clock_id, due in clocks.items()]
        record = self.script.add(table, pb.ClocksSet(running=running), "clock")
        self._relay.notify([(record.position, table, "clock", record.SerializeToString())])

    async def until(self, condition: Callable[[], bool]) -> None:
        """Waits until commands or answers make it true."""
        async with self._turn:
            await self._turn.wait_for(condition)

    async def _decide(self) -> None:
        while True:
            await self.hearing.wait()
            for raw in await self._commands.take():
                command = pb.Command.FromString(raw.data)
                self.seen.append(command)
                if self.hearing.is_set():
                    found = self.answered.get(command.command_id)
                    if found is None:
                        found = self.answered[command.command_id] = self._answer(command)
                    answer(self.bus, command.answer_to, found.SerializeToString())
            async with self._turn:
                self._turn.notify_all()

    def _answer(self, command: pb.Command) -> pb.Answer:
        reply = pb.Answer(command_id=command.command_id, table_id=command.table_id)
        clock_id = command.expire_clock.clock_id
        due = self.clocks.get(command.table_id, {}).get(clock_id)
        refusal = self.refuse(command)
        if refusal is not None:
            reply.refused.CopyFrom(refusal)
        elif due is None:
            reply.refused.code = "no_such_clock"
        elif self._now_us() < due:
            reply.refused.code = "not_due"
            reply.refused.details.add(key="rest_ms", value=str(-(-(due - self._now_us()) // 1000)))
        else:
            self.effects.append((command.table_id, clock_id))
            reply.accepted.version = 1
            kept = {key: at for key, at in self.clocks[command.table_id].items() if key != clock_id}
            self.set(command.table_id, **kept)
        return reply
