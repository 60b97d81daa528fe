"""Records: out and in without loss, and playable again."""

import pytest
from hypothesis import given, settings

from libs.table.rules import Facts, Refused
from libs.testing.scripted import Script, ScriptedCtx
from services.trictrac.record import read, read_events, write
from services.trictrac.rules import RULES
from tests.property.trictrac.games import Game, fold, games, play


@settings(max_examples=30, deadline=None)
@given(games())
def test_nothing_is_lost(game: Game) -> None:
    steps = list(play(game))
    events = [event for step in steps for event in step.events]
    names = [f"seat {seat}" for seat in range(game.options.seats)]
    text = write(events, names)
    assert read_events(text) == events
    script = read(text)
    assert script.options == game.options
    assert list(script.names) == names
    chance = Script([list(draw) for draw in script.draws])
    ctx = ScriptedCtx(chance)
    state = RULES.initial(script.options)
    state = fold(state, RULES.start(state, ctx))
    for step, known in zip(script.steps, steps[1:], strict=True):
        chance.add(*(list(draw) for draw in step.draws))
        if step.command is None:
            happened = RULES.expire(state, step.seat, ctx)
        else:
            happened = RULES.decide(state, step.seat, step.command, ctx)
        assert happened == known.events
        state = fold(state, happened)
        assert RULES.view(state, None, Facts()) == RULES.view(known.after, None, Facts())
    assert not chance.left


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"type": "nothing"}', '{"type": "one_man_show"}', '{"type": "game_started", "seats": "4"}', "7"],
)
def test_what_is_no_record(text: str) -> None:
    with pytest.raises(Refused, match="line 1") as raised:
        read(text)
    assert raised.value.code == "bad_argument"
