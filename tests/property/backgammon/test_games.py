"""What holds in every game of backgammon, whoever plays it how."""

import msgspec
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.table.rules import Refused
from libs.testing.scripted import Script, ScriptedCtx
from services.backgammon import ids, record
from services.backgammon.rules import RULES
from services.backgammon.state import FINISHED, MOVE, State
from services.backgammon.view import view
from stamtafel.backgammon.v1 import backgammon_pb2 as pb
from tests.property.backgammon.games import OPTIONS, Chance, fold, play

GAMES = given(options=st.sampled_from(OPTIONS), seed=st.integers(0, 10**6))
FEW = settings(max_examples=15, deadline=None)


@FEW
@GAMES
def test_fifteen_checkers_a_side_and_no_point_shared(options: pb.Options, seed: int) -> None:
    for step in play(options, seed):
        first, second = step.after.board
        assert sum(first) == sum(second) == 15
        assert not any(first[point] and second[25 - point] for point in range(1, 25))
        # a match that ends in mid-turn (resignation, forfeit) keeps the board as it stood
        in_turn = MOVE in (step.after.phase, step.after.resume) or step.after.phase == FINISHED
        assert in_turn or step.after.start == step.after.board


@FEW
@GAMES
def test_replay_equals_live(options: pb.Options, seed: int) -> None:
    steps = play(options, seed)
    stored = [(type(event), event.SerializeToString()) for step in steps for event in step.events]
    state = fold(RULES.initial(RULES.options(options)), [kind.FromString(data) for kind, data in stored])
    assert state == steps[-1].after


@FEW
@GAMES
def test_views_are_a_function_of_the_state(options: pb.Options, seed: int) -> None:
    state = RULES.initial(RULES.options(options))
    for step in play(options, seed, most=60):
        state = fold(state, step.events)
        for audience in (None, 0, 1):
            assert view(state, audience) == view(step.after, audience)


@FEW
@GAMES
def test_a_snapshot_is_the_state(options: pb.Options, seed: int) -> None:
    state = play(options, seed, most=80)[-1].after
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=State) == state


@FEW
@GAMES
def test_what_is_listed_is_accepted_and_what_is_accepted_is_listed(options: pb.Options, seed: int) -> None:
    kinds = {name: kind for kind in RULES.commands for name in (_name(kind),)}
    for step in play(options, seed, most=60):
        for seat in (0, 1):
            listed = RULES.actions(step.after, seat)
            assert tuple(view(step.after, seat).me.can) == listed
            for command in RULES.some(step.after, seat):
                assert RULES.decide(step.after, seat, command, Chance(1))
            for name, kind in kinds.items():
                if name not in listed and not kind.DESCRIPTOR.fields:
                    try:
                        RULES.decide(step.after, seat, kind(), Chance(1))
                    except Refused:
                        continue
                    raise AssertionError(f"{name} is not listed and was accepted")


def _name(kind: type) -> str:
    return {"AcceptResign": "accept_resign", "RejectResign": "reject_resign"}.get(kind.__name__, kind.__name__.lower())


@FEW
@GAMES
def test_undo_returns_the_exact_state(options: pb.Options, seed: int) -> None:
    for step in play(options, seed, most=120):
        if isinstance(step.command, pb.Move) and step.after.moved:
            undone = fold(step.after, RULES.decide(step.after, step.seat, pb.Undo(), Chance(1)))
            assert undone == step.before
            everything = fold(step.after, RULES.decide(step.after, step.seat, pb.Undo(all=True), Chance(1)))
            assert everything.board == everything.start and not everything.moved


@FEW
@GAMES
def test_ids_round_trip(options: pb.Options, seed: int) -> None:
    for step in play(options, seed, most=60):
        state = step.after
        if state.turn is None:
            continue
        shown = view(state, None).ids
        on_roll = ids.from_position_id(shown.position_id)
        assert on_roll == (state.start[state.turn], state.start[1 - state.turn])
        match = ids.from_match_id(shown.match_id)
        assert ids.match_id(match) == shown.match_id
        assert (match.cube, match.owner, match.score) == (state.cube, state.owner, state.score)
        if not state.beaver:
            found = ids.from_xgid(shown.xgid)
            assert found.board == state.start and ids.xgid(found) == shown.xgid


@FEW
@GAMES
def test_records_round_trip(options: pb.Options, seed: int) -> None:
    if options.automatic_doubles or options.cube_limit:  # a match file cannot say either
        options = pb.Options(session_games=2, beavers=True)
    steps = play(options, seed, most=3000)
    ended = steps[-1].after
    if ended.match_result is None or ended.match_result.reason == "timeout":
        return
    events = [event for step in steps for event in step.events]
    text = record.write(events, ("Ann", "Bob"))
    script = record.read(text)
    state, happened = RULES.initial(RULES.options(script.options)), list[Message]()
    for entry in script.steps:
        more = RULES.decide(state, entry.seat, entry.command, ScriptedCtx(Script(entry.draws)))
        happened += more
        state = fold(state, more)
    again = [event for event in happened if isinstance(event, pb.GameEnded)]
    before = [event for event in events if isinstance(event, pb.GameEnded)]
    assert [(e.winner, e.cube, e.points) for e in again] == [(e.winner, e.cube, e.points) for e in before]
    assert record.write(happened, script.names) == text


@FEW
@GAMES
def test_a_redraw_takes_the_same_draws(options: pb.Options, seed: int) -> None:
    state = RULES.initial(RULES.options(options))
    chance = Chance(seed + 1)
    for step in play(options, seed, most=40):
        for event in step.events:
            count = len(chance.drawn)
            again = RULES.redraw(state, event, chance)
            assert type(again) is type(event)
            drawn = len(chance.drawn) - count
            assert drawn == (1 if isinstance(event, pb.OpeningRolled | pb.DiceRolled) else 0)
            if not drawn:
                assert again == event
            state = RULES.evolve(state, event)
