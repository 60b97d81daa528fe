"""Stored bytes of one finished game per game: decoded, replayed, and still the same view."""

from pathlib import Path

import pytest

from libs.table.plain import to_plain
from libs.testing.compare import difference
from libs.testing.golden import read, replay
from libs.testing.runner import find_rules
from libs.testing.scripted import facts_of

FILES = sorted(Path(__file__).parent.glob("*.jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path) -> None:
    golden = read(path)
    rules = find_rules(golden.game)
    assert rules is not None
    state, events = replay(golden, rules)
    options = rules.options_type.FromString(golden.options)
    view = to_plain(rules.view(state, None, facts_of(rules.seating(options))))
    # Fields are only added: what the file names must still be there, unchanged.
    assert difference(golden.view, view) is None
    assert rules.result(state) is not None
    # Unknown fields would survive a round trip unseen, so the bytes must come back as they were.
    for event, (_, data) in zip(events, golden.events, strict=True):
        assert event.SerializeToString(deterministic=True) == data


@pytest.mark.parametrize("game", sorted({path.stem.split("_")[0] for path in FILES}))
def test_the_golden_games_of_a_game_show_every_type_of_event(game: str) -> None:
    """Some games need more than one table for that: roem is either counted or claimed."""
    rules = find_rules(game)
    assert rules is not None
    stored = [read(path) for path in FILES if path.stem.split("_")[0] == game]
    shown = {name for golden in stored for name, _ in golden.events}
    assert shown == {kind.DESCRIPTOR.full_name for kind in rules.events}
