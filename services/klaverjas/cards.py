"""Cards, suits and hands (R2). A card is a number 0..31 in canonical order, a hand a bit mask of cards.

Card number = suit * 8 + rank; suits S H D C, ranks 7 8 9 T J Q K A. So a hand read from its lowest bit is canonical.
"""

from collections.abc import Iterable, Sequence

SUITS = ("S", "H", "D", "C")
RANKS = "789TJQKA"
CODES: tuple[str, ...] = tuple(suit + rank for suit in SUITS for rank in RANKS)
CARD: dict[str, int] = {code: card for card, code in enumerate(CODES)}
SUIT: dict[str, int] = {suit: number for number, suit in enumerate(SUITS)}
SUIT_MASK: tuple[int, ...] = tuple(0xFF << (8 * suit) for suit in range(4))
FULL = 0xFFFFFFFF

SEVEN, EIGHT, NINE, TEN, JACK, QUEEN, KING, ACE = range(8)

# By rank 7 8 9 T J Q K A (R2.2-R2.4); strength 0 is the lowest.
TRUMP_POINTS = (0, 0, 14, 10, 20, 3, 4, 11)
PLAIN_POINTS = (0, 0, 0, 10, 2, 3, 4, 11)
TRUMP_STRENGTH = (0, 1, 6, 4, 7, 2, 3, 5)
PLAIN_STRENGTH = (0, 1, 2, 6, 3, 4, 5, 7)

POINTS: tuple[tuple[int, ...], ...] = tuple(
    tuple((TRUMP_POINTS if card >> 3 == trump else PLAIN_POINTS)[card & 7] for card in range(32)) for trump in range(4)
)
"""POINTS[trump][card]."""
STRENGTH: tuple[tuple[int, ...], ...] = tuple(
    tuple((TRUMP_STRENGTH if card >> 3 == trump else PLAIN_STRENGTH)[card & 7] for card in range(32))
    for trump in range(4)
)
"""STRENGTH[trump][card], inside the card's suit."""
HIGHER: tuple[tuple[int, ...], ...] = tuple(
    tuple(
        sum(1 << other for other in range(32) if other >> 3 == card >> 3 and strength[other] > strength[card])
        for card in range(32)
    )
    for strength in STRENGTH
)
"""HIGHER[trump][card]: mask of the cards of the same suit that beat it."""

_BYTE: tuple[tuple[int, ...], ...] = tuple(tuple(bit for bit in range(8) if byte >> bit & 1) for byte in range(256))
_BYTE_CODES: tuple[tuple[tuple[str, ...], ...], ...] = tuple(
    tuple(tuple(CODES[8 * suit + bit] for bit in _BYTE[byte]) for byte in range(256)) for suit in range(4)
)


def codes(hand: int) -> list[str]:
    """The cards of a hand as codes, canonical."""
    return [
        *_BYTE_CODES[0][hand & 255],
        *_BYTE_CODES[1][hand >> 8 & 255],
        *_BYTE_CODES[2][hand >> 16 & 255],
        *_BYTE_CODES[3][hand >> 24],
    ]


def cards(hand: int) -> list[int]:
    """The cards of a hand as numbers, canonical."""
    found: list[int] = []
    while hand:
        low = hand & -hand
        found.append(low.bit_length() - 1)
        hand ^= low
    return found


def mask(held: Iterable[int]) -> int:
    """The hand of these cards."""
    hand = 0
    for card in held:
        hand |= 1 << card
    return hand


def points(trump: int, held: Iterable[int]) -> int:
    """Points of these cards (R2.4), without the 10 of the last trick."""
    worth = POINTS[trump]
    return sum(worth[card] for card in held)


def deal(deck: Sequence[int], dealer: int) -> tuple[int, int, int, int]:
    """Hands by seat from a deck of 32, top first: packets of 3, 2, 3 from the dealer's left on (R3.3)."""
    hands = [0, 0, 0, 0]
    top = 0
    for packet in (3, 2, 3):
        for step in range(1, 5):
            hands[(dealer + step) & 3] |= mask(deck[top : top + packet])
            top += packet
    return hands[0], hands[1], hands[2], hands[3]


def default_trump(hand: int) -> int:
    """The suit that the clock names: most cards, then most trump points, then the order S H D C (R10.3)."""
    return max(
        range(4),
        key=lambda suit: ((hand & SUIT_MASK[suit]).bit_count(), points(suit, cards(hand & SUIT_MASK[suit])), -suit),
    )


def default_card(legal: int, trump: int) -> int:
    """The card that the clock plays: fewest points, plain before trump, lowest in strength, order S H D C (R10.4)."""
    worth, strength = POINTS[trump], STRENGTH[trump]
    return min(cards(legal), key=lambda card: (worth[card], card >> 3 == trump, strength[card], card))
