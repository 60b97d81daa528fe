"""Shots that may pocket something, by the geometry of the ghost disc: where the palet must be when it touches.

All in the frame of the shooter, metres and radians. Nothing is simulated here; `ease` is by how much the palet's
direction may be off (radians) for the pion still to fall, to first order. R10, R11; rules file, Bots.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import asin, atan2, copysign, cos, degrees, erf, hypot, pi, sin, sqrt
from typing import NamedTuple

from services.carrom.board import END_UM, LINE_UM
from services.carrom.physics import BOUNCE, HOLE, HOLE_AT, PALET, PION, RAIL, RAIL_BOUNCE

At = tuple[float, float]

LINE, END = LINE_UM / 1e6, END_UM / 1e6
HOLES: tuple[At, ...] = ((-HOLE_AT, HOLE_AT), (HOLE_AT, HOLE_AT), (-HOLE_AT, -HOLE_AT), (HOLE_AT, -HOLE_AT))
_TOUCH, _BOTH = PALET.radius + PION.radius, 2 * PION.radius
_GAIN = (1 + BOUNCE) * PALET.mass / (PALET.mass + PION.mass)
"""Speed of a pion that the palet hits full, in speeds of the palet."""
_WALL, _PION_WALL = RAIL - PALET.radius, RAIL - PION.radius
_STEEPEST = 84.0 / 180 * pi
_FASTEST, _SLOWEST = 6.0, 0.2


class Table(NamedTuple):
    """What lies on the board (id -> place), what must be reached off a rail, where the palet has room, deceleration."""

    discs: Mapping[str, At]
    rail_first: frozenset[str]
    room: Sequence[tuple[float, float]]
    slow_down: float

    def places(self, many: int) -> list[float]:
        """`many` places on the line, evenly over what is free, left to right."""
        length = sum(high - low for low, high in self.room)
        found: list[float] = []
        for low, high in self.room:
            here = max(1, round(many * (high - low) / length)) if length else 1
            found += [low + (high - low) * (n + 0.5) / here for n in range(here)]
        ends = [self.room[0][0], self.room[-1][1]] if self.room else []
        return sorted({*ends, *found})


class Try(NamedTuple):
    """A shot to try: the command in whole millionths of its units, its ease, and the pion it is meant for."""

    x: float
    angle: float
    speed: float
    ease: float
    target: str


class Line(NamedTuple):
    """How a target pion must go: direction, how far off it may be (radians), start speed, length of its way."""

    ux: float
    uy: float
    slack: float
    speed: float
    way: float


def chance(ease: float, sigma: float) -> float:
    """Probability that an error of standard deviation `sigma` (radians) stays within `ease`."""
    return erf(ease / (sigma * sqrt(2)))


def clear(table: Table, a: At, b: At, width: float, skip: Sequence[str]) -> bool:
    """Whether a disc may go straight from a to b: no other centre within `width` of its way."""
    ax, ay = a
    dx, dy = b[0] - ax, b[1] - ay
    length = hypot(dx, dy)
    if length < 1e-9:
        return True
    ux, uy = dx / length, dy / length
    wide = width * width
    for piece, (x, y) in table.discs.items():
        if piece in skip:
            continue
        px, py = x - ax, y - ay
        along = px * ux + py * uy
        if along <= 0:
            continue  # what is behind is left behind
        beyond = along - length
        across = px * px + py * py - along * along
        if beyond > 0:
            across += beyond * beyond
        if across < wide:
            return False
    return True


def _start_speed(slow_down: float, way: float, left: float) -> float:
    """Speed to go `way` and then have as much left as `left` more metres take."""
    return sqrt(2 * slow_down * (way + left))


def lines_to_holes(table: Table, piece: str, left: float, rails: bool = False) -> list[Line]:
    """The free ways of a pion into a hole, direct or off one rail; `left`: metres it could still run at the hole."""
    x, y = table.discs[piece]
    found: list[Line] = []
    for hx, hy in HOLES:
        dx, dy = hx - x, hy - y
        way = hypot(dx, dy)
        if clear(table, (x, y), (hx, hy), _BOTH, (piece,)):
            slack = asin(HOLE / way) if way > HOLE else pi / 2
            found.append(Line(dx / way, dy / way, slack, _start_speed(table.slow_down, way, left), way))
        if rails:
            found += _banked(table, piece, (hx, hy), left)
    return found


def _banked(table: Table, piece: str, hole: At, left: float) -> Iterator[Line]:
    """Ways of a pion off one rail into a hole. A rail keeps 3/4 of the speed towards it, so the mirror is stretched."""
    x, y = table.discs[piece]
    hx, hy = hole
    for wall, across in ((_PION_WALL, False), (_PION_WALL, True), (-_PION_WALL, True), (-_PION_WALL, False)):
        to, beyond = (wall - x, hx - wall) if across else (wall - y, hy - wall)
        if to * beyond >= 0 or abs(beyond) < 0.2:
            continue  # the hole lies at that very rail
        side = hy - y if across else hx - x
        part = abs(to) + abs(beyond) / RAIL_BOUNCE
        turn = side / part  # sideways per metre towards the rail
        mx, my = (wall, y + turn * abs(to)) if across else (x + turn * abs(to), wall)
        if not clear(table, (x, y), (mx, my), _BOTH, (piece,)):
            continue
        if not clear(table, (mx, my), hole, _BOTH, (piece,)):
            continue
        first, second = hypot(mx - x, my - y), hypot(hx - mx, hy - my)
        kept = hypot(turn, RAIL_BOUNCE) / hypot(turn, 1.0)
        at_rail = _start_speed(table.slow_down, second, left) / kept
        speed = sqrt(at_rail * at_rail + 2 * table.slow_down * first)
        slack = asin(min(1.0, HOLE / (first + second) * 0.8))
        yield Line((mx - x) / first, (my - y) / first, slack, speed, first + second)


def direct(table: Table, piece: str, line: Line, places: Sequence[float]) -> Iterator[Try]:
    """Shots straight at a pion so that it goes its way."""
    if piece in table.rail_first:
        return
    x, y = table.discs[piece]
    gx, gy = _ghost(x, y, line)
    for place in places:
        dx, dy = gx - place, gy - LINE
        way = hypot(dx, dy)
        if dy <= 0 or way < 1e-6:
            continue
        cut = (dx * line.ux + dy * line.uy) / way
        angle = atan2(dx, dy)
        if cut < 0.15 or abs(angle) > _STEEPEST:
            continue
        hit = line.speed / (_GAIN * cut)
        speed = sqrt(hit * hit + 2 * table.slow_down * way)
        if speed > _FASTEST:
            continue
        ease = line.slack * _TOUCH * cut / max(way, 0.05)
        yield Try(place, degrees(angle), max(speed, _SLOWEST), ease, piece)


def _ghost(x: float, y: float, line: Line) -> At:
    """Where the palet's centre must be at the touch; for a pion that lies at a rail as near to that as it can come."""
    gx, gy = x - line.ux * _TOUCH, y - line.uy * _TOUCH
    if abs(gx) > _WALL:
        gx = copysign(_WALL, gx)
        gy = y - copysign(sqrt(max(_TOUCH * _TOUCH - (x - gx) ** 2, 0.0)), line.uy)
    if abs(gy) > _WALL:
        gy = copysign(_WALL, gy)
        gx = x - copysign(sqrt(max(_TOUCH * _TOUCH - (y - gy) ** 2, 0.0)), line.ux)
    return gx, gy


def direct_is_clear(table: Table, shot: Try) -> bool:
    """Whether the palet's straight way to its target touches nothing else."""
    x, y = table.discs[shot.target]
    turn = shot.angle / 180 * pi
    ux, uy = sin(turn), cos(turn)
    along = (x - shot.x) * ux + (y - LINE) * uy
    off = (x - shot.x) ** 2 + (y - LINE) ** 2 - along * along
    way = along - sqrt(max(_TOUCH * _TOUCH - off, 0.0))
    return clear(table, (shot.x, LINE), (shot.x + ux * way, LINE + uy * way), _TOUCH, (shot.target,))


def off_rail(table: Table, piece: str, line: Line, places: Sequence[float]) -> Iterator[Try]:
    """Shots off one rail (far, left, right) at a pion so that it goes its way; only with a clear way."""
    x, y = table.discs[piece]
    gx, gy = _ghost(x, y, line)
    for place in places:
        for rail in ("far", "left", "right"):
            if rail == "far":
                first, second = _WALL - LINE, _WALL - gy
                tan = (gx - place) / (first + second / RAIL_BOUNCE)
                mx, my = place + tan * first, _WALL
                ux, uy = tan, 1.0
                kept = hypot(tan, RAIL_BOUNCE) / hypot(tan, 1.0)
            else:
                wall = -_WALL if rail == "left" else _WALL
                if gy <= LINE:
                    continue
                first, second = abs(wall - place), abs(wall - gx)
                tan = (first + second / RAIL_BOUNCE) / (gy - LINE)
                mx, my = wall, LINE + first / tan
                ux, uy = (tan if wall > 0 else -tan), 1.0
                kept = hypot(tan * RAIL_BOUNCE, 1.0) / hypot(tan, 1.0)
            angle = atan2(ux, uy)
            way, back = hypot(mx - place, my - LINE), hypot(gx - mx, gy - my)
            if abs(angle) > _STEEPEST or abs(mx) > _WALL or back < 1e-6:
                continue
            cut = ((gx - mx) * line.ux + (gy - my) * line.uy) / back
            if cut < 0.2:
                continue
            hit = line.speed / (_GAIN * cut)
            at_rail = sqrt(hit * hit + 2 * table.slow_down * back) / kept
            speed = sqrt(at_rail * at_rail + 2 * table.slow_down * way)
            if speed > _FASTEST:
                continue
            if not clear(table, (place, LINE), (mx, my), _TOUCH, ()):
                continue
            if not clear(table, (mx, my), (gx, gy), _TOUCH, (piece,)):
                continue
            ease = line.slack * _TOUCH * cut / ((way + back) * 1.3)
            yield Try(place, degrees(angle), max(speed, _SLOWEST), ease, piece)


def combined(table: Table, piece: str, line: Line, places: Sequence[float]) -> Iterator[Try]:
    """Shots straight at another disc that sends the pion on its way."""
    x, y = table.discs[piece]
    gx, gy = x - line.ux * _BOTH, y - line.uy * _BOTH
    for other, (ox, oy) in table.discs.items():
        if other == piece or other in table.rail_first:
            continue
        dx, dy = gx - ox, gy - oy
        way = hypot(dx, dy)
        if way > 0.3:
            continue
        # Discs that touch have no way left between them: the line of centres is the direction.
        ux, uy = (dx / way, dy / way) if way > 0.002 else (line.ux, line.uy)
        cut = ux * line.ux + uy * line.uy
        if cut < 0.6 or not clear(table, (ox, oy), (gx, gy), _BOTH, (piece, other)):
            continue
        slack = min(line.slack * _BOTH * cut / max(way, 0.01), 0.3)
        hit = line.speed / (0.95 * cut)
        speed = sqrt(hit * hit + 2 * table.slow_down * way)
        for shot in direct(table, other, Line(ux, uy, slack, speed, way), places):
            if direct_is_clear(table, shot):
                yield shot._replace(target=piece)


def touching(table: Table, pieces: Sequence[str], places: Sequence[float], speeds: Sequence[float]) -> Iterator[Try]:
    """Shots that just meet one of the pieces: straight, or off the far rail where that is the rule."""
    for piece in pieces:
        x, y = table.discs[piece]
        for place in places:
            dx, dy = x - place, y - LINE
            if piece not in table.rail_first and dy > 0.01 and abs(angle := atan2(dx, dy)) <= _STEEPEST:
                if clear(table, (place, LINE), (x, y), _TOUCH, (piece,)):
                    yield from (Try(place, degrees(angle), speed, 0.0, piece) for speed in speeds)
                continue
            first, second = _WALL - LINE, _WALL - y
            angle = atan2(x - place, first + second / RAIL_BOUNCE)
            yield from (Try(place, degrees(angle), speed, 0.0, piece) for speed in speeds if speed >= 1.5)
