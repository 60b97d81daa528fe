"""What the strongest regular plays with: stakes, the net, the search."""

from random import Random

import numpy as np
import pytest

from services.liarsdice.counting import highest, ranges
from services.liarsdice.options import resolve
from services.liarsdice.regulars.engine import train
from services.liarsdice.regulars.engine.net import drawn, load
from services.liarsdice.regulars.engine.rounds import CALLS, LIFT, Rounds, shake
from services.liarsdice.regulars.engine.search import mixed
from services.liarsdice.regulars.engine.situations import Situation, rows_of
from services.liarsdice.regulars.engine.stakes import of_round, safety
from services.liarsdice.regulars.guess import Known

STANDARD = resolve({})


@pytest.mark.parametrize("classic", [False, True])
def test_exactly_one_seat_stays_behind(classic: bool) -> None:
    for dice in ((1, 1), (2, 1, 3), (4, 4, 4, 4), (1, 0, 2, 6)):
        chances = safety(dice, classic)
        assert sum(chances) == pytest.approx(len(dice) - 1)
        order = sorted(range(len(dice)), key=lambda seat: dice[seat])
        assert [chances[seat] for seat in order] == sorted(chances, reverse=True)


def test_a_round_between_two_is_all_or_nothing() -> None:
    lost, lie = of_round((1, 1), False)
    assert lost.tolist() == [[0, 1], [1, 0]]
    assert lie[0, 1].tolist() == [1, 0]


def test_with_classic_lift_a_right_lift_helps_the_lifter_alone() -> None:
    _, lie = of_round((3, 3, 3), True)
    assert lie[0, 1].argmax() == 0
    assert lie[0, 1][1] == lie[0, 1][2] < lie[0, 1][0]


def known(dice: list[int], bids: list[tuple[int, int, int]], seats: int = 4, **rules: bool) -> Known:
    setup = resolve({"seats": seats, **rules})
    return Known(0, tuple(dice), (4,) * seats, tuple(bids), setup)


@pytest.mark.parametrize("rules", [{}, {"any_kind": True, "present": True}, {"ones_without_jokers": True}])
@pytest.mark.parametrize("dice", [[1, 4, 4, 6], []])
def test_the_mixture_is_of_legal_calls(rules: dict[str, bool], dice: list[int]) -> None:
    for bids in ([], [(1, 3, 4)], [(1, 3, 4), (2, 4, 5), (3, 5, 6)], [(1, 1, 2)], [(1, 14, 6)]):
        seat = known(dice, bids, **rules)
        most = highest(seat.counts, 4, seat.setup)
        legal = {
            (quantity, face)
            for face, low, high in ranges(bids[-1][1:] if bids else None, most, seat.setup)
            for quantity in range(low, high + 1)
        }
        mixture = mixed(seat, most, Random(1))
        assert sum(p for _, p in mixture) == pytest.approx(1, abs=1e-4)
        assert all(call is None or call in legal for call, _ in mixture)
        assert bids or all(call is not None for call, _ in mixture)


def test_a_bid_that_cannot_hold_is_lifted_and_one_that_must_is_not() -> None:
    def lift(seat: Known) -> float:
        return dict(mixed(seat, highest(seat.counts, 2, seat.setup), Random(1))).get(None, 0.0)

    assert lift(known([2, 2, 3, 3], [(1, 8, 6)], seats=2)) > 0.9
    assert lift(known([1, 1, 6, 6], [(1, 4, 6)], seats=2)) < 0.1


def test_the_search_believes_what_it_hears() -> None:
    # two neighbours bid fives: five of them are likelier than the dice alone say
    heard = known([2, 3, 5, 5], [(2, 4, 5), (3, 5, 5)])
    unheard = known([2, 3, 5, 5], [(2, 4, 6), (3, 5, 5)])
    lifts = [dict(mixed(seat, 16, Random(3))).get(None, 0.0) for seat in (heard, unheard)]
    assert lifts[0] < lifts[1] + 0.05


def test_the_same_chance_gives_the_same_thought() -> None:
    seat = known([1, 4, 4, 6], [(2, 4, 3), (3, 5, 5)])
    assert mixed(seat, 16, Random(5)) == mixed(seat, 16, Random(5))


def test_calls_are_drawn_by_their_shares() -> None:
    shares = np.tile(np.array([[0.25, 0.0, 0.75, 0.0]], np.float32), (4000, 1))
    calls = drawn(shares, np.random.default_rng(1))
    assert set(calls.tolist()) == {0, 2}
    assert abs(float((calls == 0).mean()) - 0.25) < 0.03


def test_a_call_without_a_share_is_never_drawn() -> None:
    class Edge:
        """Chance at its edges: exactly 0, and as near to 1 as it comes."""

        def __init__(self, value: float) -> None:
            self.value = np.float32(value)

        def random(self, shape: tuple[int, int], dtype: object) -> object:
            return np.full(shape, self.value)

    shares = np.array([[0.0, 0.3, 0.0, 0.7, 0.0]], np.float32)
    assert [int(drawn(shares, Edge(value))[0]) for value in (0.0, 1 - 2**-24)] == [1, 3]  # pyright: ignore


def test_training_learns_to_lose_less() -> None:
    rng = np.random.default_rng(7)
    kinds = train.situations(300, rng)
    policy = train.Learner(train.fresh((train.WIDTH, 32, CALLS), rng))
    critic = train.Learner(train.fresh((train.ORACLE, 32, 1), rng))
    fresh = [part.copy() for part in policy.layers]
    figures = [
        train.learn(policy, critic, train.play(policy.layers, kinds, 512, rng), train.Step(3e-3, 0.03), rng)
        for _ in range(25)
    ]
    assert figures[-1]["error"] < figures[0]["error"]
    lost = [
        train.against_odds((layers,), kinds, 2, 4000, np.random.default_rng(3)) for layers in (fresh, policy.layers)
    ]
    assert lost[1] < lost[0] - 0.05


def test_the_shipped_nets_beat_the_odds() -> None:
    rng = np.random.default_rng(11)
    kinds = train.situations(300, rng)
    assert train.against_odds(load("two"), kinds, 2, 6000, rng) < 0.48
    assert train.against_odds(load("more"), kinds, 4, 6000, rng) < 0.20


def test_every_round_ends_with_one_loser() -> None:
    rng = np.random.default_rng(2)
    kinds = rows_of([Situation((4, 2, 1), STANDARD, highest((4, 2, 1), 3, STANDARD))])
    rounds = Rounds(kinds, np.zeros(500, np.int64), shake(np.repeat(kinds.dice, 500, axis=0), rng), np.zeros(500, int))
    while len(rows := np.flatnonzero(~rounds.over)):
        legal = rounds.legal(rows)
        assert legal.any(axis=1).all()
        calls = drawn(legal / legal.sum(axis=1, keepdims=True), rng)
        assert (rounds.bids[rows][calls == LIFT] > 0).all()
        rounds.call(rows, calls)
    assert set(rounds.loser.tolist()) <= {0, 1, 2}
    assert (rounds.brings[np.arange(500), rounds.loser] <= 0.0001).all()
