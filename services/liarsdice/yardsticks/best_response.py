"""How much a player can be exploited in the last round, two cups with one die each: exactly, by both best responses."""

from typing import NamedTuple

import numpy as np

from services.liarsdice.counting import highest
from services.liarsdice.options import Setup
from services.liarsdice.regulars.guess import Known
from services.liarsdice.regulars.mixing import Bid
from services.liarsdice.regulars.solver import DICE, Game, Play, full_game, gain
from services.liarsdice.yardsticks.players import Crowd, crowd

COUNTS = (1, 1)


class Exploited(NamedTuple):
    """What a best response gets a round against a player that opens, and one that answers (wins minus losses).

    `left`: the mean of both, 0 for an equilibrium.
    """

    opener: float
    answerer: float

    @property
    def left(self) -> float:
        return (self.opener + self.answerer) / 2


def exploited(name: str, setup: Setup) -> Exploited:
    """Both best responses to the player of that name (`players.NAMES`).

    Every die and every history of bids is looked at: practical up to some sixteen bids. The player sits on seat 0 when
    it opens and on seat 1 when it answers.
    """
    game = full_game(setup, highest(COUNTS, 2, setup))
    play = tabulated(crowd(name), game, setup)
    return Exploited(gain(game, play, 1, best=True), gain(game, play, 0, best=True))


def tabulated(measured: Crowd, game: Game, setup: Setup) -> Play:
    """What the player does with each die after each history, on the seat that is then in turn."""
    bids, half = game.bids, 1 << (len(game.bids) - 1)
    play = Play([np.zeros((6, half), np.float32) for _ in (0, 1)], [np.zeros((6, half), np.float32) for _ in (0, 1)])
    rank = {bid: k for k, bid in enumerate(bids)}

    def fill(mask: int, history: list[Bid]) -> None:
        parity = len(history) % 2
        said = tuple((at % 2, *bid) for at, bid in enumerate(history))
        first = rank[history[-1]] + 1 if history else 0
        higher = list(bids[first:])
        knowns = [Known(parity, (die,), COUNTS, said, setup) for die in DICE]
        for die, mixture in zip(DICE, measured(knowns, higher, bool(history)), strict=True):
            for call, chance in mixture:
                if call is None:
                    play.lifts[parity][die - 1, mask >> 1] += chance
                else:
                    play.raises[1 - parity][die - 1, (mask | 1 << rank[call]) >> 1] += chance
        for k in range(first, len(bids)):
            fill(mask | 1 << k, [*history, bids[k]])

    fill(0, [])
    return play
