"""Rules of thumb (R14.2): one look at the trick, no search. Cards are numbers, hands masks.

Each card that may be played is judged by what the trick is likely to bring with it, less what the card is worth later.
The same judgement serves the `normal` player, who guesses what others hold, and the rollouts of `hard`, where each
world says what they hold.
"""

from collections.abc import Sequence

from services.klaverjas.cards import HIGHER, POINTS, SUIT_MASK, cards

# What a card is worth in the hand, by rank 7 8 9 T J Q K A, in points.
_KEEP_TRUMP = (3.0, 3.0, 12.0, 6.0, 16.0, 4.0, 4.0, 8.0)
_KEEP_PLAIN = (0.0, 0.2, 0.4, 4.0, 0.6, 1.0, 2.0, 7.0)
KEEP = [[(_KEEP_TRUMP if card >> 3 == trump else _KEEP_PLAIN)[card & 7] for card in range(32)] for trump in range(4)]

_RUN = tuple(sum(1 << 8 * suit + rank for suit in range(4) for rank in range(ranks)) for ranks in (6, 5))
_ALIKE = 0x01010101
_STUK = tuple(0x60 << 8 * suit for suit in range(4))


def roem_points(trump: int, held: int, alike: int = 0b11101100, four_jacks: int = 200) -> int:
    """Roem of the cards in a mask, one trick's or the first three of one (R7). `alike`: ranks that count, as a mask."""
    three = held & held >> 1 & held >> 2 & _RUN[0]
    points = 0
    if three:
        points = 50 if three & held >> 3 & _RUN[1] else 20
    if held & _STUK[trump] == _STUK[trump]:
        return points + 20
    if not points and held.bit_count() == 4:
        low = held & 0xFF
        if low and held == _ALIKE * low:
            return four_jacks if low == 16 else 100 * bool(low & alike)
    return points


def likely_beaten(hand: int, trump: int, led: int, best: int) -> bool:
    """Whether a hand that is known can win over `best` on a trick that was led in suit `led`."""
    follow = hand & SUIT_MASK[led]
    if follow:
        return best >> 3 == led and follow & HIGHER[trump][best] != 0
    own = hand & SUIT_MASK[trump]
    return own & HIGHER[trump][best] != 0 if best >> 3 == trump else own != 0


def pick(trump: int, trick: Sequence[int], allowed: int, hands: Sequence[int], seat: int) -> int:
    """The card by rules of thumb, where all hands are known."""
    if not allowed & allowed - 1:
        return allowed.bit_length() - 1
    if not trick:
        return _lead(trump, allowed, hands, seat)
    points, keep, higher = POINTS[trump], KEEP[trump], HIGHER[trump]
    led, best, at, held, lying = trick[0] >> 3, trick[0], 0, 0, 0
    for index, card in enumerate(trick):
        held |= 1 << card
        lying += points[card]
        if index and (card >> 3 == trump != best >> 3 or higher[best] >> card & 1):
            best, at = card, index
    left = 3 - len(trick)
    ours = (len(trick) - at) & 1 == 0
    found, value = -1, -1e9
    for card in cards(allowed):
        wins = card >> 3 == trump != best >> 3 or higher[best] >> card & 1
        top = card if wins else best
        good = bool(wins) or ours
        beaten = left > 0 and likely_beaten(hands[(seat + 1) & 3], trump, led, top)
        if left < 2:
            chance = (0.1 if beaten else 1.0) if good else 0.0
        else:
            mate = likely_beaten(hands[seat ^ 2], trump, led, top)
            chance = (0.45 if mate else 0.1) if beaten else (1.0 if good else (0.9 if mate else 0.0))
        stake = lying + points[card]
        if left < 2:
            stake += roem_points(trump, held | 1 << card)
        worth = (2.0 * chance - 1.0) * stake - keep[card] + chance * 2.0
        if worth > value:
            found, value = card, worth
    return found


def _lead(trump: int, allowed: int, hands: Sequence[int], seat: int) -> int:
    """The card to lead: what holds, trumps first while the others have some; else a cheap one."""
    points, keep = POINTS[trump], KEEP[trump]
    left, mate, right = hands[(seat + 1) & 3], hands[seat ^ 2], hands[(seat + 3) & 3]
    theirs = (left | right) & SUIT_MASK[trump]
    found, value = -1, -1e9
    for card in cards(allowed):
        led = card >> 3
        beaten = likely_beaten(left, trump, led, card) or likely_beaten(right, trump, led, card)
        if not beaten:
            worth = 12.0 + points[card] - keep[card] * 0.5
            if led == trump:
                worth += 8.0 if theirs else -20.0
        elif likely_beaten(mate, trump, led, card):
            worth = 1.0 - points[card] * 0.5 - keep[card]
        else:
            worth = -4.0 - points[card] - keep[card]
        if worth > value:
            found, value = card, worth
    return found
