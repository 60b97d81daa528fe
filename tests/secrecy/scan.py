"""Scanning what an audience received for what it may not know at that moment. Independent of the code that redacts.

The truth comes from the stored events: `Truth` knows where every secret token (a card) is at every version. Messages
are walked generically, every string of every field, with `Any` unpacked; raw bytes are searched for seeds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from libs.log.model import EventRecord
from stamtafel.klaverjas.v1 import klaverjas_pb2 as kj
from stamtafel.table.v1 import table_pb2 as pb

CARD = re.compile(r"\b[SHDC][789TJQKA]\b")


class Heard(NamedTuple):
    """What an audience received: the seat (None: the public), the table's version then, the message or bytes."""

    who: str
    audience: int | None
    version: int
    what: Message | bytes | str


class Truth:
    """Where the cards of a klaverjas table are, by version, told from the stored events alone."""

    def __init__(self, records: Sequence[EventRecord]) -> None:
        self._hands: list[tuple[frozenset[str], ...]] = [()]
        self._boompje: list[int] = [0]
        self.seeds: list[tuple[int, bytes]] = []
        hands: tuple[frozenset[str], ...] = ()
        boompje = 0
        for record in records:
            if record.type == kj.CardsDealt.DESCRIPTOR.full_name:
                dealt = kj.CardsDealt.FromString(record.data)
                hands = tuple(frozenset(hand.items) for hand in dealt.hands)
                boompje = dealt.boompje
            elif record.type == kj.CardPlayed.DESCRIPTOR.full_name:
                played = kj.CardPlayed.FromString(record.data)
                hands = tuple(hand - {played.card} for hand in hands)
            elif record.type == pb.DrawsRevealed.DESCRIPTOR.full_name:
                self.seeds.append((record.ver, pb.DrawsRevealed.FromString(record.data).seed))
            self._hands.append(hands)
            self._boompje.append(boompje)

    def hidden(self, version: int, audience: int | None) -> frozenset[str]:
        """Cards that lie in hands which this audience may not see."""
        hands = self._hands[version]
        return frozenset().union(*(hand for seat, hand in enumerate(hands) if seat != audience))

    def boompje(self, version: int) -> int:
        """The boompje that is being played."""
        return self._boompje[version]

    def leaks(self, heard: Heard) -> list[str]:
        """What this audience received and may not know."""
        what = heard.what
        found = [f"{heard.who}: a seed" for ver, seed in self.seeds if ver > heard.version and seed in _bytes(what)]
        if isinstance(what, Message):
            found.extend(f"{heard.who} at {heard.version}: {leak}" for leak in self._in_message(what, heard))
        elif isinstance(what, str):
            hidden = self.hidden(heard.version, heard.audience)
            found.extend(f"{heard.who} at {heard.version}: {card}" for card in CARD.findall(what) if card in hidden)
        return found

    def _in_message(self, what: Message, heard: Heard) -> Iterator[str]:
        for event in _events(what):
            yield from self._in_event(event, heard)
        if isinstance(what, pb.EventView):
            return
        hidden = self.hidden(heard.version, heard.audience)
        for path, text in strings(what, skip=("events",)):
            # the last trick of the boompje before outlives the new deal (rules file, Views)
            if "last_trick" in path and self._is_old_trick(what):
                continue
            yield from (f"{path} = {card}" for card in CARD.findall(text) if card in hidden)

    def _is_old_trick(self, what: Message) -> bool:
        view = _game_view(what)
        return view is not None and view.trick_no == 1 and not view.this_boompje.tricks.ns + view.this_boompje.tricks.ew

    def _in_event(self, event: pb.EventView, heard: Heard) -> Iterator[str]:
        body = unpacked(event.body)
        if isinstance(body, kj.CardsDealt):
            if body.boompje >= self.boompje(heard.version) and not self._over(heard.version):
                for seat, hand in enumerate(body.hands):
                    if hand.items and seat != heard.audience:
                        yield f"hand of seat {seat} in cards_dealt of boompje {body.boompje}"
            return
        hidden = self.hidden(event.version, heard.audience)
        for path, text in strings(body):
            yield from (f"{path} = {card}" for card in CARD.findall(text) if card in hidden)

    def _over(self, version: int) -> bool:
        return any(revealed <= version for revealed, _ in self.seeds)


def _bytes(what: Message | bytes | str) -> bytes:
    if isinstance(what, Message):
        return what.SerializeToString()
    return what.encode() if isinstance(what, str) else what


def _events(what: Message) -> Iterable[pb.EventView]:
    if isinstance(what, pb.EventView):
        return [what]
    return getattr(what, "events", ())


def _game_view(what: Message) -> kj.View | None:
    view = what if isinstance(what, pb.TableView) else getattr(what, "view", None)
    return kj.View.FromString(view.game_view.value) if isinstance(view, pb.TableView) else None


def unpacked(body: Message) -> Message:
    """The message in an Any."""
    name = body.type_url.rpartition("/")[2]  # type: ignore[attr-defined]
    kind = message_factory.GetMessageClass(descriptor_pool.Default().FindMessageTypeByName(name))
    return kind.FromString(body.value)  # type: ignore[attr-defined]


def strings(message: Message, skip: tuple[str, ...] = (), path: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a message with its path, `Any` unpacked, fields of names in `skip` left out."""
    if message.DESCRIPTOR.full_name == "google.protobuf.Any":
        if message.type_url:  # type: ignore[attr-defined]
            yield from strings(unpacked(message), skip, path)
        return
    for field, value in message.ListFields():
        if field.name in skip:
            continue
        here = f"{path}.{field.name}"
        for item in value if field.is_repeated else (value,):
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                yield from strings(item, skip, here)
            elif field.type == FieldDescriptor.TYPE_STRING:
                yield here, item
