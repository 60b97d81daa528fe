"""What is secret in klaverjas: the cards in the hands of others, until their boompje is scored (R12.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from google.protobuf.message import Message

from libs.log.model import EventRecord
from services.klaverjas.rules import RULES
from stamtafel.klaverjas.v1 import klaverjas_pb2 as kj
from stamtafel.table.v1 import table_pb2 as pb
from tests.secrecy.scan import Heard, strings, unpacked, view_of

CARD = re.compile(r"\b[SHDC][789TJQKA]\b")
CARDS = [suit + rank for suit in "SHDC" for rank in "789TJQKA"]


class Truth:
    """Where the cards of a table are, by version, told from the stored events alone."""

    def __init__(self, records: Sequence[EventRecord]) -> None:
        self._hands: list[tuple[frozenset[str], ...]] = [()]
        self._scored: list[int] = [0]
        hands: tuple[frozenset[str], ...] = ()
        scored = 0
        for record in records:
            if record.type == kj.CardsDealt.DESCRIPTOR.full_name:
                hands = tuple(frozenset(hand.items) for hand in kj.CardsDealt.FromString(record.data).hands)
            elif record.type == kj.CardPlayed.DESCRIPTOR.full_name:
                played = kj.CardPlayed.FromString(record.data)
                hands = tuple(hand - {played.card} for hand in hands)
            elif record.type == kj.BoompjeScored.DESCRIPTOR.full_name:
                scored = kj.BoompjeScored.FromString(record.data).boompje
            self._hands.append(hands)
            self._scored.append(scored)

    def _hidden(self, version: int, audience: int | None) -> frozenset[str]:
        """Cards that lie in hands which this audience may not see."""
        hands = self._hands[version]
        return frozenset().union(*(hand for seat, hand in enumerate(hands) if seat != audience))

    def in_event(self, event: pb.EventView, heard: Heard) -> Iterator[str]:
        """Hands of a deal that is not scored, and cards that were not played yet."""
        body = unpacked(event.body)
        if isinstance(body, kj.CardsDealt):
            if body.boompje > self._scored[heard.version]:
                for seat, hand in enumerate(body.hands):
                    if hand.items and seat != heard.audience:
                        yield f"hand of seat {seat} in cards_dealt of boompje {body.boompje}"
            return
        hidden = self._hidden(event.version, heard.audience)
        for path, text in strings(body):
            yield from (f"{path} = {card}" for card in CARD.findall(text) if card in hidden)

    def in_picture(self, picture: Message, heard: Heard) -> Iterator[str]:
        """Cards in any string of any field."""
        hidden = self._hidden(heard.version, heard.audience)
        for path, text in strings(picture, skip=("events",)):
            # the last trick of the boompje before outlives the new deal (rules file, Views)
            if "last_trick" in path and self._is_old_trick(picture):
                continue
            yield from (f"{path} = {card}" for card in CARD.findall(text) if card in hidden)

    def in_text(self, text: str, heard: Heard) -> Iterator[str]:
        """Cards by their codes."""
        hidden = self._hidden(heard.version, heard.audience)
        return (card for card in CARD.findall(text) if card in hidden)

    @staticmethod
    def _is_old_trick(picture: Message) -> bool:
        table = view_of(picture)
        if table is None:
            return False
        view = kj.View.FromString(table.game_view.value)
        return view.trick_no == 1 and not view.this_boompje.tricks.ns + view.this_boompje.tricks.ew


class Secrets:
    """See tests.secrecy.scan.Secrets."""

    rules = RULES
    whole = kj.Options(boompjes=2, move_seconds=0, trump_seconds=0)
    forms = (
        kj.Options(boompjes=2),
        kj.Options(boompjes=2, preset="rotterdams_bond", trump_must_hold=True),
        kj.Options(boompjes=2, variant="amsterdams", undertrump="forbidden", trump_maker="turned", lead="maker"),
    )
    late = 60
    telling = re.compile(CARD.pattern + "|cards_dealt|CardsDealt|my_hand")

    def truth(self, records: Sequence[EventRecord]) -> Truth:
        """Where the cards are."""
        return Truth(records)

    def meddling(self, rng: Random) -> tuple[Message, str]:
        """A card that is not held, not legal, or out of turn."""
        card = rng.choice(CARDS)
        return kj.Play(card=card), card

    def attempts(self) -> Sequence[Message]:
        """Every card, every suit, and all the rest."""
        plays = [kj.Play(card=card) for card in CARDS]
        suits = [kj.ChooseTrump(suit=suit) for suit in "SHDC"]
        return [*plays, *suits, kj.Pass(), kj.Collect(), kj.ClaimRoem(points=20), kj.Play(card="X9"), kj.Play()]

    def elsewhere(self, events: Sequence[Message], audience: int | None, rng: Random) -> list[Message]:
        """Cards not yet played change hands among those whom the audience cannot look at."""
        changed = list(events)
        at = max((at for at, event in enumerate(events) if isinstance(event, kj.CardsDealt)), default=None)
        if at is None or any(isinstance(event, kj.BoompjeScored) for event in events[at:]):
            return changed
        dealt = events[at]
        assert isinstance(dealt, kj.CardsDealt)
        played = {event.card for event in events[at:] if isinstance(event, kj.CardPlayed)}
        others = [seat for seat in range(4) if seat != audience]
        pool = [card for seat in others for card in dealt.hands[seat].items if card not in played]
        rng.shuffle(pool)
        hands = [list(hand.items) for hand in dealt.hands]
        for seat in others:
            hands[seat] = [card if card in played else pool.pop() for card in hands[seat]]
        changed[at] = kj.CardsDealt(boompje=dealt.boompje, hands=[kj.Hand(items=hand) for hand in hands])
        return changed


SECRETS = Secrets()
