"""Reading a stream without losing or doubling: one ephemeral pull consumer at a time, made anew at every doubt.

nats-py does not renew outstanding pulls after a reconnect and loses messages when a fetch is cancelled, so this is a
pull loop of our own that is never cancelled. The consumer has no acks; that nothing got lost between server and reader
is seen by the consumer's own sequence. At a jump, a reconnect, a missed heartbeat or an error the consumer is given up
and another one starts where the reader itself says it stands.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from libs.bus.errors import BusError, Lost
from libs.bus.streams import SECOND_NS, api

if TYPE_CHECKING:
    from libs.bus.connection import Bus, Subscription

_log = logging.getLogger("stamtafel.bus")


class Tuning(msgspec.Struct, frozen=True):
    """How a feed pulls.

    `batch` messages per pull, asked for while fewer than `room` wait to be taken; times in seconds.
    """

    batch: int = 1024
    room: int = 8192
    heartbeat_s: float = 1.0
    expires_s: float = 30.0
    retry_s: float = 0.25


class Source(Protocol):
    """What a reader tells its feed."""

    async def plan(self) -> dict[str, Any] | None:
        """Where to start now: the consumer's delivery settings. None: not possible yet, ask again. Raises `Lost`."""
        ...

    async def confirm(self) -> bool:
        """Asked after the consumer was made: does the plan still hold (is it the same stream)?"""
        ...

    def accept(self, seq: int, at_us: int, subject: bytes, data: bytes) -> None:
        """The next message."""
        ...

    def queued(self) -> int:
        """How many messages wait to be taken."""
        ...

    def fail(self, error: BaseException) -> None:
        """The feed has ended for good."""
        ...


class Feed:
    """Delivers a stream's messages to a source, in order, over as many consumers as it takes."""

    def __init__(self, bus: Bus, stream: str, filters: tuple[str, ...], source: Source, tuning: Tuning) -> None:
        self._bus = bus
        self._stream = stream
        self._filters = filters
        self._source = source
        self._tuning = tuning
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[None] | None = None
        self._broken = asyncio.Event()
        self._why = ""
        self._name = b""
        self._inbox = ""
        self._heard_from: Subscription | None = None
        self._cseq = 0
        self._pulls: deque[list[int]] = deque()  # [number, messages still to come], in the order the server serves them
        self._pull_count = 0
        self._open = 0
        self._fresh = True
        self._silent = 0
        self._pending = b"0"
        self.lives = 0  # consumers made so far
        self.begun = asyncio.Event()  # there was a first one, or never will be

    @property
    def pending(self) -> int:
        """Messages behind the last one received that the server had for this reader when it sent that one."""
        return int(self._pending)

    def start(self) -> None:
        """Begin; once."""
        if self._task is None:
            self._bus.on_reconnect.append(self._reconnected)
            self._bus.on_disconnect.append(self._disconnected)
            self._task = self._loop.create_task(self._run(), name=f"feed {self._stream}")

    async def close(self) -> None:
        """Stop."""
        if self._task is not None:
            self._bus.on_reconnect.remove(self._reconnected)
            self._bus.on_disconnect.remove(self._disconnected)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def taken(self) -> None:
        """The source gave messages away: there may be room for more."""
        if self._name and self._open <= self._tuning.batch // 2:
            self._pull_if_room()

    def break_off(self, why: str) -> None:
        """Give this consumer up and start another one from the source's position."""
        self._name = b""
        self._why = why
        self._broken.set()

    async def _run(self) -> None:
        try:
            while True:
                await self._bus.wait_connected()
                self._broken.clear()
                if not await self._begin():
                    await self._pause()
                    continue
                watch = self._loop.create_task(self._watch())
                try:
                    await self._broken.wait()
                finally:
                    watch.cancel()
                    self._end()
                _log.info("%s: reading again after %s", self._stream, self._why)
        except asyncio.CancelledError:
            self._end()
            raise
        except Exception as error:
            self._end()
            if not isinstance(error, Lost):
                _log.exception("%s: the reader has stopped", self._stream)
            self._source.fail(error)
            self.begun.set()

    async def _begin(self) -> bool:
        """Make a consumer where the source stands. False when that is not possible now."""
        try:
            plan = await self._source.plan()
            if plan is None:
                return False
            name = f"r{secrets.token_hex(12)}"
            self._inbox = self._bus.fresh_inbox()
            self._heard_from = self._bus.subscribe(f"{self._inbox}.*", self._on_message)
            self._name = name.encode()
            self._cseq = self._open = self._silent = 0
            self._pulls.clear()
            self._fresh = True
            await self._create(name, plan)
            if not await self._source.confirm():
                raise BusError("the stream was replaced meanwhile")
        except Lost:
            raise
        except BusError as error:
            _log.debug("%s: cannot read yet: %s", self._stream, error)
            self._end()
            return False
        self.lives += 1
        self.begun.set()
        self._pull_if_room()
        return True

    async def _create(self, name: str, plan: dict[str, Any]) -> None:
        config: dict[str, Any] = {
            "name": name,
            "ack_policy": "none",
            "replay_policy": "instant",
            "inactive_threshold": int(max(30.0, 3 * self._tuning.expires_s) * SECOND_NS),
            "mem_storage": True,
            "num_replicas": 1,
            **plan,
        }
        call = f"CONSUMER.CREATE.{self._stream}.{name}"
        if len(self._filters) == 1:  # the filter stands in the subject: that is what permissions are granted on
            config["filter_subject"] = self._filters[0]
            call = f"{call}.{self._filters[0]}"
        elif self._filters:
            config["filter_subjects"] = list(self._filters)
        await api(self._bus, call, {"stream_name": self._stream, "config": config, "action": "create"})

    def _end(self) -> None:
        self._name = b""
        if self._heard_from is not None:
            self._heard_from.close()
            self._heard_from = None

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(self._tuning.retry_s):
                await self._broken.wait()
        except TimeoutError:
            pass

    async def _watch(self) -> None:
        """Break off when an open pull brings neither message nor heartbeat for two to three heartbeats."""
        while True:
            try:
                async with asyncio.timeout(self._tuning.heartbeat_s):
                    await self._broken.wait()
                    return
            except TimeoutError:
                self.beat()

    def beat(self) -> None:
        """One heartbeat interval has passed (called by the watch)."""
        if self._fresh or not self._open:
            self._fresh = False
            self._silent = 0
            if self._name:
                self._pull_if_room()
            return
        self._silent += 1
        if self._silent >= 2:
            self.break_off("overdue pull")

    def _pull_if_room(self) -> None:
        tuning = self._tuning
        if self._open > tuning.batch // 2 or self._source.queued() + self._open >= tuning.room:
            return
        self._pull_count += 1
        self._pulls.append([self._pull_count, tuning.batch])
        self._open += tuning.batch
        ask = b'{"batch":%d,"expires":%d,"idle_heartbeat":%d}' % (
            tuning.batch,
            int(tuning.expires_s * SECOND_NS),
            int(tuning.heartbeat_s * SECOND_NS),
        )
        subject = f"$JS.API.CONSUMER.MSG.NEXT.{self._stream}.{self._name.decode()}"
        self._bus.publish(subject, ask, f"{self._inbox}.{self._pull_count}")

    def _on_message(self, subject: bytes, reply: bytes, data: bytes, header: bytes) -> None:
        self._fresh = True
        if not reply.startswith(b"$JS.ACK."):
            self._on_status(subject, header)
            return
        # $JS.ACK.<stream>.<consumer>.<delivered>.<stream seq>.<consumer seq>.<ns>.<pending>; with a domain and an
        # account's hash in front of the stream, and a random token behind, it has twelve tokens
        tokens = reply.split(b".")
        base = 2 if len(tokens) == 9 else 4
        if tokens[base + 1] != self._name:
            return
        cseq = int(tokens[base + 4])
        if cseq != self._cseq + 1:
            self.break_off(f"consumer sequence {cseq} after {self._cseq}")
            return
        self._cseq = cseq
        self._pending = tokens[base + 6]
        self._open -= 1
        pulls = self._pulls
        if pulls:
            oldest = pulls[0]
            oldest[1] -= 1
            if not oldest[1]:
                pulls.popleft()
        self._source.accept(int(tokens[base + 3]), int(tokens[base + 5]) // 1000, subject, data)
        if self._open <= self._tuning.batch // 2:
            self._pull_if_room()

    def _on_status(self, subject: bytes, header: bytes) -> None:
        status = header[9:12]
        if status == b"100":
            return
        if status in (b"408", b"404"):  # this pull is over; others may be open
            number = int(subject[subject.rindex(b".") + 1 :])
            for pull in self._pulls:
                if pull[0] == number:
                    self._open -= pull[1]
                    self._pulls.remove(pull)
                    break
            if self._name:
                self._pull_if_room()
            return
        self.break_off(header[9:].split(b"\r\n", 1)[0].decode("ascii", "replace"))

    def _reconnected(self) -> None:
        self.break_off("reconnect")

    def _disconnected(self) -> None:
        self.break_off("disconnect")
