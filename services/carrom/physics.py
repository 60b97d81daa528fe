"""Discs on a board under sliding friction, from contact to contact: exact and event-driven (R10, R11). SI units.

Between events every disc runs straight with constant deceleration, or lies. The next contact of two discs is found by
conservative advancement: seen along the line of centres their distance is a quadratic in time, whose root is a time
before which they cannot touch; from there the next line of centres is taken, until the gap closes or there is no root.
That is Newton's method where they meet and a proof where they do not, so no contact is missed at any speed.

Discs that keep pushing each other would meet infinitely often. A slow contact (restitution 0) therefore also sets the
two a skin of two micrometres apart: energy and momentum are untouched, and the next meeting takes its time.
"""

from heapq import heappop, heappush
from math import inf, sqrt
from typing import NamedTuple

GRAVITY = 9.81
BOUNCE, RAIL_BOUNCE, SLOW = 0.90, 0.75, 0.01
"""Restitution of discs and of rails, and the approach speed below which it is 0 (R10.5, R11.2)."""
RAIL, HOLE_AT, HOLE = 0.370, 0.34775, 0.02225
SPOT_TOLERANCE = 1e-6
LIMIT_S = 20.0
MOST_EVENTS = 50_000
"""A shot has some hundred; this stops what ought not to be."""

_TOUCHING = 1e-10
"""A gap of less is none."""
_SKIN = 2e-6
_LYING = 1e-7
"""Slower than this a disc lies."""
_MOST_STEPS = 80

FALL, HIT_RAIL, MEET, LEAVE_SPOT, STOP = range(5)
"""Kinds of events, in the order of R11.2 for one instant."""
_HOLES = ((-HOLE_AT, -HOLE_AT), (-HOLE_AT, HOLE_AT), (HOLE_AT, HOLE_AT), (HOLE_AT, -HOLE_AT))
"""sw, nw, ne, se."""

Leg = tuple[float, float, float, float, float, float, float, float, float, float, float, float]
"""Start time, place, velocity, half the acceleration, end of the leg, and the box that the disc sweeps until then."""
Point = tuple[float, float, float]
"""Time, x, y."""


class Disc(NamedTuple):
    """A disc: radius (m) and mass (kg)."""

    radius: float
    mass: float


PION, PALET = Disc(0.0159, 0.0055), Disc(0.02065, 0.015)


class Board(NamedTuple):
    """What a shot is played on. `leave`: normal speed (m/s) at which a disc leaves over a rail, inf: never."""

    friction: float
    leave: float
    bounce: float = BOUNCE


class World:
    """One shot. Discs have numbers in the order of their ids as text, which settles ties of one instant."""

    def __init__(self, board: Board, discs: list[Disc], palet: int, pile: list[int], tracks: bool = False) -> None:
        """`pile`: discs above the centre, bottom first; `tracks`: keep the way of every disc."""
        self.board, self.discs, self.palet, self.pile = board, discs, palet, pile
        self.slow_down = board.friction * GRAVITY
        n = len(discs)
        self.legs: list[Leg | None] = [None] * n
        self.versions = [0] * n
        self.on_board: list[int] = []
        self.events: list[tuple[float, int, int, int, int, int]] = []
        self.time = 0.0
        self.first_contact: int | None = None
        self.rails_before = 0
        self.pocketed: list[tuple[int, int]] = []
        self.out: list[int] = []
        self.dropped: list[int] = []
        self.settled = True
        self.handled = 0
        self._handle = (self._fall, self._hit_rail, self._meet, self._leave_spot, self._stop)
        self.tracks: list[list[Point]] | None = [[] for _ in range(n)] if tracks else None

    # ------------------------------------------------------------------------------------------------ set up

    def place(self, disc: int, x: float, y: float, vx: float = 0.0, vy: float = 0.0) -> None:
        """Puts a disc on the board before the shot."""
        self.on_board.append(disc)
        self._start(disc, x, y, vx, vy)

    def run(self) -> None:
        """Plays the shot until all discs lie, or to the limit of R11.9."""
        self.begin()
        while self.step():
            pass

    def begin(self) -> None:
        """Looks for the first contacts."""
        for disc in self.on_board:
            self._meet_all(disc, moving_only=True)
        self._drop()

    def step(self) -> bool:
        """The next event; False when all discs lie."""
        events, versions = self.events, self.versions
        while events:
            at, kind, a, b, version_a, version_b = heappop(events)
            if versions[a] == version_a and versions[b] == version_b:
                break
        else:
            return False
        self.handled += 1
        if at > LIMIT_S or self.handled > MOST_EVENTS:
            self._cut(min(at, LIMIT_S))
            return False
        self.time = at
        self._handle[kind](a, b)
        return True

    def energy(self) -> float:
        """Kinetic energy of all discs now (J)."""
        return sum(
            0.5 * self.discs[one].mass * (v[0] ** 2 + v[1] ** 2) for one in self.on_board for v in (self.velocity(one),)
        )

    def where(self, disc: int) -> tuple[float, float]:
        """Place of a disc now."""
        t0, x, y, vx, vy, cx, cy, *_ = self._leg(disc)
        t = self.time - t0
        return x + (vx + cx * t) * t, y + (vy + cy * t) * t

    def velocity(self, disc: int) -> tuple[float, float]:
        """Velocity of a disc now."""
        t0, _, _, vx, vy, cx, cy, *_ = self._leg(disc)
        t = self.time - t0
        return vx + 2 * cx * t, vy + 2 * cy * t

    def _leg(self, disc: int) -> Leg:
        leg = self.legs[disc]
        assert leg is not None, "the disc is not on the board"
        return leg

    # -------------------------------------------------------------------------------------------------- legs

    def _start(self, disc: int, x: float, y: float, vx: float, vy: float) -> None:
        """A new leg from now: where it would end by itself (hole, rail, rest)."""
        if self.tracks is not None:
            self._track(disc, x, y)
        version = self.versions[disc] = self.versions[disc] + 1
        radius, now = self.discs[disc].radius, self.time
        speed = sqrt(vx * vx + vy * vy)
        if speed <= _LYING:
            box = (x - radius, x + radius, y - radius, y + radius)
            self.legs[disc] = (now, x, y, 0.0, 0.0, 0.0, 0.0, inf, *box)
            if self._over_hole(x, y) >= 0:
                heappush(self.events, (now, FALL, disc, disc, version, version))
            return
        slow_down, wall = self.slow_down, RAIL - radius
        ux, uy = vx / speed, vy / speed
        kind, way = STOP, speed * speed / (2 * slow_down)
        sx = (wall - x) / ux if ux > 0 else (-wall - x) / ux if ux < 0 else inf
        sy = (wall - y) / uy if uy > 0 else (-wall - y) / uy if uy < 0 else inf
        rail = sx if sx < sy else sy
        if rail <= way:
            kind, way = HIT_RAIL, rail if rail > 0 else 0.0
        hole = _way_to_hole(x, y, ux, uy)
        if hole <= way:
            kind, way = FALL, hole
        end = now + 2 * way / (speed + sqrt(max(speed * speed - 2 * slow_down * way, 0.0)))
        to_x, to_y = x + ux * way, y + uy * way
        self.legs[disc] = (
            now,
            x,
            y,
            vx,
            vy,
            -0.5 * slow_down * ux,
            -0.5 * slow_down * uy,
            end,
            (x if ux > 0 else to_x) - radius,
            (to_x if ux > 0 else x) + radius,
            (y if uy > 0 else to_y) - radius,
            (to_y if uy > 0 else y) + radius,
        )
        heappush(self.events, (end, kind, disc, disc, version, version))
        if self.pile:
            leaving = self._way_out_of_spot(disc, x, y, ux, uy)
            if 0 <= leaving <= way:
                at = now + 2 * leaving / (speed + sqrt(max(speed * speed - 2 * slow_down * leaving, 0.0)))
                heappush(self.events, (at, LEAVE_SPOT, disc, disc, version, version))

    def _over_hole(self, x: float, y: float) -> int:
        for number, (hx, hy) in enumerate(_HOLES):
            if (x - hx) * (x - hx) + (y - hy) * (y - hy) <= HOLE * HOLE:
                return number
        return -1

    def _meet_all(self, disc: int, moving_only: bool = False) -> None:
        """Finds the next contact of a disc with each other one, within the legs that both are on."""
        leg = self.legs[disc]
        if leg is None:
            return
        t0, x, y, vx, vy, cx, cy, end, x0, x1, y0, y1 = leg
        lies = end == inf
        if lies and moving_only:
            return
        now, legs, discs, versions, events = self.time, self.legs, self.discs, self.versions, self.events
        t = now - t0
        x, y = x + (vx + cx * t) * t, y + (vy + cy * t) * t
        vx, vy = vx + 2 * cx * t, vy + 2 * cy * t
        radius, version = discs[disc].radius, versions[disc]
        for other in self.on_board:
            if other == disc:
                continue
            there = legs[other]
            if there is None:
                continue
            t1, ox, oy, ovx, ovy, ocx, ocy, oend, ox0, ox1, oy0, oy1 = there
            if ox0 > x1 or ox1 < x0 or oy0 > y1 or oy1 < y0:
                continue
            if oend == inf:
                if lies:
                    continue
                dx, dy, qx, qy, ax, ay, most = ox - x, oy - y, -vx, -vy, -cx, -cy, end - now
            else:
                t = now - t1
                dx, dy = ox + (ovx + ocx * t) * t - x, oy + (ovy + ocy * t) * t - y
                qx, qy = ovx + 2 * ocx * t - vx, ovy + 2 * ocy * t - vy
                ax, ay = ocx - cx, ocy - cy
                most = (end if end < oend else oend) - now
            after = meeting(dx, dy, qx, qy, ax, ay, radius + discs[other].radius, most)
            if after >= 0:
                if disc < other:
                    heappush(events, (now + after, MEET, disc, other, version, versions[other]))
                else:
                    heappush(events, (now + after, MEET, other, disc, versions[other], version))

    # ------------------------------------------------------------------------------------------------ events

    def _fall(self, disc: int, _: int) -> None:
        x, y = self.where(disc)
        hole = min(range(4), key=lambda n: (x - _HOLES[n][0]) ** 2 + (y - _HOLES[n][1]) ** 2)
        self.pocketed.append((disc, hole))
        self._take(disc, x, y)

    def _take(self, disc: int, x: float, y: float) -> None:
        """The disc leaves the plane."""
        if self.tracks is not None:
            self._track(disc, x, y)
        self.versions[disc] += 1
        self.legs[disc] = None
        self.on_board.remove(disc)

    def _hit_rail(self, disc: int, _: int) -> None:
        x, y = self.where(disc)
        vx, vy = self.velocity(disc)
        wall = RAIL - self.discs[disc].radius
        # Of the two rails the one that it is at, or past by the last digit; in a corner the other one follows at once.
        along_x = wall - abs(x) if x * vx > 0 else inf
        along_y = wall - abs(y) if y * vy > 0 else inf
        across = abs(vx) if along_x <= along_y else abs(vy)
        if across >= self.board.leave:
            self.out.append(disc)
            self._take(disc, x, y)
            return
        if disc == self.palet and self.first_contact is None:
            self.rails_before += 1
        bounce = RAIL_BOUNCE if across >= SLOW else 0.0
        if along_x <= along_y:
            x, vx = (wall if x > 0 else -wall), -bounce * vx
        else:
            y, vy = (wall if y > 0 else -wall), -bounce * vy
        self._start(disc, x, y, vx, vy)
        self._meet_all(disc)

    def _meet(self, a: int, b: int) -> None:
        ax, ay = self.where(a)
        bx, by = self.where(b)
        avx, avy = self.velocity(a)
        bvx, bvy = self.velocity(b)
        nx, ny = bx - ax, by - ay
        apart = sqrt(nx * nx + ny * ny) or _TOUCHING
        nx, ny = nx / apart, ny / apart
        approach = (avx - bvx) * nx + (avy - bvy) * ny
        if self.first_contact is None and self.palet in (a, b):
            self.first_contact = a if b == self.palet else b
        da, db = self.discs[a], self.discs[b]
        share_a, share_b = db.mass / (da.mass + db.mass), da.mass / (da.mass + db.mass)
        if approach > 0:
            push = (1.0 + (self.board.bounce if approach >= SLOW else 0.0)) * approach
            avx, avy = avx - push * share_a * nx, avy - push * share_a * ny
            bvx, bvy = bvx + push * share_b * nx, bvy + push * share_b * ny
        if approach < SLOW:
            lack = da.radius + db.radius + _SKIN - apart
            if lack > 0:
                ax, ay = _inside(ax - lack * share_a * nx, ay - lack * share_a * ny, da.radius)
                bx, by = _inside(bx + lack * share_b * nx, by + lack * share_b * ny, db.radius)
        self._start(a, ax, ay, avx, avy)
        self._start(b, bx, by, bvx, bvy)
        self._meet_all(a)
        self._meet_all(b)

    def _stop(self, disc: int, _: int) -> None:
        x, y = self.where(disc)
        self._start(disc, x, y, 0.0, 0.0)
        self._meet_all(disc)

    def _cut(self, at: float) -> None:
        self.time = max(at, self.time)
        self.settled = False
        for disc in self.on_board:
            self._start(disc, *self.where(disc), 0.0, 0.0)
        self.events.clear()

    # ------------------------------------------------------------------------------------------------ centre

    def _way_out_of_spot(self, disc: int, x: float, y: float, ux: float, uy: float) -> float:
        """How far the disc runs until it is clear of the centre spot (R12.1); negative: it does not touch it."""
        clear = self.discs[disc].radius + PION.radius
        nearest = -(x * ux + y * uy)
        rest = clear * clear - (x * x + y * y - nearest * nearest)
        return nearest + sqrt(rest) if rest > 0 else -1.0

    def _leave_spot(self, disc: int, _: int) -> None:
        self._drop()

    def _drop(self) -> None:
        """The lowest of the pile comes down if the spot is free (R12.3)."""
        if not self.pile:
            return
        for disc in self.on_board:
            x, y = self.where(disc)
            if sqrt(x * x + y * y) < self.discs[disc].radius + PION.radius - SPOT_TOLERANCE:
                return
        down = self.pile.pop(0)
        self.dropped.append(down)
        self.on_board.append(down)
        self.on_board.sort()
        self._start(down, 0.0, 0.0, 0.0, 0.0)
        self._meet_all(down)

    # ------------------------------------------------------------------------------------------------ tracks

    def _track(self, disc: int, x: float, y: float) -> None:
        """Adds the places every 50 ms of the leg that ends now, and its end (R11.10). What never moves has none."""
        assert self.tracks is not None
        leg, track = self.legs[disc], self.tracks[disc]
        if leg is not None and leg[7] != inf:
            t0, x0, y0, vx, vy, cx, cy, *_ = leg
            tick = int(t0 * 20) + 1
            while (at := tick / 20) < self.time:
                t = at - t0
                track.append((at, x0 + (vx + cx * t) * t, y0 + (vy + cy * t) * t))
                tick += 1
        track.append((self.time, x, y))


def _inside(x: float, y: float, radius: float) -> tuple[float, float]:
    wall = RAIL - radius
    return max(-wall, min(wall, x)), max(-wall, min(wall, y))


def _way_to_hole(x: float, y: float, ux: float, uy: float) -> float:
    """How far a disc's centre runs until it is over a hole; inf: never."""
    found = inf
    for hx, hy in _HOLES:
        dx, dy = hx - x, hy - y
        along = dx * ux + dy * uy
        square = dx * dx + dy * dy
        if square <= HOLE * HOLE:
            return 0.0
        if along > 0:
            rest = HOLE * HOLE - square + along * along
            if rest > 0:
                way = along - sqrt(rest)
                if way < found:
                    found = way
    return found


def meeting(dx: float, dy: float, qx: float, qy: float, ax: float, ay: float, reach: float, most: float) -> float:
    """Time until two discs touch while approaching, at most `most` seconds; negative: they do not.

    d: from the one to the other; q: its change (m/s); a: half of the change of q (m/s2); `reach`: both radii.
    """
    after, px, py, wx, wy = 0.0, dx, dy, qx, qy
    gap = closing = inf
    for _ in range(_MOST_STEPS):
        apart = sqrt(px * px + py * py) or _TOUCHING
        gap = apart - reach
        closing = (px * wx + py * wy) / apart
        bend = (px * ax + py * ay) / apart
        if gap <= _TOUCHING:
            if closing < 0:
                return after
            if bend >= 0:
                return -1.0
            step = -closing / bend
            if step < 1e-9:
                step = 1e-9
        elif closing < 0:
            root = closing * closing - 4 * bend * gap
            if root < 0:
                return -1.0
            step = 2 * gap / (sqrt(root) - closing)
        elif bend < 0:
            step = (closing + sqrt(closing * closing - 4 * bend * gap)) / (-2 * bend)
        else:
            return -1.0
        after += step
        if after > most:
            return -1.0
        px, py = dx + (qx + ax * after) * after, dy + (qy + ay * after) * after
        wx, wy = qx + 2 * ax * after, qy + 2 * ay * after
    return after if gap < 1e-7 and closing < 0 else -1.0
