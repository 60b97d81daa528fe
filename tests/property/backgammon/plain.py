"""Legal turns the slow and plain way, written from R4-R8 alone: nothing of the service's own generator is used.

`python -m tests.property.backgammon.plain POSITIONS` compares both on that many random positions with all 21 throws.
"""

import sys
from itertools import permutations
from random import Random

Counts = tuple[int, ...]
Position = tuple[Counts, Counts]
ROLLS = [(a, b) for a in range(1, 7) for b in range(1, a + 1)]


def single(position: Position, die: int) -> list[tuple[int, int]]:
    """Every step that R4-R8 allow with that die."""
    mine, other = position
    found: list[tuple[int, int]] = []
    for point in range(1, 26):
        if mine[point] == 0:
            continue
        if mine[25] > 0 and point != 25:  # R7.2
            continue
        end = point - die
        if end >= 1:
            if other[25 - end] < 2:  # R4.4, R4.5
                found.append((point, end))
            continue
        if any(mine[outside] for outside in range(7, 26)):  # R8.1
            continue
        highest = max(inside for inside in range(1, 7) if mine[inside])
        if end == 0 or point == highest:  # R8.2, R8.3
            found.append((point, 0))
    return found


def after(position: Position, start: int, end: int) -> Position:
    """The position after that step (R7.1)."""
    mine, other = list(position[0]), list(position[1])
    mine[start] -= 1
    mine[end] += 1
    if end > 0 and other[25 - end] == 1:
        other[25 - end] = 0
        other[25] += 1
    return tuple(mine), tuple(other)


def turns(position: Position, dice: tuple[int, int]) -> set[Position]:
    """The set of positions that complete turns lead to (R6, R9.1)."""
    orders = {(dice[0],) * 4} if dice[0] == dice[1] else set(permutations(dice))
    reached: dict[int, set[tuple[Position, tuple[int, ...]]]] = {0: {(position, ())}}
    for order in orders:
        here = {(position, ())}
        for count, die in enumerate(order, 1):
            here = {
                (after(place, *step), (*used, die))
                for place, used in here
                if place[0][0] < 15
                for step in single(place, die)
            }
            reached.setdefault(count, set()).update(here)
    longest = max(count for count, places in reached.items() if places)
    if longest == 0:
        return set()
    best = reached[longest]
    if longest == 1 and dice[0] != dice[1]:  # R6.2
        larger = {entry for entry in best if entry[1] == (max(dice),)}
        best = larger or best
    wins = {place for places in reached.values() for place, _ in places if place[0][0] == 15}  # R6.5
    return {place for place, _ in best} | wins


def random_position(rng: Random) -> Position:
    """Any position: both sides spread over the points, the bar and off, no point shared."""
    while True:
        halves: list[list[int]] = []
        for _ in range(2):
            counts = [0] * 26
            reach = rng.choice((6, 12, 24, 24))
            for _ in range(15):
                place = rng.choice((0, 25)) if rng.random() < 0.06 else rng.randint(1, reach)
                if rng.random() < 0.5 and any(counts[1:25]):
                    place = rng.choice([p for p in range(1, 25) if counts[p]])
                counts[place] += 1
            halves.append(counts)
        mine, other = halves
        for point in range(1, 25):
            if mine[point] and other[25 - point]:
                if rng.random() < 0.5:
                    mine[point], mine[0] = 0, mine[0] + mine[point]
                else:
                    other[25 - point], other[0] = 0, other[0] + other[25 - point]
        if mine[0] < 15 and other[0] < 15:
            return tuple(mine), tuple(other)


def main() -> None:
    """Compares on as many positions as asked for."""
    from services.backgammon.board import Throw

    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rng = Random(5)
    compared = 0
    for _ in range(wanted):
        position = random_position(rng)
        mine, other = bytes(position[0]), bytes(position[1])
        for dice in ROLLS:
            expected = {(bytes(a), bytes(b)) for a, b in turns(position, dice)}
            assert set(Throw(mine, other, dice).finals) == expected, (position, dice)
            compared += 1
    print(f"{compared} throws on {wanted} positions: the same turns")


if __name__ == "__main__":
    main()
