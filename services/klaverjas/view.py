"""What a seat or the public sees (Views) and may know of an event. No hand but the own, in no phase (R12.4)."""

from google.protobuf.message import Message
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb

from libs.table.rules import Facts
from services.klaverjas.cards import CODES, SUITS, codes
from services.klaverjas.decide import can_claim, pair_of, playable
from services.klaverjas.score import SIDES, plus
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


def view(state: State, audience: int | None, facts: Facts) -> pb.View:
    """The table as a seat sees it; None is the public."""
    seen = public(state, facts)
    if audience is not None:
        seen.MergeFrom(own(state, audience))
    return seen


def public(state: State, facts: Facts) -> pb.View:
    """All that everybody sees."""
    maker, acting, wait = state.maker, turn(state), seconds(state)
    return pb.View(
        game="klaverjas",
        phase=state.phase,
        boompje=state.boompje,
        boompjes=state.house.boompjes,
        dealer=state.dealer,
        forehand=forehand(state),
        trump=suit(state.trump),
        turned=suit(state.turned),
        maker=maker,
        playing_side=None if maker is None else side(maker),
        turn=None if acting is None else pb.Turn(seat=acting, action=state.phase, may_pass=may_pass(state)),
        leader=state.leader if state.phase in (PLAY, COLLECT) else None,
        trick_no=state.trick_no,
        table=[pb.Laid(seat=(state.leader + at) & 3, card=CODES[card]) for at, card in enumerate(state.table)],
        winning_seat=winning_seat(state),
        last_trick=_trick(state.last_trick),
        last_boompje=_boompje(state.last_boompje),
        this_boompje=pb.ThisBoompje(
            tricks=pair_of(state.tricks),
            card_points=pair_of(state.card_points),
            roem=pair_of(state.roem),
            pit=pb.OpenPair(),
            points=pair_of(plus(state.card_points, state.roem)),
        ),
        sheet=[_row(row) for row in state.sheet],
        score=pair_of(state.score),
        totals=pb.Totals(
            tricks=pair_of(state.totals.tricks),
            points=pair_of(state.score),
            roem=pair_of(state.totals.roem),
            pits=pair_of(state.totals.pits),
            nats=pair_of(state.totals.nats),
        ),
        hand_sizes=[hand.bit_count() for hand in state.hands],
        timeouts=state.timeouts,
        seats=[pb.Seat(seat=seat, side=side(seat), bot=facts.bots.get(seat)) for seat in range(4)],
        clock=pb.ViewClock(seat=acting, seconds=wait) if acting is not None and wait else None,
        options=state.options,
        winner=None if state.winner is None else SIDES[state.winner],
    )


def own(state: State, seat: int) -> pb.View:
    """What only this seat sees beside that."""
    hand = state.hands[seat]
    allowed = playable(state) if turn(state) == seat else 0
    greyed: list[pb.Greyed] = []
    if allowed and state.trump is not None:
        for code in codes(hand & ~allowed):
            reason = why(state.house.play, state.trump, state.table, hand, CODES.index(code))
            greyed.append(pb.Greyed(card=code, code=reason or ""))
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


def _trick(taken: Taken | None) -> pb.Trick | None:
    if taken is None:
        return None
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
        tricks=pair_of(scored.tricks),
        card_points=pair_of(scored.card_points),
        roem=pair_of(scored.roem),
        result="made" if row.made else "nat",
        pit_side=None if row.pit_side is None else SIDES[row.pit_side],
        pit=pair_of(scored.pit),
        roem_scored=pair_of(scored.roem_scored),
        boompje_points=pair_of(row.points),
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
