"""A record says all that happened: played again, it gives the same events (peeks and help switches excepted)."""

from hypothesis import given, settings

from libs.testing.scripted import Script, ScriptedCtx, facts_of
from services.liarsdice import flow
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
    wanted = [[]]
    for event in events:
        if isinstance(event, pb.GameStarted):
            wanted.append([])
        if not isinstance(event, pb.TableOpened | pb.Peeked | pb.HelpSet | pb.RulesSet | pb.MatsTurnedGreen):
            wanted[-1].append(event)
    games = read(text)
    assert len(games) == len(wanted) - 1
    for game, real in zip(games, wanted[1:], strict=True):
        assert game.names == ("Ane", "Bo")
        state = game.before()
        started = pb.GameStarted(
            game=game.game,
            participants=game.participants,
            starter=game.starter,
            dice_each=game.options.dice_each,
            finale=real[0].finale,
        )
        again = [started]
        state = fold(state, [started])
        draws = Script([list(one) for one in game.draws])
        ctx = ScriptedCtx(draws, facts)
        if game.draws:
            again.append(flow.shaken(state, game.starter, ctx.draws))
            state = fold(state, again[1:])
        # The last lift of a game that still runs shook cups that no line tells of yet.
        for step in game.steps if game.places else game.steps[:-1]:
            draws.add(*step.draws)
            if step.command is None:
                done = RULES.expire(state, step.seat, ctx)
            else:
                done = RULES.decide(state, step.seat, step.command, ctx)
            again += [event for event in done if not isinstance(event, pb.MatsTurnedGreen)]
            state = fold(state, done)
        assert again == real[: len(again)]
        assert tuple(game.places) == (tuple(state.places) if state.loser is not None else ())
