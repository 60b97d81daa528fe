"""The counting of docs/rules/liarsdice.md read off the page, slow and apart from the rules' own code."""

from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from services.liarsdice.options import resolve

FLAGS = ("stairs", "ones_without_jokers", "present")
SETUPS = [
    resolve(dict(zip(FLAGS, flags, strict=True)) | {"any_kind": True}) for flags in product((False, True), repeat=3)
]
each_setup = pytest.mark.parametrize(
    "setup", SETUPS, ids=["-".join(name for name in FLAGS if getattr(one, name)) or "plain" for one in SETUPS]
)


def slow_cup(cup: tuple[int, ...], face: int, setup: Any) -> int:
    """R4.3-R4.8 read off the page, one special after another."""
    n, jokers = len(cup), not setup.ones_without_jokers
    if n == 1 and cup == (1,) and (jokers or setup.stairs):
        return 2
    if n == 2 and set(cup) == {1, 2} and (jokers or setup.stairs):
        return 3
    if n >= 3 and setup.stairs and all(cup.count(k) == 1 for k in range(1, n + 1)):
        return n + 1
    natural = len([die for die in cup if die == face])
    return natural + (cup.count(1) if jokers and face != 1 else 0)


def slow_shows(cup: tuple[int, ...], face: int, setup: Any) -> bool:
    stair = len(cup) >= 3 and setup.stairs and set(cup) == set(range(1, len(cup) + 1))
    return not stair and face in cup


def slow_holds(dice: tuple[tuple[int, ...], ...], quantity: int, face: int, setup: Any) -> bool:
    faces = range(1 if setup.ones_without_jokers else 2, 7) if face == 0 else (face,)
    return any(
        sum(slow_cup(cup, f, setup) for cup in dice) >= quantity
        and (not setup.present or any(slow_shows(cup, f, setup) for cup in dice))
        for f in faces
    )


def slow_most(dice: tuple[tuple[int, ...], ...], face: int, setup: Any) -> int:
    """The highest quantity that holds; 0: none does."""
    most = 0
    while slow_holds(dice, most + 1, face, setup):
        most += 1
    return most


def slow_rings(cup: tuple[int, ...], face: int, setup: Any) -> list[int]:
    """R4.11 read off the page."""
    if slow_cup(cup, 6, setup) > len(cup):
        return list(range(len(cup)))
    jokers = not setup.ones_without_jokers and face != 1
    return [at for at in range(len(cup)) if cup[at] == face or (cup[at] == 1 and jokers)]


def slow_highest(counts: tuple[int, ...], setup: Any) -> int:
    """The highest count of any face that could be true, over all throws; a sure lie for want of presence included."""
    faces = range(setup.lowest_face, 7)
    return max(sum(slow_best(n, face, setup) for n in counts) for face in faces)


def slow_best(n: int, face: int, setup: Any) -> int:
    return max(slow_cup(cup, face, setup) for cup in combinations_with_replacement(range(1, 7), n))
