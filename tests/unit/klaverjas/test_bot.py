"""Computer players (R14): they always know what to do, from their view alone, and infer only what must be so."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.table.brain import Look
from libs.table.rules import Facts
from libs.table.seeded import SeededCtx
from services.klaverjas import bot, search
from services.klaverjas import view as sight
from services.klaverjas.cards import CARD, SUIT, cards, deal, mask
from services.klaverjas.knowledge import Memory, excluded, known
from services.klaverjas.rules import RULES
from services.klaverjas.search import FAR, House, Table, Tally, follow, solve
from services.klaverjas.state import FINISHED, State
from services.klaverjas.strength import Match, report
from services.klaverjas.thumb import roem_points
from services.klaverjas.tricks import FOUR_ALIKE, legal, roem
from services.klaverjas.worlds import deal_world, weight
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb

QUICK = search.Effort(worlds=(0, 2, 2, 2, 2, 2, 2, 2, 2), exact_tricks=2, drawn=2)
HOUSE = House(0b11101100, 200, 100)


def play(
    options: pb.Options, levels: tuple[str, ...], seed: int, forget: bool = False, log: list[Message] | None = None
) -> State:
    """A game of four computer players; with `forget` each look is the first one, as after a restart."""
    rng = Random(seed)
    ctx = SeededCtx(rng)
    state = RULES.initial(options)
    events = RULES.start(state, ctx)
    memories: list[Any] = [None] * 4
    new = [list[Any]() for _ in range(4)]
    while True:
        for event in events:
            state = RULES.evolve(state, event)
        if log is not None:
            log += events
        for seat in range(4):
            new[seat] += [RULES.redact(event, state, seat) for event in events]
        if state.phase == FINISHED:
            return state
        for seat in rng.sample(range(4), 4):
            shown = () if forget else tuple(new[seat])
            view = sight.view(state, seat, Facts())
            actions = RULES.actions(state, seat)
            look = Look(seat, levels[seat], options, view, actions, shown, rng)
            thought = bot.think(look, None if forget else memories[seat])
            memories[seat], new[seat] = thought.memory, []
            if thought.command is not None:
                events = RULES.decide(state, seat, thought.command, ctx)
                break
        else:
            raise AssertionError("nobody does anything")


@pytest.mark.parametrize("forget", [False, True])
@pytest.mark.parametrize("preset", ["tafel", "solo", "utrechts", "leids", "rotterdams_bond", "amsterdams_bond"])
def test_four_regulars_play_a_game_to_its_end(preset: str, forget: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot, "EFFORT", QUICK)
    monkeypatch.setattr(bot, "TRUMP_WORLDS", 2)
    options = RULES.options(pb.Options(preset=preset, boompjes=2))
    state = play(options, ("easy", "normal", "hard", "hard"), 5, forget)
    assert RULES.result(state) is not None


def test_the_turned_suit_with_trump_must_hold_is_passed_when_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot, "EFFORT", QUICK)
    monkeypatch.setattr(bot, "TRUMP_WORLDS", 2)
    options = RULES.options(pb.Options(trump_maker="turned", trump_must_hold=True, boompjes=4, lead="maker"))
    assert play(options, ("easy", "normal", "hard", "normal"), 11).phase == FINISHED


def test_all_roem_is_claimed_once_and_rightly_before_the_trick_is_collected() -> None:
    """Four regulars that claim write what the server would have counted."""
    log: list[Message] = []
    play(RULES.options(pb.Options(roem_mode="claim", boompjes=3)), ("normal", "easy", "normal", "easy"), 2, log=log)
    trump, roem_seen = 0, 0
    for event, after in pairwise(log):
        if isinstance(event, pb.TrumpChosen):
            trump = SUIT[event.suit]
        if isinstance(event, pb.TrickWon):
            trick = [CARD[code] for code in event.cards]
            wanted = sum(item.points for item in roem(trump, trick, FOUR_ALIKE["nine_up"], 200))
            if wanted:
                assert isinstance(after, pb.RoemClaimed)
                assert (after.points, after.claimed, after.side) == (wanted, wanted, event.side)
                roem_seen += 1
            else:
                assert isinstance(after, pb.TrickCollected)
    assert roem_seen > 0


def test_courtesy_is_given_only_by_who_is_to_collect() -> None:
    view = pb.View(phase="collect", turn=pb.Turn(seat=2, action="collect"))
    assert bot.courtesy(view, 2) and not bot.courtesy(view, 0)
    assert not bot.courtesy(pb.View(phase="play", turn=pb.Turn(seat=2, action="play")), 2)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from(["rotterdams", "amsterdams"]),
    st.sampled_from(["free", "forced", "forbidden"]),
)
def test_the_true_deal_is_never_ruled_out_and_worlds_fit(seed: int, variant: str, undertrump: str) -> None:
    """At every card of a random boompje, for every seat: what is excluded is not there, and a world fits."""
    rng = Random(seed)
    options = RULES.options(pb.Options(variant=variant, undertrump=undertrump, boompjes=1))
    ctx = SeededCtx(rng)
    state = RULES.initial(options)
    events = RULES.start(state, ctx)
    memories: list[Any] = [None] * 4
    while True:
        for event in events:
            state = RULES.evolve(state, event)
        if state.phase == FINISHED:
            return
        (seat,) = RULES.to_act(state)
        if state.phase == "play":
            view = sight.view(state, seat, Facts())
            seen = known(view, options, Memory(*bot.watch(view, memories[seat])))
            assert all(not state.hands[other] & seen.cannot[other] for other in range(4))
            assert seen.unseen.bit_count() == sum(seen.sizes) - seen.sizes[seat]
            world = deal_world(seen, rng)
            assert world[seat] == seen.hand and [hand.bit_count() for hand in world] == list(seen.sizes)
            assert all(not world[other] & seen.cannot[other] for other in range(4) if other != seat)
            assert weight(seen, world) > 0
        for other in range(4):
            memories[other] = bot.watch(sight.view(state, other, Facts()), memories[other])
        events = RULES.decide(state, seat, rng.choice(list(RULES.some(state, seat))), ctx)


def test_a_free_discard_on_a_ruff_proves_only_that_no_higher_trump_is_held() -> None:
    trick = tuple(CARD[code] for code in ("HA", "ST", "D7"))
    cannot = excluded((False, 0), 0, [(1, 0, trick)])[2]
    assert cannot & mask(CARD[code] for code in ("SJ", "S9", "SA", "HK")) == cannot & ~mask(
        CARD[code] for code in ("H7", "H8", "H9", "HT", "HJ", "HQ", "HA")
    )
    assert not cannot & mask(CARD[code] for code in ("S7", "S8", "SQ", "SK"))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 3), st.lists(st.integers(0, 31), min_size=4, max_size=4, unique=True))
def test_quick_roem_is_the_rules_roem(trump: int, trick: list[int]) -> None:
    wanted = sum(item.points for item in roem(trump, trick, FOUR_ALIKE["nine_up"], 200))
    assert roem_points(trump, mask(trick)) == wanted


def brute(table: Table, tally: Tally) -> int:
    seat = (table.leader + len(table.trick)) & 3
    if not table.hands[seat]:
        return search.written(HOUSE, tally)
    allowed = legal(table.rules, table.trump, table.trick, table.hands[seat])
    values = [brute(*follow(HOUSE, table, tally, card)) for card in cards(allowed)]
    return max(values) if seat % 2 == 0 else min(values)


@pytest.mark.parametrize("seed", range(12))
def test_the_exact_search_finds_what_trying_everything_finds(seed: int) -> None:
    rng = Random(seed)
    three = list(deal(rng.sample(range(32), 32), seed & 3))
    hands = tuple(mask(rng.sample(cards(hand), 3)) for hand in three)
    table = Table((seed % 2 == 0, seed % 3), rng.randrange(4), hands, rng.randrange(4), ())
    tally = Tally(seed & 1, (3, 2), (50, 40), (20, 0))
    assert solve(HOUSE, table, tally, (-FAR, FAR), {}) == brute(table, tally)


def test_the_yardstick_tells_margins_and_times() -> None:
    match = Match(RULES.options(pb.Options(boompjes=1)), ("normal", "easy"), 1)
    told = report(match, 20)
    assert told.startswith("normal over easy: +") and "p99" in told and "wanted: +30" in told
