"""The next state after an event. Never refuses, never draws. A changed meaning needs a new `rules.FOLD`."""

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from services.klaverjas.cards import CARD, SUIT, mask
from services.klaverjas.score import SIDES, Pair, pair, plus
from services.klaverjas.state import CHOOSE, COLLECT, FINISHED, PLAY, Four, Row, Scored, State, Taken, Totals, forehand
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb


def evolve(state: State, event: Message) -> State:
    """The state after `event`."""
    return _FOLD[type(event)](state, event)


def _game_started(state: State, event: pb.GameStarted) -> State:
    return replace(state, dealer=event.first_dealer)


def _boompje_started(state: State, event: pb.BoompjeStarted) -> State:
    return replace(
        state,
        phase=CHOOSE,
        boompje=event.boompje,
        dealer=event.dealer,
        passes=0,
        turned=None,
        trump=None,
        maker=None,
        leader=event.forehand,
        trick_no=1,
        table=(),
        hands=(0, 0, 0, 0),
        tricks=(0, 0),
        card_points=(0, 0),
        roem=(0, 0),
        claimed=False,
    )


def _cards_dealt(state: State, event: pb.CardsDealt) -> State:
    a, b, c, d = (mask(CARD[code] for code in hand.items) for hand in event.hands)
    return replace(state, hands=(a, b, c, d))


def _suit_turned(state: State, event: pb.SuitTurned) -> State:
    return replace(state, turned=SUIT[event.suit])


def _trump_passed(state: State, event: pb.TrumpPassed) -> State:
    return replace(state, passes=state.passes + 1, timeouts=_acted(state, event.seat, event.auto))


def _trump_chosen(state: State, event: pb.TrumpChosen) -> State:
    # Who is bound to the second turned suit has sent no command: the row of timeouts goes on (R4.4).
    by_command = not event.auto and not (event.forced and state.house.trump_maker == "turned")
    return replace(
        state,
        phase=PLAY,
        trump=SUIT[event.suit],
        maker=event.seat,
        leader=event.seat if state.house.maker_leads else forehand(state),
        timeouts=_acted(state, event.seat, not by_command),
    )


def _card_played(state: State, event: pb.CardPlayed) -> State:
    seat, card = event.seat, CARD[event.card]
    hands = list(state.hands)
    hands[seat] &= ~(1 << card)
    a, b, c, d = hands
    return replace(state, table=(*state.table, card), hands=(a, b, c, d), timeouts=_acted(state, seat, event.auto))


def _trick_won(state: State, event: pb.TrickWon) -> State:
    side = event.seat & 1
    taken = Taken(event.trick, event.leader, tuple(CARD[code] for code in event.cards), event.seat, event.card_points)
    tricks = plus(state.tricks, pair(side, 1))
    card_points = plus(state.card_points, pair(side, event.card_points + event.last_trick_bonus))
    if state.house.claim:
        return replace(state, phase=COLLECT, last_trick=taken, tricks=tricks, card_points=card_points, claimed=False)
    return replace(
        state,
        table=(),
        leader=event.seat,
        trick_no=min(event.trick + 1, 8),
        last_trick=taken,
        tricks=tricks,
        card_points=card_points,
    )


def _roem_scored(state: State, event: pb.RoemScored) -> State:
    return _roem(state, event.seat & 1, event.points)


def _roem_claimed(state: State, event: pb.RoemClaimed) -> State:
    written = _roem(state, event.seat & 1, event.points)
    return replace(written, claimed=True, timeouts=_acted(state, event.seat, False))


def _roem(state: State, side: int, points: int) -> State:
    last = state.last_trick
    return replace(
        state,
        roem=plus(state.roem, pair(side, points)),
        last_trick=None if last is None else replace(last, roem=points),
    )


def _trick_collected(state: State, event: pb.TrickCollected) -> State:
    return replace(
        state,
        phase=PLAY,
        table=(),
        leader=event.seat,
        trick_no=min(event.trick + 1, 8),
        timeouts=_acted(state, event.seat, event.auto),
    )


def _boompje_scored(state: State, event: pb.BoompjeScored) -> State:
    playing = event.maker & 1
    pit_side = SIDES.index(event.pit_side) if event.HasField("pit_side") else None
    made = event.result == "made"
    row = Row(event.boompje, SUIT[event.trump], event.maker, made, pit_side, _pair(event.boompje_points))
    scored = Scored(
        row,
        tricks=_pair(event.tricks),
        card_points=_pair(event.card_points),
        roem=_pair(event.roem),
        pit=_pair(event.pit),
        roem_scored=_pair(event.roem_scored),
    )
    before = state.totals
    totals = Totals(
        tricks=plus(before.tricks, scored.tricks),
        roem=plus(before.roem, scored.roem_scored),
        pits=before.pits if pit_side is None else plus(before.pits, pair(pit_side, 1)),
        nats=before.nats if made else plus(before.nats, pair(playing, 1)),
    )
    return replace(state, score=_pair(event.score), totals=totals, sheet=(*state.sheet, row), last_boompje=scored)


def _clock_expired(state: State, event: pb.ClockExpired) -> State:
    return replace(state, timeouts=_with(state.timeouts, event.seat, event.timeouts))


def _game_finished(state: State, event: pb.GameFinished) -> State:
    winner = SIDES.index(event.winner) if event.HasField("winner") else None
    return replace(state, phase=FINISHED, winner=winner, reason=event.reason)


def _pair(value: pb.Pair) -> Pair:
    return value.ns, value.ew


def _acted(state: State, seat: int, auto: bool) -> Four:
    """Expiries in a row, ended by a command of the seat (R10.5)."""
    return state.timeouts if auto or not state.timeouts[seat] else _with(state.timeouts, seat, 0)


def _with(timeouts: Four, seat: int, value: int) -> Four:
    changed = list(timeouts)
    changed[seat] = value
    a, b, c, d = changed
    return a, b, c, d


_FOLD: dict[type[Message], Callable[[State, Any], State]] = {
    pb.GameStarted: _game_started,
    pb.BoompjeStarted: _boompje_started,
    pb.CardsDealt: _cards_dealt,
    pb.SuitTurned: _suit_turned,
    pb.TrumpPassed: _trump_passed,
    pb.TrumpChosen: _trump_chosen,
    pb.CardPlayed: _card_played,
    pb.TrickWon: _trick_won,
    pb.RoemScored: _roem_scored,
    pb.RoemClaimed: _roem_claimed,
    pb.TrickCollected: _trick_collected,
    pb.BoompjeScored: _boompje_scored,
    pb.ClockExpired: _clock_expired,
    pb.GameFinished: _game_finished,
}
