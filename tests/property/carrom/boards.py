"""Random boards and shots for the simulation's invariants (R13)."""

from math import cos, hypot, pi, sin
from random import Random
from typing import NamedTuple

from services.carrom.board import HOLE_AT_UM, HOLE_UM, PION_UM, PIONS, RAIL_UM, SIDES, Lying, start_layout
from services.carrom.line import room

WALL_UM = RAIL_UM - PION_UM
FOUR = SIDES[4]


class Case(NamedTuple):
    """What `simulate` takes."""

    lay: tuple[tuple[Lying, ...], tuple[str, ...]]
    side: str
    flick: tuple[int, int, int]
    settings: tuple[int, int]


def scattered(rng: Random, touching: float, gap_um: int = 0) -> tuple[tuple[Lying, ...], tuple[str, ...]]:
    """Discs anywhere; a share of them touches another. Those that found no room stand in the pile."""
    board: list[Lying] = []
    pile: list[str] = []
    apart = 2 * PION_UM + gap_um - (0 if gap_um else 1)
    for piece in PIONS:
        for _ in range(60):
            if board and rng.random() < touching:
                _, x, y = rng.choice(board)
                turn = rng.random() * 2 * pi
                x, y = round(x + 2 * PION_UM * cos(turn)), round(y + 2 * PION_UM * sin(turn))
            else:
                x, y = rng.randint(-WALL_UM, WALL_UM), rng.randint(-WALL_UM, WALL_UM)
            inside = max(abs(x), abs(y)) <= WALL_UM
            in_hole = hypot(abs(x) - HOLE_AT_UM, abs(y) - HOLE_AT_UM) <= HOLE_UM
            if inside and not in_hole and all(hypot(x - a, y - b) >= apart for _, a, b in board):
                board.append((piece, x, y))
                break
        else:
            pile.append(piece)
    return tuple(sorted(board)), tuple(pile)


def cases(seed: int, many: int) -> list[Case]:
    """Breaks of the rosette, scattered and touching discs, any side, place, direction, speed, friction."""
    rng = Random(seed)
    found: list[Case] = []
    while len(found) < many:
        kind = rng.randrange(3)
        lay = (start_layout(rng.choice(FOUR)), ()) if kind == 0 else scattered(rng, 0.8 if kind == 1 else 0.0)
        side = rng.choice(FOUR)
        free = room(side, lay[0])
        if not free:
            continue
        speed = rng.choice((rng.randint(200_000, 2_000_000), rng.randint(2_000_000, 6_000_000)))
        flick = (rng.randint(*rng.choice(free)), rng.randint(-85_000_000, 85_000_000), speed)
        found.append(Case(lay, side, flick, (rng.choice((50, 100, 250)), rng.choice((0, 3000, 6500)))))
    return found


def breaks(seed: int, many: int) -> list[Case]:
    """Shots at a fresh rosette, more or less straight, with default options."""
    rng = Random(seed)
    lay = (start_layout(FOUR[0]), ())
    return [
        Case(lay, FOUR[0], (x, round(-x / 6000 * 1e6) + rng.randint(-6_000_000, 6_000_000), speed), (100, 6500))
        for x in (rng.randint(-219_100, 219_100) for _ in range(many))
        for speed in (rng.randint(2_000_000, 6_000_000),)
    ]
