"""The board and the legal turns of a throw: R1, R4-R9.1. Pure, exact and fast; knows no cube, score or message.

A half is `bytes` of 26 counts, one seat's checkers by its own points: 0 borne off, 1..24, 25 the bar. A position here
is the pair (half of the seat that moves, half of the other). Point p of one seat is point 25 - p of the other.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

OFF, BAR = 0, 25
Half = bytes
Pair = tuple[Half, Half]

START: Half = bytes({24: 2, 13: 5, 8: 3, 6: 5}.get(point, 0) for point in range(26))
_SIX_AWAY = bytes(18)


class Step(NamedTuple):
    """One die played: the point left, the point reached (0: off), the die, and whether it hits."""

    start: int
    to: int
    die: int
    hit: bool


def half(counts: Mapping[int, int]) -> Half:
    """A half from counts by point 1..25; what is missing to fifteen is borne off (R1.4)."""
    row = bytearray(26)
    for point, count in counts.items():
        row[point] = count
    row[OFF] = 15 - sum(row)
    return bytes(row)


def pips(mine: Half) -> int:
    """Pip count (R1.3)."""
    return sum(point * count for point, count in enumerate(mine) if count)


def moves_of(mine: Half, other: Half, die: int) -> list[tuple[int, int]]:
    """All (from, to) with that die, from the highest point down (R4.4-R4.6, R7.2-R7.4, R8.1-R8.3)."""
    if mine[BAR]:
        return [(BAR, BAR - die)] if other[die] < 2 else []
    back = 25 + die
    found = [(point, point - die) for point in range(24, die, -1) if mine[point] and other[back - point] < 2]
    if mine[7:25] == _SIX_AWAY:
        if mine[die]:
            found.append((die, OFF))
        elif not any(mine[die + 1 : 7]):
            point = die - 1
            while point and not mine[point]:
                point -= 1
            if point:
                found.append((point, OFF))
    return found


def advance(mine: Half, other: Half, start: int, to: int) -> tuple[Half, Half, bool]:
    """The position after one step, and whether it hit (R7.1)."""
    row = bytearray(mine)
    row[start] -= 1
    row[to] += 1
    if to and other[25 - to] == 1:
        theirs = bytearray(other)
        theirs[25 - to] = 0
        theirs[BAR] += 1
        return bytes(row), bytes(theirs), True
    return bytes(row), other, False


def retreat(mine: Half, other: Half, step: Step) -> Pair:
    """The position before that step (R10.3)."""
    row = bytearray(mine)
    row[step.to] -= 1
    row[step.start] += 1
    if not step.hit:
        return bytes(row), other
    theirs = bytearray(other)
    theirs[25 - step.to] = 1
    theirs[BAR] -= 1
    return bytes(row), bytes(theirs)


_Node = tuple[Half, Half, tuple[int, ...]]


class Throw:
    """Everything about one throw on one position: what is legal, step by step and as whole turns.

    `longest` is the number of steps of a longest turn (0: nothing can be played). Built from the rules alone: a turn is
    complete when it plays as many dice as can be played (R6.1, R6.3), the larger if only one can (R6.2), or when it
    bears off the last checker (R6.5).
    """

    def __init__(self, mine: Half, other: Half, dice: tuple[int, int]) -> None:
        self.mine, self.other, self.dice = mine, other, dice
        double = dice[0] == dice[1]
        self.rest: tuple[int, ...] = (dice[0],) * 4 if double else dice
        self._next: dict[_Node, list[tuple[Step, _Node]]] = {}
        self._known: dict[_Node, bool] = {}
        self._finals: tuple[Pair, ...] | None = None
        self._ways: dict[Pair, list[tuple[Step, ...]]] = {}
        self.longest = self._fours() if double else self._longest_of_two()

    def _longest_of_two(self) -> int:
        steps = self._steps((self.mine, self.other, self.rest))
        if any(self._steps(node) for _, node in steps):
            return 2
        return 1 if steps else 0

    def _steps(self, node: _Node) -> list[tuple[Step, _Node]]:
        """All single steps from a node, legal or not as part of a turn; the larger die's first, high points first."""
        found = self._next.get(node)
        if found is None:
            found = list[tuple[Step, _Node]]()
            mine, other, rest = node
            if mine[OFF] < 15:
                for index, die in enumerate(rest):
                    if index and die == rest[0]:
                        break
                    left = rest[:index] + rest[index + 1 :]
                    for start, to in moves_of(mine, other, die):
                        after, theirs, hit = advance(mine, other, start, to)
                        found.append((Step(start, to, die, hit), (after, theirs, left)))
            self._next[node] = found
        return found

    def _completes(self, node: _Node, more: int) -> bool:
        """Whether `more` further steps can be made from this node, or the last checker borne off on the way (R6.5)."""
        if more <= 0 or node[0][OFF] == 15:
            return True
        known = self._known.get(node)
        if known is None:
            known = any(self._completes(after, more - 1) for _, after in self._steps(node))
            self._known[node] = known
        return known

    def legal(self, mine: Half, other: Half, played: tuple[Step, ...]) -> list[tuple[Step, _Node]]:
        """The legal next steps (R6.4) after the steps `played` have led to (mine, other)."""
        return self._legal((mine, other, self.left(played)), len(played))

    def left(self, played: Iterable[Step]) -> tuple[int, ...]:
        """The dice not played yet, in playing order."""
        rest = list(self.rest)
        for step in played:
            rest.remove(step.die)
        return tuple(rest)

    def _legal(self, node: _Node, done: int) -> list[tuple[Step, _Node]]:
        steps = self._steps(node)
        longest = self.longest
        if longest == 1 and len(self.rest) == 2:  # R6.2, R6.5
            high = max(self.rest)
            best = [pair for pair in steps if pair[0].die == high]
            if not best:
                return steps
            return best + [pair for pair in steps if pair[0].die != high and pair[1][0][OFF] == 15]
        if done + 1 == longest:
            return steps
        return [pair for pair in steps if self._completes(pair[1], longest - done - 1)]

    @property
    def root(self) -> _Node:
        """The position before the first step."""
        return (self.mine, self.other, self.rest)

    @property
    def finals(self) -> tuple[Pair, ...]:
        """The set of complete turns: each resulting position once (R9.1); empty when nothing can be played."""
        if self._finals is None:
            self._finals = self._pairs()
        return self._finals

    def _pairs(self) -> tuple[Pair, ...]:
        if not self.longest:
            return ()
        found: dict[Pair, None] = {}
        if self.longest == 1:
            for _, node in self._legal(self.root, 0):
                found[node[0], node[1]] = None
            return tuple(found)
        for _, node in self._steps(self.root):
            mine, other, left = node
            if mine[OFF] == 15:
                found[mine, other] = None
                continue
            for start, to in moves_of(mine, other, left[0]):
                row = bytearray(mine)
                row[start] -= 1
                row[to] += 1
                if to and other[25 - to] == 1:
                    theirs = bytearray(other)
                    theirs[25 - to] = 0
                    theirs[BAR] += 1
                    found[bytes(row), bytes(theirs)] = None
                else:
                    found[bytes(row), other] = None
        return tuple(found)

    def _fours(self) -> int:
        """Double throws: the turns by levels of positions, not of orders; the number of steps of a longest one."""
        die = self.dice[0]
        level: dict[Pair, None] = {(self.mine, self.other): None}
        won: dict[Pair, None] = {}
        longest = 0
        for done in range(1, 5):
            following: dict[Pair, None] = {}
            for mine, other in level:
                if mine[OFF] == 15:
                    won[mine, other] = None
                    continue
                for start, to in moves_of(mine, other, die):
                    row = bytearray(mine)
                    row[start] -= 1
                    row[to] += 1
                    if to and other[25 - to] == 1:
                        theirs = bytearray(other)
                        theirs[25 - to] = 0
                        theirs[BAR] += 1
                        following[bytes(row), bytes(theirs)] = None
                    else:
                        following[bytes(row), other] = None
            if not following:
                break
            longest, level = done, following
        self._finals = tuple(won | level) if longest else ()
        return longest

    def ways(self, final: Pair) -> list[tuple[Step, ...]]:
        """Every order of steps that is a complete turn and ends in `final`."""
        found = self._ways.get(final)
        if found is None:
            found = list[tuple[Step, ...]]()
            if self.longest == 1:
                found += [(step,) for step, node in self._legal(self.root, 0) if node[:2] == final]
            elif self.longest:
                self._search((self.mine, self.other), self.rest, (), _surplus(self.mine, final[0]), final, found)
            self._ways[final] = found
        return found

    def _search(
        self,
        at: Pair,
        rest: tuple[int, ...],
        path: tuple[Step, ...],
        surplus: list[int],
        final: Pair,
        found: list[tuple[Step, ...]],
    ) -> None:
        """Depth first; a step may only pass points that more checkers must still pass (`surplus`)."""
        if at == final and (len(path) == self.longest or final[0][OFF] == 15):
            found.append(path)
            return
        for index, die in enumerate(rest):
            if index and die == rest[0]:
                break
            for start, to in moves_of(*at, die):
                if all(surplus[to + 1 : start + 1]):
                    mine, other, hit = advance(*at, start, to)
                    left = surplus.copy()
                    for point in range(to + 1, start + 1):
                        left[point] -= 1
                    step = Step(start, to, die, hit)
                    self._search((mine, other), rest[:index] + rest[index + 1 :], (*path, step), left, final, found)


def _surplus(mine: Half, target: Half) -> list[int]:
    """For each point how many checkers have still to pass from it or above to below it."""
    surplus = [0] * 26
    more = 0
    for point in range(25, 0, -1):
        more += mine[point] - target[point]
        surplus[point] = more
    return surplus


@lru_cache(maxsize=2048)
def throw(mine: Half, other: Half, dice: tuple[int, int]) -> Throw:
    """The (remembered) Throw of this position."""
    return Throw(mine, other, dice)
