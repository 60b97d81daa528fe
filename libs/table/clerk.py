"""Decides commands in stream order, into the plan of the next commit. Synchronous; nothing leaves from here.

Per command: unknown table, repeats, late commands, tables that wait or are set aside; then `decide`. An accepted
decision is folded at once, so that the next command sees it.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError

from libs.bus.ports import Raw
from libs.table.decide import decide
from libs.table.draft import House
from libs.table.jobs import JobFailed
from libs.table.plan import Plan, accepted_answer
from libs.table.rules import Job, NotYet, Refused
from libs.table.tables import Shelf, Table, memory_key
from stamtafel.table.v1 import table_pb2 as pb

_log = logging.getLogger("stamtafel.table")

MOST_WAITING = 1000
REFUSALS_PER_SENDER = 32
SENDERS = 20_000
UNKNOWN_US = 10_000_000


def _plain(text: str) -> bool:
    return not text or (len(text) <= 128 and text.isprintable())


class Waiting(NamedTuple):
    """A command that waits for a computation, its own or one of the commands before it at its table."""

    raw: Raw
    command: pb.Command
    outcomes: tuple[Any, ...]


class Clerk:
    """The deciding half of a writer. `now_us` is the wall clock; `compute` starts a computation for a table."""

    def __init__(
        self, shelf: Shelf, house: House, compute: Callable[[Table, Job], None], now_us: Callable[[], int]
    ) -> None:
        self._shelf = shelf
        self._house = house
        self._compute = compute
        self._now_us = now_us
        self._refusals: OrderedDict[str, OrderedDict[str, bytes]] = OrderedDict()
        self._unknown: dict[str, int] = {}
        self.read_back: set[str] = set()
        self.waiting_seqs: dict[int, None] = {}
        self.plan = Plan()
        self.turn = 0
        self.poisoned = 0

    def clear(self) -> None:
        """Forgets everything: the log is another's now."""
        self._shelf.clear()
        self._refusals.clear()
        self._unknown.clear()
        self.read_back.clear()
        self.waiting_seqs.clear()
        self.plan = Plan()

    # --------------------------------------------------------------------------------------------- what to load

    def missing(self, raws: Sequence[Raw]) -> list[str]:
        """Tables of these commands that are not in memory and may be in the log."""
        tables = self._shelf.tables
        wanted = {raw.stream for raw in raws if raw.stream not in tables}
        if not wanted:
            return []
        now = self._now_us()
        return [table_id for table_id in wanted if self._unknown.get(table_id, 0) < now]

    def note_unknown(self, table_ids: Sequence[str]) -> None:
        """Remembers for ten seconds which tables the log does not have."""
        now = self._now_us()
        if len(self._unknown) > 10_000:
            self._unknown = {key: until for key, until in self._unknown.items() if until > now}
        for table_id in table_ids:
            if table_id not in self._shelf.tables:
                self._unknown[table_id] = now + UNKNOWN_US

    # ------------------------------------------------------------------------------------------------ deciding

    def take(self, raw: Raw) -> None:
        """Decides one command, or queues it behind what its table waits for."""
        plan = self.plan
        plan.commands += 1
        if not plan.oldest:
            plan.oldest = raw.at_us
        try:
            command = pb.Command.FromString(raw.data)
        except DecodeError:
            self._garbled(raw)
            return
        if command.table_id != raw.stream:
            command.table_id = raw.stream
        table = self._shelf.tables.get(raw.stream)
        if table is not None and table.queue:
            self._queue(table, Waiting(raw, command, ()))
        else:
            self._judge(raw, command, table, ())

    def resume(self, table: Table, outcome: Any) -> None:
        """A table's computation is done: decides the command that waited for it, and those behind it."""
        table.working = False
        first: Waiting = table.queue.pop(0)
        if isinstance(outcome, JobFailed):
            _log.error("a computation failed at table %s", table.table_id, exc_info=outcome)
            self.plan.commands += 1
            self._done(first)
            self._refuse(first.command, table, Refused("internal", "the server could not compute this"))
        else:
            table.queue.insert(0, first._replace(outcomes=(*first.outcomes, outcome)))
        self._work_off(table)

    def _work_off(self, table: Table) -> None:
        while table.queue and not table.working:
            waiting: Waiting = table.queue.pop(0)
            self._done(waiting)
            self.plan.commands += 1
            self._judge(waiting.raw, waiting.command, table, waiting.outcomes)

    def skip(self, raw: Raw) -> None:
        """Answers a command that has killed the process three times, without deciding it."""
        self.plan.commands += 1
        self.poisoned += 1
        try:
            command = pb.Command.FromString(raw.data)
        except DecodeError:
            return
        _log.error("command %d of table %s is skipped: it killed its process", raw.seq, raw.stream)
        self._refuse(command, self._shelf.tables.get(raw.stream), Refused("internal", "the server cannot do this"))

    def _done(self, waiting: Waiting) -> None:
        self.waiting_seqs.pop(waiting.raw.seq, None)

    def _queue(self, table: Table, waiting: Waiting, first: bool = False) -> None:
        if len(self.waiting_seqs) >= MOST_WAITING:
            self._refuse(waiting.command, table, Refused("busy", "too much is waiting; try again in a moment"))
            return
        if first:
            table.queue.insert(0, waiting)
        else:
            table.queue.append(waiting)
        self.waiting_seqs[waiting.raw.seq] = None

    def _garbled(self, raw: Raw) -> None:
        self.poisoned += 1
        _log.warning("command %d of table %s is no command", raw.seq, raw.stream)

    def _judge(self, raw: Raw, command: pb.Command, table: Table | None, outcomes: tuple[Any, ...]) -> None:
        plan = self.plan
        key = memory_key(command.actor.id, command.command_id)
        fresh = table is None
        try:
            if table is None:
                table = self._fresh(raw, command)
            first = table.accepted.get(key)
            if first is not None:
                plan.answer(command, accepted_answer(command, first[0]))
                return
            refused = self._first_refusal(command)
            if refused is not None:
                plan.answer(command, refused)
                return
            self._check(raw, command, table, key)
            draft = decide(table, table.seed, command, raw.at_us, self._house, outcomes)
        except Refused as refusal:
            self._refuse(command, None if fresh else table, refusal)
            return
        except NotYet as wanted:
            assert table is not None
            self._queue(table, Waiting(raw, command, outcomes), first=True)
            if table.queue and table.queue[0].raw is raw:
                table.working = True
                self._compute(table, wanted.job)
            return
        except Exception:
            self.poisoned += 1
            _log.exception("a command could not be decided at table %s", raw.stream)
            self._refuse(command, table, Refused("internal", "something went wrong on the server"))
            return
        if fresh:
            self._shelf.tables[raw.stream] = table
            self._unknown.pop(raw.stream, None)
        plan.take_in(draft, command, table.version)
        table.adopt(draft, key)
        table.touched = self.turn
        plan.answer(command, accepted_answer(command, draft.version))

    def _fresh(self, raw: Raw, command: pb.Command) -> Table:
        if command.WhichOneof("body") != "open_table":
            raise Refused("unknown_table", f"there is no table {raw.stream}", "table_id")
        return self._shelf.new(raw.stream)

    def _check(self, raw: Raw, command: pb.Command, table: Table, key: str) -> None:
        if not 1 <= len(command.command_id) <= 64:
            size = len(command.command_id)
            raise Refused("bad_argument", f"command_id is 1..64 characters, not {size}", "command_id")
        if not command.command_id.isprintable():
            raise Refused("bad_argument", "command_id has a character that cannot be printed", "command_id")
        actor = command.actor
        if not (1 <= len(actor.id) <= 64 and actor.id.isprintable() and len(actor.name) <= 40):
            raise Refused("bad_argument", "an actor's id is 1..64 printable characters, its name 0..40", "actor")
        if not (_plain(command.correlation_id) and _plain(command.causation_id)):
            raise Refused("bad_argument", "correlation and causation ids are 0..128 printable characters")
        if table.set_aside:
            raise Refused("internal", "this table is set aside until an operator has looked at it")
        if key in self.read_back:
            raise Refused("repeated", "this command was refused before; send a new one")
        if command.valid_for_ms and self._now_us() - raw.at_us > command.valid_for_ms * 1000:
            raise Refused("too_late", f"the command came later than {command.valid_for_ms} ms and has no effect")

    # ------------------------------------------------------------------------------------------------ refusing

    def _refuse(self, command: pb.Command, table: Table | None, refusal: Refused) -> None:
        answer = pb.Answer(
            command_id=command.command_id,
            table_id=command.table_id,
            refused=pb.Refusal(
                code=refusal.code,
                message=refusal.message,
                field=refusal.field or "",
                version=table.version if table is not None else 0,
                details=[pb.Detail(key=name, value=str(value)) for name, value in refusal.details.items()],
            ),
        ).SerializeToString()
        self._remember_refusal(command, answer)
        self.plan.answer(command, answer)

    def _remember_refusal(self, command: pb.Command, answer: bytes) -> None:
        by_sender = self._refusals
        known = by_sender.get(command.actor.id)
        if known is None:
            known = by_sender[command.actor.id] = OrderedDict()
            if len(by_sender) > SENDERS:
                by_sender.popitem(last=False)
        known[command.command_id] = answer
        if len(known) > REFUSALS_PER_SENDER:
            known.popitem(last=False)

    def _first_refusal(self, command: pb.Command) -> bytes | None:
        known = self._refusals.get(command.actor.id)
        return known.get(command.command_id) if known else None
