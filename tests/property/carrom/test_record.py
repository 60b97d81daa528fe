"""Records: out and in without loss, and playable again."""

import json

import pytest
from hypothesis import given, settings

from libs.table.rules import Facts, Refused
from libs.testing.scripted import Script, ScriptedCtx
from services.carrom.record import read, write
from services.carrom.rules import RULES
from tests.property.carrom.games import Game, fold, games, play


@settings(max_examples=30, deadline=None)
@given(games())
def test_a_record_plays_the_match_again(game: Game) -> None:
    steps = list(play(game, 80))
    names = [f"seat {seat}" for seat in range(game.options.seats)]
    text = write((event for step in steps for event in step.events), names)
    script = read(text)
    assert script.options == game.options
    assert list(script.names) == names
    assert len(script.steps) == len(steps) - 1
    chance = Script([*script.start])
    ctx = ScriptedCtx(chance)
    state = RULES.initial(script.options)
    state = fold(state, RULES.start(state, ctx))
    for step, known in zip(script.steps, steps[1:], strict=True):
        chance.add(*step.draws)
        if step.command is None:
            happened = RULES.expire(state, step.seat, ctx)
        else:
            happened = RULES.decide(state, step.seat, step.command, ctx)
        assert happened == known.events
        state = fold(state, happened)
        assert RULES.view(state, None, Facts()) == RULES.view(known.after, None, Facts())
    assert not chance.left


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "7", '{"options": {"seats": "2"}, "white": 0}', '{"white": 0}'])
def test_what_is_no_record(text: str) -> None:
    with pytest.raises(Refused, match="line 1") as raised:
        read(text)
    assert raised.value.code == "bad_argument"


@pytest.mark.parametrize(
    "line",
    [
        {"seat": 0},
        {"seat": "0", "resign": True},
        {"seat": 0, "x": 0, "angle": 0, "speed": 1, "outcome": {}},
        {"seat": 0, "x": "0", "angle": 0, "speed": 1, "outcome": {"first_contact": None}},
    ],
)
def test_a_line_that_is_no_shot(line: dict[str, object]) -> None:
    first = json.dumps({"options": {}, "white": 0})
    with pytest.raises(Refused, match="line 2"):
        read(f"{first}\n{json.dumps(line)}\n")
