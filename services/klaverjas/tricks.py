"""What may be played (R5), who wins a trick (R6) and its roem (R7). Cards are numbers, hands masks: see cards.py."""

from collections.abc import Sequence
from typing import NamedTuple

from services.klaverjas.cards import CODES, HIGHER, JACK, KING, QUEEN, STRENGTH, SUIT_MASK

FREE, FORCED, FORBIDDEN = range(3)
UNDERTRUMP = {"free": FREE, "forced": FORCED, "forbidden": FORBIDDEN}


def winner(trump: int, trick: Sequence[int]) -> int:
    """Index of the card that wins the trick as it lies, 1..4 cards in order of play (R6.1)."""
    best, at = trick[0], 0
    strength = STRENGTH[trump]
    for index in range(1, len(trick)):
        card = trick[index]
        if card >> 3 == best >> 3:
            if strength[card] > strength[best]:
                best, at = card, index
        elif card >> 3 == trump:
            best, at = card, index
    return at


def legal(rules: tuple[bool, int], trump: int, trick: Sequence[int], hand: int) -> int:
    """The cards of `hand` that may be played on `trick` (0..3 cards), as a mask; never empty for a hand with cards.

    `rules` is (Amsterdams, FREE | FORCED | FORBIDDEN). R5.1-R5.13.
    """
    if not trick:
        return hand
    led = trick[0] >> 3
    follow = hand & SUIT_MASK[led]
    if led != trump and follow:
        return follow
    own = hand & SUIT_MASK[trump]
    if not own:
        return hand
    at = winner(trump, trick)
    best = trick[at]
    higher = own & HIGHER[trump][best] if best >> 3 == trump else own
    if led == trump:
        return higher or own
    amsterdams, undertrump = rules
    if amsterdams and at == len(trick) - 2:
        # The partner wins (R5.11): free, but for undertrumping where that is forbidden (R5.13).
        return hand if undertrump != FORBIDDEN else (hand ^ own | higher) or hand
    if higher:
        return higher
    if undertrump == FREE:
        return hand
    if undertrump == FORCED:
        return own
    return hand ^ own or hand


def why(rules: tuple[bool, int], trump: int, trick: Sequence[int], hand: int, card: int) -> str | None:
    """The code with which playing `card` is refused, in the rules file's order of checks; None when it is legal."""
    bit = 1 << card
    if not hand & bit:
        return "card_not_in_hand"
    if legal(rules, trump, trick, hand) & bit:
        return None
    led = trick[0] >> 3
    if hand & SUIT_MASK[led] and card >> 3 != led:
        return "must_follow"
    best = trick[winner(trump, trick)]
    lies = best >> 3 == trump
    owed = not (rules[0] and led != trump and winner(trump, trick) == len(trick) - 2)
    if lies and owed and hand & HIGHER[trump][best]:
        return "must_overtrump"
    return "no_undertrump" if card >> 3 == trump else "must_trump"


class Roem(NamedTuple):
    """One combination: kind, points, cards in canonical order."""

    kind: str
    points: int
    cards: tuple[int, ...]


FOUR_ALIKE: dict[str, frozenset[int]] = {
    "nine_up": frozenset((2, 3, 5, 6, 7)),
    "ten_up": frozenset((3, 5, 6, 7)),
    "all": frozenset((0, 1, 2, 3, 5, 6, 7)),
}
"""Ranks that make four alike, by option (R7.7); jacks have a row of their own."""

_NONE: tuple[Roem, ...] = ()


def roem(trump: int, trick: Sequence[int], alike: frozenset[int], four_jacks: int) -> tuple[Roem, ...]:
    """The combinations among four cards (R7.2-R7.8): a sequence first, then stuk."""
    a, b, c, d = sorted(trick)
    if a >> 3 == d >> 3 or a >> 3 == c >> 3 or b >> 3 == d >> 3:
        run = _sequence(a, b, c, d)
    elif a & 7 == b & 7 == c & 7 == d & 7:
        if a & 7 == JACK:
            return (Roem("four_jacks", four_jacks, (a, b, c, d)),)
        return (Roem("four_alike", 100, (a, b, c, d)),) if a & 7 in alike else _NONE
    else:
        run = _NONE
    queen = 8 * trump + QUEEN
    king = 8 * trump + KING
    if queen in trick and king in trick:
        return (*run, Roem("stuk", 20, (queen, king)))
    return run


def _sequence(a: int, b: int, c: int, d: int) -> tuple[Roem, ...]:
    """The sequence among four sorted cards: three or four neighbours of one suit (R7.2-R7.4)."""
    low = a >> 3 == c >> 3 and c - a == 2
    high = b >> 3 == d >> 3 and d - b == 2
    if low and high and a >> 3 == d >> 3:
        return (Roem("four_in_order", 50, (a, b, c, d)),)
    if low:
        return (Roem("three_in_order", 20, (a, b, c)),)
    return (Roem("three_in_order", 20, (b, c, d)),) if high else _NONE


def named(trick: Sequence[int]) -> list[str]:
    """Codes of cards, in the order given."""
    return [CODES[card] for card in trick]
