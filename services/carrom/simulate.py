"""One shot, from the command to its outcome (rules file, Randomness): plain data in and out.

It is played in the shooter's frame, so every seat gets bit for bit the same shot (R10.4). Places enter and leave as
whole micrometres; same input, same output, also in another process.
"""

import warnings
from math import ceil, cos, inf, radians, sin
from typing import Any

from services.carrom import physics
from services.carrom.board import LINE_UM, PALET, Lying, hole_on_board, to_board, to_frame

ENGINE = "stamtafel-events/1"
_MOST_BYTES = 64 * 1024
_FRAME_BYTES = 14
"""Of one frame in the event, at most."""

Lay = tuple[tuple[Lying, ...], tuple[str, ...]]
"""What lies on the board (micrometres, origin in its middle), and the pile, bottom first."""
Flick = tuple[int, int, int]
"""Micrometres along the own line, millionths of a degree, micrometres a second."""
Settings = tuple[int, int]
"""Friction in thousandths, leave speed in mm/s (0: nothing leaves)."""


def simulate(lay: Lay, side: str, flick: Flick, settings: Settings) -> dict[str, Any]:
    """The outcome of a shot from `side`, with keyframes: `keyframes` {id: [[ms, x, y]]}, x and y in tenths of a mm."""
    world, ids = play(lay, side, flick, settings, tracks=True)
    if not world.settled:
        # The physics bound says that this cannot happen (R11.9); it goes to the error output of the worker.
        warnings.warn(f"a shot did not settle: {lay} {side} {flick} {settings}", RuntimeWarning, stacklevel=2)
    return outcome_of(world, ids, side) | {"keyframes": _keyframes(world, ids, side)}


def play(
    lay: Lay, side: str, flick: Flick, settings: Settings, tracks: bool = False
) -> tuple[physics.World, list[str]]:
    """The world after a shot, in the frame of `side`, and the ids of its discs."""
    board, pile = lay
    friction, leave = settings
    ids = sorted((PALET, *(piece for piece, _, _ in board), *pile))
    number = {piece: n for n, piece in enumerate(ids)}
    discs = [physics.PALET if piece == PALET else physics.PION for piece in ids]
    rules = physics.Board(friction / 1000, leave / 1000 if leave else inf)
    world = physics.World(rules, discs, number[PALET], [number[piece] for piece in pile], tracks)
    at = {piece: to_frame(side, x, y) for piece, x, y in board}
    x, angle, speed = flick
    for piece in ids:
        if piece == PALET:
            turn, v = radians(angle / 1e6), speed / 1e6
            world.place(number[piece], x / 1e6, LINE_UM / 1e6, v * sin(turn), v * cos(turn))
        elif piece in at:
            u, w = at[piece]
            world.place(number[piece], u / 1e6, w / 1e6)
    world.run()
    return world, ids


def outcome_of(world: physics.World, ids: list[str], side: str) -> dict[str, Any]:
    """All fields of the outcome but the keyframes."""
    rest: dict[str, list[float]] = {}
    for disc in world.on_board:
        u, w = world.where(disc)
        x, y = to_board(side, round(u * 1e6), round(w * 1e6))
        rest[ids[disc]] = [x / 1e6, y / 1e6]
    first = world.first_contact
    return {
        "engine": ENGINE,
        "first_contact": None if first is None else ids[first],
        "rails_before": world.rails_before,
        "pocketed": [ids[disc] for disc, _ in world.pocketed],
        "out": [ids[disc] for disc in world.out],
        "dropped": [ids[disc] for disc in world.dropped],
        "rest": rest,
        "holes": {ids[disc]: hole_on_board(side, hole) for disc, hole in world.pocketed},
        "time_ms": ceil(world.time * 1000),
        "settled": world.settled,
    }


def _keyframes(world: physics.World, ids: list[str], side: str) -> dict[str, list[list[float]]]:
    """Frames of the discs that moved; times keep their microseconds. Too many: those between contacts go (R11.10)."""
    assert world.tracks is not None
    frames: dict[str, list[list[float]]] = {}
    for disc, track in enumerate(world.tracks):
        points = [[round(t * 1000, 3), *to_board(side, round(x * 1e4), round(y * 1e4))] for t, x, y in track]
        points = [p for n, p in enumerate(points) if n == 0 or p != points[n - 1]]
        if disc in world.dropped:
            frames[ids[disc]] = points
        elif any(p[1:] != points[0][1:] for p in points):
            lay_until = 1 if points[0][1:] == points[1][1:] else 0
            frames[ids[disc]] = points[lay_until:]
    for keep in (2, 4, 8, 1_000_000):
        if sum(map(len, frames.values())) * _FRAME_BYTES <= _MOST_BYTES:
            break
        frames = {piece: _thinned(points, keep) for piece, points in frames.items()}
    return frames


def _thinned(points: list[list[float]], keep: int) -> list[list[float]]:
    """Without the 50 ms points but each `keep`-th of them; contacts, start and end stay."""
    last = len(points) - 1
    return [p for n, p in enumerate(points) if n in (0, last) or p[0] % 50 or (p[0] // 50) % keep == 0]
