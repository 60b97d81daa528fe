"""Computer players: `easy`, `normal`, `hard`. They see their seat's view and the table's options only."""

from random import Random
from typing import Any, cast

from libs.table.brain import Look, Thought
from services.carrom import aim
from services.carrom.search import HARD, NORMAL, Hand, Spot, choose, last_resort, spot_of, with_error
from stamtafel.carrom.v1 import carrom_pb2 as pb

HANDS = {"easy": Hand(1.5, 0.10), "normal": Hand(0.6, 0.05), "hard": Hand(0.2, 0.02)}
SKILLS = {"normal": NORMAL, "hard": HARD}
HEAVY = frozenset(SKILLS)
"""Levels that simulate: they think in a worker process."""
_WAIT_S = {"easy": 1.5, "normal": 2.0, "hard": 2.5}


def think(look: Look, memory: Any) -> Thought:
    """One shot in one's turn, else nothing. The hand error is added here, to the bot's own command."""
    if "shoot" not in look.actions:
        return Thought(None, memory, 0.0)
    spot = spot_of(cast(pb.View, look.view), cast(pb.Options, look.options), look.seat)
    return Thought(aimed(spot, look.level, HANDS[look.level], look.rng), memory, _WAIT_S[look.level])


def aimed(spot: Spot, level: str, hand: Hand, rng: Random) -> pb.Shoot:
    """What a level shoots with a certain hand, its error included."""
    skill = SKILLS.get(level)
    shot = _simple(spot, rng) if skill is None else choose(spot, skill, hand, rng)
    made = with_error(shot, hand, rng)
    return pb.Shoot(x=round(made.x, 6), angle=round(made.angle, 6), speed=round(made.speed, 6))


def _simple(spot: Spot, rng: Random) -> aim.Try:
    """Any direct pot with a free way; else straight at the nearest pion; else off the far rail."""
    table = spot.table()
    places = table.places(9)
    targets = spot.targets()
    pots = [
        shot
        for piece in targets
        for line in aim.lines_to_holes(table, piece, rng.choice((0.2, 0.6)))
        for shot in aim.direct(table, piece, line, places)
        if aim.direct_is_clear(table, shot)
    ]
    if pots:
        # Among shots at random, but nobody tries what is next to impossible.
        pots.sort(key=lambda shot: -shot.ease)
        return rng.choice(pots[: max(1, len(pots) // 2)])
    touches = list(aim.touching(table, [piece for piece in targets if piece not in table.rail_first], places, (3.0,)))
    if touches:
        return min(touches, key=lambda shot: _distance(table, shot))
    return rng.choice(last_resort(spot, table, rng, 6))


def _distance(table: aim.Table, shot: aim.Try) -> float:
    x, y = table.discs[shot.target]
    return (x - shot.x) ** 2 + (y - aim.LINE) ** 2
