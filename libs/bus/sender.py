"""Sending commands and answering them (design: the writer, "Sending").

What counts is the game's answer, not JetStream's ack: a command is published plainly, and again after 1, 2 and 4
seconds until it is answered. The receiver knows a repeat by its command id.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec

from libs.bus.errors import STREAM_FULL, Backlog, NoAnswer, NoOwner, TooLarge
from libs.bus.ports import Wire

RESEND_AFTER_S = (1.0, 2.0, 4.0)
TICK_S = 0.1
MOST_OPEN = 5000

_decode = msgspec.json.Decoder().decode


class _Open:
    """A command that waits for its answer."""

    __slots__ = ("data", "future", "log", "reply", "subject", "tries", "unheard", "until")

    def __init__(self, log: str, subject: str, future: asyncio.Future[bytes], until: float | None) -> None:
        self.log = log
        self.subject = subject
        self.future = future
        self.until = until
        self.reply = ""
        self.data = b""
        self.tries = 0
        self.unheard = False


class CommandSender:
    """Sends commands and gives their answers.

    `name` must be this process's own: `<user>.<instance>`, such as `gateway.7f3a`, since permissions are granted on
    `ans.<user>.>`. Answers come on `ans.<name>.<n>`, JetStream's acks on `ans.<name>.<n>.ack`, both over one
    subscription. `clock` gives seconds; with it, and `tick`, the tests move time by hand.
    """

    def __init__(
        self, bus: Wire, name: str, *, clock: Callable[[], float] | None = None, most_open: int = MOST_OPEN
    ) -> None:
        self._bus = bus
        self._loop = asyncio.get_running_loop()
        self._clock = clock
        self._prefix = f"ans.{name}."
        self._prefix_size = len(self._prefix)
        self._most_open = most_open
        self._open: dict[int, _Open] = {}
        self._per_log: Counter[str] = Counter()
        self._due: list[tuple[float, int]] = []
        self._count = 0
        self._timer: asyncio.TimerHandle | None = None
        self.resent = 0
        self._heard = bus.subscribe(f"{self._prefix}>", self._on_message)
        bus.on_reconnect.append(self._reconnected)

    @property
    def open(self) -> int:
        """Commands that wait for their answer now."""
        return len(self._open)

    async def send(self, log: str, table: str, build: Callable[[str], bytes], deadline_s: float | None = 10.0) -> bytes:
        """Send the command that `build(reply_to)` gives to `cmd.<log>.<table>` and return the answer's bytes.

        `deadline_s` None waits for ever (services; people have 10 s). While disconnected nothing is sent; it goes out
        on return. Raises `Backlog` (the stream is full, or too many commands for this log are open), `NoAnswer` at the
        deadline, `NoOwner` at the deadline if no command stream was there, `TooLarge`. Cancelling stops the repeats;
        the command may have taken effect.
        """
        if self._per_log[log] >= self._most_open:
            raise Backlog(f"{self._most_open} commands for {log} are open")
        now = self._now()
        self._count += 1
        number = self._count
        call = _Open(
            log, f"cmd.{log}.{table}", self._loop.create_future(), None if deadline_s is None else now + deadline_s
        )
        call.reply = f"{self._prefix}{number}"
        call.data = build(call.reply)
        call.reply += ".ack"
        self._open[number] = call
        self._per_log[log] += 1
        try:
            self._publish(number, call, now)
            return await call.future
        finally:
            del self._open[number]
            self._per_log[log] -= 1

    def tick(self) -> None:
        """Send again what is due, and end what is past its deadline (called every 0.1 s while commands are open)."""
        now = self._now()
        due = self._due
        while due and due[0][0] <= now:
            number = heapq.heappop(due)[1]
            call = self._open.get(number)
            if call is None or call.future.done():
                continue
            if call.until is not None and now >= call.until:
                call.future.set_exception(self._gave_up(call))
                continue
            self.resent += 1
            try:
                self._publish(number, call, now)
            except TooLarge as error:  # the server came back with a smaller limit
                call.future.set_exception(error)

    def close(self) -> None:
        """Stop hearing answers; open commands end with `NoAnswer`."""
        self._heard.close()
        self._bus.on_reconnect.remove(self._reconnected)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for call in self._open.values():
            if not call.future.done():
                call.future.set_exception(NoAnswer(f"the sender of {call.subject} was closed"))

    def _now(self) -> float:
        return self._loop.time() if self._clock is None else self._clock()

    def _publish(self, number: int, call: _Open, now: float) -> None:
        self._bus.publish(call.subject, call.data, call.reply)
        at = now + RESEND_AFTER_S[min(call.tries, len(RESEND_AFTER_S) - 1)]
        call.tries += 1
        if call.until is not None and call.until < at:
            at = call.until
        heapq.heappush(self._due, (at, number))
        if self._timer is None and self._clock is None:
            self._timer = self._loop.call_later(TICK_S, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self.tick()
        if self._open and self._timer is None:
            self._timer = self._loop.call_later(TICK_S, self._on_timer)
        elif not self._open:
            self._due.clear()

    def _reconnected(self) -> None:
        """What could not go out, or may have gone under, goes out now; the next repeats keep their rhythm."""
        for call in self._open.values():
            if not call.future.done():
                self._bus.publish(call.subject, call.data, call.reply)

    def _on_message(self, subject: bytes, reply: bytes, data: bytes, header: bytes) -> None:
        token = subject[self._prefix_size :]
        if token.endswith(b".ack"):
            if header or b'"error"' in data:
                self._on_refusal(int(token[:-4]), data, header)
            else:
                call = self._open.get(int(token[:-4]))
                if call is not None:
                    call.unheard = False
            return
        call = self._open.get(int(token))
        if call is not None and not call.future.done():
            call.future.set_result(data)

    def _on_refusal(self, number: int, data: bytes, header: bytes) -> None:
        call = self._open.get(number)
        if call is None or call.future.done():
            return
        if header.startswith(b"NATS/1.0 503"):
            call.unheard = True
            return
        error: dict[str, Any] = _decode(data).get("error", {}) if data else {}
        if error.get("err_code") == STREAM_FULL or error.get("code") == 429 or header.startswith(b"NATS/1.0 429"):
            call.future.set_exception(Backlog(f"{call.subject}: {error.get('description', 'too many requests')}"))
        # any other error: JetStream is not well; the repeats find out

    def _gave_up(self, call: _Open) -> Exception:
        if call.unheard:
            return NoOwner(f"no process owns the log {call.log}: its command stream does not exist")
        return NoAnswer(f"no answer from {call.subject} after {call.tries} tries")


def answer(bus: Wire, reply_to: str, data: bytes) -> None:
    """Answer a command:

    `reply_to` is what its sender wrote into it. Nobody learns whether it arrived; the sender asks again if not.
    """
    bus.publish(reply_to, data)
