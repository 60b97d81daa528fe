"""Naming trump: judged by jack, nine, length and side aces (`normal`), or by playing worlds out (`hard`)."""

from random import Random

from services.klaverjas.cards import ACE, FULL, NINE, SUIT_MASK, TEN, cards
from services.klaverjas.search import House, Table, Tally, play_out

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


class Choice:
    """What naming trump depends on beside the hand: the seat, the rules of play, the score, who will lead."""

    def __init__(self, seat: int, rules: tuple[bool, int], house: House, leader: int | None) -> None:
        self.seat, self.rules, self.house = seat, rules, house
        self.leader = seat if leader is None else leader
        """Seat that leads the first trick; the maker where None was given."""


def by_worlds(hand: int, among: list[int], may_pass: bool, choice: Choice, worlds: tuple[int, Random]) -> int | None:
    """The suit with the best mean written difference over `worlds` (how many, chance) deals played out; None: pass."""
    count, rng = worlds
    unseen = cards(FULL & ~hand)
    sums = dict.fromkeys(among, 0)
    for _ in range(count):
        rest = rng.sample(unseen, len(unseen))
        hands = [0, 0, 0, 0]
        hands[choice.seat] = hand
        for step in range(3):
            for card in rest[8 * step : 8 * step + 8]:
                hands[(choice.seat + 1 + step) & 3] |= 1 << card
        for suit in among:
            table = Table(choice.rules, suit, tuple(hands), choice.leader, ())
            tally = Tally(choice.seat & 1, (0, 0), (0, 0), (0, 0))
            difference = play_out(choice.house, table, tally)
            sums[suit] += difference if choice.seat & 1 == 0 else -difference
    best = max(among, key=lambda suit: (sums[suit], strength(hand, suit), -suit))
    return None if may_pass and sums[best] < PASS_BELOW * count else best


PASS_BELOW = 0.0
"""Mean written difference that passing is taken to be worth."""
