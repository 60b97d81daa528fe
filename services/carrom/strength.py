"""How strong the levels are: `python -m services.carrom.strength [--games N] [--boards N] [--seed S]`.

Clearing alone (50 fixed boards after a break), pots on open positions, and sets against each other with changed
starts: the yardstick of the rules file.
"""

import argparse
from collections.abc import Mapping, Sequence
from math import sqrt
from random import Random
from statistics import median
from time import process_time
from typing import NamedTuple, TypeVar

from google.protobuf.message import Message
from msgspec.structs import replace

from libs.table.rules import Facts, Refused
from libs.table.seeded import SeededCtx
from services.carrom.board import RED
from services.carrom.bot import HANDS, aimed
from services.carrom.rules import RULES
from services.carrom.search import Hand, spot_of
from services.carrom.state import NINE, OWNED, PENDING, SHOOT, VALIDATE, State
from services.carrom.view import view
from stamtafel.carrom.v1 import carrom_pb2 as pb

T = TypeVar("T")
LEVELS = ("easy", "normal", "hard")
MOST_SHOTS = 100
NOBODY = Facts()


class Player(NamedTuple):
    """Who plays: the search of a level, and a hand."""

    level: str
    hand: Hand

    def shoot(self, state: State, seat: int, rng: Random, alone: bool = False) -> pb.Shoot:
        """Its shot on what the seat sees; `alone`: the red must be in too."""
        spot = spot_of(view(state, seat, NOBODY), _options(state), seat)
        return aimed(spot._replace(needs_red=alone), self.level, self.hand, rng)


def _options(state: State) -> pb.Options:
    setup = state.setup
    return pb.Options(match=setup.match, friction=setup.friction, leave_speed=setup.leave_speed)


def usual(level: str) -> Player:
    """A level with its own hand."""
    return Player(level, HANDS[level])


# ---------------------------------------------------------------------------------------------- clearing alone


def broken(seed: int) -> State:
    """A board after a seeded break by seat 0, which has white; seat 0 is to act."""
    rng = Random(f"break {seed}")
    options = RULES.options(pb.Options(turn_seconds=0))
    state = RULES.position(options, {"turn": 0})
    x = rng.uniform(-0.15, 0.15)
    flick = pb.Shoot(x=x, angle=-x / 0.19 * 45 + rng.uniform(-4, 4), speed=rng.uniform(4.5, 6))
    return _alone(state, RULES.decide(state, 0, flick, SeededCtx(rng)))


def _alone(state: State, events: Sequence[Message]) -> State:
    """The state after a shot where seat 0 always goes on and no set ends before white and the red are in."""
    for event in events:
        state = RULES.evolve(state, event)
        if isinstance(event, pb.HandKept | pb.HandLost):
            break
    white = state.acquired[0]
    if len(white) == NINE and state.red != OWNED:
        state = RULES.evolve(state, pb.PenaltyPaid(team=0, piece=white[-1]))
        level = 0 if not any(piece == RED for piece, _, _ in state.board) else len(state.pile) + 1
        state = RULES.evolve(state, pb.PieceReturned(piece=white[-1], reason="penalty", level=level))
    return replace(state, turn=0, phase=VALIDATE if state.red == PENDING else SHOOT)


def shots_alone(player: Player, seed: int, thoughts: list[float] | None = None) -> int:
    """Shots until nine whites and a validated red are in; MOST_SHOTS when it never ends.

    `thoughts` receives the CPU seconds of each thought.
    """
    state, rng = broken(seed), Random(f"{player.level} {seed}")
    for shots in range(1, MOST_SHOTS + 1):
        began = process_time()
        command = player.shoot(state, 0, rng, alone=True)
        if thoughts is not None:
            thoughts.append(process_time() - began)
        state = _alone(state, RULES.decide(state, 0, command, SeededCtx(rng)))
        if len(state.acquired[0]) == NINE and state.red == OWNED:
            return shots
    return MOST_SHOTS


def pots(player: Player, seed: int, many: int) -> float:
    """Share of shots that pocket an own pion on fixed open positions."""
    hits = 0
    for n in range(many):
        rng = Random(f"open {seed} {n}")
        state = broken(seed * 1000 + n)
        for _ in range(2):
            x, angle = rng.uniform(-0.2, 0.2), rng.uniform(-30, 30)
            flick = pb.Shoot(x=x, angle=angle, speed=5)
            if "line_blocked" not in _refusal(state, flick):
                state = _alone(state, RULES.decide(state, 0, flick, SeededCtx(rng)))
        events = RULES.decide(state, 0, player.shoot(state, 0, rng), SeededCtx(rng))
        hits += any(isinstance(event, pb.PionAcquired) and event.team == 0 for event in events)
    return hits / many


def _refusal(state: State, command: pb.Shoot) -> str:
    try:
        RULES.decide(state, 0, command, SeededCtx(Random(0)))
    except Refused as refused:
        return refused.code
    return ""


# --------------------------------------------------------------------------------------------------- match play


def one_set(players: Mapping[int, Player], white: int, rng: Random) -> tuple[int, int]:
    """One set between seats 0 and 1; the winning team and the shots made. After 400 shots who has fewer left wins."""
    state = RULES.initial(RULES.options(pb.Options(sets_to_win=1, turn_seconds=0)))
    ctx = SeededCtx(rng)
    for event in RULES.start(state, ctx):
        state = RULES.evolve(state, event)
    if state.white_seat != white:
        given = {"turn": white, "white_seat": white}
        state = RULES.position(RULES.options(pb.Options(sets_to_win=1, turn_seconds=0)), given)
    for shots in range(400):
        if state.result is not None:
            return state.result[0], shots
        assert state.turn is not None
        seat = state.turn
        for event in RULES.decide(state, seat, players[seat].shoot(state, seat, rng), ctx):
            state = RULES.evolve(state, event)
    return (0 if len(state.acquired[0]) >= len(state.acquired[1]) else 1), 400


def share(strong: Player, weak: Player, sets: int, seed: int) -> tuple[int, int]:
    """Sets won by `strong`, of how many: seats and white change in turn."""
    won = 0
    for n in range(sets):
        mine, white = n % 2, (n // 2) % 2
        players = {mine: strong, 1 - mine: weak}
        won += one_set(players, white, Random(f"{seed} {n}"))[0] == mine
    return won, sets


def interval(won: int, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z = 1.96
    p, scale = won / of, 1 + z * z / of
    middle, half = p + z * z / (2 * of), z * sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    return (middle - half) / scale, (middle + half) / scale


def main(argv: Sequence[str] | None = None) -> None:
    """Prints the yardstick."""
    parser = argparse.ArgumentParser(description="strength of carrom's computer players")
    parser.add_argument("--games", type=int, default=200, help="sets of each pairing (default 200; 0: none)")
    parser.add_argument("--boards", type=int, default=50, help="boards to clear alone (default 50; 0: none)")
    parser.add_argument("--open", type=int, default=200, help="open positions (default 200; 0: none)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    for level in LEVELS if args.boards else ():
        thoughts: list[float] = []
        counts = sorted(shots_alone(usual(level), args.seed * 1000 + n, thoughts) for n in range(args.boards))
        thoughts.sort()
        slow = thoughts[int(0.99 * len(thoughts))]
        over = sum(count > 60 for count in counts)
        spread = f"median {median(counts):5.1f}  worst {counts[-1]:3}  over 60: {over}"
        print(
            f"alone {level:7} {spread}  (a thought: {median(thoughts) * 1000:.0f} ms CPU, p99 {slow * 1000:.0f})",
            flush=True,
        )
    for level in LEVELS if args.open else ():
        print(
            f"pots  {level:7} {pots(usual(level), args.seed, args.open):.3f} of {args.open} open positions", flush=True
        )
    same = Hand(0.6, 0.05)
    pairs = (
        ("normal against easy", usual("normal"), usual("easy")),
        ("hard against normal", usual("hard"), usual("normal")),
        ("hard against normal, same hand", Player("hard", same), Player("normal", same)),
    )
    for name, strong, weak in pairs if args.games else ():
        won, of = share(strong, weak, args.games, args.seed)
        low, high = interval(won, of)
        print(f"sets  {name:31} {won / of:.3f} [{low:.3f}, {high:.3f}] of {of}", flush=True)


if __name__ == "__main__":
    main()
