"""Whole games by random legal play: what holds in every one of them."""

import msgspec
import pytest
from google.protobuf.message import Message
from hypothesis import given, settings

from libs.table.rules import Facts, Refused
from services.trictrac.rules import RULES
from services.trictrac.state import State
from stamtafel.trictrac.v1 import trictrac_pb2 as pb
from tests.property.trictrac.games import Chance, Game, fold, games, play

COMMANDS: dict[str, Message] = {"throw": pb.Throw(), "stand": pb.Stand(), "take_point": pb.TakePoint()}
few = settings(max_examples=40, deadline=None)


@few
@given(games())
def test_points_rounds_and_places(game: Game) -> None:
    """R6.3, R9.1, R9.2, R9.7, R9.11."""
    steps = list(play(game))
    boks = [event for step in steps for event in step.events if isinstance(event, pb.BokGiven)]
    assert len(boks) <= int(game.options.bok)
    for step in steps:
        assert all(points >= 0 for points in step.after.points)
        paid = [event for event in step.events if isinstance(event, pb.PointsLost)]
        assert len(paid) <= 1
        for event in paid:
            assert event.paid == min(event.penalty, step.before.points[event.seat])
            assert event.left == step.before.points[event.seat] - event.paid
    end = steps[-1].after
    seats = game.options.seats
    assert end.round <= seats * game.options.points
    assert sorted(end.ranking) == list(range(seats))
    assert [seat for seat, points in enumerate(end.points) if points] == [end.winner]
    assert tuple(reversed(end.ranking[1:])) == end.out
    result = RULES.result(end)
    assert result is not None
    assert sorted(result.places) == list(range(1, seats + 1))
    gone = [event for step in steps for event in step.events if isinstance(event, pb.SeatOut)]
    assert all(result.places[event.seat] == event.place for event in gone)


@few
@given(games())
def test_replay_of_stored_bytes_is_the_live_game(game: Game) -> None:
    """At every version: the same state, the same view, also by way of a snapshot."""
    types = {kind.DESCRIPTOR.full_name: kind for kind in RULES.events}
    replayed = RULES.initial(game.options)
    for step in play(game):
        for event in step.events:
            kind = types[event.DESCRIPTOR.full_name]
            replayed = RULES.evolve(replayed, kind.FromString(event.SerializeToString(deterministic=True)))
        assert replayed == step.after
        snapshot = msgspec.msgpack.decode(msgspec.msgpack.encode(step.after), type=RULES.state_type)
        assert snapshot == step.after
        assert RULES.view(snapshot, 0, Facts()) == RULES.view(step.after, 0, Facts())


@few
@given(games())
def test_drawing_again_gives_the_same_events(game: Game) -> None:
    """`redraw` takes the draws of a decision in their order (verify)."""
    chance = Chance(game.seed, game.faces)
    for step in play(game):
        state = step.before
        for event in step.events:
            assert RULES.redraw(state, event, chance) == event
            state = fold(state, [event])


def refusal(view: pb.View, seat: int, command: str, bok_rule: bool) -> str | None:
    """The code that the rules file's table gives for a command, told from the public view alone; None: accepted."""
    row = view.seats[seat]
    if view.phase == "over":
        return "game_over"
    if row.out:
        return "seat_out"
    if command != "take_point":
        if view.turn.seat != seat:
            return "not_your_turn"
        nothing_lies = view.phase == "throw_off" or view.turn.throws_made == 0
        return "must_throw" if command == "stand" and nothing_lies else None
    if view.trictracs:
        return "trictrac_on_table"
    if not row.HasField("standing"):
        return "throws_left"
    if row.standing.reason != "throws_used":
        return "stood_early"
    n = len(view.seats)
    before = next(s for s in ((view.turn.seat - step) % n for step in range(1, n)) if not view.seats[s].out)
    if view.phase == "throw_off" or view.turn.throws_made or before != seat:
        return "window_closed"
    becomes_bok = bok_rule and not view.HasField("bok")
    return None if row.points > 1 or becomes_bok else "last_point"


@few
@given(games())
def test_what_is_listed_is_accepted_and_the_rest_refused(game: Game) -> None:
    for step in play(game):
        state = step.after
        view = RULES.view(state, None, Facts())
        for seat in range(len(state.points)):
            listed = RULES.actions(state, seat)
            assert list(view.seats[seat].actions) == list(listed)
            for name, command in COMMANDS.items():
                expected = refusal(view, seat, name, game.options.bok)
                assert (expected is None) == (name in listed)
                check(state, seat, command, expected)
            assert all(RULES.decide(state, seat, command, Chance(7)) for command in RULES.some(state, seat))
        for seat in (-1, len(state.points)):
            check(state, seat, pb.Throw(), "unknown_seat")


def check(state: State, seat: int, command: Message, code: str | None) -> None:
    if code is None:
        assert RULES.decide(state, seat, command, Chance(7))
        return
    with pytest.raises(Refused) as raised:
        RULES.decide(state, seat, command, Chance(7))
    assert raised.value.code == code


@few
@given(games())
def test_clocks(game: Game) -> None:
    """One clock at most, of the seat to act, and a fresh one after each accepted command (R4.1, R4.7, R4.8, R9.8)."""
    keys: set[str] = set()
    for step in play(game):
        state = step.after
        clocks = RULES.clocks(state)
        running = bool(game.options.throw_seconds) and RULES.result(state) is None
        assert len(clocks) == int(running)
        assert {clock.seat for clock in clocks} <= RULES.to_act(state)
        for clock in clocks:
            assert clock.key not in keys
            keys.add(clock.key)
        for seat in range(len(state.points)):
            happens = RULES.expire(state, seat, Chance(3))
            assert bool(happens) == (running and seat == clocks[0].seat)


@few
@given(games())
def test_all_see_the_same(game: Game) -> None:
    """R10.1: a seat's view is the public one and `you`."""
    for step in play(game):
        public = RULES.view(step.after, None, Facts())
        for seat in range(len(step.after.points)):
            own = RULES.view(step.after, seat, Facts())
            assert own.you.seat == seat
            assert list(own.you.actions) == list(RULES.actions(step.after, seat))
            own.ClearField("you")
            assert own == public
        for event in step.events:
            assert RULES.redact(event, step.after, None) == event
