"""What is secret in liar's dice: cups until they are lifted, their size with `hidden_count`, one's own when locked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from google.protobuf.message import Message

from libs.log.model import EventRecord
from services.liarsdice.rules import RULES
from stamtafel.liarsdice.v1 import liarsdice_pb2 as ld
from stamtafel.table.v1 import table_pb2 as pb
from tests.secrecy.scan import Heard, unpacked, view_of, walk

Round = tuple[int, int]


class Moment(NamedTuple):
    """A table at one version."""

    options: ld.Options
    at: Round = (0, 0)
    open: Round = (0, 0)
    """The newest round whose cups were lifted."""
    cups: tuple[tuple[int, ...], ...] = ()
    bid: frozenset[int] = frozenset()
    """Who has bid in this round."""

    def may_look(self, seat: int | None) -> bool:
        """Whether a seat may look into its own cup."""
        return seat is not None and not (self.options.peek_once and seat in self.bid)

    def shut(self) -> bool:
        """Whether the cups of this round are not lifted yet."""
        return self.open < self.at


class Truth:
    """Which cups are whose, by version, told from the stored events alone."""

    def __init__(self, records: Sequence[EventRecord]) -> None:
        moment = Moment(ld.Options())
        self._moments = [moment]
        for record in records:
            moment = _next(moment, record.type, record.data)
            self._moments.append(moment)

    def in_event(self, event: pb.EventView, heard: Heard) -> Iterator[str]:
        """Cups of a round that is not lifted; their lengths stand for them."""
        body = unpacked(event.body)
        now = self._moments[heard.version]
        if not isinstance(body, ld.CupsShaken) or (body.game, body.round) <= now.open:
            return
        for seat, cup in enumerate(body.dice):
            if cup.items and not (seat == heard.audience and now.may_look(seat)):
                yield f"cup of seat {seat} in cups_shaken of round {body.game}.{body.round}"

    def in_picture(self, picture: Message, heard: Heard) -> Iterator[str]:
        """Cups other than the lifted ones and the own; numbers of dice; help that tells of what is hidden."""
        now = self._moments[heard.version]
        table = view_of(picture)
        if table is None:
            return
        view = ld.View.FromString(table.game_view.value)
        if view.my_dice.items and now.shut():
            if not now.may_look(heard.audience):
                yield "a cup that may not be looked into"
            elif tuple(view.my_dice.items) != now.cups[heard.audience or 0]:
                yield "another's cup as one's own"
        if now.options.hidden_count and (view.HasField("dice_counts") or view.HasField("total_dice")):
            yield "numbers of dice"
        if view.HasField("help") and (now.options.hidden_count or not now.may_look(heard.audience)):
            yield "help that tells what is hidden"
        for path, value in walk(view, skip=("my_dice", "last_reveal")):
            if isinstance(value, ld.Cup):
                yield f"a cup at {path}"
        if view.HasField("last_reveal") and (view.game, view.last_reveal.round) > now.open:
            yield "cups that are not lifted yet"

    def in_text(self, text: str, heard: Heard) -> Iterator[str]:
        """Nothing: a face alone says nothing. Refusals are held to two worlds instead (`test_worlds`)."""
        return iter(())


def _next(moment: Moment, name: str, data: bytes) -> Moment:
    kind = name.removeprefix("stamtafel.liarsdice.v1.")
    if kind == "TableOpened":
        return moment._replace(options=ld.TableOpened.FromString(data).options)
    if kind == "RulesSet":
        return moment._replace(options=ld.RulesSet.FromString(data).options)
    if kind == "CupsShaken":
        shaken = ld.CupsShaken.FromString(data)
        cups = tuple(tuple(cup.items) for cup in shaken.dice)
        return moment._replace(at=(shaken.game, shaken.round), cups=cups, bid=frozenset())
    if kind == "BidMade":
        return moment._replace(bid=moment.bid | {ld.BidMade.FromString(data).seat})
    if kind == "CupsLifted":
        return moment._replace(open=moment.at)
    return moment


class Secrets:
    """See tests.secrecy.scan.Secrets."""

    rules = RULES
    whole = ld.Options(preset="hardcore", seats=4, dice_each=3, turn_seconds=0)
    forms = (
        ld.Options(turn_seconds=0, practice=True, table="friends", any_kind=True, stairs=True),
        ld.Options(preset="hardcore", seats=3),
        ld.Options(peek_once=True, practice=True, seats=5, dice_each=3, ones_without_jokers=True),
    )
    late = 20
    telling = re.compile(r"cups_shaken|CupsShaken|my_dice")

    def truth(self, records: Sequence[EventRecord]) -> Truth:
        """Which cups are whose."""
        return Truth(records)

    def meddling(self, rng: Random) -> tuple[Message, str]:
        """A bid far too high."""
        face = rng.choice(("2", "3", "4", "5", "6"))
        return ld.Bid(quantity=90 + rng.randrange(9), face=face), face

    def attempts(self) -> Sequence[Message]:
        """Bids of all sizes, and all the rest."""
        bids = [ld.Bid(quantity=quantity, face=face) for quantity in (0, 1, 5, 40) for face in ("1", "6", "any")]
        others: list[Message] = [ld.Peek(), ld.NextGame(), ld.Bid(), ld.Bid(quantity=1, face="7")]
        # whether a lift is right is not hidden from who may lift, only from who may not
        return [*bids, *others, ld.Lift(round=99), ld.Bid(quantity=1, face="2", round=99)]

    def elsewhere(self, events: Sequence[Message], audience: int | None, rng: Random) -> list[Message]:
        """Cups that are shut fall otherwise, also the own one when it is locked; they hold other numbers if hidden."""
        moment, changed = Moment(ld.Options()), list(events)
        at = None
        for number, event in enumerate(events):
            moment = _next(moment, event.DESCRIPTOR.full_name, event.SerializeToString())
            if isinstance(event, ld.CupsShaken):
                at = number
        if at is None or not moment.shut():
            return changed
        shaken = events[at]
        assert isinstance(shaken, ld.CupsShaken)
        cups = [list(cup.items) for cup in shaken.dice]
        for seat, cup in enumerate(cups):
            if cup and not (seat == audience and moment.may_look(seat)):
                size = rng.randint(1, 4) if moment.options.hidden_count else len(cup)
                cups[seat] = [rng.randint(1, 6) for _ in range(size)]
        dice = [ld.Cup(items=cup) for cup in cups]
        changed[at] = ld.CupsShaken(game=shaken.game, round=shaken.round, starter=shaken.starter, dice=dice)
        return changed


SECRETS = Secrets()
