"""Two cups with one die each, solved: the equilibrium of the last round of a game (CFR+ over every history of bids).

A history is a set of bids in rising order, so a bit mask: bit k is bid k of the game's list. Its number of bids tells
who is in turn (even: the opener). Arrays are [parity][own die - 1, mask >> 1]: with the parity known the lowest bit
is, too. The masks whose last bid is k are then one slice, and their histories before that bid are all the masks below.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from services.liarsdice.counting import biddable, count, holds
from services.liarsdice.options import Setup
from services.liarsdice.regulars.mixing import Bid, Mixture

Grid = list[NDArray[np.float32]]
"""Two arrays by parity of the history: [6 dice, histories]. Single precision: a third of the time, and close enough."""

DICE = range(1, 7)
MOST_TRUE = 4
"""Two cups of one die never count more: a lone one counts two (R4.5)."""
MOST_BIDS = 16
"""Larger games (`any_kind` with jokers, ones with stairs: 18 to 21) take ten seconds to some minutes, a whole turn and
more: they are left to the general player."""
CLOSE = 1e-3
"""Exploitability at which a solution is good enough to play by."""
LEG = 50
"""Iterations between two looks at the exploitability."""
FLOOR = 1e-12
"""Least regret that is kept, so that a history without any regret yet is played evenly."""


class Game(NamedTuple):
    """A round of two dice: the bids in rising order, and for each whether it holds, by the two dice - 1."""

    bids: tuple[Bid, ...]
    truth: tuple[tuple[tuple[bool, ...], ...], ...]

    def payoffs(self) -> list[NDArray[np.float32]]:
        """For each bid what the lifter gets, by its die and the bidder's: 1 for a lie, -1 when it holds."""
        return [1.0 - 2.0 * np.array(holding, dtype=np.float32) for holding in self.truth]


class Play(NamedTuple):
    """Both strategies: chance of the bid that leads to a history (by the bidder's die), and of the lift there."""

    raises: Grid
    lifts: Grid


class Solution(NamedTuple):
    """An equilibrium: the average strategy, what the opener gets by it (wins minus losses), its exploitability."""

    game: Game
    play: Play
    value: float
    left: float


@lru_cache(maxsize=64)
def full_game(setup: Setup, most: int) -> Game:
    """Every bid up to quantity `most` that may ever be bid, however wild (beyond what two dice may count: left out)."""
    bids = tuple((quantity, face) for quantity in range(1, min(most, MOST_TRUE) + 1) for face in biddable(setup))

    def holding(bid: Bid) -> tuple[tuple[bool, ...], ...]:
        return tuple(tuple(holds(count(((a,), (b,)), bid[1], setup), bid[0]) for b in DICE) for a in DICE)

    return Game(bids, tuple(holding(bid) for bid in bids))


@lru_cache(maxsize=64)
def short_game(setup: Setup, most: int) -> Game:
    """The same without bids that no equilibrium needs; who meets one lifts it (its value, and the opponent's, stay).

    A bid that never holds: lifted, it loses for certain, and nothing is worse. A bid x that holds only where the
    highest of the rest, y, holds, too: after y the lift is forced, so bidding y is worth (dice where y holds), and
    bidding x that is always lifted no more. So an equilibrium without x is one with it, too.
    """
    game = full_game(setup, most)
    true = [k for k, holding in enumerate(game.truth) if any(map(any, holding))]
    top = np.array(game.truth[true[-1]])
    kept = [k for k in true if k == true[-1] or np.any(np.array(game.truth[k]) & ~top)]
    return Game(tuple(game.bids[k] for k in kept), tuple(game.truth[k] for k in kept))


def equal_play(game: Game) -> Play:
    """Everything that is possible equally often."""
    half = 1 << (len(game.bids) - 1)
    play = Play([np.ones((6, half), np.float32) for _ in (0, 1)], [np.ones((6, half), np.float32) for _ in (0, 1)])
    for player in (0, 1):
        normalise(play, player)
    return play


def normalise(play: Play, player: int) -> None:
    """Turns the player's weights into chances, in place. Every history in which it is in turn needs some weight."""
    raises, lifts = play.raises[1 - player], play.lifts[player]
    if player == 0:
        lifts[:, 0] = 0.0  # no bid yet
    total = lifts.copy()
    if player == 0:
        total[:, 0] += raises[:, 0]
    for before, after in blocks(raises):
        total[:, before] += raises[:, after]
    if player == 0:
        raises[:, 0] /= total[:, 0]
    for before, after in blocks(raises):
        raises[:, after] /= total[:, before]
    lifts /= total


def blocks(like: NDArray[np.float32]) -> list[tuple[slice, slice]]:
    """For each bid but the lowest: histories that it may follow, and the histories that end with it."""
    out: list[tuple[slice, slice]] = []
    n = 1
    while 2 * n <= like.shape[1]:
        out.append((slice(0, n), slice(n, 2 * n)))
        n *= 2
    return out


def reach(play: Play, player: int) -> Grid:
    """Chance that the player, with each die, does its part of each history."""
    out = [np.ones_like(play.lifts[0]), np.ones_like(play.lifts[0])]
    if player == 0:
        out[1][:, 0] = play.raises[1][:, 0]
    for before, after in blocks(play.lifts[0]):
        np.multiply(out[player][:, before], play.raises[1 - player][:, after], out=out[1 - player][:, after])
        out[player][:, after] = out[1 - player][:, before]
    return out


class Worth(NamedTuple):
    """What histories are worth to a player by its die, weighted with the other's reach; and its lift in them."""

    history: Grid
    lift: NDArray[np.float32]


def worth(game: Game, play: Play, player: int, other: Grid, best: bool = False) -> Worth:
    """The player's values against the other's `play`, whose `reach` is `other`: by its own part, or by the `best`."""
    own, foreign = player, 1 - player
    payoffs = game.payoffs()
    lift = np.empty_like(play.lifts[0])
    value = [np.empty_like(lift), np.empty_like(lift)]
    lifted = other[foreign] * play.lifts[foreign]
    # The lowest position of each parity: no bid at all, and the lowest bid alone.
    first = payoffs[0]
    lift[:, 0] = first @ other[1][:, 0] if player == 1 else (-np.inf if best else 0.0)
    value[foreign][:, 0] = -first @ lifted[:, 0] if player == 0 else 0.0
    for payoff, (_, after) in zip(payoffs[1:], blocks(lift), strict=True):
        np.matmul(payoff, other[own][:, after], out=lift[:, after])
        np.matmul(-payoff, lifted[:, after], out=value[foreign][:, after])
    value[own][:] = lift if best else lift * play.lifts[own]
    for before, after in reversed(blocks(lift)):
        mine = value[foreign][:, after]
        if best:
            np.maximum(value[own][:, before], mine, out=value[own][:, before])
        else:
            value[own][:, before] += play.raises[foreign][:, after] * mine
        value[foreign][:, before] += value[own][:, after]
    opening = value[1][:, 0]
    if player == 1:
        value[0][:, 0] += opening
    elif best:
        np.maximum(value[0][:, 0], opening, out=value[0][:, 0])
    else:
        value[0][:, 0] += play.raises[1][:, 0] * opening
    return Worth(value, lift)


def gain(game: Game, play: Play, player: int, best: bool = False) -> float:
    """What the player (0: the opener) gets a round, wins minus losses, over all dice."""
    return float(worth(game, play, player, reach(play, 1 - player), best).history[0][:, 0].sum(dtype=np.float64)) / 36


def exploitability(game: Game, play: Play) -> float:
    """What a best response gets above the even share, in the mean of both roles; 0 for an equilibrium."""
    return (gain(game, play, 0, best=True) + gain(game, play, 1, best=True)) / 2


@lru_cache(maxsize=16)
def solve(game: Game, close: float = CLOSE) -> Solution:
    """CFR+ until the exploitability is below `close`.

    The players improve by turns, no regret falls below zero, later strategies weigh more in the average.
    """
    play, total = equal_play(game), equal_play(game)
    for grid in (*total.raises, *total.lifts):
        grid *= FLOOR
    regret = Play(
        [np.full_like(grid, FLOOR) for grid in play.raises], [np.full_like(grid, FLOOR) for grid in play.lifts]
    )
    reached = [reach(play, 0), reach(play, 1)]
    step = 0
    while True:
        step += 1
        for player in (0, 1):
            _improve(game, play, regret, player, reached[1 - player])
            reached[player] = reach(play, player)
            _remember(play, total, player, reached[player], step)
        if step % LEG == 0:
            average = Play([grid.copy() for grid in total.raises], [grid.copy() for grid in total.lifts])
            for player in (0, 1):
                normalise(average, player)
            if (left := exploitability(game, average)) < close:
                return Solution(game, average, gain(game, average, 0), left)


def solved(setup: Setup, most: int) -> Solution | None:
    """The solution of the table's last round, or None where it is too large. The first call may take some seconds."""
    game = short_game(setup, most)
    return solve(game) if len(game.bids) <= MOST_BIDS else None


def answer(solution: Solution, die: int, bids: Sequence[Bid]) -> Mixture | None:
    """The mixture of calls after those bids: a bid that the game leaves out is lifted, None if it was raised."""
    rank = {bid: k for k, bid in enumerate(solution.game.bids)}
    if bids and bids[-1] not in rank:
        return [(None, 1.0)]
    if any(bid not in rank for bid in bids):
        return None
    mask, parity = sum(1 << rank[bid] for bid in bids), len(bids) % 2
    raises, lifts = solution.play.raises[1 - parity], solution.play.lifts[parity]
    first = rank[bids[-1]] + 1 if bids else 0
    out: Mixture = [(None, float(lifts[die - 1, mask >> 1]))] if bids else []
    for k in range(first, len(rank)):
        out.append((solution.game.bids[k], float(raises[die - 1, (mask | 1 << k) >> 1])))
    return out


def _improve(game: Game, play: Play, regret: Play, player: int, other: Grid) -> None:
    history, lift = worth(game, play, player, other)
    own, foreign = player, 1 - player
    raises, lifts = regret.raises[foreign], regret.lifts[own]
    lifts += lift - history[own]
    for before, after in blocks(lift):
        raises[:, after] += history[foreign][:, after] - history[own][:, before]
    if player == 0:
        raises[:, 0] += history[1][:, 0] - history[0][:, 0]
    for now, kept in ((play.raises[foreign], raises), (play.lifts[own], lifts)):
        np.maximum(kept, FLOOR, out=kept)
        now[:] = kept
    normalise(play, player)


def _remember(play: Play, total: Play, player: int, reached: Grid, weight: float) -> None:
    own, foreign = player, 1 - player
    total.lifts[own] += weight * reached[own] * play.lifts[own]
    # What the player reaches after its own bid is what it reached before it times the chance of the bid.
    total.raises[foreign] += weight * reached[foreign]
