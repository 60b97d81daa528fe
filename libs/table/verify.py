"""Whether the draws of a table are those that were sealed (P6): everything recomputed from its stored events alone.

The seed is revealed when a play has ended; its SHA-256 must be what was sealed before the play began, and every event
with chance must be what `rules.redraw` makes of the same draws, in order, no draw more or less than the log says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec
from google.protobuf.message import DecodeError, Message

from libs.log.model import EventRecord
from libs.table.draws import SealedDraws, commitment, play_key
from libs.table.life import FOLDS, PLAYING
from libs.table.plain import to_plain, type_name
from libs.table.standing import AnyRules, Standing, event_types
from stamtafel.table.v1 import table_pb2 as pb


class DrawsReport(msgspec.Struct, frozen=True):
    """What was found at one table.

    `plays`: numbers of the plays whose draws were recomputed, `draws` how many those were. `sealed`: plays whose seed
    is not revealed yet. `imported`: its draws came with a record, there is nothing to recompute. `problems`: what does
    not fit, a sentence each (the first mismatch ends the check of a table).
    """

    table_id: str
    draws: int = 0
    plays: tuple[int, ...] = ()
    sealed: tuple[int, ...] = ()
    imported: bool = False
    problems: tuple[str, ...] = ()


class Mismatch(Exception):
    """The first thing at a table that does not fit."""


def check_draws(records: Sequence[EventRecord], rules: AnyRules) -> DrawsReport:
    """Check all events of one table, from version 1 on in order (their chain is checked elsewhere)."""
    if not records:
        return DrawsReport(table_id="", problems=("there are no events",))
    table_id = records[0].stream
    if records[0].ver != 1:
        why = f"{table_id} begins with version {records[0].ver}: its dice can be checked from version 1 only"
        return DrawsReport(table_id=table_id, problems=(why,))
    check = _Check(rules, table_id)
    problems: list[str] = []
    try:
        check.find_seeds(records)
        for decision in decisions(records):
            check.decision(decision)
    except Mismatch as found:
        problems.append(str(found))
    except (KeyError, DecodeError) as unreadable:
        problems.append(f"{table_id} version {check.table.version + 1} cannot be read: {unreadable}")
    return DrawsReport(
        table_id=table_id,
        draws=check.draws,
        plays=tuple(check.checked),
        sealed=tuple(check.sealed),
        imported=check.imported,
        problems=tuple(problems),
    )


def decisions(records: Sequence[EventRecord]) -> Iterator[list[EventRecord]]:
    """The records of each decision: neighbours that one command of one sender caused."""
    for _, group in groupby(records, lambda record: (record.command_id, record.actor, record.at)):
        yield list(group)


class _Check:
    """Folds a table decision by decision and draws again what was drawn."""

    def __init__(self, rules: AnyRules, table_id: str) -> None:
        self.table = Standing(rules, table_id)
        self.draws = 0
        self.checked: list[int] = []
        self.sealed: list[int] = []
        self.imported = False
        self._rules = rules
        self._read = event_types(rules).read
        self._seeds: dict[int, bytes] = {}
        self._seals: dict[int, bytes] = {}

    def find_seeds(self, records: Sequence[EventRecord]) -> None:
        """Collect the revealed seeds."""
        wanted = pb.DrawsRevealed.DESCRIPTOR.full_name
        for record in records:
            if record.type == wanted:
                event = pb.DrawsRevealed.FromString(record.data)
                if event.play in self._seeds:
                    raise self._wrong(record, f"reveals the seed of play {event.play} a second time")
                self._seeds[event.play] = event.seed

    def decision(self, records: Sequence[EventRecord]) -> None:
        """Check one decision and fold it. Raises Mismatch."""
        table, first = self.table, records[0]
        events = [(record, self._read(record.type, record.data)) for record in records]
        draws: SealedDraws | None = None
        taken = 0
        for record, event in events:
            if record.draws and record is not first:
                raise self._wrong(record, "counts draws in the middle of a decision")
            if type(event) in FOLDS:
                self._note(record, event)
            elif not self.imported:
                if draws is None:
                    draws = self._open_draws()
                if draws is not None:
                    before = draws.taken
                    self._again(record, event, draws)
                    taken += draws.taken - before
            try:
                table.apply(event)
            except Exception as broken:  # whatever a forged event does to the rules
                raise self._wrong(record, f"cannot follow what went before ({broken!r})") from broken
        if draws is None:
            table.draws += first.draws  # not revealed yet, imported, or nothing of the game
            return
        if taken != first.draws:
            raise self._wrong(first, f"says that {first.draws} draws were taken, its events show {taken}")
        table.draws += taken
        self.draws += taken

    def _open_draws(self) -> SealedDraws | None:
        """The draws of the play that runs, or is about to begin, where the table stands; None: still sealed."""
        life = self.table.life
        if life.state == PLAYING:
            play, nonces, base = life.play, life.nonces, self.table.draws
        else:
            play, nonces, base = life.play + 1, tuple(seat.nonce for seat in life.seats), 0
        seed = self._seeds.get(play)
        return None if seed is None else SealedDraws(play_key(seed, self.table.table_id, play, nonces), base)

    def _again(self, record: EventRecord, event: Message, draws: SealedDraws) -> None:
        try:
            again = self._rules.redraw(self.table.game, event, draws)
        except Exception as broken:  # whatever a forged event does to the rules
            raise self._wrong(record, f"cannot be drawn again ({broken!r})") from broken
        if again != event:
            name = type_name(type(event))
            raise self._wrong(record, f"{name} shows {to_plain(event)}, the sealed draws give {to_plain(again)}")

    def _note(self, record: EventRecord, event: Message) -> None:
        """What events of the shared table say about seals and plays."""
        life = self.table.life
        if isinstance(event, pb.TableOpened):
            self.imported = event.imported
        elif isinstance(event, pb.DrawsSealed):
            if event.play != life.play + 1:
                raise self._wrong(record, f"seals play {event.play} while play {life.play} is the last one")
            self._seals[event.play] = event.commitment
        elif isinstance(event, pb.PlayBegan):
            if event.play != life.play + 1 or event.play not in self._seals:
                raise self._wrong(record, f"begins play {event.play}, whose draws were not sealed")
            if tuple(event.nonces) != tuple(seat.nonce for seat in life.seats):
                raise self._wrong(record, "does not mix in the nonces that the seats gave")
            if event.play not in self._seeds:
                self.sealed.append(event.play)
            elif not self.imported:
                self.checked.append(event.play)
        elif isinstance(event, pb.PlayEnded):
            if event.play not in self._seeds:
                raise self._wrong(record, f"ends play {event.play}, but its seed was not revealed")
        elif isinstance(event, pb.DrawsRevealed) and commitment(event.seed) != self._seals.get(event.play):
            raise self._wrong(record, f"reveals a seed for play {event.play} that is not the one that was sealed")

    def _wrong(self, record: EventRecord, what: str) -> Mismatch:
        return Mismatch(f"{self.table.table_id} version {record.ver}: {what}")
