"""What a seat senses of a round, as a row of numbers for the net: its own cup and what everybody knows, no more."""

from typing import Any

import numpy as np
import numpy.typing as npt

from services.liarsdice.regulars.engine.rounds import CALLS, UPS, Rounds
from services.liarsdice.regulars.engine.situations import ANY_KIND, PRESENT, Bools, Floats, Ints

SHAPES = 4 + 6 + 5 + 6 + 5
WIDTH = SHAPES + 8 + 8 + 7 * 7 + 3 * (CALLS - 1) + 3


def sense(rounds: Rounds, rows: Ints, legal: Bools) -> Floats:
    """`[row, WIDTH]`: the seat in turn of each round. `legal` as `rounds.legal(rows)` says."""
    kinds, at = rounds.kinds, rounds.at[rows]
    me, last = rounds.turn[rows], rounds.bidder[rows]
    seats, dice, rules = kinds.seats[at], kinds.dice[at], kinds.rules[at]
    count = len(rows)
    each = np.arange(count)
    following = (me + 1) % seats
    total = dice.sum(axis=1)
    mine = dice[each, me]
    opening = last < 0
    last = np.where(opening, (me - 1) % seats, last)
    out = np.zeros((count, WIDTH), np.float32)
    col = _Columns(out)
    col.put(mine / 4, (total - mine) / 12, dice[each, following] / 4, dice[each, last] / 4)
    col.put(*(seats == k for k in (2, 3, 4)), seats >= 5, seats / 8, last == following)
    col.many(rules)
    told = rounds.told[rows]
    col.put(opening, told[each, me] / 2, told[each, last] / 2, rounds.bids[rows] / 8, told[each, following] / 2)
    col.put(rounds.quantity[rows] / np.maximum(1, total))
    lost, lie = kinds.lost[at], kinds.lie[at]
    others: Floats = lost[each, :, me].sum(axis=1) - lost[each, me, me]  # empty seats bring 0
    col.put(lost[each, me, me], lost[each, following, me], lie[each, me, last, me], lie[each, following, me, me])
    col.put((others - lost[each, following, me]) / np.maximum(1, seats - 2))
    col.many(rounds.face[rows, None] == np.arange(-1, 7))
    col.many(rounds.before[rows, None] == np.arange(-1, 7))
    _faces(col, rounds, rows, (me, last, following, each))
    _calls(col, rounds, rows, legal, (me, each))
    assert col.at == WIDTH
    return out


class _Columns:
    """Fills the columns of a table from the left."""

    def __init__(self, out: Floats) -> None:
        self.out = out
        self.at = 0

    def put(self, *columns: npt.NDArray[Any]) -> None:
        for column in columns:
            self.out[:, self.at] = column
            self.at += 1

    def many(self, block: npt.NDArray[Any]) -> None:
        self.out[:, self.at : self.at + block.shape[1]] = block
        self.at += block.shape[1]


def _faces(col: _Columns, rounds: Rounds, rows: Ints, who: tuple[Ints, Ints, Ints, Ints]) -> None:
    """By face: what the own cup counts and shows, who said it and how high."""
    me, last, following, each = who
    dice = rounds.kinds.dice[rounds.at[rows]]
    total = np.maximum(1, dice.sum(axis=1))[:, None]
    said = rounds.said[rows][:, : dice.shape[1]]
    own = said[each, me]
    heard = said.copy()
    heard[each, me] = 0
    col.many(rounds.counts[rows, me] / 4)
    col.many(rounds.shows[rows, me])
    col.many(own / total * 2)
    col.many(heard.max(axis=1) / total * 2)
    col.many(((heard > 0) * dice[:, :, None]).sum(axis=1) / total * 2)
    col.many(heard[each, last] > 0)
    col.many(heard[each, following] > 0)


def _calls(col: _Columns, rounds: Rounds, rows: Ints, legal: Bools, who: tuple[Ints, Ints]) -> None:
    """By call: whether it is legal, the chance that it holds as this seat sees it, and as who sees no cup."""
    me, each = who
    at, kinds = rounds.at[rows], rounds.kinds
    quantity = np.where(rounds.quantity[rows] == 0, kinds.base[at], rounds.quantity[rows])
    asked = quantity[:, None] + np.arange(UPS)
    own, unseen = rounds.counts[rows, me], kinds.unseen[at, me]
    mine = _chances(kinds.tails, unseen, asked[:, :, None] - own[:, None, :])
    public = _chances(kinds.tails, kinds.public[at], np.repeat(asked[:, :, None], 7, axis=2))
    rules, showing = kinds.rules[at], rounds.shows[rows, me]
    missing = rules[:, PRESENT, None] & ~showing
    hidden = (kinds.dice[at].sum(axis=1) - kinds.dice[at, me])[:, None]
    mine = mine * np.where(missing, 1 - np.float32(5 / 6) ** hidden, 1)[:, None, :]
    playable = rounds.playable[rows][:, None, :]
    for chances in (mine, public):
        chances[:, :, 0] = (1 - np.where(playable, 1 - chances, 1).prod(axis=2)) * rules[:, ANY_KIND, None]
    flat = legal[:, 1:]
    col.many(flat)
    col.many(mine.reshape(len(rows), -1) * flat)
    col.many(public.reshape(len(rows), -1) * flat)
    # the bid on the table itself
    face = np.maximum(0, rounds.face[rows])
    now = (rounds.quantity[rows] > 0).astype(np.float32)
    col.put(mine[each, 0, face] * now, public[each, 0, face] * now, own[each, face] * now / 4)


def _chances(tails: Floats, ids: Ints, need: Ints) -> Floats:
    """`[row, up, face]`: the chance that the cups of `ids` count `need` or more."""
    clipped = np.clip(need, 0, tails.shape[2] - 1)
    return tails[ids[:, None, None], np.arange(7), clipped]
