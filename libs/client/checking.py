"""Whether an exported file is sound: its chain, and the dice of every play whose seed is revealed. Needs no server."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from libs.log import BrokenChain
from libs.log.export import from_json, read_export, verify_export
from libs.log.model import EventRecord, LogError
from libs.table.standing import AnyRules
from libs.table.verify import DrawsReport, check_draws
from stamtafel.table.v1 import table_pb2 as table


class FileReport(msgspec.Struct, frozen=True):
    """What a file holds and what is wrong with it.

    `events` checked in the chain of `log`; `tables` by id; `unchecked`: tables whose game is not known here;
    `problems`: a sentence each, empty for a sound file.
    """

    log: str = ""
    events: int = 0
    tables: tuple[DrawsReport, ...] = ()
    unchecked: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def draws(self) -> int:
        """Draws that were recomputed."""
        return sum(report.draws for report in self.tables)

    @property
    def plays(self) -> int:
        """Plays whose draws were recomputed."""
        return sum(len(report.plays) for report in self.tables)


def check_file(lines: Iterable[str], rules_of: Callable[[str], AnyRules | None]) -> FileReport:
    """Check an export, line by line JSON. `rules_of(game)` gives the rules, or None when the game is not known."""
    try:
        parts = [from_json(line) for line in lines if line.strip()]
        header, links, _ = read_export(parts)
    except LogError as bad:
        return FileReport(problems=(str(bad),))
    try:
        events = verify_export(parts).events
    except (BrokenChain, LogError) as broken:
        return FileReport(log=header.log, problems=(f"the chain is broken at {broken}",))
    if not events:
        return FileReport(log=header.log, problems=("the file holds no event",))
    streams: dict[str, list[EventRecord]] = {name: [] for name in header.streams}
    for link in links:
        streams.setdefault(link.record.stream, []).append(link.record)
    reports: list[DrawsReport] = []
    unchecked: list[str] = []
    for name, records in streams.items():
        rules = rules_of(_game(records))
        if not records:
            reports.append(DrawsReport(table_id=name, problems=(f"{name} has no event in this file",)))
        elif rules is None:
            unchecked.append(name)
        else:
            reports.append(check_draws(records, rules))
    problems = tuple(problem for report in reports for problem in report.problems)
    return FileReport(header.log, events, tuple(reports), tuple(unchecked), problems)


def _game(records: list[EventRecord]) -> str:
    """The game that a table's first event names; empty for what is no table."""
    if records and records[0].type == table.TableOpened.DESCRIPTOR.full_name:
        return table.TableOpened.FromString(records[0].data).game
    return records[0].log.rpartition("-")[0] if records else ""
