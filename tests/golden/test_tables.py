"""The stored log of one finished table per game: the chain holds, the draws are those that were sealed, and the fold of
today's code ends where the table ended. And every event of `table.v1` still reads from the bytes it had once."""

import base64
import json
from pathlib import Path

import pytest

from libs.client.checking import check_file
from libs.log.export import from_json, from_message
from libs.log.model import EventRecord
from libs.table.life import FOLDS, RESTING
from libs.table.standing import SnapshotCodec, Standing
from libs.table.tables import fold_records
from libs.table.views import table_view
from libs.testing.runner import find_rules

HERE = Path(__file__).parent
TABLES = sorted((HERE / "tables").glob("*.jsonl"))
BYTES = HERE / "table_events.json"


def records_of(path: Path) -> list[EventRecord]:
    lines = [from_json(line) for line in path.read_text().splitlines()]
    return [from_message(line.record.event) for line in lines if line.HasField("record")]


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_the_file_is_sound(path: Path) -> None:
    report = check_file(path.read_text().splitlines(), find_rules)
    assert report.problems == ()
    assert report.draws > 0


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_the_fold_ends_where_the_table_ended(path: Path) -> None:
    records = records_of(path)
    rules = find_rules(path.stem.split("_")[0])
    assert rules is not None
    standing = Standing(rules, records[0].stream)
    fold_records(standing, records, lambda _: None)
    assert standing.version == records[-1].ver
    assert standing.life.state == RESTING
    result = rules.result(standing.game)
    assert result is not None
    assert result.SerializeToString(deterministic=True) == standing.life.result
    codec = SnapshotCodec(rules)
    again, _ = codec.read(standing.table_id, codec.write(standing, ()))
    assert table_view(again, None) == table_view(standing, None)


def test_every_event_of_the_table_reads_from_its_bytes() -> None:
    stored: dict[str, str] = json.loads(BYTES.read_text())
    assert set(stored) == {kind.DESCRIPTOR.full_name for kind in FOLDS}
    kinds = {kind.DESCRIPTOR.full_name: kind for kind in FOLDS}
    for name, text in stored.items():
        data = base64.b64decode(text)
        event = kinds[name].FromString(data)
        assert event.ListFields(), name
        assert event.SerializeToString(deterministic=True) == data, name
