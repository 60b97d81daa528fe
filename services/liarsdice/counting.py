"""What lies under the cups (R4), how high one may bid (R3). A face is a number 1..6, 0 stands for `any`."""

from collections.abc import Iterable, Sequence

import msgspec

from services.liarsdice.options import Setup

ANY = 0
FACES = ("any", "1", "2", "3", "4", "5", "6")
"""Faces as text, by number: the number is the rank in the order of bids (R3.4, R3.5)."""
NUMBERS = {text: number for number, text in enumerate(FACES)}
PATTERNS = ("none", "lone_one", "one_two", "stair", "stair", "stair", "stair")
"""Name of the pattern of a cup, by its number of dice."""

Cup = tuple[int, ...]


class Count(msgspec.Struct, frozen=True):
    """The open cups counted for a bid. `present` None: the house rule is off."""

    kind: int
    count: int
    counts: tuple[int, ...]
    patterns: tuple[str, ...]
    rings: tuple[tuple[int, ...], ...]
    present: bool | None


def in_force(n: int, setup: Setup) -> bool:
    """Whether a cup of n dice may be a counted pattern (R4.8)."""
    return n > 0 and (setup.stairs or (n <= 2 and not setup.ones_without_jokers))


def is_pattern(cup: Sequence[int], setup: Setup) -> bool:
    """Whether the cup is a counted pattern: 1, 2, .., n, each once, in force."""
    n = len(cup)
    return in_force(n, setup) and sorted(cup) == list(range(1, n + 1))


def cup_count(cup: Sequence[int], face: int, setup: Setup) -> int:
    """What one cup counts for a face 1..6."""
    if is_pattern(cup, setup):
        return len(cup) + 1
    return _plain(cup, face, setup)


def _plain(cup: Sequence[int], face: int, setup: Setup) -> int:
    jokers = face != 1 and not setup.ones_without_jokers
    return sum(die == face or (jokers and die == 1) for die in cup)


def shows(cup: Sequence[int], face: int, setup: Setup) -> bool:
    """Whether a die of the cup shows the face; the dice of a stair of three or more do not (R4.10)."""
    return face in cup and not (len(cup) >= 3 and is_pattern(cup, setup))


def count(dice: Sequence[Sequence[int]], face: int, setup: Setup) -> Count:
    """The cups counted for the bid face, or for the best face of `any` (R4.9, R4.10)."""
    present: bool | None = None
    kind = face
    if face == ANY:
        every = range(setup.lowest_face, 7)
        showing = [f for f in every if any(shows(cup, f, setup) for cup in dice)] if setup.present else []
        kind = max(showing or every, key=lambda f: (sum(cup_count(cup, f, setup) for cup in dice), f))
    if setup.present:
        present = any(shows(cup, kind, setup) for cup in dice)
    counts: list[int] = []
    patterns: list[str] = []
    rings: list[tuple[int, ...]] = []
    jokers = kind != 1 and not setup.ones_without_jokers
    for cup in dice:
        n = len(cup)
        if is_pattern(cup, setup):
            counts.append(n + 1)
            patterns.append(PATTERNS[n])
            rings.append(tuple(range(n)))
        else:
            ring = tuple(at for at, die in enumerate(cup) if die == kind or (jokers and die == 1))
            counts.append(len(ring))
            patterns.append("none")
            rings.append(ring)
    return Count(kind, sum(counts), tuple(counts), tuple(patterns), tuple(rings), present)


def holds(counted: Count, quantity: int) -> bool:
    """Whether a bid of that many dice holds (R4.12)."""
    return counted.count >= quantity and counted.present is not False


def highest(counts: Iterable[int], participants: int, setup: Setup) -> int:
    """The highest quantity that may be bid (R3.6, R3.7). `counts`: dice by cup."""
    if setup.hidden_count:
        return participants * setup.dice_each
    return sum(n + in_force(n, setup) for n in counts)


def biddable(setup: Setup) -> tuple[int, ...]:
    """Faces that may be bid, in the order of bids (R3.3)."""
    faces = tuple(range(setup.lowest_face, 7))
    return (ANY, *faces) if setup.any_kind else faces


def ranges(current: tuple[int, int] | None, most: int, setup: Setup) -> list[tuple[int, int, int]]:
    """Every legal bid over `current` (quantity, face): (face, from, to), faces with none left out."""
    out: list[tuple[int, int, int]] = []
    for face in biddable(setup):
        low = 1 if current is None else current[0] + (face <= current[1])
        if low <= most:
            out.append((face, low, most))
    return out
