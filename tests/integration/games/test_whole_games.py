"""Whole games through the gateway: one person (the command line's own player) and regulars, in every form of each game.

Every table is played to its end, exported, and found sound from the file alone: chain, seals, and every draw. The long
form (WHOLE_GAMES=long) plays klaverjas over sixteen boompjes and matches of full length.
"""

from __future__ import annotations

import os
from random import Random
from typing import Any

import pytest

from libs.client import games
from libs.client.checking import check_file
from libs.client.client import connect
from libs.client.player import Chair, play_to_the_end
from libs.client.setup import Wish, set_up
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table
from tests.fixtures.stack import WholeStack

LONG = os.environ.get("WHOLE_GAMES") == "long"

FORMS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("trictrac", {"seats": 2, "points": 3}, ("hard",)),
    ("klaverjas", {"boompjes": 16 if LONG else 4}, ("easy", "normal", "easy")),
    ("klaverjas", {"boompjes": 2, "preset": "rotterdams_bond"}, ("normal", "easy", "normal")),
    ("backgammon", {"play": "match", "match_length": 7 if LONG else 2, "confirm": "auto"}, ("normal",)),
    ("backgammon", {"play": "money", "session_games": 2, "jacoby": True}, ("easy",)),
    ("carrom", {"preset": "quick"}, ("normal",)),
    ("carrom", {"preset": "seed_sets" if LONG else "quick", "seats": 4}, ("normal", "easy", "normal")),
    ("carrom", {"match": "points", "points_target": 21 if LONG else 5}, ("easy",)),
    ("carrom", {"match": "points", "points_target": 21 if LONG else 5, "seats": 4}, ("normal", "normal", "easy")),
]


def _name(value: Any) -> str:
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize(("game", "options", "bots"), FORMS, ids=_name)
async def test_a_whole_game(whole_stack: WholeStack, game: str, options: dict[str, Any], bots: tuple[str, ...]) -> None:
    async with connect(whole_stack.server) as client:
        await client.sign_in_guest("Ann")
        table_id, (seat, *_) = await set_up(client, Wish(game, options, bots))
        async with client.tables.play() as session:
            chair = Chair(game, table_id, seat, "normal", Random(5))
            last = await play_to_the_end(session, chair, lambda _: None, client.new_id)
        assert last.state == table.TABLE_STATE_RESTING
        assert len(last.result.places) == len(bots) + 1
        export = client.history.export(pb.ExportLogRequest(table_id=table_id))
        lines = b"".join([piece async for piece in export]).decode().splitlines()
    report = check_file(lines, games.rules)
    assert report.problems == ()
    assert report.plays == 1
    assert report.draws > 0
