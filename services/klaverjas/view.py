"""What a seat or the public sees (Views) and may know of an event. No hand but the own, in no phase (R12.4)."""

from collections.abc import Mapping
from functools import lru_cache

from google.protobuf.message import Message

from libs.table.rules import Facts
from services.klaverjas.cards import CODES, SUITS, cards, codes
from services.klaverjas.decide import can_claim, pair_of, playable
from services.klaverjas.score import SIDES, Pair, plus
from services.klaverjas.state import (
    COLLECT,
    PLAY,
    Row,
    Scored,
    State,
    Taken,
    forehand,
    may_pass,
    seconds,
    side,
    suit,
    turn,
    winning_seat,
)
from services.klaverjas.tricks import named, why
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb

_newest: tuple[State, Mapping[int, str], bytes] | None = None
"""The public view built last: the audiences of one table are served one after the other."""


def view(state: State, audience: int | None, facts: Facts) -> pb.View:
    """The table as a seat sees it; None is the public."""
    global _newest
    newest = _newest
    if newest is not None and newest[0] is state and newest[1] == facts.bots:
        seen = newest[2]
    else:
        seen = _public(state, facts)
        _newest = state, facts.bots, seen
    if audience is not None:
        # Bytes put together are messages merged.
        seen += own(state, audience).SerializeToString()
    return pb.View.FromString(seen)


def _public(state: State, facts: Facts) -> bytes:
    """All that everybody sees."""
    maker, acting, wait, scored = state.maker, turn(state), seconds(state), state.last_boompje
    moving = pb.View(
        phase=state.phase,
        boompje=state.boompje,
        dealer=state.dealer,
        forehand=forehand(state),
        trump=suit(state.trump),
        turned=suit(state.turned),
        maker=maker,
        playing_side=None if maker is None else side(maker),
        turn=None if acting is None else _turn(acting, state.phase, may_pass(state)),
        leader=state.leader if state.phase in (PLAY, COLLECT) else None,
        trick_no=state.trick_no,
        table=[_LAID[(state.leader + at) & 3][card] for at, card in enumerate(state.table)],
        winning_seat=winning_seat(state),
        last_trick=None if state.last_trick is None else _trick(state.last_trick),
        this_boompje=pb.ThisBoompje(
            tricks=_pair(state.tricks),
            card_points=_pair(state.card_points),
            roem=_pair(state.roem),
            pit=_OPEN,
            points=_pair(plus(state.card_points, state.roem)),
        ),
        hand_sizes=[hand.bit_count() for hand in state.hands],
        timeouts=state.timeouts,
        seats=_seats(*map(facts.bots.get, range(4))),
        clock=_clock(acting, wait) if acting is not None and wait else None,
        winner=None if state.winner is None else SIDES[state.winner],
    ).SerializeToString()
    return moving + (_standing(state) if scored is None else _kept(state, scored))


def _kept(state: State, scored: Scored) -> bytes:
    """`_standing`, once for each scored boompje: nothing in it changes before the next one is scored."""
    known = _KEPT.get(id(scored))
    # The entry keeps `scored` alive, so no other one can have its id.
    if known is None or known[0] is not scored:
        if len(_KEPT) >= _KEEP:
            del _KEPT[next(iter(_KEPT))]
        known = _KEPT[id(scored)] = (scored, _standing(state))
    return known[1]


_KEEP = 4096
_KEPT: dict[int, tuple[Scored, bytes]] = {}


def _standing(state: State) -> bytes:
    """What stays as it is while a boompje is played: the sheet, the sums, the boompje before, the options."""
    return pb.View(
        game="klaverjas",
        boompjes=state.house.boompjes,
        last_boompje=_boompje(state.last_boompje),
        sheet=[_row(row) for row in state.sheet],
        score=_pair(state.score),
        totals=pb.Totals(
            tricks=_pair(state.totals.tricks),
            points=_pair(state.score),
            roem=_pair(state.totals.roem),
            pits=_pair(state.totals.pits),
            nats=_pair(state.totals.nats),
        ),
        options=state.options,
    ).SerializeToString()


def own(state: State, seat: int) -> pb.View:
    """What only this seat sees beside that."""
    hand = state.hands[seat]
    allowed = playable(state) if turn(state) == seat else 0
    greyed: list[pb.Greyed] = []
    if allowed and state.trump is not None:
        for card in cards(hand & ~allowed):
            reason = why(state.house.play, state.trump, state.table, hand, card)
            greyed.append(pb.Greyed(card=CODES[card], code=reason or ""))
    return pb.View(
        my_seat=seat,
        my_side=side(seat),
        partner=seat ^ 2,
        my_hand=codes(hand),
        my_legal=codes(allowed),
        my_greyed=greyed,
        my_can_claim=can_claim(state, seat),
    )


def redact(event: Message, state: State, audience: int | None) -> Message:
    """The event as the audience may know it when the table is at `state`: hands open once their boompje is scored."""
    if not isinstance(event, pb.CardsDealt):
        return event
    scored = state.last_boompje
    if scored is not None and event.boompje <= scored.row.boompje:
        return event
    if audience is None:
        return pb.CardsDealt(boompje=event.boompje)
    return pb.CardsDealt(
        boompje=event.boompje,
        hands=[hand if seat == audience else pb.Hand() for seat, hand in enumerate(event.hands)],
    )


# Small messages that come again and again; whoever puts them into a view copies them.

_OPEN = pb.OpenPair()
_LAID = [[pb.Laid(seat=seat, card=code) for code in CODES] for seat in range(4)]


@lru_cache(maxsize=4096)
def _pair(value: Pair) -> pb.Pair:
    return pair_of(value)


@lru_cache(maxsize=64)
def _turn(seat: int, action: str, passing: bool) -> pb.Turn:
    return pb.Turn(seat=seat, action=action, may_pass=passing)


@lru_cache(maxsize=64)
def _clock(seat: int, wait: int) -> pb.ViewClock:
    return pb.ViewClock(seat=seat, seconds=wait)


@lru_cache(maxsize=256)
def _seats(*bots: str | None) -> list[pb.Seat]:
    return [pb.Seat(seat=seat, side=side(seat), bot=bot) for seat, bot in enumerate(bots)]


def _trick(taken: Taken) -> pb.Trick:
    return pb.Trick(
        trick=taken.trick,
        leader=taken.leader,
        cards=named(taken.cards),
        winner=taken.winner,
        card_points=taken.points,
        roem=taken.roem,
    )


def _boompje(scored: Scored | None) -> pb.Boompje | None:
    if scored is None:
        return None
    row = scored.row
    return pb.Boompje(
        boompje=row.boompje,
        trump=SUITS[row.trump],
        maker=row.maker,
        playing_side=side(row.maker),
        tricks=_pair(scored.tricks),
        card_points=_pair(scored.card_points),
        roem=_pair(scored.roem),
        result="made" if row.made else "nat",
        pit_side=None if row.pit_side is None else SIDES[row.pit_side],
        pit=_pair(scored.pit),
        roem_scored=_pair(scored.roem_scored),
        boompje_points=_pair(row.points),
    )


def _row(row: Row) -> pb.SheetRow:
    return pb.SheetRow(
        boompje=row.boompje,
        trump=SUITS[row.trump],
        maker=row.maker,
        result="made" if row.made else "nat",
        pit_side=None if row.pit_side is None else SIDES[row.pit_side],
        ns=row.points[0],
        ew=row.points[1],
    )
