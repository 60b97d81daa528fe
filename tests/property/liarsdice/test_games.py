"""Invariants of random tables: replay, conserved dice, the ledger as a fold, secrets, legal acts."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.table.plain import to_plain
from libs.table.rules import Refused
from libs.testing.scripted import facts_of
from services.liarsdice.counting import FACES
from services.liarsdice.rules import RULES
from services.liarsdice.state import BIDDING, State, locked, most
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb
from tests.property.liarsdice.games import Chance, Table, fold, play, tables

few = settings(max_examples=30, deadline=None)


@few
@given(tables())
def test_replay_equals_live_and_snapshots_keep_everything(table: Table) -> None:
    events: list[Any] = []
    live = RULES.initial(table.options)
    for step in play(table):
        events += step.events
        live = step.after
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(live), type=State) == live
    stored = [type(event).FromString(event.SerializeToString()) for event in events]
    again = fold(RULES.initial(table.options), stored)
    assert again == live
    facts = facts_of(RULES.seating(table.options))
    for audience in (None, *range(live.setup.seats)):
        assert RULES.view(again, audience, facts) == RULES.view(live, audience, facts)


@few
@given(tables())
def test_redrawing_gives_the_same_events(table: Table) -> None:
    ctx = Chance(table.seed, facts_of(RULES.seating(table.options)), table.faces)
    for step in play(table):
        state = step.before
        for event in step.events:
            assert RULES.redraw(state, event, ctx) == event
            state = RULES.evolve(state, event)


@few
@given(tables())
def test_every_listed_act_is_accepted_and_no_other(table: Table) -> None:
    facts = facts_of(RULES.seating(table.options))
    for step in play(table, 40):
        state = step.after
        for seat in range(state.setup.seats):
            named = RULES.actions(state, seat)
            ctx = Chance(1, facts)
            for command in RULES.some(state, seat):
                assert RULES.decide(state, seat, command, ctx)
            others = {"lift": pb.Lift(), "peek": pb.Peek(), "next_game": pb.NextGame()}
            for name, command in others.items():
                if name not in named:
                    with pytest.raises(Refused):
                        RULES.decide(state, seat, command, ctx)
        if state.phase == BIDDING and state.turn is not None:
            _bids_are_exactly_the_legal_ones(state, facts)


def _bids_are_exactly_the_legal_ones(state: State, facts: Any) -> None:
    seat = state.turn
    assert seat is not None
    view = RULES.view(state, seat, facts)
    legal = {(one.face, q) for one in view.legal.bids for q in range(one.from_quantity, one.to + 1)}
    for face in FACES:
        for quantity in range(1, most(state) + 2):
            try:
                RULES.decide(state, seat, pb.Bid(quantity=quantity, face=face), Chance(1, facts))
                accepted = True
            except Refused:
                accepted = False
            assert accepted == ((face, quantity) in legal)


@few
@given(tables())
def test_dice_are_conserved(table: Table) -> None:
    for step in play(table):
        state = step.after
        if state.phase != BIDDING:
            continue
        assert tuple(map(len, state.dice)) == state.counts
        assert all(n <= state.setup.dice_each for n in state.counts)
        assert all((n > 0) + (place > 0) == 1 for n, place in zip(state.counts, state.places, strict=True)) or len(
            state.participants
        ) < len(state.counts)
        gone = sum(len(e.seats) for e in step.events if isinstance(e, pb.DicePutAway))
        if gone and step.before.game == state.game:
            assert sum(step.before.counts) - gone == sum(state.counts)


@few
@given(tables())
def test_every_die_is_in_a_cup_or_put_away(table: Table) -> None:
    """Over a whole game: what it started with lies in the cups or was put away, one die a seat and round."""
    away, loser = 0, -1
    for step in play(table, 200):
        for event in step.events:
            if isinstance(event, pb.GameStarted):
                away = 0
            elif isinstance(event, pb.RoundLost):
                loser = event.seat
            elif isinstance(event, pb.DicePutAway):
                assert len(set(event.seats)) == len(event.seats) > 0 and loser not in event.seats
                away += len(event.seats)
        state = step.after
        assert sum(state.counts) + away == len(state.participants) * state.setup.dice_each
        if state.phase != BIDDING:
            assert state.loser is not None
            assert [seat for seat, n in enumerate(state.counts) if n] == [state.loser]


@few
@given(tables())
def test_the_ledger_is_a_fold_of_the_results(table: Table) -> None:
    black: set[int] = set()
    strokes, given_, selv = ([0] * 8 for _ in range(3))
    for step in play(table, 200):
        for event in step.events:
            if isinstance(event, pb.RulesSet) and not event.options.viborg:
                black.clear()
            if isinstance(event, pb.GameLost):
                seat, setup = event.seat, step.before.setup
                if not setup.viborg:
                    given_[seat] += 1
                elif seat in black:
                    selv[seat] += black == {seat} and not event.finale
                    strokes[seat] += 1
                    given_[seat] += 1
                    black.clear()
                else:
                    black.add(seat)
        ledger = step.after.ledger
        n = len(ledger.black)
        assert {seat for seat in range(n) if ledger.black[seat]} == black
        assert (ledger.strokes, ledger.rounds_given, ledger.selvbinders) == (
            tuple(strokes[:n]),
            tuple(given_[:n]),
            tuple(selv[:n]),
        )


@few
@given(tables(), st.integers(0, 2**32))
def test_nothing_depends_on_what_is_hidden(table: Table, seed: int) -> None:
    """With the other cups shaken anew, nothing that a seat receives changes (noninterference)."""
    facts = facts_of(RULES.seating(table.options))
    other = Chance(seed, facts)
    for step in play(table, 60):
        state = step.after
        if state.phase != BIDDING:
            continue
        shaken = [event for event in step.events if isinstance(event, pb.CupsShaken)]
        for audience in (None, *range(state.setup.seats)):
            keeps = audience is not None and not locked(state, audience)
            dice = tuple(
                cup if keeps and seat == audience else other.dice(len(cup)) for seat, cup in enumerate(state.dice)
            )
            changed = msgspec.structs.replace(state, dice=dice)
            assert RULES.view(changed, audience, facts) == RULES.view(state, audience, facts)
            for event in shaken:
                seen = RULES.redact(event, state, audience)
                assert isinstance(seen, pb.CupsShaken)
                for seat, cup in enumerate(seen.dice):
                    assert list(cup.items) == (list(state.dice[seat]) if keeps and seat == audience else [])


@few
@given(tables())
def test_hidden_count_is_told_by_nothing(table: Table) -> None:
    """Fewer or more dice in the other cups: no view changes by it."""
    table.options.hidden_count = True
    facts = facts_of(RULES.seating(table.options))
    for step in play(table, 40):
        state = step.after
        if state.phase != BIDDING or not state.setup.hidden_count:
            continue
        for audience in (None, *range(state.setup.seats)):
            own = [seat for seat in range(state.setup.seats) if seat == audience and not locked(state, seat)]
            dice = tuple(cup if seat in own or not cup else (*cup, 6) for seat, cup in enumerate(state.dice))
            changed = msgspec.structs.replace(state, dice=dice, counts=tuple(map(len, dice)))
            view = to_plain(RULES.view(state, audience, facts))
            assert view == to_plain(RULES.view(changed, audience, facts))
            assert view["dice_counts"] is None and view["total_dice"] is None


@few
@given(tables())
def test_a_refused_command_draws_nothing(table: Table) -> None:
    facts = facts_of(RULES.seating(table.options))
    refused = 0
    for step in play(table, 30):
        for seat in range(step.after.setup.seats + 1):
            for command in (pb.Lift(), pb.NextGame(), pb.Bid(quantity=1, face="9"), pb.SetRules(), pb.Peek()):
                ctx = Chance(1, facts)
                try:
                    RULES.decide(step.after, seat, command, ctx)
                except Refused:
                    refused += 1
                    assert not ctx.drawn
    assert refused


def test_random_tables_reach_all_that_these_tests_are_about() -> None:
    """Else an invariant holds because nothing happened."""
    seen: set[str] = set()
    for seed in range(60):
        asked = {
            "seats": 2 + seed % 3,
            "dice_each": 1 + seed % 2,
            "finale": bool(seed % 2),
            "turn_seconds": 15 * (seed % 3 > 0),
        }
        for step in play(Table(RULES.options(pb.Options(**asked)), seed, 6, 0.2), 200):  # type: ignore[arg-type]
            for event in step.events:
                seen.add(type(event).DESCRIPTOR.name)
                if isinstance(event, pb.TabtHelt | pb.GameStarted | pb.GameLost):
                    seen |= {
                        f"{type(event).DESCRIPTOR.name} {name}"
                        for name in ("selvbinder", "finale")
                        if getattr(event, name, False)
                    }
                if isinstance(event, pb.SeatsOut) and len(event.seats) > 1:
                    seen.add("shared place")
                if isinstance(event, pb.MatsTurnedGreen) and isinstance(step.command, pb.SetRules):
                    seen.add("mats by the host")
    assert {kind.DESCRIPTOR.name for kind in RULES.events} - {"HelpSet"} <= seen
    assert {"TabtHelt selvbinder", "GameLost finale", "shared place", "mats by the host"} <= seen
