"""Many rounds side by side: cups, bids, lifts and what they bring (R3-R5), one numpy row each.

A call is a number: 0 lifts, `1 + 7 * up + face` bids `face` (0: any) with `up` dice more than lie on the table now;
an opener counts from the situation's `base`. Bids further up are legal at a table, but nobody thinks of them here.
"""

import numpy as np

from services.liarsdice.regulars.engine.situations import ANY_KIND, NATURALS, PRESENT, Bools, Ints, Situations

UPS = 4
CALLS = 1 + 7 * UPS
LIFT = 0
FACE = np.concatenate([[-1], np.tile(np.arange(7), UPS)])
"""The face of each call."""
UP = np.concatenate([[0], np.repeat(np.arange(UPS), 7)])
"""The dice it goes up by."""


class Rounds:
    """The rounds; `at` are rows of `kinds`. Cups are numbers of dice by face, `[round, seat, 6]`."""

    def __init__(self, kinds: Situations, at: Ints, cups: Ints, starter: Ints) -> None:
        rows, seats = cups.shape[:2]
        self.kinds = kinds
        self.at = at
        self.turn = starter.copy()
        self.lay(cups)
        self.quantity = np.zeros(rows, np.int64)
        self.face = np.full(rows, -1)
        self.before = np.full(rows, -1)
        self.bidder = np.full(rows, -1)
        self.bids = np.zeros(rows, np.int64)
        self.said = np.zeros((rows, seats, 7), np.int64)
        self.told = np.zeros((rows, seats), np.int64)
        self.over = np.zeros(rows, np.bool_)
        self.brings = np.zeros((rows, seats), np.float32)
        self.loser = np.full(rows, -1)

    def lay(self, cups: Ints) -> None:
        """Put these dice under the cups: what each counts and shows for each face, and all together."""
        n = cups.sum(axis=2)
        rules = self.kinds.rules[self.at]
        jokers = ~rules[:, NATURALS]
        self.counts = np.zeros((*cups.shape[:2], 7), np.int64)
        self.counts[:, :, 1:] = cups
        self.counts[:, :, 2:] += cups[:, :, :1] * jokers[:, None, None]
        self.shows = np.zeros((*cups.shape[:2], 7), np.bool_)
        self.shows[:, :, 1:] = cups > 0
        single = (cups == 1).cumprod(axis=2).sum(axis=2) == n  # 1, 2, .., each once: as many as there are dice
        pattern = single & (n > 0) & np.take_along_axis(self.kinds.force[self.at], n, axis=1)
        self.counts[pattern, 1:] = (n[pattern] + 1)[:, None]
        self.shows[pattern & (n >= 3)] = False
        playable: Bools = np.ones((len(cups), 7), np.bool_)
        playable[:, 1] = rules[:, NATURALS]
        playable[:, 0] = False
        self.playable = playable
        self.counts[:, :, 0] = np.where(playable[:, None], self.counts, 0).max(axis=2)
        total = self.counts.sum(axis=1)
        total[:, 0] = np.where(playable, total, 0).max(axis=1)
        shown: Bools = np.logical_or.reduce(self.shows, axis=1)
        shown[:, 0] = np.logical_or.reduce(shown & playable, axis=1)
        self.total = total
        self.counted = shown | ~rules[:, PRESENT, None]

    def legal(self, rows: Ints) -> Bools:
        """`[row, call]`: which calls are legal."""
        at = self.at[rows]
        quantity = self.quantity[rows]
        opening = quantity == 0
        asked = np.where(opening, self.kinds.base[at], quantity)[:, None] + UP
        allowed = np.zeros((len(rows), CALLS), np.bool_)
        faces = self.playable[rows]
        faces[:, 0] = self.kinds.rules[at, ANY_KIND]
        higher = (UP > 0) | (self.face[rows, None] < FACE) | opening[:, None]
        allowed[:, 1:] = (faces[:, FACE[1:]] & higher[:, 1:]) & (asked[:, 1:] <= self.kinds.most[at, None])
        allowed[:, LIFT] = ~opening
        return allowed

    def asked(self, rows: Ints, calls: Ints) -> Ints:
        """The quantities of bids."""
        quantity = self.quantity[rows]
        return np.where(quantity == 0, self.kinds.base[self.at[rows]], quantity) + UP[calls]

    def call(self, rows: Ints, calls: Ints) -> None:
        """The seat in turn calls, in each of these rounds."""
        lifts = calls == LIFT
        if lifts.any():
            self._lift(rows[lifts])
        rows, calls = rows[~lifts], calls[~lifts]
        self.bid(rows, self.asked(rows, calls), FACE[calls])

    def bid(self, rows: Ints, quantity: Ints, face: Ints) -> None:
        """The seat in turn bids, in each of these rounds."""
        turn = self.turn[rows]
        self.before[rows] = self.face[rows]
        self.quantity[rows], self.face[rows], self.bidder[rows] = quantity, face, turn
        self.said[rows, turn, face] = quantity
        self.told[rows, turn] += 1
        self.bids[rows] += 1
        self.turn[rows] = (turn + 1) % self.kinds.seats[self.at[rows]]

    def _lift(self, rows: Ints) -> None:
        at, lifter, bidder, face = self.at[rows], self.turn[rows], self.bidder[rows], self.face[rows]
        held = (self.total[rows, face] >= self.quantity[rows]) & self.counted[rows, face]
        seats = self.brings.shape[1]
        lost, lie = self.kinds.lost[:, :seats, :seats], self.kinds.lie[:, :seats, :seats, :seats]
        self.brings[rows] = np.where(held[:, None], lost[at, lifter], lie[at, lifter, bidder])
        self.loser[rows] = np.where(held, lifter, bidder)
        self.over[rows] = True


def shake(dice: Ints, rng: np.random.Generator) -> Ints:
    """Cups of fair dice, `[round, seat, 6]`, for so many dice a seat."""
    places: Ints = np.arange(int(dice.max(initial=1)))
    thrown = rng.integers(0, 6, (*dice.shape, len(places)))
    lying: Bools = places < dice[:, :, None]
    faces = thrown[:, :, :, None] == np.arange(6)
    return np.count_nonzero(faces & lying[:, :, :, None], axis=2).astype(np.int64)
