"""`verify`: an honest file is sound, and each way to tamper with it is found."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from google.protobuf.message import Message
from msgspec.structs import replace

from libs.client.checking import FileReport, check_file
from libs.log.model import NewEvent
from libs.table.draws import commitment
from services.trictrac.rules import RULES
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt
from tests.unit.client.recorded import TABLE, changed, lines, recorded, records


def check(events: Sequence[NewEvent]) -> FileReport:
    """What is found in a file whose chain was made for just these events (an owner who rewrites his whole log)."""
    return check_file(lines(records(events)), lambda game: RULES if game == "trictrac" else None)


@pytest.fixture(scope="module")
def honest() -> list[NewEvent]:
    return recorded()


def find(events: Sequence[NewEvent], kind: type[Message], which: int = 0) -> tuple[int, Any]:
    """Index and message of an event of this type."""
    found = [n for n, e in enumerate(events) if e.type == kind.DESCRIPTOR.full_name][which]
    return found, kind.FromString(events[found].data)


def test_an_honest_file_is_sound(honest: list[NewEvent]) -> None:
    report = check(honest)
    assert report.problems == ()
    assert report.events == len(honest)
    (table,) = report.tables
    assert (table.table_id, table.plays, table.sealed, table.imported) == (TABLE, (1, 2), (), False)
    thrown = sum(e.type == tt.DiceThrown.DESCRIPTOR.full_name for e in honest)
    assert table.draws == report.draws == sum(e.draws for e in honest) > thrown


def test_a_voided_play_is_checked_too() -> None:
    report = check(recorded(void_first=True))
    assert report.problems == ()
    assert report.tables[0].plays == (1, 2)


def test_a_running_play_is_not_revealed_yet() -> None:
    report = check(recorded(running=True))
    assert report.problems == ()
    assert (report.tables[0].plays, report.tables[0].sealed) == ((1,), (2,))


def test_other_dice_are_found(honest: list[NewEvent]) -> None:
    index, event = find(honest, tt.DiceThrown, which=3)
    event.dice[:] = [face % 6 + 1 for face in event.dice]
    (problem,) = check(changed(honest, index, event)).problems
    assert f"version {index + 1}: dice_thrown shows" in problem


def test_another_starter_is_found(honest: list[NewEvent]) -> None:
    index, event = find(honest, tt.StarterDrawn)
    event.starter = 1 - event.starter
    (problem,) = check(changed(honest, index, event)).problems
    assert f"version {index + 1}: starter_drawn" in problem


def test_another_seed_is_found(honest: list[NewEvent]) -> None:
    index, event = find(honest, pb.DrawsRevealed)
    event.seed = bytes(32)
    assert check(changed(honest, index, event)).problems
    # also one whose seal was changed with it: the throws give it away
    sealed, seal = find(honest, pb.DrawsSealed)
    seal.commitment = commitment(bytes(32))
    (problem,) = check(changed(changed(honest, index, event), sealed, seal)).problems
    assert "the sealed draws give" in problem


def test_other_nonces_are_found(honest: list[NewEvent]) -> None:
    index, event = find(honest, pb.PlayBegan)
    event.nonces[0] = b"somebody's"
    (problem,) = check(changed(honest, index, event)).problems
    assert "nonces" in problem


def test_a_draw_thrown_away_is_found(honest: list[NewEvent]) -> None:
    """Rolling until the dice please: a decision that took more draws than its events show."""
    index = next(n for n, e in enumerate(honest) if e.draws and e.type == tt.DiceThrown.DESCRIPTOR.full_name)
    events = [replace(e, draws=e.draws + 1) if n == index else e for n, e in enumerate(honest)]
    (problem,) = check(events).problems
    assert "2 draws were taken, its events show 1" in problem


def test_a_seed_that_stays_secret_is_found(honest: list[NewEvent]) -> None:
    index, _ = find(honest, pb.DrawsRevealed)
    events = [e for n, e in enumerate(honest) if n != index]
    events = [replace(e, ver=n + 1) for n, e in enumerate(events)]
    (problem,) = check(events).problems
    assert "its seed was not revealed" in problem


def test_a_file_without_its_beginning_says_so(honest: list[NewEvent]) -> None:
    report = check_file(lines(records(honest), skip=5), lambda _: RULES)
    (problem,) = report.problems
    assert "from version 1 only" in problem


def tampered(change: Callable[[list[dict[str, Any]]], None], events: Sequence[NewEvent]) -> FileReport:
    """What is found in an honest file that somebody changed afterwards."""
    parts = [json.loads(line) for line in lines(records(events))]
    change(parts)
    return check_file([json.dumps(part) for part in parts], lambda _: RULES)


def test_a_changed_file_breaks_the_chain(honest: list[NewEvent]) -> None:
    def another_actor(parts: list[dict[str, Any]]) -> None:
        parts[9]["record"]["event"]["actor"] = "somebody"

    (problem,) = tampered(another_actor, honest).problems
    assert "position 9: the hash does not fit the content" in problem


def test_a_missing_record_is_found(honest: list[NewEvent]) -> None:
    def cut(parts: list[dict[str, Any]]) -> None:
        del parts[7]

    assert tampered(cut, honest).problems == ("the export was cut short",)

    def cut_well(parts: list[dict[str, Any]]) -> None:
        del parts[7]
        parts[-1]["trailer"]["records"] = str(len(parts) - 2)

    (problem,) = tampered(cut_well, honest).problems
    assert "expected 7" in problem


def test_no_export_at_all() -> None:
    for text in ([], ["{}"], ["nonsense"], ["[1]"], ["\x00"]):
        report = check_file(text, lambda _: RULES)
        assert len(report.problems) == 1 and report.events == 0


def test_a_game_without_rules_here_is_told(honest: list[NewEvent]) -> None:
    report = check_file(lines(records(honest)), lambda _: None)
    assert (report.problems, report.unchecked) == ((), (TABLE,))
