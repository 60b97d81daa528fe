"""How turns are written and read: R9.2, R9.3, R10.5."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from services.backgammon.board import BAR, OFF, Half, Pair, Step, Throw

_TOKEN = re.compile(r"((?:bar|off|\d{1,2})\*?(?:/(?:bar|off|\d{1,2})\*?)+)(?:\((\d)\))?", re.ASCII | re.IGNORECASE)
_NAMES = {"bar": BAR, "off": OFF}


class NotNotation(ValueError):
    """The text is not notation at all."""


def read(text: str) -> list[tuple[tuple[int, ...], int]]:
    """The chains of a text and how often each is played. Raises NotNotation."""
    chains: list[tuple[tuple[int, ...], int]] = []
    for token in text.split():
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise NotNotation(token)
        points = tuple(_point(part) for part in match[1].rstrip("*").replace("*", "").split("/"))
        times = int(match[2]) if match[2] else 1
        if not 1 <= times <= 4 or any(point > BAR for point in points):
            raise NotNotation(token)
        chains.append((points, times))
    return chains


def _point(word: str) -> int:
    return _NAMES[word.lower()] if word.lower() in _NAMES else int(word)


def resolve(throw: Throw, text: str) -> Pair | None:
    """The complete turn that a text names, or None when it names none (R9.3). Raises NotNotation."""
    chains = read(text)
    if not chains:
        return None if throw.longest else (throw.mine, throw.other)
    row = list(throw.mine)
    landings: set[int] = set()
    for points, times in chains:
        if any(a <= b for a, b in pairwise(points)):
            return None
        row[points[0]] -= times
        row[points[-1]] += times
        landings.update(points[1:])
    if min(row) < 0:
        return None
    target = bytes(row)
    found = [final for final in throw.finals if final[0] == target]
    if len(found) < 2:
        return found[0] if found else None
    struck = {point for point in landings if point and throw.other[25 - point] == 1}
    exact = [final for final in found if hits(throw.other, final[1]) == struck]
    return exact[0] if len(exact) == 1 else None


def hits(before: Half, after: Half) -> set[int]:
    """The mover's points on which the other seat lost a checker to the bar."""
    return {25 - point for point in range(1, 25) if before[point] > after[point]}


def canonical(throw: Throw, final: Pair) -> str:
    """The canonical text of a turn (R9.2): of all step orders with that result the shortest text, then ASCII order."""
    struck = hits(throw.other, final[1])
    texts = {
        write(steps, struck)
        for steps in {tuple(sorted((step.start, step.to) for step in way)) for way in throw.ways(final)}
    }
    return min(texts, key=lambda text: (len(text), text), default="")


def write(steps: Iterable[tuple[int, int]], struck: set[int]) -> str:
    """One set of (from, to) steps as chains; `struck` are the points with a hit."""
    rest = sorted(steps, reverse=True)
    chains: list[tuple[int, ...]] = []
    while rest:
        start, at = rest.pop(0)
        chain = [start]
        while at != OFF and (follow := next((step for step in rest if step[0] == at), None)):
            rest.remove(follow)
            if at in struck:
                chain.append(at)
            at = follow[1]
        chains.append((*chain, at))
    chains.sort(key=lambda chain: (chain[0], chain[-1], chain), reverse=True)
    starred: set[int] = set()
    words: list[str] = []
    for chain, same in groupby(chains):
        times = len(list(same))
        words.append(_word(chain, struck, starred) + (f"({times})" if times > 1 else ""))
    return " ".join(words)


def _word(chain: Sequence[int], struck: set[int], starred: set[int]) -> str:
    parts = ["bar" if chain[0] == BAR else str(chain[0])]
    for point in chain[1:]:
        star = point in struck and point not in starred and point != OFF
        if star:
            starred.add(point)
        parts.append(("off" if point == OFF else str(point)) + ("*" if star else ""))
    return "/".join(parts)


def play_order(throw: Throw, final: Pair) -> tuple[Step, ...]:
    """The order in which `play` logs the steps of a turn: the greatest list of (from, die) (R10.5)."""
    return max(throw.ways(final), key=lambda way: [(step.start, step.die) for step in way], default=())
