"""Whole games through the gateway: one person (the command line's own player) and regulars, in every form of each game.

Every table is played to its end, exported, and found sound from the file alone: chain, seals, and every draw. The long
form (WHOLE_GAMES=long) plays matches of full length.
"""

from __future__ import annotations

import asyncio
import os
from random import Random
from typing import Any

import pytest

from libs.client import games
from libs.client.checking import check_file
from libs.client.client import connect
from libs.client.player import Chair, play_to_the_end
from libs.client.setup import Wish, set_up
from services.liarsdice.record import read
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.liarsdice.v1.liarsdice_pb2 import GameLost, NextGame, TabtHelt, View
from stamtafel.table.v1 import table_pb2 as table
from tests.fixtures.stack import WholeStack

LONG = os.environ.get("WHOLE_GAMES") == "long"

FORMS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("trictrac", {"seats": 2, "points": 3}, ("hard",)),
    ("klaverjas", {"boompjes": 16}, ("easy", "normal", "easy")),
    ("klaverjas", {"boompjes": 2, "preset": "rotterdams_bond"}, ("normal", "easy", "normal")),
    ("backgammon", {"play": "match", "match_length": 7 if LONG else 2, "confirm": "auto"}, ("normal",)),
    ("backgammon", {"play": "money", "session_games": 2, "jacoby": True}, ("easy",)),
    ("liarsdice", {"seats": 4}, ("easy", "normal", "hard")),
    ("liarsdice", {"seats": 2, "preset": "hardcore"}, ("normal",)),
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


async def test_a_table_of_five_goes_on_until_somebody_has_lost_altogether(whole_stack: WholeStack) -> None:
    """The road to Viborg: game after game at one table, with its ledger, until `tabt_helt`."""
    async with connect(whole_stack.server) as ann, connect(whole_stack.server) as ben:
        await ann.sign_in_guest("Ann")
        await ben.sign_in_guest("Ben")
        table_id, (seat, *_) = await set_up(ann, Wish("liarsdice", {"seats": 5}, ("easy", "normal", "hard")))
        await ben.lobby.join(table_id, 4)
        await ben.lobby.ready(table_id)
        losers: list[int] = []
        lost: list[TabtHelt] = []
        heard = 0

        def hear(update: table.Update) -> None:
            nonlocal heard
            for event in update.events:
                if event.version <= heard:
                    continue  # each game's player is told the table from its beginning
                heard = event.version
                body = games.unpack("liarsdice", event.body)
                if isinstance(body, GameLost):
                    losers.append(body.seat)
                elif isinstance(body, TabtHelt):
                    lost.append(body)

        async with ann.tables.play() as session, ben.tables.play() as other:
            for number in range(1, 7):
                last, _ = await asyncio.gather(
                    play_to_the_end(
                        session, Chair("liarsdice", table_id, seat, "normal", Random(number)), hear, ann.new_id
                    ),
                    play_to_the_end(
                        other, Chair("liarsdice", table_id, 4, "easy", Random(number)), lambda _: None, ben.new_id
                    ),
                )
                assert last.play == number
                if lost:
                    break
                # anyone may call the next game: the people take turns
                caller, place = ((ann, seat), (ben, 4))[number % 2]
                answer = await caller.tables.act(table_id, place, NextGame())
                assert answer.HasField("accepted"), answer
        view = games.unpack("liarsdice", last.game_view)
        assert isinstance(view, View)
        export = ann.history.export(pb.ExportLogRequest(table_id=table_id))
        lines = b"".join([piece async for piece in export]).decode().splitlines()
        for number in range(1, last.play + 1):
            (game,) = read(record := (await ann.history.record(table_id, number)).text)
            assert (game.game, game.participants, game.places.index(5)) == (number, (0, 1, 2, 3, 4), losers[number - 1])
            assert record.startswith("# 0 Ann\n") and record.count("\nplaces ") == 1
    assert len(losers) == last.play
    assert [event.seat for event in lost] == losers[-1:]
    assert losers[-1] in losers[:-1]
    assert sum(view.strokes) == 1
    assert set(view.mats) == {"green"}
    report = check_file(lines, games.rules)
    assert (report.problems, report.plays) == ((), last.play)
