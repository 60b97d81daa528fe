"""A record says all that happened: played again, it gives the same events (peeks and help switches excepted)."""

from typing import Any

from hypothesis import given, settings

from libs.testing.scripted import Script, ScriptedCtx, facts_of
from services.liarsdice.record import read, write
from services.liarsdice.rules import RULES
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb
from tests.property.liarsdice.games import Table, fold, play, tables


@settings(max_examples=30, deadline=None)
@given(tables())
def test_written_read_and_played_again(table: Table) -> None:
    steps = list(play(table))
    events = [event for step in steps for event in step.events]
    text = write(events, ["Ane", "Bo"])
    facts = facts_of(RULES.seating(table.options))
    wanted: list[list[Any]] = [[]]
    before = None
    for event in events:
        if isinstance(event, pb.GameStarted):
            wanted.append([])
        # Mats that turn green with the house rules lie between two games: the next game's ledger tells of them.
        between = isinstance(event, pb.MatsTurnedGreen) and isinstance(before, pb.RulesSet)
        if not between and not isinstance(event, pb.TableOpened | pb.Peeked | pb.HelpSet | pb.RulesSet):
            wanted[-1].append(event)
        before = event
    games = read(text)
    assert len(games) == len(wanted) - 1
    for game, real in zip(games, wanted[1:], strict=True):
        assert game.names == ("Ane", "Bo")
        state = game.before()
        draws = Script([list(one) for one in game.draws])
        ctx = ScriptedCtx(draws, facts)
        again: list[Any] = []
        if game.draws:
            again = game.opening(ctx.draws)
            state = fold(state, again)
        # The last lift of a game that still runs shook cups that no line tells of yet.
        for step in game.steps if game.places else game.steps[:-1]:
            draws.add(*step.draws)
            if step.command is None:
                done = RULES.expire(state, step.seat, ctx)
            else:
                done = RULES.decide(state, step.seat, step.command, ctx)
            again += done
            state = fold(state, done)
        assert again == (real if game.places else real[: len(again)])
        assert tuple(game.places) == (tuple(state.places) if state.loser is not None else ())
