"""Situations: who plays a round with how many dice by which rules, as rows of arrays for many rounds side by side."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from services.liarsdice.counting import in_force
from services.liarsdice.odds import cup_ways
from services.liarsdice.options import Setup
from services.liarsdice.regulars.engine.stakes import Dice, of_round

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
SEATS = 8
STAIRS, ANY_KIND, PRESENT, NATURALS, CLASSIC = range(5)
RULES = ("stairs", "any_kind", "present", "ones_without_jokers", "classic_lift")
"""House rules that a round depends on, by their place in a row of `rules`."""


class Situation(NamedTuple):
    """The seats that play, in their order round the table, by dice; `setup` has the rules; `most` may be bid."""

    dice: Dice
    setup: Setup
    most: int


class Situations(NamedTuple):
    """Rows of situations; seats beyond the last that plays have 0 dice.

    `tails` [id, face, need]: chance that some cups count at least `need`; `unseen` [row, seat]: the id of all cups
    but the seat's own, `public` [row]: of all cups. `lost` [row, loser, seat] and `lie` [row, lifter, bidder, seat]
    as in `stakes.of_round`. `base`: the lowest quantity that an opener thinks of.
    """

    seats: Ints
    dice: Ints
    rules: Bools
    most: Ints
    base: Ints
    force: Bools
    unseen: Ints
    public: Ints
    lost: Floats
    lie: Floats
    tails: Floats


def opening_base(dice: Sequence[int], setup: Setup) -> int:
    """Openers think of this quantity and a few more: well below what all cups count on average."""
    share = 6 if setup.ones_without_jokers else 3
    return max(1, round(sum(dice) / share) - (1 if setup.ones_without_jokers else 2))


def rows_of(situations: Sequence[Situation]) -> Situations:
    """The situations as rows."""
    n = len(situations)
    widest = max(len(one.dice) for one in situations)
    longest = max(sum(one.dice) + len(one.dice) for one in situations) + 1
    book = _Tails(longest)
    rows = Situations(
        seats=np.array([len(one.dice) for one in situations]),
        dice=np.array([one.dice + (0,) * (widest - len(one.dice)) for one in situations]),
        rules=np.array([[getattr(one.setup, name) for name in RULES] for one in situations]),
        most=np.array([one.most for one in situations]),
        base=np.array([opening_base(one.dice, one.setup) for one in situations]),
        force=np.array([[in_force(size, one.setup) for size in range(7)] for one in situations]),
        unseen=np.zeros((n, widest), np.int64),
        public=np.zeros(n, np.int64),
        lost=np.zeros((n, widest, widest), np.float32),
        lie=np.zeros((n, widest, widest, widest), np.float32),
        tails=np.zeros((0, 7, 0), np.float32),
    )
    for at, one in enumerate(situations):
        k = len(one.dice)
        rows.lost[at, :k, :k], rows.lie[at, :k, :k, :k] = of_round(one.dice, one.setup.classic_lift)
        rows.public[at] = book.number(one.dice, one.setup)
        for seat in range(k):
            rows.unseen[at, seat] = book.number(one.dice[:seat] + one.dice[seat + 1 :], one.setup)
    return rows._replace(tails=np.array(book.rows, np.float32))


class _Tails:
    """The tails of cups, each kind of table once. Not `any`, nor what must show: a net learns the rest."""

    def __init__(self, longest: int) -> None:
        self.rows: list[Floats] = []
        self._longest = longest
        self._known: dict[tuple[Dice, bool, bool], int] = {}

    def number(self, dice: Dice, setup: Setup) -> int:
        key = (tuple(sorted(dice)), setup.ones_without_jokers, setup.stairs)
        if key not in self._known:
            self._known[key] = len(self.rows)
            self.rows.append(self._row(*key))
        return self._known[key]

    def _row(self, dice: Dice, naturals: bool, stairs: bool) -> Floats:
        row = np.zeros((7, self._longest + 1), np.float32)
        for face in range(1, 7):
            spread = np.ones(1)
            for n in dice:
                spread = np.convolve(spread, np.array(cup_ways(n, face, not naturals, stairs)[0]) / 6**n)
            row[face, : len(spread)] = spread[::-1].cumsum()[::-1]
        return row
