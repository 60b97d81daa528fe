"""Regulars: legal calls at every level, memory where the view hides, never always the same."""

from random import Random
from typing import Any

import pytest

from libs.table.brain import Look
from libs.table.rules import Facts
from libs.table.seeded import SeededCtx
from libs.testing.play import given
from services.liarsdice.bot import known_of, policy, think
from services.liarsdice.options import resolve
from services.liarsdice.regulars.guess import Known
from services.liarsdice.rules import RULES
from services.liarsdice.state import BIDDING
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb


@pytest.mark.parametrize("level", ["easy", "normal", "hard"])
@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"preset": "slags"},
        {"preset": "hardcore"},
        {"ones_without_jokers": True, "classic_lift": True},
    ],
)
def test_whole_games_of_legal_calls(level: str, rules: dict[str, Any]) -> None:
    options = RULES.options(pb.Options(seats=3, **rules))
    state, ctx, rng = RULES.initial(options), SeededCtx(Random(5)), Random(6)
    heard: list[list[Any]] = [[], [], []]
    memories: list[Any] = [None] * 3
    events = RULES.start(state, ctx)
    while True:
        for event in events:
            state = RULES.evolve(state, event)
        for seat in range(3):
            heard[seat] += [seen for event in events if (seen := RULES.redact(event, state, seat)) is not None]
        if state.phase != BIDDING:
            break
        chosen = None
        for seat in range(3):
            view = RULES.view(state, seat, Facts())
            look = Look(seat, level, options, view, RULES.actions(state, seat), tuple(heard[seat]), rng)
            thought = think(look, memories[seat])
            memories[seat], heard[seat] = thought.memory, []
            assert (thought.command is not None) == (seat == state.turn)
            if seat == state.turn:
                chosen = thought.command
        assert chosen is not None and state.turn is not None
        events = RULES.decide(state, state.turn, chosen, ctx)


def test_a_locked_cup_is_remembered() -> None:
    play = given(RULES, {"seats": 2, "peek_once": True}, {"dice": [[6, 6, 6, 6], [2, 3, 4, 5]]})
    look = Look(0, "normal", play.options, play.see(0), ("bid",), (), Random(1))
    memory = think(look, None).memory
    play.when(0, "bid", quantity=1, face=2)
    again = think(look._replace(view=play.see(0)), memory)
    assert again.command is None and again.memory["dice"] == [6, 6, 6, 6]


@pytest.mark.parametrize("level", ["easy", "normal", "hard"])
def test_what_the_view_hides_comes_from_memory_alone(level: str) -> None:
    options = RULES.options(pb.Options(seats=3, preset="hardcore"))
    state, ctx, rng = RULES.initial(options), SeededCtx(Random(8)), Random(9)
    heard: list[list[Any]] = [[], [], []]
    memories: list[Any] = [None] * 3
    hidden = 0
    events = RULES.start(state, ctx)
    while True:
        for event in events:
            state = RULES.evolve(state, event)
        for seat in range(3):
            heard[seat] += [seen for event in events if (seen := RULES.redact(event, state, seat)) is not None]
        if state.phase != BIDDING:
            break
        for seat in range(3):
            view = RULES.view(state, seat, Facts())
            look = Look(seat, level, options, view, RULES.actions(state, seat), tuple(heard[seat]), rng)
            thought = think(look, memories[seat])
            memories[seat], heard[seat] = thought.memory, []
            known = known_of(seat, view, thought.memory)
            assert not view.HasField("dice_counts")
            assert known.counts == state.counts
            assert known.own == state.dice[seat]
            hidden += state.counts[seat] > 0 and not view.HasField("my_dice")
            if seat == state.turn:
                chosen = thought.command
        assert chosen is not None and state.turn is not None
        events = RULES.decide(state, state.turn, chosen, ctx)
    assert hidden > 0


def test_it_is_not_always_the_same() -> None:
    play = given(RULES, {"seats": 2}, {"dice": [[6, 5, 3, 2], [2, 3, 4, 5]]})
    for level in ("easy", "normal", "hard"):
        looks = [Look(0, level, play.options, play.see(0), ("bid",), (), Random(n)) for n in range(40)]
        assert len({str(think(look, None).command) for look in looks}) > 1


@pytest.mark.parametrize("level", ["easy", "normal", "hard"])
def test_an_opening_does_not_tell_the_dice(level: str) -> None:
    setup, rng = resolve({"seats": 3}), Random(11)
    calls = [(quantity, face) for quantity in range(1, 13) for face in range(2, 7)]
    likeliest: list[float] = []
    bluffs = 0.0
    for _ in range(100):
        own = tuple(rng.randint(1, 6) for _ in range(4))
        mixture = policy(level, Known(0, own, (4, 4, 4), (), setup), calls, False)
        likeliest.append(max(chance for _, chance in mixture))
        bluffs += sum(chance for call, chance in mixture if call is not None and call[1] not in own)
    assert sum(likeliest) / 100 < 0.85
    assert bluffs / 100 > 0.1
