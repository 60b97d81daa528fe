"""Thought: the mixture of the nets, and with three cups or more a search over dice that fit the bids.

The search deals the hidden cups many times, each as likely as its seat's bids make it (Bayes, with the net for what a
seat would bid), plays every call that is worth a thought to the round's end by the net, and leans towards those that
do best. Values are the stakes of the table (`stakes`).
"""

from collections.abc import Sequence
from functools import lru_cache
from random import Random

import numpy as np

from services.liarsdice.counting import Cup
from services.liarsdice.options import Setup
from services.liarsdice.regulars.engine.net import Nets, drawn, load, shares
from services.liarsdice.regulars.engine.rounds import CALLS, FACE, UP, UPS, Rounds, shake
from services.liarsdice.regulars.engine.situations import Floats, Ints, Situation, Situations, rows_of
from services.liarsdice.regulars.guess import Known
from services.liarsdice.regulars.mixing import Call, Mixture

DEALS = 256
"""How often the hidden cups are dealt."""
WORTH = 0.02
MOST_CALLS = 6
"""Calls that the net likes this much or better are thought over, at most so many."""
DOUBT = 0.10
"""Share of bids that are taken for whim: a bid that the net would never make proves nothing."""
HEAT = 0.08
"""How far the mixture leans to what the search finds better: by a factor e for so much of the stakes."""

Heard = tuple[int, int, int]
"""A bid of the round: place among the seats that play, quantity, face."""


def mixed(known: Known, most: int, rng: Random) -> Mixture:
    """The mixture of calls for the seat in turn; `most` is the highest quantity that may be bid."""
    if known.own and _two(known):
        return mixtures([known], most)[0]
    seat = _Seat(known, most)
    chance = np.random.default_rng(rng.getrandbits(64))
    cups = _dealt(seat, known.own, chance)
    rounds, likely = _heard(seat, cups)
    fit = likely[:, seat.me] / likely[:, seat.me].sum()
    share: Floats = (shares(seat.nets, rounds, np.arange(DEALS)) * fit[:, None]).sum(axis=0)
    if len(seat.dice) > 2:
        share = _searched(seat, _fitting(cups, likely, chance), share, chance)
    return _named(seat, share)


def mixtures(knowns: Sequence[Known], most: int) -> list[Mixture]:
    """The net's own mixtures for several cups of one seat: what is known differs in the own dice only."""
    seat = _Seat(knowns[0], most)
    cups = np.zeros((len(knowns), len(seat.dice), 6), np.int64)
    cups[:, seat.me] = [[known.own.count(face) for face in range(1, 7)] for known in knowns]
    rounds = _replayed(seat, cups)
    return [_named(seat, share) for share in shares(seat.nets, rounds, np.arange(len(knowns)))]


def _two(known: Known) -> bool:
    return sum(n > 0 for n in known.counts) == 2


class _Seat:
    """The seat in turn among those that play, the bids of the round, and the net that knows such rounds."""

    def __init__(self, known: Known, most: int) -> None:
        seats = [seat for seat, n in enumerate(known.counts) if n]
        self.dice = tuple(known.counts[seat] for seat in seats)
        self.me = seats.index(known.seat)
        self.bids: list[Heard] = [(seats.index(seat), quantity, face) for seat, quantity, face in known.bids]
        self.kinds = _kinds(self.dice, known.setup, most)
        self.nets: Nets = load("two" if len(seats) == 2 else "more")
        self.base = self.bids[-1][1] if self.bids else int(self.kinds.base[0])


@lru_cache(maxsize=512)
def _kinds(dice: Cup, setup: Setup, most: int) -> Situations:
    return rows_of([Situation(dice, setup, most)])


def _named(seat: _Seat, share: Floats) -> Mixture:
    called: list[Call] = [None, *((seat.base + int(UP[call]), int(FACE[call])) for call in range(1, CALLS))]
    return [(call, float(p)) for call, p in zip(called, share, strict=True) if p > 0]


def _dealt(seat: _Seat, own: Cup, chance: np.random.Generator) -> Ints:
    """Cups at random, but for the own one as far as it is known."""
    cups = shake(np.repeat(seat.kinds.dice, DEALS, axis=0), chance)
    if own:
        cups[:, seat.me] = [own.count(face) for face in range(1, 7)]
    return cups


def _started(seat: _Seat, cups: Ints) -> Rounds:
    starter = seat.bids[0][0] if seat.bids else seat.me
    return Rounds(seat.kinds, np.zeros(len(cups), np.int64), cups, np.full(len(cups), starter))


def _bid(rounds: Rounds, bid: Heard) -> None:
    who, quantity, face = bid
    everyone = np.arange(len(rounds.at))
    rounds.turn[:] = who
    rounds.bid(everyone, np.full(len(everyone), quantity), np.full(len(everyone), face))


def _replayed(seat: _Seat, cups: Ints) -> Rounds:
    """The rounds with these cups as they stand after the bids."""
    rounds = _started(seat, cups)
    for bid in seat.bids:
        _bid(rounds, bid)
    rounds.turn[:] = seat.me
    return rounds


def _heard(seat: _Seat, cups: Ints) -> tuple[Rounds, Floats]:
    """The same, and how well each cup of each deal fits what its seat bid, `[deal, seat]`."""
    rounds = _started(seat, cups)
    everyone = np.arange(len(cups))
    likely = np.ones(cups.shape[:2], np.float32)
    for who, quantity, face in seat.bids:
        rounds.turn[:] = who
        up = min(quantity - (int(rounds.quantity[0]) or int(seat.kinds.base[0])), UPS - 1)
        if up >= 0:
            legal = max(1, np.count_nonzero(rounds.legal(everyone[:1])))
            liked = shares(seat.nets, rounds, everyone)[:, 1 + 7 * up + face]
            likely[:, who] *= DOUBT / legal + (1 - DOUBT) * liked
        _bid(rounds, (who, quantity, face))
    rounds.turn[:] = seat.me
    return rounds, likely


def _fitting(cups: Ints, likely: Floats, chance: np.random.Generator) -> Ints:
    """Deals anew out of the dealt cups, each as often as it fits; what one seat holds tells nothing of another."""
    out = cups.copy()
    for seat in range(cups.shape[1]):
        weights: Floats = likely[:, seat].cumsum()
        evenly = (np.arange(len(cups)) + chance.random()) / len(cups) * float(weights[-1])
        picks: Ints = np.searchsorted(weights, evenly)
        out[:, seat] = cups[chance.permutation(np.minimum(picks, len(cups) - 1)), seat]
    return out


def _searched(seat: _Seat, cups: Ints, share: Floats, chance: np.random.Generator) -> Floats:
    """The mixture, leaning to the calls that do best over the deals."""
    calls = [int(call) for call in np.argsort(-share)[:MOST_CALLS] if share[call] >= WORTH]
    if len(calls) < 2:
        return share
    rounds = _replayed(seat, np.tile(cups, (len(calls), 1, 1)))
    rounds.call(np.arange(len(rounds.at)), np.repeat(calls, len(cups)))
    while len(rows := np.flatnonzero(~rounds.over)):
        rounds.call(rows, drawn(shares(seat.nets, rounds, rows), chance))
    values = rounds.brings[:, seat.me].reshape(len(calls), len(cups)).mean(axis=1)
    leaning = np.zeros(CALLS, np.float32)
    leaning[calls] = share[calls] * np.exp((values - values.max()) / HEAT)
    return leaning / leaning.sum()
