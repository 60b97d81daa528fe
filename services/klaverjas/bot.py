"""Computer players of klaverjas (R14): a seat's view in, a command out. They see what their seat sees, nothing else."""

from typing import Any

from libs.table.brain import Look, Thought
from services.klaverjas import naming, search
from services.klaverjas.cards import CARD, CODES, SUIT, SUIT_MASK, SUITS, mask
from services.klaverjas.knowledge import Known, Memory, known, remember
from services.klaverjas.state import COLLECT
from services.klaverjas.thumb import pick
from services.klaverjas.tricks import FOUR_ALIKE, UNDERTRUMP, roem
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb

HEAVY = frozenset({"hard"})
"""Levels that think long enough to need a worker process."""

EFFORT = search.Effort()
TRUMP_WORLDS = 30


def think(look: Look, memory: Any) -> Thought:
    """What the seat does now; waits (command None) where it has nothing to do."""
    view, options = look.view, look.options
    assert isinstance(view, pb.View) and isinstance(options, pb.Options)
    kept = Memory(*memory) if memory is not None else None
    remembered = remember(kept, view, look.events)
    return Thought(_command(look, view, options, remembered), tuple(remembered), 0.8)


def watch(view: pb.View, memory: Any) -> Any:
    """The memory after a look at which nothing is to be done."""
    return tuple(remember(Memory(*memory) if memory is not None else None, view, ()))


def courtesy(view: pb.View, seat: int) -> bool:
    """Whether a person may want a moment first: the trick still lies, somebody may look at it or claim (R7.11)."""
    return view.phase == COLLECT and view.turn.seat == seat


def _command(look: Look, view: pb.View, options: pb.Options, memory: Memory) -> Any:
    if "claim_roem" in look.actions:
        points = _roem(view, options)
        if points:
            return pb.ClaimRoem(points=points)
    if "collect" in look.actions:
        return pb.Collect()
    if "choose_trump" in look.actions or "pass" in look.actions:
        return _name_trump(look, view, options)
    if "play" in look.actions:
        return pb.Play(card=CODES[_card(look, options, known(view, options, memory))])
    return None


def _roem(view: pb.View, options: pb.Options) -> int:
    """Roem of the trick that lies."""
    trick = tuple(CARD[laid.card] for laid in view.table)
    items = roem(SUIT[view.trump], trick, FOUR_ALIKE[options.four_alike], options.four_jacks)
    return sum(item.points for item in items)


def _name_trump(look: Look, view: pb.View, options: pb.Options) -> pb.ChooseTrump | pb.Pass:
    hand = mask(CARD[code] for code in view.my_hand)
    among = [SUIT[view.turned]] if view.HasField("turned") else list(range(4))
    if options.trump_must_hold:
        among = [suit for suit in among if hand & SUIT_MASK[suit]]
    may_pass = view.turn.may_pass
    if not among:
        return pb.Pass()
    if look.level == "easy":
        suit = naming.longest(hand, among)
        chosen = None if may_pass and (hand & SUIT_MASK[suit]).bit_count() < 3 else suit
    elif look.level == "hard":
        rules = (options.variant == "amsterdams", UNDERTRUMP[options.undertrump])
        leader = None if options.lead == "maker" else view.forehand
        choice = search.Choice(look.seat, rules, house(options), leader)
        chosen = search.by_worlds(hand, among, may_pass, choice, (TRUMP_WORLDS, look.rng))
    else:
        chosen = naming.by_thumb(hand, among, may_pass)
    return pb.Pass() if chosen is None else pb.ChooseTrump(suit=SUITS[chosen])


def _card(look: Look, options: pb.Options, seen: Known) -> int:
    if look.level == "easy":
        legal = [card for card in range(32) if seen.legal >> card & 1]
        return look.rng.choice(legal)
    if look.level == "hard":
        return search.best_card(seen, house(options), look.rng, EFFORT)
    # What nobody has shown yet, everybody else may hold, but for what the play rules out.
    hands = [seen.unseen & ~seen.cannot[seat] for seat in range(4)]
    hands[seen.seat] = seen.hand
    return pick(seen.trump, seen.table, seen.legal, hands, seen.seat)


def house(options: pb.Options) -> search.House:
    """What the score depends on, as the search takes it."""
    alike = sum(1 << rank for rank in FOUR_ALIKE[options.four_alike])
    return search.House(alike, options.four_jacks, options.tegenpit)
