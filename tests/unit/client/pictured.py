"""The golden table of a game, seen by every audience after every event; and what a picture says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from google.protobuf.message import Message

from libs.client import games
from libs.log.export import from_json, from_message
from libs.log.model import EventRecord
from libs.table.standing import Standing
from libs.table.tables import fold_records
from libs.table.views import table_view
from stamtafel.table.v1.table_pb2 import TableView

SPACE = "{http://www.w3.org/2000/svg}"
_TABLES = Path(__file__).parents[2] / "golden" / "tables"


def records(game: str) -> list[EventRecord]:
    """The stored events of the game's golden table."""
    lines = [from_json(line) for line in (_TABLES / f"{game}.jsonl").read_text().splitlines()]
    return [from_message(line.record.event) for line in lines if line.HasField("record")]


def table_at(game: str, version: int | None, seat: int | None = None) -> TableView:
    """The golden table at a version (None: the last) as an audience sees it."""
    stored = records(game)
    standing = Standing(games.rules(game), stored[0].stream)
    fold_records(standing, stored[:version], lambda _: None)
    return table_view(standing, seat)


def views(game: str) -> Iterator[tuple[int | None, Message]]:
    """(audience, the game's own view) of every audience after every event at which there is one."""
    stored = records(game)
    standing = Standing(games.rules(game), stored[0].stream)
    seen: list[tuple[int | None, Message]] = []

    def look(_: EventRecord) -> None:
        for audience in (None, *range(len(standing.life.seats))):
            table = table_view(standing, audience)
            view = games.unpack(game, table.game_view) if table.HasField("game_view") else None
            if view is not None:
                seen.append((audience, view))

    fold_records(standing, stored, look)
    yield from seen


def words_of(svg: str) -> list[str]:
    """All words of a picture, in order. Raises ParseError where it is no XML."""
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SPACE}text")]
