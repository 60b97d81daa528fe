"""The audit: whether the log and what follows from it is as if nothing had been killed. A finding is a sentence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from libs.bus.ports import Fact
from libs.log.chain import start_hash, verify
from libs.log.export import to_message
from libs.log.model import BrokenChain, EventRecord, Gap
from libs.table.standing import AnyRules, Standing, event_types
from stamtafel.table.v1 import table_pb2 as pb
from tests.faults.storm import Told


def chain(log: str, records: Sequence[EventRecord]) -> list[str]:
    """Positions without gaps from 1, versions without gaps, and a chain that holds."""
    try:
        verify(records, start_hash(log))
    except (BrokenChain, Gap) as broken:
        return [f"the log is broken: {broken}"]
    return []


def acceptances(told: Iterable[Told], records: Sequence[EventRecord]) -> list[str]:
    """Every acceptance that a client saw is in the log exactly once, at the version that he was told."""
    decisions: dict[tuple[str, str], list[list[EventRecord]]] = defaultdict(list)
    open_ones: dict[str, EventRecord] = {}
    for record in records:
        key = (record.actor, record.command_id)
        if _goes_on(open_ones.get(record.stream), record):
            decisions[key][-1].append(record)
        else:
            decisions[key].append([record])
        open_ones[record.stream] = record
    found: list[str] = []
    for one in told:
        made = decisions.get((one.actor, one.command_id), [])
        if len(made) != 1:
            found.append(f"command {one.command_id} was accepted and is {len(made)} times in the log")
        elif (made[0][-1].stream, made[0][-1].ver) != (one.table, one.version):
            found.append(f"command {one.command_id} was told version {one.version}, the log has {made[0][-1].ver}")
    for (actor, command_id), made in decisions.items():
        if len(made) > 1:
            found.append(f"command {command_id} of {actor} took effect {len(made)} times")
    return found


def _goes_on(before: EventRecord | None, record: EventRecord) -> bool:
    """Whether an event belongs to the decision of the table's event before it.

    A decision has one moment, and the set of clocks closes it: a command decided twice in a row is two decisions.
    """
    return (
        before is not None
        and (before.actor, before.command_id, before.at) == (record.actor, record.command_id, record.at)
        and before.type != pb.ClocksSet.DESCRIPTOR.full_name
    )


def stream(facts: Sequence[Fact], records: Sequence[EventRecord]) -> list[str]:
    """The event stream is the log: the same numbers, the same bytes."""
    if [fact.seq for fact in facts] != [record.pos for record in records]:
        return [f"the stream's sequences are not the log's positions ({len(facts)} and {len(records)})"]
    for fact, record in zip(facts, records, strict=True):
        if (fact.stream, fact.kind, fact.data) != (record.stream, record.kind, to_message(record).SerializeToString()):
            return [f"event {record.pos} is another one in the stream"]
    return []


def clocks(rules: AnyRules, records: Sequence[EventRecord]) -> list[str]:
    """No clock took effect twice or before its time."""
    types = event_types(rules)
    tables: dict[str, Standing] = {}
    used: dict[tuple[str, str], int] = {}
    found: list[str] = []
    last: dict[str, str] = {}
    for record in records:
        standing = tables.setdefault(record.stream, Standing(rules, record.stream))
        begins = last.get(record.stream) != record.command_id
        last[record.stream] = record.command_id
        event = types.read(record.type, record.data)
        if begins and record.actor == "timer" and not isinstance(event, pb.ClocksSet):
            due = [clock for clock in standing.life.clocks if clock.due <= record.at]
            if not due:
                found.append(f"a clock took effect at {record.pos} although none was due")
            for clock in due:
                if (record.stream, clock.clock_id) in used:
                    found.append(f"clock {clock.clock_id} of {record.stream} took effect twice")
                used[record.stream, clock.clock_id] = record.pos
        standing.apply(event)
    return found


def overdue(rules: AnyRules, records: Sequence[EventRecord], now_us: int, grace_us: int) -> list[str]:
    """Running clocks that should have fired long ago."""
    types = event_types(rules)
    tables: dict[str, Standing] = {}
    for record in records:
        standing = tables.setdefault(record.stream, Standing(rules, record.stream))
        standing.apply(types.read(record.type, record.data))
    return [
        f"clock {clock.clock_id} of {table} was due {(now_us - clock.due) / 1e6:.1f} s ago"
        for table, standing in tables.items()
        for clock in standing.life.clocks
        if clock.due < now_us - grace_us
    ]
