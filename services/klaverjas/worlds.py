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


def deal_world(known: Known, rng: Random) -> list[int]:
    """Hands of all seats that fit what is known; any deal of the unseen cards where none is found."""
    seats = [seat for seat in range(4) if seat != known.seat]
    unseen = cards(known.unseen)
    for _ in range(40):
        hands = _try_world(known, seats, unseen, rng, known.cannot)
        if hands is not None:
            return hands
    return _search_world(known, seats, unseen, rng) or _any_world(known, seats, unseen, rng)


def _try_world(
    known: Known, seats: Sequence[int], unseen: list[int], rng: Random, cannot: Sequence[int]
) -> list[int] | None:
    """One random deal; None when it runs into a dead end. Cards that fit few seats go first."""
    room = [known.sizes[seat] for seat in seats]
    spare = len(unseen) - sum(room)
    hands = [0, 0, 0, 0]
    hands[known.seat] = known.hand
    able: list[tuple[int, float, int, list[int]]] = []
    for card in unseen:
        where = [index for index, seat in enumerate(seats) if not cannot[seat] >> card & 1]
        able.append((len(where), rng.random(), card, where))
    able.sort()
    for _, _, card, where in able:
        total = sum(room[index] for index in where)
        throw = int(rng.random() * (total + spare))
        if total + spare == 0:
            return None
        for index in where:
            throw -= room[index]
            if throw < 0:
                room[index] -= 1
                hands[seats[index]] |= 1 << card
                break
        else:
            spare -= 1
            if spare < 0:
                return None
    return hands if not any(room) else None


def _search_world(known: Known, seats: Sequence[int], unseen: list[int], rng: Random) -> list[int] | None:
    """A deal that fits, found by backtracking; None when there is none."""
    room = [known.sizes[seat] for seat in seats]
    order = sorted(unseen, key=lambda card: (sum(not known.cannot[seat] >> card & 1 for seat in seats), rng.random()))
    hands = [0, 0, 0, 0]
    hands[known.seat] = known.hand
    budget = 5000

    def place(at: int, spare: int) -> bool:
        nonlocal budget
        budget -= 1
        if at == len(order):
            return not any(room)
        if budget < 0:
            return False
        card = order[at]
        for index in sorted(range(3), key=lambda index: -room[index]):
            seat = seats[index]
            if room[index] and not known.cannot[seat] >> card & 1:
                room[index] -= 1
                hands[seat] |= 1 << card
                if place(at + 1, spare):
                    return True
                room[index] += 1
                hands[seat] &= ~(1 << card)
        return spare > 0 and place(at + 1, spare - 1)

    return hands if place(0, len(order) - sum(room)) else None


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
