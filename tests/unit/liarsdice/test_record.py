"""Records of games whose regulars are not those of the options."""

from libs.table.rules import Facts
from libs.testing.scripted import Script, ScriptedCtx
from services.liarsdice.record import read, write
from services.liarsdice.rules import RULES
from services.liarsdice.state import State
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb


def fold(state: State, events: list[object]) -> State:
    for event in events:
        state = RULES.evolve(state, event)  # type: ignore[arg-type]
    return state


def test_who_speaks_as_a_regular_is_named_so_that_the_bids_read_alike() -> None:
    """R11.1, R12.2: seat 0 was a regular by the options and is a person now, seat 1 the other way round."""
    ctx = ScriptedCtx(Script([[2, 2], [3, 3]]), Facts({1: "easy"}, 0))
    options = RULES.options(pb.Options(seats=2, dice_each=2, starter=0, regulars=[0]))
    state = RULES.initial(options)
    events: list[object] = list(RULES.start(state, ctx))
    state = fold(state, events)
    bids = [(0, 2, "4"), (1, 2, "5"), (0, 3, "2"), (1, 3, "6")]
    for seat, quantity, face in bids:
        done = RULES.decide(state, seat, pb.Bid(quantity=quantity, face=face), ctx)
        events, state = [*events, *done], fold(state, list(done))
    ctx.draws.add([4], [5, 5], [6])
    lifted = RULES.decide(state, 0, pb.Lift(), ctx)
    events += lifted
    (game,) = read(write(events))  # type: ignore[arg-type]
    assert list(game.options.regulars) == [1]
    draws = Script([list(one) for one in game.draws])
    state = game.before()
    played: list[object] = list(game.opening(draws))
    state = fold(state, played)
    facts = Facts(RULES.seating(game.options).bots)
    for step in game.steps[:-1]:
        again = ScriptedCtx(draws, facts)
        assert step.command is not None
        done = RULES.decide(state, step.seat, step.command, again)
        played, state = [*played, *done], fold(state, list(done))
    assert played == events[1 : len(played) + 1]
    assert [event.slang for event in played if isinstance(event, pb.BidMade)] == ["", "møller", "", "af de store"]
