"""The next state after an event. Never refuses, never draws."""

from collections.abc import Callable, Iterable
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from services.liarsdice.counting import NUMBERS
from services.liarsdice.options import setup_of
from services.liarsdice.state import BIDDING, OVER, Laid, Shown, State, next_with_dice
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb


def evolve(state: State, event: Message) -> State:
    """The state after `event`; an event that only tells something leaves it as it is."""
    fold = _FOLDS.get(type(event))
    return state if fold is None else fold(state, event)


def _game_started(state: State, event: pb.GameStarted) -> State:
    seats = range(state.setup.seats)
    playing = tuple(event.participants)
    return replace(
        state,
        game=event.game,
        round=0,
        phase=BIDDING,
        participants=playing,
        finale=event.finale,
        starter=event.starter,
        turn=None,
        counts=tuple(event.dice_each if seat in playing else 0 for seat in seats),
        dice=((),) * state.setup.seats,
        bids=(),
        places=(0,) * state.setup.seats,
        grace=False,
        shown=None,
        loser=None,
    )


def _cups_shaken(state: State, event: pb.CupsShaken) -> State:
    return replace(
        state,
        round=event.round,
        starter=event.starter,
        turn=event.starter,
        dice=tuple(tuple(cup.items) for cup in event.dice),
        bids=(),
        open=False,
        grace=state.shown is not None,
        lift=None,
    )


def _bid_made(state: State, event: pb.BidMade) -> State:
    slang = event.slang if event.HasField("slang") else None
    laid = Laid(event.seat, event.quantity, NUMBERS[event.face], event.auto, slang)
    return replace(
        state,
        turn=next_with_dice(state.counts, event.seat),
        bids=(*state.bids, laid),
        grace=False,
        shown=None if state.setup.hidden_count else state.shown,
    )


def _lifted(state: State, event: pb.Lifted) -> State:
    lift = (event.seat, event.bidder, event.quantity, NUMBERS[event.face])
    return replace(state, turn=None, lift=lift, lift_auto=event.auto)


def _cups_lifted(state: State, event: pb.CupsLifted) -> State:
    lifter, bidder, quantity, face = state.lift or (0, 0, 0, 0)
    shown = Shown(
        event.round,
        tuple(tuple(cup.items) for cup in event.dice),
        event.kind,
        event.count,
        tuple(event.counts),
        tuple(event.patterns),
        tuple(tuple(ring.items) for ring in event.rings),
        event.present if event.HasField("present") else None,
        event.holds,
        lifter,
        bidder,
        quantity,
        face,
    )
    return replace(state, open=True, shown=shown)


def _round_lost(state: State, event: pb.RoundLost) -> State:
    return state if state.shown is None else replace(state, shown=replace(state.shown, loser=event.seat))


def _dice_put_away(state: State, event: pb.DicePutAway) -> State:
    return replace(state, counts=_added(state.counts, event.seats, -1))


def _seats_out(state: State, event: pb.SeatsOut) -> State:
    return replace(state, places=_put(state.places, event.seats, event.place))


def _game_lost(state: State, event: pb.GameLost) -> State:
    return replace(
        state,
        phase=OVER,
        turn=None,
        bids=(),
        starter=event.seat,
        places=tuple(event.places),
        loser=event.seat,
        lift=None,
        grace=False,
    )


def _sent_to_viborg(state: State, event: pb.SentToViborg) -> State:
    return replace(state, ledger=replace(state.ledger, black=_put(state.ledger.black, (event.seat,), True)))


def _tabt_helt(state: State, event: pb.TabtHelt) -> State:
    if not event.selvbinder:
        return state
    selvbinders = _added(state.ledger.selvbinders, (event.seat,), 1)
    return replace(state, ledger=replace(state.ledger, selvbinders=selvbinders))


def _stroke_drawn(state: State, event: pb.StrokeDrawn) -> State:
    strokes = _put(state.ledger.strokes, (event.seat,), event.strokes)
    return replace(state, ledger=replace(state.ledger, strokes=strokes))


def _round_given(state: State, event: pb.RoundGiven) -> State:
    given = _put(state.ledger.rounds_given, (event.seat,), event.rounds_given)
    return replace(state, ledger=replace(state.ledger, rounds_given=given))


def _mats_turned_green(state: State, event: pb.MatsTurnedGreen) -> State:
    return replace(state, ledger=replace(state.ledger, black=_put(state.ledger.black, event.seats, False)))


def _rules_set(state: State, event: pb.RulesSet) -> State:
    return replace(state, setup=setup_of(event.options))


def _help_set(state: State, event: pb.HelpSet) -> State:
    return replace(state, switches=_put(state.switches, (event.seat,), event.on))


def _put(values: tuple[Any, ...], seats: Iterable[int], value: Any) -> tuple[Any, ...]:
    some = set(seats)
    return tuple(value if seat in some else old for seat, old in enumerate(values))


def _added(values: tuple[int, ...], seats: Iterable[int], more: int) -> tuple[int, ...]:
    some = set(seats)
    return tuple(old + more if seat in some else old for seat, old in enumerate(values))


_FOLDS: dict[type[Message], Callable[[State, Any], State]] = {
    pb.GameStarted: _game_started,
    pb.CupsShaken: _cups_shaken,
    pb.BidMade: _bid_made,
    pb.Lifted: _lifted,
    pb.CupsLifted: _cups_lifted,
    pb.RoundLost: _round_lost,
    pb.DicePutAway: _dice_put_away,
    pb.SeatsOut: _seats_out,
    pb.GameLost: _game_lost,
    pb.SentToViborg: _sent_to_viborg,
    pb.TabtHelt: _tabt_helt,
    pb.StrokeDrawn: _stroke_drawn,
    pb.RoundGiven: _round_given,
    pb.MatsTurnedGreen: _mats_turned_green,
    pb.RulesSet: _rules_set,
    pb.HelpSet: _help_set,
}
"""TableOpened, Peeked, ClockExpired and FinaleCalled tell something and change nothing."""
