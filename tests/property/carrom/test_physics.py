"""The invariants of the simulation: P1-P15 of R13, each with its figures."""

import json
import subprocess
import sys
from heapq import heappop
from math import asin, cos, degrees, hypot, inf, radians, sin, sqrt
from pathlib import Path
from random import Random
from typing import Any

import pytest

from services.carrom.board import HOLES, LINE_UM, PALET, PION_UM, SIDES, TOUCH_UM
from services.carrom.outcome import resolved
from services.carrom.physics import PALET as STRIKER
from services.carrom.physics import PION, Board, World
from services.carrom.simulate import play, simulate
from tests.property.carrom.boards import FOUR, Case, breaks, cases, scattered

RADII = {PALET: STRIKER.radius}
STRAIGHT = (100, 6500)


def pair(offset: float, speed: float, friction: float = 1e-14, bounce: float = 1.0) -> tuple[World, list[Any]]:
    """The palet from the south at a lying pion in the middle, offset in radii; velocities right after the contact."""
    reach = STRIKER.radius + PION.radius
    world = World(Board(friction, inf, bounce), [STRIKER, PION], 0, [])
    world.place(0, -offset * reach, -sqrt(1 - offset * offset) * reach - 0.01, 0, speed)
    world.place(1, 0, 0)
    world.begin()
    while world.first_contact is None and world.step():
        pass
    return world, [world.velocity(0), world.velocity(1)]


def test_p1_energy_never_grows() -> None:
    for case in [*breaks(1, 100), *cases(2, 100)]:
        world = begun(case)
        start = before = world.energy()
        while world.step():
            now = world.energy()
            assert now <= before + 1e-9 * start
            before = now


def begun(case: Case) -> World:
    """The world of a case before its first event."""
    steps = World.step
    try:
        World.step = lambda self: False  # type: ignore[method-assign]
        world, _ = play(case.lay, case.side, case.flick, case.settings)
    finally:
        World.step = steps  # type: ignore[method-assign]
    return world


@pytest.mark.parametrize("speed", [1.0, 6.0])
@pytest.mark.parametrize("offset", [0.0, 0.3, 0.6, 0.9])
def test_p2_p3_an_elastic_pair(offset: float, speed: float) -> None:
    world, ((pvx, pvy), (vx, vy)) = pair(offset, speed)
    assert STRIKER.mass * pvx + PION.mass * vx == pytest.approx(0, abs=1e-9 * speed * STRIKER.mass)
    assert STRIKER.mass * pvy + PION.mass * vy == pytest.approx(STRIKER.mass * speed, rel=1e-9)
    assert world.energy() == pytest.approx(0.5 * STRIKER.mass * speed**2, rel=1e-9)
    assert degrees(asin(vx / hypot(vx, vy))) == pytest.approx(degrees(asin(offset)), abs=0.1)
    expected = 2 * STRIKER.mass / (STRIKER.mass + PION.mass) * speed * cos(asin(offset))
    assert hypot(vx, vy) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("speed", [1.0, 6.0])
def test_p4_head_on_with_the_boards_restitution(speed: float) -> None:
    _, (palet, pion) = pair(0.0, speed, bounce=0.9)
    assert pion[1] == pytest.approx(1.39024 * speed, rel=1e-3)
    assert palet[1] == pytest.approx(0.49024 * speed, rel=1e-3)


def straight(speed: float, board: tuple[Any, ...] = (), x_um: int = 0) -> dict[str, Any]:
    return simulate((board, ()), "south", (x_um, 0, round(speed * 1e6)), STRAIGHT)


@pytest.mark.parametrize(("speed", "way"), [(0.5, 0.1274), (1.0, 0.5097)])
def test_p5_stopping_distance(speed: float, way: float) -> None:
    y = straight(speed)["rest"][PALET][1]
    assert y - LINE_UM / 1e6 == pytest.approx(way, rel=0.005, abs=0.0005)


def test_p6_a_rail_gives_back_three_quarters() -> None:
    outcome = straight(1.2)
    assert outcome["rest"][PALET][1] == pytest.approx(0.2751, abs=0.002)
    assert outcome["rails_before"] == 1


def test_p7_a_mirrored_board_gives_the_mirrored_shot() -> None:
    rng = Random(7)
    for _ in range(100):
        board = scattered(rng, 0.0, 20_001)[0][:5]
        flick = (rng.randint(-219_100, 219_100), rng.randint(-60_000_000, 60_000_000), rng.randint(500_000, 4_000_000))
        mirrored = tuple((piece, -x, y) for piece, x, y in board)
        a = simulate((board, ()), "south", flick, STRAIGHT)
        b = simulate((mirrored, ()), "south", (-flick[0], -flick[1], flick[2]), STRAIGHT)
        assert a["pocketed"] == b["pocketed"]
        for piece, (x, y) in a["rest"].items():
            assert b["rest"][piece] == pytest.approx([-x, y], abs=1e-4)


def test_p8_every_seat_gets_the_same_shot() -> None:
    for case in cases(8, 40):
        board, pile = case.lay
        south = simulate((board, pile), "south", case.flick, case.settings)
        for turns in range(1, 4):
            # A quarter turn clockwise, as seats are counted.
            board = tuple((piece, y, -x) for piece, x, y in board)
            other = simulate((board, pile), FOUR[turns], case.flick, case.settings)
            assert {**other, "rest": 0, "holes": 0, "keyframes": 0} == {**south, "rest": 0, "holes": 0, "keyframes": 0}
            assert other["rest"] == {piece: turned(at, turns) for piece, at in south["rest"].items()}
            assert other["holes"] == {p: HOLES[(HOLES.index(h) + turns) % 4] for p, h in south["holes"].items()}
            assert other["keyframes"] == {
                piece: [[t, *turned([x, y], turns)] for t, x, y in frames]
                for piece, frames in south["keyframes"].items()
            }


def turned(at: list[float], turns: int) -> list[float]:
    x, y = at
    for _ in range(turns):
        x, y = y, -x
    return [x, y]


def test_p9_p10_no_overlap_nothing_outside_nothing_lost() -> None:
    for case in [*cases(9, 300), *breaks(9, 50)]:
        outcome = simulate(*case)
        lying = outcome["rest"]
        for n, (piece, (x, y)) in enumerate(lying.items()):
            radius = RADII.get(piece, PION.radius)
            assert max(abs(x), abs(y)) <= 0.37 - radius + 5e-5
            for other, (ox, oy) in list(lying.items())[:n]:
                assert hypot(x - ox, y - oy) >= radius + RADII.get(other, PION.radius) - 5e-5
        pile = [piece for piece in case.lay[1] if piece not in outcome["dropped"]]
        gone = [*lying, *outcome["pocketed"], *outcome["out"], *pile]
        assert sorted(gone) == sorted([PALET, *(piece for piece, _, _ in case.lay[0]), *case.lay[1]])


def outcomes() -> str:
    """Some outcomes as text, also for another process."""
    return json.dumps([simulate(*case) for case in [*cases(11, 12), *breaks(11, 8)]])


def test_p11_same_input_same_output_in_a_fresh_process_too() -> None:
    here = outcomes()
    assert all(outcomes() == here for _ in range(19))
    program = "from tests.property.carrom.test_physics import outcomes; print(outcomes(), end='')"
    root = Path(__file__).parents[3]
    paths = [str(root), str(root / "gen")]
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}; {program}"]
    there = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    assert there.stdout == here


def test_p13_every_break_settles_in_time() -> None:
    for case in breaks(13, 500):
        world, _ = play(*case)
        assert world.settled
        assert world.time < 8.6
        assert world.handled < 1000  # what bounds the CPU time of a shot


def test_p14_the_first_contact_is_what_the_swept_path_meets() -> None:
    met = 0
    for case in cases(14, 200):
        outcome = simulate(*case)
        if outcome["rails_before"] or case.side != "south":
            continue
        met += 1
        assert outcome["first_contact"] == swept(case)
    assert met > 20


def swept(case: Case) -> str | None:
    """The disc that the palet's straight way meets first; a disc that it touches and leaves is none."""
    x, angle, speed = case.flick
    ux, uy = sin(radians(angle / 1e6)), cos(radians(angle / 1e6))
    most = (speed / 1e6) ** 2 / (2 * 9.81 * case.settings[0] / 1000)
    found: list[tuple[float, str]] = []
    for piece, px, py in case.lay[0]:
        dx, dy = (px - x) / 1e6, (py - LINE_UM) / 1e6
        along, reach = dx * ux + dy * uy, TOUCH_UM / 1e6
        rest = reach**2 - (dx * dx + dy * dy - along * along)
        if along > 0 and rest > 0 and along - sqrt(rest) <= most:
            found.append((along - sqrt(rest), piece))
    return min(found)[1] if found else None


def at(frames: list[list[float]], ms: float) -> tuple[float, float]:
    """Where a client draws a disc: straight between frames; metres."""
    before = [f for f in frames if f[0] <= ms]
    after = [f for f in frames if f[0] > ms]
    if not before or not after:
        _, x, y = before[-1] if before else after[0]
        return x / 1e4, y / 1e4
    (t0, x0, y0), (t1, x1, y1) = before[-1], after[0]
    part = (ms - t0) / (t1 - t0)
    return (x0 + (x1 - x0) * part) / 1e4, (y0 + (y1 - y0) * part) / 1e4


def until(world: World, time: float) -> None:
    """Plays on to that time, and no further."""
    while world.events:
        at, _, a, b, version_a, version_b = world.events[0]
        if world.versions[a] != version_a or world.versions[b] != version_b:
            heappop(world.events)
        elif at <= time:
            world.step()
        else:
            break
    world.time = time


def test_p15_keyframes_are_the_shot() -> None:
    rng = Random(15)
    for case in [*breaks(15, 25), *[case for case in cases(15, 60) if case.settings[0] == 100]]:
        outcome = simulate(*case)
        start = {piece: (x / 1e6, y / 1e6) for piece, x, y in case.lay[0]}
        frames = outcome["keyframes"]
        assert resolved(0, outcome).ByteSize() < 20_000
        for piece, ways in frames.items():
            assert [t for t, _, _ in ways] == sorted(t for t, _, _ in ways)
            if piece in start:
                assert at(ways, 0) == pytest.approx(start[piece], abs=6e-5)
            if piece in outcome["rest"]:
                assert at(ways, 1e9) == pytest.approx(outcome["rest"][piece], abs=6e-5)
        # The same shot, looked at in mid-motion: drawn within 0.6 mm (0.5 and the rounding of places), no overlap.
        moments = sorted(rng.uniform(0, outcome["time_ms"]) for _ in range(30))
        world, ids = begun(case), sorted([PALET, *start, *case.lay[1]])
        for ms in moments:
            until(world, ms / 1000)
            seen: list[tuple[float, float, float]] = []
            exact: list[tuple[float, float, float]] = []
            for disc in world.on_board:
                piece = ids[disc]
                u, w = world.where(disc)
                x, y = turned([u, w], FOUR.index(case.side))
                exact.append((x, y, world.discs[disc].radius))
                drawn = at(frames[piece], ms) if piece in frames else start[piece]
                assert drawn == pytest.approx((x, y), abs=6e-4)
                seen.append((*drawn, world.discs[disc].radius))
            for n, (x, y, radius) in enumerate(exact):  # no contact was missed
                assert all(hypot(x - a, y - b) >= radius + r - 1e-5 for a, b, r in exact[:n])
                assert max(abs(x), abs(y)) <= 0.37 - radius + 1e-6
            for n, (x, y, radius) in enumerate(seen):
                assert all(hypot(x - a, y - b) >= radius + r - 1e-3 for a, b, r in seen[:n])


def test_r11_9_what_does_not_settle_is_stopped() -> None:
    world = World(Board(1e-9, inf, 1.0), [STRIKER, PION], 0, [])
    world.place(0, 0.0, -0.2, 0.0, 0.05)
    world.place(1, 0.2, 0.2)
    world.run()
    assert not world.settled
    assert world.time == 20.0
    assert [world.velocity(disc) for disc in world.on_board] == [(0, 0), (0, 0)]


def test_r11_12_two_at_once_names_the_lower_id() -> None:
    half = 17_000
    ahead = LINE_UM + 100_000
    for first, second in (("b1", "w1"), ("red", "w1"), ("b2", "b3")):
        for left, right in ((first, second), (second, first)):
            board = tuple(sorted([(left, -half, ahead), (right, half, ahead)]))
            assert straight(2.0, board)["first_contact"] == first


def test_r12_3_the_pile_comes_down_when_the_spot_is_free() -> None:
    board = (("b1", 0, 0),)
    outcome = simulate((board, ("w1", "w2")), "south", (100_000, -21_600_000, 3_000_000), STRAIGHT)
    assert outcome["first_contact"] == "b1"
    assert outcome["dropped"][:1] == ["w1"]
    assert "w1" in outcome["keyframes"]


def test_a_disc_just_outside_a_hole_stays_and_one_inside_falls() -> None:
    edge = 347_750 - 22_250
    stays = straight(0.3, (("w1", edge - 1, 347_750),))
    assert stays["rest"]["w1"] == [(edge - 1) / 1e6, 0.34775]
    falls = straight(0.3, (("w1", edge + 1, 347_750),))
    assert falls["holes"] == {"w1": "ne"}


def test_touching_discs_pass_the_blow_on_and_come_to_rest() -> None:
    row = tuple((f"w{n}", 0, -200_000 + 2 * PION_UM * n) for n in range(1, 9))
    world, _ = play((row, ()), SIDES[2][0], (0, 0, 3_000_000), STRAIGHT)
    assert world.settled
    assert world.handled < 500
