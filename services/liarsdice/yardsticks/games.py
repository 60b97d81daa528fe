"""Whole games of players against each other, by the rules and with views as at a real table, as fast as they go."""

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple, TypeVar

from google.protobuf.message import Message

from libs.table.brain import Look
from libs.table.seeded import SeededCtx
from services.liarsdice.bot import think_as
from services.liarsdice.counting import count, holds
from services.liarsdice.odds import odds, sight
from services.liarsdice.rules import RULES
from services.liarsdice.state import State
from services.liarsdice.yardsticks.players import player
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb

T = TypeVar("T")


class Played(NamedTuple):
    """A game: the seat that lost it, and of its lifted bids the chance that the odds gave and whether they held."""

    loser: int
    lifted: tuple[tuple[float, bool], ...]


class Pairing(NamedTuple):
    """One player of a name among others of another name. Games are numbered; the number tells the lone one's seat."""

    one: str
    others: str
    seats: int
    seed: int

    def seat(self, number: int) -> int:
        """Where the lone one sits."""
        return number % self.seats


def games(pairing: Pairing, numbers: Sequence[int]) -> list[Played]:
    """Those games, each with its own chance: the same whichever process plays them."""
    options = RULES.options(pb.Options(seats=pairing.seats))
    out: list[Played] = []
    for number in numbers:
        seat = pairing.seat(number)
        names = [pairing.one if other == seat else pairing.others for other in range(pairing.seats)]
        out.append(play(names, options, Random(f"{pairing} {number}")))
    return out


def play(names: Sequence[str], options: pb.Options, rng: Random) -> Played:
    """One game of players by name."""
    ctx, seats = SeededCtx(rng), range(len(names))
    players = [player(name, rng) for name in names]
    state: State = RULES.initial(options)
    memories: list[Any] = [None for _ in seats]
    heard: list[list[Message]] = [[] for _ in seats]
    lifted: list[tuple[float, bool]] = []
    events = RULES.start(state, ctx)
    while True:
        for event in events:
            state = RULES.evolve(state, event)
        if state.loser is not None:
            return Played(state.loser, tuple(lifted))
        told = [event for event in events if not isinstance(event, pb.CupsShaken)]
        for seat in seats:
            heard[seat] += told
        seat = state.turn or 0
        look = Look(seat, names[seat], options, RULES.view(state, seat, ctx.facts), ("bid",), tuple(heard[seat]), rng)
        thought = think_as(players[seat], look, memories[seat])
        memories[seat], heard[seat] = thought.memory, []
        assert thought.command is not None
        if isinstance(thought.command, pb.Lift):
            lifted += _judged(state, seat)
        events = RULES.decide(state, seat, thought.command, ctx)


def _judged(state: State, lifter: int) -> list[tuple[float, bool]]:
    """Judged from the chair of a seat that neither bid last nor lifts: its choice plays no part. None at two seats."""
    last = state.bids[-1]
    third = next((s for s, n in enumerate(state.counts) if n and s not in (lifter, last.seat)), None)
    if third is None:
        return []
    seen = sight(state.dice[third], [n for s, n in enumerate(state.counts) if s != third], state.setup)
    held = holds(count(state.dice, last.face, state.setup), last.quantity)
    return [(float(odds(seen, last.quantity, last.face)), held)]
