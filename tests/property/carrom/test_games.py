"""Whole matches with made-up outcomes: what holds in every one of them."""

import msgspec
import pytest
from google.protobuf.message import Message
from hypothesis import given, settings

from libs.table.rules import Facts, Refused
from services.carrom.board import PIONS, RED
from services.carrom.centre import spot_free
from services.carrom.line import is_full
from services.carrom.referee import rule
from services.carrom.rules import RULES
from services.carrom.state import BONUS, NINE, OVER, OWNED, PENDING, SHOOT, VALIDATE, State, owner_of, side, team_of
from stamtafel.carrom.v1 import carrom_pb2 as pb
from tests.property.carrom.games import Chance, Game, Step, fold, games, play

few = settings(max_examples=40, deadline=None)
ORDER = (
    "clock",
    "no_contact",
    "line_direct",
    "opponent_pocketed",
    "mixed_pocketed",
    "piece_out",
    "palet_lost",
    "not_validated",
    "nothing_pocketed",
)


@few
@given(games())
def test_every_piece_is_in_one_place(game: Game) -> None:
    """R1.1, R5, R6, R12: nothing is lost, nothing is doubled."""
    for step in play(game):
        state = step.after
        off = [RED] if state.red in (PENDING, OWNED) else []
        lying = [piece for piece, _, _ in state.board]
        assert sorted([*lying, *state.pile, *state.acquired[0], *state.acquired[1], *off]) == sorted(PIONS)
        assert lying == sorted(lying)
        for team in (0, 1):
            assert all(owner_of(state, piece) == team for piece in state.acquired[team])


@few
@given(games())
def test_phases_turns_and_room(game: Game) -> None:
    """R3.2, R3.4, R3.5, R5.2, R8.3."""
    for step in play(game):
        state = step.after
        if state.phase == OVER:
            assert state.turn is None and RULES.result(state) is not None
            continue
        assert state.turn is not None
        assert not is_full(side(state, state.turn), state.board)
        assert (state.red == PENDING) == (state.phase == VALIDATE)
        assert (state.bonus is not None) == (state.phase == BONUS)
        if state.phase == VALIDATE:
            assert state.red_team == team_of(state.turn)
        if state.phase == BONUS:
            assert state.red == OWNED and state.red_team == state.bonus == team_of(state.turn)
            assert len(state.acquired[1 - team_of(state.turn)]) == NINE
        else:
            assert NINE not in (len(state.acquired[0]), len(state.acquired[1]))
        started = step.events[-1]
        assert isinstance(started, pb.TurnStarted)
        assert (started.seat, started.phase) == (state.turn, state.phase)
        kinds = {type(event) for event in step.events}
        if pb.SetStarted in kinds:
            assert (state.turn, state.phase) == (state.white_seat, SHOOT)
        elif pb.HandKept in kinds:
            assert state.turn == step.before.turn or pb.BonusStarted in kinds
        elif pb.HandLost in kinds and pb.BonusStarted not in kinds and step.before.turn is not None:
            assert state.turn == (step.before.turn + 1) % game.options.seats


@few
@given(games())
def test_hands_and_their_reasons(game: Game) -> None:
    """R4.1, R4.2: a hand is kept or lost once a decision, for reasons in their order."""
    for step in play(game):
        hands = [event for event in step.events if isinstance(event, pb.HandKept | pb.HandLost)]
        shot = any(isinstance(event, pb.ShotTaken) for event in step.events)
        assert len(hands) <= 1 and (len(hands) == 1 or not shot)
        for event in hands:
            if isinstance(event, pb.HandLost):
                assert event.reasons and [r for r in ORDER if r in event.reasons] == list(event.reasons)
        if shot:
            last = step.after.last_shot
            assert last is not None
            assert last.kept == isinstance(hands[0], pb.HandKept) == (not last.reasons)


KINDS = (
    pb.ShotTaken,
    pb.ShotResolved,
    pb.PionAcquired,
    (pb.RedValidated, pb.RedPocketed),
    pb.PaletLost,
    (pb.PenaltyPaid, pb.PenaltyWaived),
    pb.PieceDropped,
    pb.PieceReturned,
    (pb.HandKept, pb.HandLost),
    pb.BonusEnded,
    pb.BonusStarted,
    pb.SetEnded,
    pb.PointsScored,
)


@few
@given(games())
def test_the_order_of_events_in_a_shot(game: Game) -> None:
    """Rules file, Events: the order within one shot, and of what returns (R5.3)."""
    returns = ("red", "out", "line_direct", "penalty")
    for step in play(game):
        if not isinstance(step.events[0], pb.ShotTaken):
            continue
        places = [next((n for n, kind in enumerate(KINDS) if isinstance(event, kind)), None) for event in step.events]
        ordered = [place for place in places[: _end_of_ruling(step)] if place is not None]
        assert ordered == sorted(ordered)
        back = [e for e in step.events if isinstance(e, pb.PieceReturned) and e.reason != "line_full"]
        ranks = [returns.index("red" if event.piece == RED else event.reason) for event in back]
        assert ranks == sorted(ranks)
        lost = [event for event in step.events if isinstance(event, pb.PaletLost)]
        paid = [event for event in step.events if isinstance(event, pb.PenaltyPaid | pb.PenaltyWaived)]
        assert len(lost) == len(paid) <= 1


def _end_of_ruling(step: Step) -> int:
    """Where a piece goes back because the next line is full, or the next set or turn begins."""
    for n, event in enumerate(step.events):
        full = isinstance(event, pb.PieceReturned) and event.reason == "line_full"
        if full or isinstance(event, pb.TurnStarted | pb.SetStarted | pb.TossDrawn | pb.MatchEnded):
            return n
        dropped_for_line = isinstance(event, pb.PieceDropped) and any(
            isinstance(earlier, pb.HandKept | pb.HandLost) for earlier in step.events[:n]
        )
        if dropped_for_line:
            return n
    return len(step.events)


@few
@given(games())
def test_levels_are_those_of_the_centre(game: Game) -> None:
    """R12.2."""
    for step in play(game):
        state = step.before
        for event in step.events:
            if isinstance(event, pb.PieceDropped):
                assert spot_free(state.board) and state.pile[0] == event.piece
            if isinstance(event, pb.PieceReturned):
                free = spot_free([one for one in state.board if one[0] != event.piece]) and not state.pile
                assert event.level == (0 if free else len(state.pile) + 1)
            state = RULES.evolve(state, event)


@few
@given(games())
def test_scores(game: Game) -> None:
    """R7."""
    for step in play(game):
        for event in step.events:
            if isinstance(event, pb.SetEnded):
                loser = 1 - event.winner
                assert 0 <= event.left <= NINE and (event.by == "cleared" or game.options.match == "sets")
                assert loser in (0, 1)
            if isinstance(event, pb.PointsScored):
                assert event.total == step.before.points[event.team] + event.pions + event.red
        state = step.after
        if state.phase != OVER:
            assert max(state.sets) < game.options.sets_to_win
            assert game.options.match == "sets" or max(state.points) < game.options.points_target
        elif state.result is not None and state.result[1] in ("sets", "points"):
            score = RULES.score(state)
            assert max(score) == score[state.result[0]] > min(score)
        result = RULES.result(state)
        if result is not None:
            assert sorted(result.places) == ([1, 2] if game.options.seats == 2 else [1, 1, 2, 2])


@few
@given(games())
def test_replay_of_stored_bytes_is_the_live_game(game: Game) -> None:
    """At every version: the same state, the same view, also by way of a snapshot."""
    types = {kind.DESCRIPTOR.full_name: kind for kind in RULES.events}
    replayed = RULES.initial(game.options)
    for step in play(game, 60):
        for event in step.events:
            kind = types[event.DESCRIPTOR.full_name]
            replayed = RULES.evolve(replayed, kind.FromString(event.SerializeToString(deterministic=True)))
        assert replayed == step.after
        snapshot = msgspec.msgpack.decode(msgspec.msgpack.encode(step.after), type=RULES.state_type)
        assert snapshot == step.after
        assert RULES.view(snapshot, 0, Facts()) == RULES.view(step.after, 0, Facts())


@few
@given(games())
def test_drawing_again_gives_the_same_tosses(game: Game) -> None:
    for step in play(game, 60):
        state = step.before
        for event in step.events:
            if isinstance(event, pb.TossDrawn):
                white = event.white

                class Same(Chance):
                    def pick(self, items: tuple[int, ...], white: int = white) -> int:  # type: ignore[override]
                        return items[white]

                assert RULES.redraw(state, event, Same(1)) == event
            else:
                assert RULES.redraw(state, event, Chance(1)) is event
            state = fold(state, [event])


@few
@given(games())
def test_what_is_listed_is_accepted_and_the_rest_refused(game: Game) -> None:
    for step in play(game, 30):
        state = step.after
        for seat in range(game.options.seats):
            listed = RULES.actions(state, seat)
            over = state.phase == OVER
            expected = "game_over" if over else None if seat == state.turn else "not_your_turn"
            assert (expected is None) == ("shoot" in listed)
            assert over == ("resign" not in listed)
            if expected is not None:
                check(state, seat, pb.Shoot(x=0, angle=0, speed=1), expected)
            for command in RULES.some(state, seat):
                assert RULES.decide(state, seat, command, Chance(7))
        for seat in (-1, game.options.seats):
            check(state, seat, pb.Resign(), "unknown_seat")


def check(state: State, seat: int, command: Message, code: str) -> None:
    with pytest.raises(Refused) as raised:
        RULES.decide(state, seat, command, Chance(7))
    assert raised.value.code == code


@few
@given(games())
def test_clocks(game: Game) -> None:
    """One clock at most, of the seat to act, a fresh one for each shot; the drawn motion is free (R9.1)."""
    keys: set[str] = set()
    for step in play(game):
        state = step.after
        clocks = RULES.clocks(state)
        assert len(clocks) == int(bool(game.options.turn_seconds) and RULES.result(state) is None)
        assert {clock.seat for clock in clocks} <= RULES.to_act(state)
        shots = [event for event in step.events if isinstance(event, pb.ShotResolved)]
        for clock in clocks:
            assert clock.key not in keys
            keys.add(clock.key)
            assert clock.free_ms == (shots[0].time_ms if shots else 0)
        for seat in range(game.options.seats):
            happens = RULES.expire(state, seat, Chance(3))
            assert bool(happens) == (bool(clocks) and seat == clocks[0].seat)


@few
@given(games())
def test_all_see_the_same(game: Game) -> None:
    """Nothing is secret: a seat's view is the public one and `me`; `open` is what the referee would say."""
    for step in play(game, 60):
        public = RULES.view(step.after, None, Facts())
        for seat in range(game.options.seats):
            own = RULES.view(step.after, seat, Facts())
            assert (own.me.seat, own.me.my_turn) == (seat, seat == step.after.turn)
            own.ClearField("me")
            assert own == public
        for event in step.events:
            assert RULES.redact(event, step.after, None) is event
        turn = step.after.turn
        if turn is not None and RED in public.board and len(step.after.acquired[team_of(turn)]) < NINE:
            shot = pb.ShotResolved(seat=turn, first_contact=RED, rails_before=1, pocketed=[RED])
            assert (rule(step.after, shot).red == "pocketed") == public.red.open


def test_a_whole_match_on_the_real_simulation() -> None:
    """Shots at random, with a table that is nearly cleared, until somebody has won."""
    options = RULES.options(pb.Options(sets_to_win=1, turn_seconds=0))
    eight = [f"{{}}{n}" for n in range(1, 9)]
    acquired = {"white": [one.format("w") for one in eight], "black": [one.format("b") for one in eight]}
    state = RULES.position(options, {"turn": 0, "acquired": acquired, "board": {"w9": [0.28, 0.03]}})
    chance = Chance(5, real=True)
    (shot,) = [pb.Shoot(x=0.2191, angle=12.096, speed=1.5)]
    events = RULES.decide(state, 0, shot, chance)
    after = fold(state, events)
    assert after.result == (0, "sets")
    assert after.last_shot is not None and pb.ShotResolved.FromString(after.last_shot.shot).engine
