"""What a computer player knows of the present boompje: its seat's view, and what it saw being played before (R14.1)."""

from collections.abc import Sequence
from typing import NamedTuple

from google.protobuf.message import Message

from services.klaverjas.cards import CARD, FULL, SUIT, mask
from services.klaverjas.tricks import UNDERTRUMP, legal
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb

Played = tuple[int, int, tuple[int, ...]]
"""Number of a trick, its leader, its cards in order of play."""


class Memory(NamedTuple):
    """What is remembered between two looks: tricks of boompje `boompje` as far as they were seen, and who passed."""

    boompje: int
    tricks: tuple[Played, ...] = ()
    passed: tuple[int, ...] = ()


class Known(NamedTuple):
    """The boompje as one seat knows it. Masks of cards; seats 0..3; `gone` are cards known to be played."""

    seat: int
    rules: tuple[bool, int]
    trump: int
    maker: int
    leader: int
    table: tuple[int, ...]
    hand: int
    legal: int
    sizes: tuple[int, ...]
    gone: int
    cannot: tuple[int, ...]
    """By seat: cards that it cannot hold, by what it played."""
    tricks: tuple[int, int]
    card_points: tuple[int, int]
    roem: tuple[int, int]
    trick_no: int
    plays: tuple[Played, ...]
    """The tricks that were seen, the one that lies included."""
    passed: tuple[int, ...]
    """Who passed before trump was named."""
    free_choice: bool
    """The maker had all suits to choose from."""

    @property
    def unseen(self) -> int:
        """Cards that others may hold: not the own ones, not those known to be played."""
        return FULL & ~(self.hand | self.gone)


def remember(memory: Memory | None, view: pb.View, events: Sequence[Message]) -> Memory:
    """The memory after another look. Works from the view alone where events or memory are missing."""
    tricks: dict[int, Played] = {}
    passed: list[int] = []
    if memory is not None and memory.boompje == view.boompje:
        tricks = {played[0]: played for played in memory.tricks}
        passed = list(memory.passed)
    for event in events:
        if isinstance(event, pb.BoompjeStarted):
            tricks, passed = {}, []
        elif isinstance(event, pb.TrumpPassed):
            passed.append(event.seat)
        elif isinstance(event, pb.TrickWon):
            tricks[event.trick] = (event.trick, event.leader, tuple(CARD[code] for code in event.cards))
    last = view.last_trick
    if view.HasField("last_trick") and view.HasField("trump") and last.trick < view.trick_no:
        tricks[last.trick] = (last.trick, last.leader, tuple(CARD[code] for code in last.cards))
    return Memory(view.boompje, tuple(tricks[number] for number in sorted(tricks)), tuple(passed))


def known(view: pb.View, options: pb.Options, memory: Memory) -> Known:
    """All that the seat knows when it is to play a card."""
    rules = (options.variant == "amsterdams", UNDERTRUMP[options.undertrump])
    trump, table = SUIT[view.trump], tuple(CARD[laid.card] for laid in view.table)
    this = view.this_boompje
    plays = [*memory.tricks, (view.trick_no, view.leader, table)]
    return Known(
        seat=view.my_seat,
        rules=rules,
        trump=trump,
        maker=view.maker,
        leader=view.leader,
        table=table,
        hand=mask(CARD[code] for code in view.my_hand),
        legal=mask(CARD[code] for code in view.my_legal),
        sizes=tuple(view.hand_sizes),
        gone=mask(card for _, _, cards in plays for card in cards),
        cannot=excluded(rules, trump, plays),
        tricks=(this.tricks.ns, this.tricks.ew),
        card_points=(this.card_points.ns, this.card_points.ew),
        roem=(this.roem.ns, this.roem.ew),
        trick_no=view.trick_no,
        plays=tuple(plays),
        passed=memory.passed,
        free_choice=options.trump_maker != "turned",
    )


def excluded(rules: tuple[bool, int], trump: int, plays: Sequence[Played]) -> tuple[int, ...]:
    """By seat, the cards that it cannot hold: with them, a card it played would have been refused (R14.3).

    Exact: what R5 refuses, it refuses because of one other card in the hand, so pairs of cards tell everything. Thus it
    follows the table's variant and `undertrump` by itself.
    """
    cannot = [0, 0, 0, 0]
    for _, leader, cards in plays:
        for at in range(1, len(cards)):
            cannot[(leader + at) & 3] |= _excludes(rules, trump, cards[:at], cards[at])
    return tuple(cannot)


def _excludes(rules: tuple[bool, int], trump: int, trick: tuple[int, ...], card: int) -> int:
    bit = 1 << card
    found = 0
    for other in range(32):
        if not legal(rules, trump, trick, bit | 1 << other) & bit:
            found |= 1 << other
    return found
