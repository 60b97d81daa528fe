"""Scripted chance, scripted time, given/when/then."""

import asyncio

import pytest

from libs.table.rules import Job
from libs.testing.clock import ScriptedClock
from libs.testing.play import given
from libs.testing.scripted import Script, ScriptedCtx, ScriptError
from services.trictrac.rules import RULES


def test_each_draw_takes_the_next_entry() -> None:
    script = Script([[4, 3], {"white": 1}, ["b", "a"], 2])
    assert script.dice(2) == (4, 3)
    assert script.pick((0, 1)) == 1
    assert script.shuffle(("a", "b")) == ("b", "a")
    assert script.pick(range(4)) == 2
    with pytest.raises(ScriptError, match="asks for draw 5"):
        script.dice(1)


@pytest.mark.parametrize("entry", [[4], [4, 7], [4, True], 4, "46", [4, 0]])
def test_dice_that_are_none(entry: object) -> None:
    with pytest.raises(ScriptError, match="must be 2 dice"):
        Script([entry]).dice(2)


def test_only_what_is_there_is_picked_or_shuffled() -> None:
    with pytest.raises(ScriptError, match="must be one of"):
        Script([5]).pick((0, 1))
    for wrong in (["a"], ["a", "b", "b"], ["a", "c"], 3):
        with pytest.raises(ScriptError, match="in some order"):
            Script([wrong]).shuffle(("a", "b"))


def test_a_computed_outcome_is_the_entry_as_it_stands() -> None:
    ctx = ScriptedCtx(Script([{"first_contact": None}]))
    assert ctx.compute(Job(print, ())) == {"first_contact": None}


def test_given_when_then() -> None:
    play = given(RULES, {"seats": 2, "first_starter": 0}, random=[[5, 4], [6, 5]])
    play.when(0, "throw", style="roll", direction=0).then({"type": "dice_thrown", "dice": [5, 4], "direction": 0})
    play.when(1, "throw").refused("not_your_turn")
    play.when(0, "throw", direction="left").refused("bad_argument", "direction")
    play.when(0, "fold").refused("bad_argument")
    play.when(0, "stand").then_only(
        {"type": "throw_stood"}, {"type": "limit_set", "limit": 1}, {"type": "turn_started", "seat": 1}
    )
    play.when_late(0).then_only()
    assert play.view(1)["you"] == {"seat": 1, "actions": ["throw"]}
    with pytest.raises(AssertionError, match="expected"):
        play.when(1, "throw").then({"type": "tied_lowest"})


async def test_the_clock_wakes_sleepers_in_order() -> None:
    clock = ScriptedClock()
    woken: list[str] = []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append(name)

    tasks = [asyncio.create_task(sleeper("late", 2.0)), asyncio.create_task(sleeper("early", 0.5))]
    await clock.until_sleeping(2)
    before = clock()
    clock.advance(0.4)
    assert clock.sleeping == 2
    clock.advance(0.1)
    await tasks[1]
    clock.advance(2)
    await tasks[0]
    assert woken == ["early", "late"]
    assert clock() - before == pytest.approx(2.5)
