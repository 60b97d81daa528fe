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
        self._depth: dict[_Node, int] = {}
        self._finals: tuple[Pair, ...] | None = None
        if double:
            self.longest = self._reach((mine, other, self.rest))
        else:
            self.longest = self._longest_of_two()

    def _longest_of_two(self) -> int:
        steps = self._steps((self.mine, self.other, self.rest))
        if any(self._steps(node) for _, node in steps):
            return 2
        return 1 if steps else 0

    def _steps(self, node: _Node) -> list[tuple[Step, _Node]]:
        """All single steps from a node, legal or not as part of a turn; the larger die's first, high points first."""
        found = self._next.get(node)
        if found is None:
            found = []
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

    def _reach(self, node: _Node) -> int:
        """How many more steps a longest way from this node has."""
        found = self._depth.get(node)
        if found is None:
            found = max((1 + self._reach(after) for _, after in self._steps(node)), default=0)
            self._depth[node] = found
        return found

    def _wins(self, node: _Node) -> bool:
        return node[0][OFF] == 15 or any(self._wins(after) for _, after in self._steps(node))

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
        return [pair for pair in steps if done + 1 + self._reach(pair[1]) >= longest or self._wins(pair[1])]

    def _complete(self, node: _Node, done: int) -> bool:
        return done == self.longest or node[0][OFF] == 15

    @property
    def root(self) -> _Node:
        """The position before the first step."""
        return (self.mine, self.other, self.rest)

    @property
    def finals(self) -> tuple[Pair, ...]:
        """The set of complete turns: each resulting position once (R9.1); empty when nothing can be played."""
        if self._finals is None:
            self._finals = self._pairs() if len(self.rest) == 2 else self._fours()
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

    def _fours(self) -> tuple[Pair, ...]:
        level: dict[_Node, None] = {self.root: None}
        found: dict[Pair, None] = {}
        for done in range(1, self.longest + 1):
            level = {after: None for node in level for _, after in self._steps(node)}
            for mine, other, _ in level:
                if mine[OFF] == 15 or done == self.longest:
                    found[mine, other] = None
        return tuple(found)

    def ways(self, final: Pair) -> list[tuple[Step, ...]]:
        """Every order of steps that is a complete turn and ends in `final`."""
        target, theirs = final
        goal = pips(target)
        found: list[tuple[Step, ...]] = []
        dead: set[_Node] = set()

        def search(node: _Node, path: tuple[Step, ...]) -> bool:
            if self._complete(node, len(path)):
                if node[0] == target and node[1] == theirs:
                    found.append(path)
                    return True
                return False
            if node in dead or pips(node[0]) < goal:
                return False
            good = False
            for step, after in self._legal(node, len(path)):
                good = search(after, (*path, step)) or good
            if not good:
                dead.add(node)
            return good

        search(self.root, ())
        return found


@lru_cache(maxsize=2048)
def throw(mine: Half, other: Half, dice: tuple[int, int]) -> Throw:
    """The (remembered) Throw of this position."""
    return Throw(mine, other, dice)
