"""How strong the computer players are: duplicate boompjes (R14.4).

`python -m services.klaverjas.strength [--games N] [--seed S] [--match hard:normal] [--variant rotterdams]` deals N
boompjes; each is played twice with the pairs swapped, the same trump and maker both times. Prints the mean difference of
written points a boompje with its 95 % interval, and how long a card took.
"""

from random import Random
from time import perf_counter

from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb

from libs.table.brain import Look
from libs.table.rules import Facts
from services.klaverjas import bot, naming
from services.klaverjas.cards import SUITS, codes, deal
from services.klaverjas.rules import RULES
from services.klaverjas.state import FINISHED
from services.klaverjas.table import RandomCtx

YARDSTICKS = (("normal", "easy", 30.0), ("hard", "normal", 25.0))


def boompje(options: pb.Options, rng: Random, levels: tuple[str, str], deck: tuple[int, tuple[int, ...]]) -> int:
    """Written points of ns less those of ew in one boompje of `deck` (forehand, cards), `levels` by side.

    The forehand is maker and names what `normal` names, whoever sits there: trump is part of the deal.
    """
    forehand, order = deck
    hands = deal(order, (forehand + 3) & 3)
    trump = naming.by_thumb(hands[forehand], [0, 1, 2, 3], False)
    assert trump is not None
    given = {"dealer": (forehand + 3) & 3, "hands": [codes(hand) for hand in hands]}
    state = RULES.position(options, {**given, "trump": SUITS[trump], "maker": forehand})
    return finish(options, rng, levels, state)


def finish(options: pb.Options, rng: Random, levels: tuple[str, str], state: object) -> int:
    """Plays a boompje to its end; written difference, ns less ew. Times of single cards go into `TIMES`."""
    ctx = RandomCtx(rng)
    memories: list[object] = [None] * 4
    shown = [0] * 4
    events: list[pb.CardPlayed] = []
    table = RULES.position(options, {}) if state is None else state
    while table.phase != FINISHED:  # type: ignore[attr-defined]
        for seat in sorted(RULES.to_act(table)):  # type: ignore[arg-type]
            level = levels[seat & 1]
            view = RULES.view(table, seat, Facts())  # type: ignore[arg-type]
            look = Look(seat, level, options, view, RULES.actions(table, seat), tuple(events[shown[seat] :]), rng)  # type: ignore[arg-type]
            shown[seat] = len(events)
            before = perf_counter()
            thought = bot.think(look, memories[seat])
            TIMES.setdefault(level, []).append(perf_counter() - before)
            memories[seat] = thought.memory
            assert thought.command is not None
            for event in RULES.decide(table, seat, thought.command, ctx):  # type: ignore[arg-type]
                table = RULES.evolve(table, event)  # type: ignore[arg-type]
                events.append(event)  # type: ignore[arg-type]
    return table.score[0] - table.score[1]  # type: ignore[attr-defined]


TIMES: dict[str, list[float]] = {}
