"""Naming trump by rules of thumb: jack, nine, length and side aces (R14.2)."""

from services.klaverjas.cards import ACE, NINE, SUIT_MASK, TEN, cards

# By rank 7 8 9 T J Q K A.
_TRUMP = (4.0, 4.0, 16.0, 8.0, 26.0, 5.0, 6.0, 10.0)
ENOUGH = 44.0
"""From here on a hand is worth naming trump although it may pass."""


def strength(hand: int, suit: int) -> float:
    """What the hand is worth with `suit` as trump, in rough points."""
    worth = sum(_TRUMP[card & 7] for card in cards(hand & SUIT_MASK[suit]))
    for other in range(4):
        held = hand >> 8 * other & 0xFF
        if other != suit and held >> ACE & 1:
            worth += 10.0 + 4.0 * (held >> TEN & 1)
    jack_nine = 1 << NINE | 1 << (NINE + 2)
    return worth + 4.0 * (hand >> 8 * suit & jack_nine == jack_nine)


def longest(hand: int, among: list[int]) -> int:
    """The longest suit among those that may be named; the first of equals."""
    return max(among, key=lambda suit: ((hand & SUIT_MASK[suit]).bit_count(), -suit))


def by_thumb(hand: int, among: list[int], may_pass: bool) -> int | None:
    """The best suit, or None to pass."""
    best = max(among, key=lambda suit: (strength(hand, suit), -suit))
    return None if may_pass and strength(hand, best) < ENOUGH else best
