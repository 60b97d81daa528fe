"""Shot search: candidates by geometry, tried on the bot's own copy of the simulation, valued, the best taken.

Monte-Carlo over the hand error, the method of the champions of computer billiards (rules file, Bots).
"""

from collections.abc import Iterable
from math import radians
from random import Random
from typing import Any, NamedTuple

from services.carrom import aim
from services.carrom.aim import Table, Try
from services.carrom.board import COLOURS, NORTH, PALET, PION_UM, RED, SIDES, SOUTH, Lying, to_frame
from services.carrom.centre import spot_free
from services.carrom.line import rail_first, room
from services.carrom.simulate import outcome_of, play
from services.carrom.state import NINE, VALIDATE
from stamtafel.carrom.v1 import carrom_pb2 as pb

_SPOT_UM = 2 * PION_UM
_POOR = 0.6
"""A best shot worth less makes a searcher with tricks look further."""
FASTEST, SLOWEST, STEEPEST = 6.0, 0.2, 85.0


class Hand(NamedTuple):
    """Standard deviations of a hand: degrees, and parts of the speed."""

    angle: float
    speed: float


class Skill(NamedTuple):
    """How a level searches: candidates, trials of each, trials of the few best, tricks (rails and combinations)."""

    candidates: int
    trials: int
    finalists: int
    final_trials: int
    tricks: bool
    deep: bool


NORMAL = Skill(candidates=15, trials=1, finalists=0, final_trials=0, tricks=False, deep=False)
HARD = Skill(candidates=30, trials=5, finalists=8, final_trials=15, tricks=True, deep=True)


class Spot(NamedTuple):
    """What the seat to act has before it, turned into its own frame (micrometres, it sits south).

    `own` and `theirs`: ids not in, also those in the pile; `red_open`: it may be played; `must_validate`: a red waits;
    `against`: where the next opponent sits in this frame; `worth`: of a validated red, in pions;
    `needs_red`: clearing alone (the yardstick), where nine pions without the red are not the end.
    """

    board: tuple[Lying, ...]
    pile: tuple[str, ...]
    own: frozenset[str]
    theirs: frozenset[str]
    red_open: bool
    must_validate: bool
    bonus: bool
    settings: tuple[int, int]
    against: str = NORTH
    worth: float = 1.2
    needs_red: bool = False

    def table(self) -> Table:
        """The same for the geometry."""
        free = [(low / 1e6, high / 1e6) for low, high in room(SOUTH, self.board)]
        discs = {piece: (x / 1e6, y / 1e6) for piece, x, y in self.board}
        return Table(discs, frozenset(rail_first(SOUTH, self.board)), free, self.settings[0] * 9.81 / 1000)

    def targets(self) -> list[str]:
        """Discs on the board worth pocketing, own pions first."""
        lying = {piece for piece, _, _ in self.board}
        reds = [RED] if self.red_open and RED in lying and len(self.own) > 0 else []
        return sorted(self.own & lying) + reds

    def buried(self) -> list[str]:
        """Discs worth pocketing that wait in the pile."""
        return [piece for piece in self.pile if piece in self.own or (piece == RED and self.red_open)]


def spot_of(view: pb.View, options: pb.Options, seat: int) -> Spot:
    """The spot that a seat's view shows, as if it were to act."""
    seats = len(view.seats)
    side = view.seats[seat].side
    team = view.teams[view.seats[seat].team]
    other = view.teams[1 - view.seats[seat].team]

    def missing(one: pb.Team) -> frozenset[str]:
        return frozenset(COLOURS[one.colour]) - set(one.acquired)

    board = tuple(
        sorted(
            (piece, *to_frame(side, round(point.items[0] * 1e6), round(point.items[1] * 1e6)))
            for piece, point in view.board.items()
        )
    )
    turns = 1 if seats == 4 else 2
    worth = 1.2 if options.match == "sets" else max(1.2, options.red_value / 2)
    return Spot(
        board=board,
        pile=tuple(view.pile),
        own=missing(team),
        theirs=missing(other),
        red_open=view.red.state == "board" and bool(team.acquired) and view.phase != VALIDATE,
        must_validate=view.phase == VALIDATE,
        bonus=view.phase == "bonus",
        settings=(options.friction, options.leave_speed),
        against=SIDES[4][turns],
        worth=worth,
    )


def candidates(spot: Spot, table: Table, many: int, tricks: bool) -> list[Try]:
    """The shots of greatest ease, at each target at three speeds; with `tricks` also off a rail and by combination."""
    places = table.places(9)
    found: list[Try] = []
    for piece in spot.targets():
        for left in (0.1, 0.5, 1.2):
            for line in aim.lines_to_holes(table, piece, left, rails=tricks):
                found += aim.direct(table, piece, line, places)
                if tricks:
                    found += aim.off_rail(table, piece, line, places[::2])
                    found += aim.combined(table, piece, line, places[::2])
    found.sort(key=lambda shot: -shot.ease)
    return _some_of_each(table, found, many)


def _some_of_each(table: Table, found: Iterable[Try], many: int) -> list[Try]:
    """The first `many` with a clear way, but no target more than half of them."""
    chosen: list[Try] = []
    of_target: dict[str, int] = {}
    for shot in found:
        if len(chosen) == many:
            break
        count = of_target.get(shot.target, 0)
        if count < max(3, many // 2) and (shot.target in table.rail_first or _reaches(table, shot)):
            chosen.append(shot)
            of_target[shot.target] = count + 1
    return chosen


def _reaches(table: Table, shot: Try) -> bool:
    """Straight shots are checked here, as late as possible; those off a rail or over another disc were at birth."""
    x, y = table.discs[shot.target]
    turn = radians(shot.angle)
    along = aim.atan2(x - shot.x, y - aim.LINE) - turn
    return abs(along) > 0.3 or aim.direct_is_clear(table, shot)


def last_resort(spot: Spot, table: Table, rng: Random, many: int) -> list[Try]:
    """Where nothing can be pocketed by design: hard or gentle touches, off the rail if need be, and some wild shots."""
    over_spot = {piece for piece, x, y in spot.board if x * x + y * y < _SPOT_UM**2} if spot.buried() else set[str]()
    wanted = [piece for piece in spot.targets() if piece != RED or spot.needs_red]
    own = [*sorted(over_spot), *wanted] or list(table.discs)
    places = table.places(9)
    found = list(aim.touching(table, own, places, (1.0, 2.0, 3.5, 5.5)))
    rng.shuffle(found)
    wild = [
        Try(rng.choice(places), rng.uniform(-70, 70), rng.uniform(2.5, FASTEST), 0.0, own[0])
        for _ in range(many // 3 if places else 0)
    ]
    return [*found[: many - len(wild)], *wild]


def with_error(shot: Try, hand: Hand, rng: Random) -> Try:
    """The shot as a hand makes it, within the limits of a command."""
    angle = shot.angle + rng.gauss(0, hand.angle)
    speed = shot.speed * (1 + rng.gauss(0, hand.speed))
    return shot._replace(angle=max(-STEEPEST, min(STEEPEST, angle)), speed=max(SLOWEST, min(FASTEST, speed)))


class After(NamedTuple):
    """What a tried shot comes to: its value so far, whether the hand is kept, and the spot for who shoots next."""

    value: float
    kept: bool
    spot: Spot
    over: bool


def tried(spot: Spot, table: Table, shot: Try) -> After:
    """Simulates a shot and rules on it, as far as a search needs to (R4, R5)."""
    flick = (round(shot.x * 1e6), round(shot.angle * 1e6), round(shot.speed * 1e6))
    world, ids = play((spot.board, spot.pile), SOUTH, flick, spot.settings)
    outcome = outcome_of(world, ids, SOUTH)
    pocketed: list[str] = outcome["pocketed"]
    out: list[str] = [piece for piece in outcome["out"] if piece != PALET]
    direct = outcome["rails_before"] == 0 and outcome["first_contact"] in table.rail_first
    own = [] if direct else [piece for piece in pocketed if piece in spot.own]
    theirs = [piece for piece in pocketed if piece in spot.theirs]
    lost = PALET in pocketed or PALET in outcome["out"]
    fault = bool(direct or theirs or out or lost)
    value = len(own) - len(theirs) - 1.2 * lost - 0.7 * len(out)
    must_validate, red_open, back = False, spot.red_open, list(out)
    if spot.must_validate:
        validated = bool(own) and not fault
        value += spot.worth if validated else -0.4
        back += [] if validated else [RED]
        red_open = not validated
    elif RED in pocketed:
        pending = spot.red_open and not fault and len(own) < len(spot.own)
        must_validate, red_open = pending, not pending
        value += 0.4 if pending else -0.2
        back += [] if pending else [RED]
    kept = not fault and (bool(own) or must_validate) and (not spot.must_validate or bool(own))
    mine, others = spot.own - set(own), spot.theirs - set(theirs)
    over = (not mine and not lost) or not others
    if over and not spot.needs_red:
        value += 3.0 if not mine else -3.0
    elif not mine and red_open:
        value -= 5.0
    if spot.bonus and not kept:
        value -= 3.0
    after = _next(spot, outcome, (mine, others), must_validate, red_open and not must_validate)
    # What waits in the pile cannot be played: to free it is worth something, but less than a pion.
    value += 0.25 * (len(spot.buried()) - len(after.buried()))
    return After(value, kept, after, over)


def _next(
    spot: Spot,
    outcome: dict[str, Any],
    left: tuple[frozenset[str], frozenset[str]],
    must_validate: bool,
    red_open: bool,
) -> Spot:
    """The spot after a shot, still in the frame of who shot; what returns to the centre is left out."""
    board = tuple(
        (piece, round(x * 1e6), round(y * 1e6)) for piece, (x, y) in sorted(outcome["rest"].items()) if piece != PALET
    )
    pile = tuple(piece for piece in spot.pile if piece not in outcome["dropped"])
    if pile and spot_free(board):
        board, pile = tuple(sorted((*board, (pile[0], 0, 0)))), pile[1:]
    own, theirs = left
    opened = red_open or len(own) < NINE
    return spot._replace(
        board=board, pile=pile, own=own, theirs=theirs, must_validate=must_validate, red_open=opened and red_open
    )


def turned(spot: Spot) -> Spot:
    """The spot of the next opponent, in that frame."""
    board = tuple(sorted((piece, *to_frame(spot.against, x, y)) for piece, x, y in spot.board))
    return spot._replace(
        board=board, own=spot.theirs, theirs=spot.own, must_validate=False, red_open=len(spot.theirs) < NINE
    )


def best_chance(spot: Spot, sigma: float) -> float:
    """How likely the easiest direct pot of an own pion is, by geometry alone; `sigma` in radians."""
    table = spot.table()
    places = table.places(5)
    best = 0.0
    wanted = set(spot.own)
    if spot.needs_red and spot.red_open:
        wanted = {RED} if len(wanted) == 1 else {RED, *wanted}
    for piece in sorted(wanted & set(table.discs)):
        for line in aim.lines_to_holes(table, piece, 0.3):
            for shot in aim.direct(table, piece, line, places):
                if shot.ease > best and aim.direct_is_clear(table, shot):
                    best = shot.ease
    return aim.chance(best, sigma)


def follow_up(after: After, hand: Hand) -> float:
    """What the best next pocket chance adds: mine if the hand is kept, else the opponent's, against me."""
    if after.over:
        return 0.0
    sigma = max(radians(hand.angle), 1e-4)
    if after.kept or after.spot.needs_red:
        weight = 1.2 if after.spot.must_validate else 0.8
        return weight * best_chance(after.spot, sigma)
    return -0.8 * best_chance(turned(after.spot), sigma)


def choose(spot: Spot, skill: Skill, hand: Hand, rng: Random) -> Try:
    """The best shot found, without error. `hand` is what the search reckons with."""
    table = spot.table()
    tries = candidates(spot, table, skill.candidates, skill.tricks)
    if len(tries) < skill.candidates // 2 or spot.buried():
        tries += last_resort(spot, table, rng, max(skill.candidates - len(tries), 6))
    if not tries:
        return Try(sum(table.room[0]) / 2, 0.0, FASTEST / 2, 0.0, "")
    scored = _scored(spot, table, tries, skill.trials, hand, rng)
    if skill.tricks and scored[0][0] < _POOR:
        more = candidates(spot, table, 3 * skill.candidates, skill.tricks)[skill.candidates :]
        more += last_resort(spot, table, rng, 2 * skill.candidates)
        known = len(tries)
        tries += more
        scored += [(value, known + n) for value, n in _scored(spot, table, more, 2, hand, rng)]
        scored.sort(key=lambda one: (-one[0], one[1]))
    if not skill.finalists:
        return tries[scored[0][1]]
    deep = skill.deep and len(spot.own) <= 3
    best, found = float("-inf"), tries[scored[0][1]]
    for first, number in scored[: skill.finalists]:
        shot, total = tries[number], first * skill.trials  # the sum of the trials before
        follow, looked = 0.0, 0
        for _ in range(skill.final_trials):
            after = tried(spot, table, with_error(shot, hand, rng))
            total += after.value
            if looked < 4:
                follow += _two_deep(after, hand, rng) if deep else follow_up(after, hand)
                looked += 1
        value = total / (skill.trials + skill.final_trials) + follow / max(looked, 1)
        if value > best:
            best, found = value, shot
    return found


def _scored(
    spot: Spot, table: Table, tries: list[Try], trials: int, hand: Hand, rng: Random
) -> list[tuple[float, int]]:
    """Mean value and number of each shot, best first; one trial is made without error."""
    scored: list[tuple[float, int]] = []
    for number, shot in enumerate(tries):
        made = [shot] if trials == 1 else [with_error(shot, hand, rng) for _ in range(trials)]
        scored.append((sum(tried(spot, table, one).value for one in made) / trials, number))
    return sorted(scored, key=lambda one: (-one[0], one[1]))


def _two_deep(after: After, hand: Hand, rng: Random) -> float:
    """What the best next shot is worth on average, tried a few times: mine if I go on, else geometry's guess."""
    if after.over or not after.kept:
        return follow_up(after, hand)
    table = after.spot.table()
    best = 0.0
    for shot in candidates(after.spot, table, 4, tricks=False):
        values = [tried(after.spot, table, with_error(shot, hand, rng)).value for _ in range(3)]
        best = max(best, sum(values) / len(values))
    return 0.8 * best
