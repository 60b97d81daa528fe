"""Two cups of one die: the published value, how little a best response gains, and what the short game leaves out."""

from typing import Any

import numpy as np
import pytest

from services.liarsdice.options import Setup, resolve
from services.liarsdice.regulars.solver import (
    Game,
    Play,
    answer,
    equal_play,
    exploitability,
    full_game,
    gain,
    short_game,
    solve,
    solved,
)


def table(**rules: Any) -> Setup:
    return resolve({"seats": 2, "dice_each": 1, **rules})


def test_the_opener_loses_one_round_in_nine() -> None:
    solution = solve(full_game(table(ones_without_jokers=True), 2), 1e-4)
    assert solution.value == pytest.approx(-1 / 9, abs=2e-4)
    assert gain(solution.game, solution.play, 1) == pytest.approx(1 / 9, abs=2e-4)
    assert 0 <= exploitability(solution.game, solution.play) < 1e-4


def test_a_sure_first_bid_turns_the_roles() -> None:
    # 1 x any always holds, so that the opener may pass with it.
    solution = solved(table(ones_without_jokers=True, any_kind=True), 2)
    assert solution is not None
    assert solution.value == pytest.approx(1 / 9, abs=2e-3)


def test_no_mixture_of_everything_is_an_equilibrium() -> None:
    game = full_game(table(ones_without_jokers=True), 2)
    play = equal_play(game)
    assert exploitability(game, play) > 0.3
    assert gain(game, play, 0) == pytest.approx(-gain(game, play, 1))


@pytest.mark.parametrize("rules", [{"ones_without_jokers": True}, {"ones_without_jokers": True, "any_kind": True}])
def test_gains_agree_with_a_walk_through_the_tree(rules: dict[str, Any]) -> None:
    full = full_game(table(**rules), 2)
    game = Game(full.bids[-5:], full.truth[-5:])
    play = solve(game, 0.05).play
    for player in (0, 1):
        assert gain(game, play, player) == pytest.approx(walked(game, play, player, False))
        assert gain(game, play, player, best=True) == pytest.approx(walked(game, play, player, True))


def walked(game: Game, play: Play, player: int, best: bool) -> float:
    """The same as `gain`, history by history: the player's values by its die, the other's reach by its die."""

    def value(bids: tuple[int, ...], other: np.ndarray) -> np.ndarray:
        mask, parity = sum(1 << k for k in bids), len(bids) % 2
        chances = play.lifts[parity][:, mask >> 1]
        worth = []
        if bids:
            lie = 1 - 2.0 * np.array(game.truth[bids[-1]])
            worth.append((chances, lie @ other if parity == player else -lie @ (other * chances)))
        for k in range(bids[-1] + 1 if bids else 0, len(game.bids)):
            chances = play.raises[1 - parity][:, (mask | 1 << k) >> 1]
            worth.append((chances, value((*bids, k), other if parity == player else other * chances)))
        if parity != player:
            return sum(w for _, w in worth)
        return np.max([w for _, w in worth], axis=0) if best else sum(c * w for c, w in worth)

    return float(value((), np.ones(6)).sum()) / 36


def test_the_short_game_is_worth_the_same() -> None:
    # Jokers, but only the bids on fives and sixes: small enough to solve with and without the wild ones.
    full = full_game(table(), 4)
    few = [k for k, (_, face) in enumerate(full.bids) if face >= 5]
    small = Game(tuple(full.bids[k] for k in few), tuple(full.truth[k] for k in few))
    short = short_game(table(), 4)
    kept = [k for k, bid in enumerate(small.bids) if bid in short.bids]
    assert [small.bids[k] for k in range(len(small.bids)) if k not in kept] == [(4, 5)]
    without = Game(tuple(small.bids[k] for k in kept), tuple(small.truth[k] for k in kept))
    found = solve(without, 1e-4)
    assert solve(small, 1e-4).value == pytest.approx(found.value, abs=2e-4)
    assert exploitability(small, lifting_the_rest(small, kept, found.play)) < 1e-4


def lifting_the_rest(game: Game, kept: list[int], play: Play) -> Play:
    """The play of the game of the `kept` bids, in the whole game: every other bid is lifted."""
    half = 1 << (len(game.bids) - 1)
    raises, lifts = ([np.zeros((6, half), np.float32) for _ in (0, 1)] for _ in (0, 1))
    for mask in range(2 * half):
        bids = [k for k in range(len(game.bids)) if mask >> k & 1]
        parity = len(bids) % 2
        if all(k in kept for k in bids):
            short = sum(1 << kept.index(k) for k in bids)
            raises[parity][:, mask >> 1] = play.raises[parity][:, short >> 1]
            lifts[parity][:, mask >> 1] = play.lifts[parity][:, short >> 1]
        else:
            lifts[parity][:, mask >> 1] = 1.0
    return Play(raises, lifts)


def test_bids_that_never_hold_are_left_out_and_lifted() -> None:
    setup = table(ones_without_jokers=True, hidden_count=True, dice_each=3)
    assert len(full_game(setup, 6).bids) == 24
    solution = solved(setup, 6)
    assert solution is not None and len(solution.game.bids) == 12
    assert solution.game == solve(full_game(table(ones_without_jokers=True), 2)).game
    assert answer(solution, 3, [(1, 2), (5, 1)]) == [(None, 1.0)]
    assert answer(solution, 3, [(5, 1), (5, 2)]) == [(None, 1.0)]


def test_answers_are_mixtures_over_everything_higher() -> None:
    solution = solved(table(ones_without_jokers=True), 2)
    assert solution is not None
    for die in range(1, 7):
        for bids in ([], [(1, 3)], [(1, 1), (1, 6), (2, 4)], [(2, 6)]):
            mixture = answer(solution, die, bids)
            assert mixture is not None
            assert sum(chance for _, chance in mixture) == pytest.approx(1)
            assert [call for call, _ in mixture] == [None] * bool(bids) + [
                bid for bid in solution.game.bids if not bids or bid > bids[-1]
            ]


def test_large_games_are_left_alone() -> None:
    assert solved(table(any_kind=True), 4) is None
    assert solved(table(ones_without_jokers=True, stairs=True), 4) is None
