"""The `hard` player: worlds that fit all it knows, each played out or searched exactly (R14.3).

A world deals the unseen cards to the other seats. In each one every card that may be played is tried: by rules of thumb
to the end of the boompje, or exactly when few tricks are left. The card with the best mean difference of written points
wins: nat, pit and roem included.
"""

from random import Random
from typing import NamedTuple

from services.klaverjas.cards import FULL, HIGHER, POINTS, cards
from services.klaverjas.knowledge import Known
from services.klaverjas.naming import strength
from services.klaverjas.score import score
from services.klaverjas.thumb import pick, roem_points
from services.klaverjas.tricks import legal
from services.klaverjas.worlds import likely_worlds


class House(NamedTuple):
    """What the score depends on: ranks that make four alike as a mask, points of four jacks and of a tegenpit."""

    alike: int
    four_jacks: int
    tegenpit: int


class Tally(NamedTuple):
    """Tricks, card points and roem of both sides so far, and the playing side."""

    playing: int
    tricks: tuple[int, int]
    points: tuple[int, int]
    roem: tuple[int, int]


def written(house: House, tally: Tally) -> int:
    """Written points of ns less those of ew (R8)."""
    result = score(tally.playing, tally.tricks, tally.points, tally.roem, house.tegenpit).points
    return result[0] - result[1]


class Table(NamedTuple):
    """A world in mid-boompje: all hands, the trick that lies and who led it."""

    rules: tuple[bool, int]
    trump: int
    hands: tuple[int, ...]
    leader: int
    trick: tuple[int, ...]


def play_out(house: House, table: Table, tally: Tally) -> int:
    """Written difference after everybody plays on by rules of thumb."""
    rules, trump, leader = table.rules, table.trump, table.leader
    hands, trick = list(table.hands), list(table.trick)
    tricks, points, roem = list(tally.tricks), list(tally.points), list(tally.roem)
    worth, higher = POINTS[trump], HIGHER[trump]
    if not hands[(leader + len(trick)) & 3]:
        return written(house, tally)
    while True:
        if len(trick) == 4:
            best, at, held, lying = trick[0], 0, 0, 0
            for index, card in enumerate(trick):
                held |= 1 << card
                lying += worth[card]
                if index and (card >> 3 == trump != best >> 3 or higher[best] >> card & 1):
                    best, at = card, index
            leader = (leader + at) & 3
            side = leader & 1
            tricks[side] += 1
            points[side] += lying
            roem[side] += roem_points(trump, held, house.alike, house.four_jacks)
            trick.clear()
            if not hands[leader]:
                points[side] += 10
                break
        seat = (leader + len(trick)) & 3
        hand = hands[seat]
        # Whoever plays on guesses: it sees its own hand and what was played.
        rest = hands[0] | hands[1] | hands[2] | hands[3]
        guess = [rest & ~hand] * 4
        guess[seat] = hand
        card = pick(trump, trick, legal(rules, trump, trick, hand), guess, seat)
        hands[seat] = hand & ~(1 << card)
        trick.append(card)
    return written(house, Tally(tally.playing, (tricks[0], tricks[1]), (points[0], points[1]), (roem[0], roem[1])))


def follow(house: House, table: Table, tally: Tally, card: int) -> tuple[Table, Tally]:
    """The world after the seat to act has played `card`."""
    seat = (table.leader + len(table.trick)) & 3
    hands = (*table.hands[:seat], table.hands[seat] & ~(1 << card), *table.hands[seat + 1 :])
    trick = (*table.trick, card)
    if len(trick) < 4:
        return Table(table.rules, table.trump, hands, table.leader, trick), tally
    worth, higher, trump = POINTS[table.trump], HIGHER[table.trump], table.trump
    best, at, held, lying = trick[0], 0, 0, 0
    for index, laid in enumerate(trick):
        held |= 1 << laid
        lying += worth[laid]
        if index and (laid >> 3 == trump != best >> 3 or higher[best] >> laid & 1):
            best, at = laid, index
    taker = (table.leader + at) & 3
    if not hands[taker]:
        lying += 10
    roem = roem_points(trump, held, house.alike, house.four_jacks)
    (t0, t1), (p0, p1), (r0, r1) = tally.tricks, tally.points, tally.roem
    if taker & 1:
        after = Tally(tally.playing, (t0, t1 + 1), (p0, p1 + lying), (r0, r1 + roem))
    else:
        after = Tally(tally.playing, (t0 + 1, t1), (p0 + lying, p1), (r0 + roem, r1))
    return Table(table.rules, trump, hands, taker, ()), after


Seen = dict[tuple[tuple[int, ...], int, Tally], tuple[int, int]]
"""Positions between two tricks that were searched: what their value is at least and at most."""


def solve(house: House, table: Table, tally: Tally, window: tuple[int, int], seen: Seen) -> int:
    """Exact written difference with best play of all, within `window` (alpha-beta); a bound of it outside."""
    low, high = window
    seat = (table.leader + len(table.trick)) & 3
    hand = table.hands[seat]
    if not hand:
        return written(house, tally)
    key = None
    if not table.trick:
        key = (table.hands, table.leader, tally)
        least, most = seen.get(key, (-FAR, FAR))
        if least >= high or least == most:
            return least
        if most <= low:
            return most
        low, high = max(low, least), min(high, most)
    start, stop = low, high
    ours = seat & 1 == 0
    best = -FAR if ours else FAR
    for card in _ordered(table, legal(table.rules, table.trump, table.trick, hand), seat):
        after, sums = follow(house, table, tally, card)
        value = solve(house, after, sums, (low, high), seen)
        if ours:
            best = max(best, value)
            low = max(low, value)
        else:
            best = min(best, value)
            high = min(high, value)
        if low >= high:
            break
    if key is not None:
        least, most = seen.get(key, (-FAR, FAR))
        seen[key] = (least if best <= start else max(least, best), most if best >= stop else min(most, best))
    return best


FAR = 10_000
"""Beyond every written difference."""


def _ordered(table: Table, allowed: int, seat: int) -> list[int]:
    """The thumb's card first: a good first guess cuts most."""
    if not allowed & allowed - 1:
        return [allowed.bit_length() - 1]
    first = pick(table.trump, table.trick, allowed, table.hands, seat)
    return [first, *cards(allowed & ~(1 << first))]


class Effort(NamedTuple):
    """How hard it thinks: worlds by tricks left (index 1..8), and up to how many tricks left they are searched exactly.

    `drawn` deals are weighed for each world that is kept. Exact search supposes that everybody sees all hands, which
    nobody does: from four tricks left on it measured 7 points a boompje below playing out, so it has the last two only.
    """

    worlds: tuple[int, ...] = (0, 60, 60, 100, 100, 100, 90, 80, 80)
    exact_tricks: int = 2
    drawn: int = 6


def best_card(known: Known, house: House, rng: Random, effort: Effort) -> int:
    """The card with the best mean difference of written points over the worlds."""
    choices = cards(known.legal)
    if len(choices) == 1:
        return choices[0]
    tally = Tally(known.maker & 1, known.tricks, known.card_points, known.roem)
    left = 9 - known.trick_no
    exact = left <= effort.exact_tricks
    sign = 1 if known.seat & 1 == 0 else -1
    sums = dict.fromkeys(choices, 0)
    for hands in likely_worlds(known, rng, effort.worlds[left], effort.drawn):
        table = Table(known.rules, known.trump, hands, known.leader, known.table)
        seen: Seen = {}
        for card in choices:
            after, counted = follow(house, table, tally, card)
            value = solve(house, after, counted, (-FAR, FAR), seen) if exact else play_out(house, after, counted)
            sums[card] += sign * value
    return max(choices, key=lambda card: (sums[card], -POINTS[known.trump][card], -card))


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
