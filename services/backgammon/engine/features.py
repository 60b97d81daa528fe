"""What the nets see of a position: raw counts by point and a few things a player looks at, as float32 columns.

The side that is on roll comes first. All functions take a batch `[n, 2, 26]` (see `batch.py`) and are pure numpy.
"""

import numpy as np
import numpy.typing as npt

from services.backgammon.engine.batch import Boards

Floats = npt.NDArray[np.float32]
Bits = npt.NDArray[np.int64]

RAW = 2 * 24 * 4 + 2 * 4 + 2 * 3
RACE_WIDTH = RAW + 8
SIDE = 30
CONTACT_WIDTH = RAW + 2 * SIDE

_COUNT = np.zeros((16, 4), dtype=np.float32)
_COUNT[1, 0] = 1
_COUNT[2, 1] = 1
_COUNT[3:, 2] = 1
for _n in range(4, 16):
    _COUNT[_n, 3] = (_n - 3) / 2
_OFF = np.zeros((16, 3), dtype=np.float32)
for _n in range(16):
    _OFF[_n] = (min(_n, 5) / 5, min(max(_n - 5, 0), 5) / 5, max(_n - 10, 0) / 5)
_PIPS = np.arange(26, dtype=np.float32)
_PIPS[0] = 0
_CROSS = np.array([0] + [(p - 1) // 6 + 1 for p in range(1, 25)] + [5], dtype=np.float32)


def _escape_table() -> Floats:
    """Share of throws with which a checker passes a block: bit k set = the point k+1 pips ahead is closed.

    Passing means: getting beyond the furthest closed point of the twelve ahead, or moving at all if none is closed.
    """
    table = np.zeros(4096, dtype=np.float32)
    for bits in range(4096):
        closed = [bool(bits >> k & 1) for k in range(12)]
        far = max((k + 1 for k in range(12) if closed[k]), default=0)
        if far > 6:
            far = next((k for k in range(6, 0, -1) if closed[k - 1]), 0) if not any(closed[:6]) else min(far, 7)
        good = 0
        for a in range(1, 7):
            for b in range(1, 7):
                ways = ((a, b), (b, a)) if a != b else ((a, a), (a, a))
                reached = 0
                for way in ways:
                    at = 0
                    for die in way if a != b else (a, a, a, a):
                        if at + die <= 12 and closed[at + die - 1]:
                            break
                        at += die
                    reached = max(reached, at)
                good += reached > far
        table[bits] = good / 36
    return table


_ESCAPE = _escape_table()


def raw(boards: Boards) -> Floats:
    """`[n, RAW]`: four units a point, bar and side; three for the checkers borne off."""
    return _with_raw(boards, RAW)


def _with_raw(boards: Boards, width: int) -> Floats:
    """`[n, width]`, the raw columns filled in; the rest is left to the caller."""
    n = len(boards)
    out = np.empty((n, width), dtype=np.float32)
    points = np.take(_COUNT, boards[:, :, 1:26].reshape(n, 50), axis=0, mode="clip")
    out[:, :200] = points.reshape(n, 200)
    out[:, 200:RAW] = np.take(_OFF, boards[:, :, 0], axis=0, mode="clip").reshape(n, 6)
    return out


def race(boards: Boards) -> Floats:
    """`[n, RACE_WIDTH]`: for positions in which no checker can be hit any more."""
    counts = boards.astype(np.float32)
    pips = counts @ _PIPS
    cross = counts @ _CROSS
    low = counts[:, :, 1:3].sum(axis=2)
    gaps = (boards[:, :, 1:7] == 0).sum(axis=2).astype(np.float32)
    out = _with_raw(boards, RACE_WIDTH)
    out[:, RAW:] = np.concatenate((pips / 100, cross / 20, low / 10, gaps / 6), axis=1)
    return out


def contact(boards: Boards) -> Floats:
    """`[n, CONTACT_WIDTH]`: raw counts and what a player looks at, for both sides."""
    out = _with_raw(boards, CONTACT_WIDTH)
    out[:, RAW : RAW + SIDE] = _side(boards[:, 0], boards[:, 1])
    out[:, RAW + SIDE :] = _side(boards[:, 1], boards[:, 0])
    return out


def _linear() -> tuple[Floats, Floats, Floats]:
    """Weights of the columns that are sums over counts, over made points and over blots (rows: 0..25)."""
    counts = np.zeros((26, SIDE), dtype=np.float32)
    made = np.zeros((26, SIDE), dtype=np.float32)
    blots = np.zeros((26, SIDE), dtype=np.float32)
    counts[:, 0] = _PIPS / 167
    made[1:7, 1] = 1 / 6
    made[19:25, 2] = 1 / 2
    blots[1:25, 3] = 1 / 4
    counts[1:4, 15] = 1 / 15
    counts[1, 16] = 1 / 8
    counts[7:13, 17] = 1 / 15
    counts[13:19, 18] = 1 / 10
    counts[19:26, 19] = 1 / 6
    counts[6:13, 20] = 1 / 5
    made[6:13, 20] = -2 / 5  # what stands on a point beyond the two that make it
    blots[6:13, 20] = -1 / 5
    counts[:, 22] = _PIPS**2 / 4000
    counts[:, 28] = (_CROSS - 1).clip(0) / 20
    made[4:9, 29] = 1 / 5
    return counts, made, blots


_COUNTS_W, _MADE_W, _BLOTS_W = _linear()
_BAND = np.zeros((38, 26), dtype=np.float32)  # column p: the twelve points ahead of p as bits; row 12 + point
for _p in range(26):
    for _k in range(12):
        if 0 <= 11 + _p - _k < 38:
            _BAND[11 + _p - _k, _p] = 1 << _k
_POWERS = (2.0 ** np.arange(26)).astype(np.float64)
_INSIDE = sum(1 << p for p in range(1, 25))


def _side(mine: Boards, other: Boards) -> Floats:
    n = len(mine)
    counts = mine.astype(np.float32)
    made = counts >= 2
    made[:, (0, 25)] = False
    blot = counts == 1
    blot[:, (0, 25)] = False
    out = counts @ _COUNTS_W + made.astype(np.float32) @ _MADE_W + blot.astype(np.float32) @ _BLOTS_W
    have = mine > 0
    have[:, 0] = False
    other_have = other > 0
    other_have[:, 0] = False
    back = np.where(have.any(axis=1), 25 - np.argmax(have[:, ::-1], axis=1), 0)
    other_back = np.where(other_have.any(axis=1), 25 - np.argmax(other_have[:, ::-1], axis=1), 0)
    made_bits = (made @ _POWERS).astype(np.int64)
    run = made_bits
    for k in range(5):
        run = run & (made_bits >> (k + 1))
        out[:, 4 + k] = run != 0
    shut = (other >= 2)[:, ::-1]  # by my numbering
    shut[:, (0, 25)] = False
    closed = np.zeros((n, 38), dtype=np.float32)
    closed[:, 13:37] = shut[:, 1:25]
    escape = _ESCAPE[(closed @ _BAND).astype(np.int32)]
    out[:, 9] = escape[np.arange(n), back]
    out[:, 10] = escape[:, 18:26].min(axis=1)
    out[:, 11] = escape[:, 18:26].sum(axis=1) / 8
    beyond = np.maximum(_PIPS[None, :] - (25 - other_back)[:, None].astype(np.float32), 0)
    out[:, 12] = (counts * (beyond > 0)).sum(axis=1) / 15
    out[:, 13] = (counts * beyond).sum(axis=1) / 60
    out[:, 14] = back / 24
    out[:, 21] = (mine[:, 20] >= 2) | (mine[:, 21] >= 2) | (mine[:, 18] >= 2)
    targets = (other == 1)[:, ::-1].copy()
    targets[:, (0, 25)] = False
    out[:, 23] = _shots(
        mine, (have @ _POWERS).astype(np.int64), (targets @ _POWERS).astype(np.int64), (shut @ _POWERS).astype(np.int64)
    )
    out[:, 24] = (targets * (25 - _PIPS)[None, :]).max(axis=1) / 24 * (out[:, 23] > 0)
    out[:, 25] = mine[:, 25] > 0
    out[:, 26] = out[:, 25] * (1 - (1 - shut[:, 19:25].sum(axis=1) / np.float32(6)) ** 2)
    out[:, 27] = np.maximum(counts[:, 0] - 7, 0) / 8
    return out


def _shots(mine: Boards, have: Bits, targets: Bits, shut: Bits) -> Floats:
    """Share of throws with which `mine` can hit some blot of the other seat (bit p: my point p)."""
    bar = np.int64(1 << 25)
    barred = have >= bar
    have = np.where(barred, bar, have)
    free = ~shut & _INSIDE
    alone = mine[:, 25] < 2  # with two on the bar no checker plays both dice
    direct = [((have >> d) & targets) != 0 for d in range(1, 7)]
    struck = np.zeros(len(mine), dtype=np.float32)
    for a in range(1, 7):
        for b in range(a, 7):
            if a == b:
                hits = direct[a - 1]
                way = have
                for _ in range(3):
                    way = (way >> a) & free
                    hits = hits | ((((way >> a) & targets) != 0) & alone)
                struck += hits
            else:
                way = (((have >> a) & free) >> b) | (((have >> b) & free) >> a)
                struck += 2.0 * (direct[a - 1] | direct[b - 1] | (((way & targets) != 0) & alone))
    return struck / np.float32(36)
