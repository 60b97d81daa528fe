"""Deals of the unseen cards that fit what a seat knows, the likelier ones first (R14.3).

What the play rules out is never dealt (`Known.cannot`). What it makes less likely is weighed: who names trump holds it,
who passed does not, and most cards are played as the rules of thumb would.
"""

from collections.abc import Sequence
from random import Random

from services.klaverjas.cards import FULL, cards
from services.klaverjas.knowledge import Known
from services.klaverjas.naming import ENOUGH, strength
from services.klaverjas.thumb import pick
from services.klaverjas.tricks import legal

UNLIKE_THUMB = 0.15
"""Weight of a card that the rules of thumb would not have played, against one that they would."""
UNLIKE_MAKER = 0.15
"""Weight of a maker's hand that had a clearly better suit; of a strong hand that passed."""


def likely_worlds(known: Known, rng: Random, wanted: int, drawn: int) -> list[tuple[int, ...]]:
    """`wanted` worlds, drawn by weight and without repeats of a draw from `drawn` times as many deals."""
    found: list[tuple[float, tuple[int, ...]]] = []
    for _ in range(wanted * drawn):
        hands = tuple(deal_world(known, rng))
        # Keys u^(1/w): the largest are a weighted sample (Efraimidis and Spirakis).
        found.append((rng.random() ** (1.0 / weight(known, hands)), hands))
    found.sort(reverse=True)
    return [hands for _, hands in found[:wanted]]


def weight(known: Known, hands: Sequence[int]) -> float:
    """How well a world explains what was named, passed and played; above 0."""
    trump, worth = known.trump, 1.0
    before = list(hands)
    for _, leader, laid in known.plays:
        for at, card in enumerate(laid):
            before[(leader + at) & 3] |= 1 << card
    maker = before[known.maker]
    if known.maker != known.seat and known.free_choice and maker.bit_count() == 8:
        best = max(strength(maker, suit) for suit in range(4))
        if strength(maker, trump) < best - 5.0:
            worth *= UNLIKE_MAKER
    for seat in known.passed:
        if seat != known.seat and max(strength(before[seat], suit) for suit in range(4)) > ENOUGH + 8.0:
            worth *= UNLIKE_MAKER
    shown = 0
    for _, leader, laid in known.plays:
        for at, card in enumerate(laid):
            seat = (leader + at) & 3
            bit = 1 << card
            if seat != known.seat:
                hand, trick = before[seat], laid[:at]
                allowed = legal(known.rules, trump, trick, hand)
                if allowed & allowed - 1:
                    guess = [FULL & ~shown & ~hand] * 4
                    guess[seat] = hand
                    if pick(trump, trick, allowed, guess, seat) != card:
                        worth *= UNLIKE_THUMB
            before[seat] &= ~bit
            shown |= bit
    return worth


_WITHIN = tuple(tuple(sub for sub in range(8) if sub | whole == whole) for whole in range(8))
"""By set of seats (three bits): the sets within it."""


def deal_world(known: Known, rng: Random) -> list[int]:
    """Hands of all seats that fit what is known; any deal of the unseen cards where none does."""
    seats = [seat for seat in range(4) if seat != known.seat]
    unseen = cards(known.unseen)
    room = [known.sizes[seat] for seat in seats]
    # Cards more than the hands take were played before this seat looked; they fit everywhere.
    spare = len(unseen) - sum(room)
    a, b, c = (known.cannot[seat] for seat in seats)
    waiting = [0] * 8
    able: list[tuple[int, float, int, int]] = []
    for card in unseen:
        where = (not a >> card & 1) | (not b >> card & 1) << 1 | (not c >> card & 1) << 2
        waiting[where] += 1
        able.append((where.bit_count(), rng.random(), card, where))
    able.sort()
    hands = [0, 0, 0, 0]
    hands[known.seat] = known.hand
    for _, _, card, where in able:
        waiting[where] -= 1
        chosen = _place(room, spare, where, waiting, rng)
        if chosen is None:
            return _any_world(known, seats, unseen, rng)
        if chosen == 3:
            spare -= 1
        else:
            room[chosen] -= 1
            hands[seats[chosen]] |= 1 << card
    return hands


def _place(room: list[int], spare: int, where: int, waiting: list[int], rng: Random) -> int | None:
    """Index of the seat for a card that fits the seats in `where`, 3 for none of them; None where nothing fits.

    Drawn by the room that is left, among what leaves a place for every card that waits (Hall's condition).
    """
    open_to = [index for index in range(3) if where >> index & 1 and room[index]]
    weights = [room[index] for index in open_to]
    if spare:
        open_to.append(3)
        weights.append(spare)
    while open_to:
        at = rng.choices(range(len(open_to)), weights)[0] if len(open_to) > 1 else 0
        chosen = open_to[at]
        left = [room[index] - (index == chosen) for index in range(3)]
        rest = spare - (chosen == 3)
        if where == 7 or _fits(left, rest, waiting):
            return chosen
        del open_to[at], weights[at]
    return None


def _fits(room: list[int], spare: int, waiting: list[int]) -> bool:
    """Whether the waiting cards, counted by the set of seats they fit, find a place in `room` and `spare`."""
    for whole in range(7):
        cards_within = sum(waiting[sub] for sub in _WITHIN[whole])
        if cards_within > spare + sum(room[index] for index in range(3) if whole >> index & 1):
            return False
    return True


def _any_world(known: Known, seats: Sequence[int], unseen: list[int], rng: Random) -> list[int]:
    """A deal that only fits the numbers: what was inferred cannot all be so (the view came late)."""
    hands = [0, 0, 0, 0]
    hands[known.seat] = known.hand
    rest = rng.sample(unseen, len(unseen))
    for seat in seats:
        for card in rest[: known.sizes[seat]]:
            hands[seat] |= 1 << card
        rest = rest[known.sizes[seat] :]
    return hands
