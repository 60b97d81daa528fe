"""What each audience sees: the public table, and for a seat its dice, its legal acts and its help (R2.4, R7, R8, R10).

Messages are filled in place: handing a built message to another one's constructor copies it, at twice the price.
"""

from collections.abc import Mapping

from google.protobuf.message import Message

from libs.table.rules import Facts
from services.liarsdice.counting import FACES, ranges
from services.liarsdice.flow import fill
from services.liarsdice.odds import odds, percent, sight, suggest, text
from services.liarsdice.options import message_of
from services.liarsdice.state import BIDDING, OVER, State, current, helped, locked, most
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb

WARN_S = 5


def view(state: State, audience: int | None, facts: Facts) -> pb.View:
    """The table as the rules file's Views says; `audience` None is the public."""
    setup, ledger = state.setup, state.ledger
    running = state.phase == BIDDING
    seats = range(setup.seats)
    shown = pb.View(
        game=state.game,
        round=state.round,
        phase=state.phase,
        participants=state.participants,
        finale=state.finale,
        starter=state.starter,
        in_game=[running and n > 0 for n in state.counts],
        places=state.places,
        locked=[locked(state, seat) for seat in seats],
        mats=["black" if black else "green" for black in ledger.black],
        strokes=ledger.strokes,
        rounds_given=ledger.rounds_given,
        selvbinders=ledger.selvbinders,
        help_on=[helped(state, seat, seat in facts.bots) for seat in seats],
    )
    shown.options.MergeFrom(message_of(setup))
    if running:
        _running(shown, state)
    if state.shown is not None:
        _reveal(shown.last_reveal, state)
    if state.phase == OVER and state.loser is not None:
        shown.result.loser = state.loser
        shown.result.places.extend(state.places)
    if audience is not None:
        _own(shown, state, audience, facts.bots)
    return shown


def _running(shown: pb.View, state: State) -> None:
    setup = state.setup
    if state.turn is not None:
        shown.turn.seat = state.turn
        shown.turn.opening = not state.bids
        if setup.turn_seconds:
            clock = shown.turn.clock
            clock.limit_s, clock.warn_s = setup.turn_seconds, WARN_S
            clock.grace_s = setup.reveal_seconds if state.grace else 0
    if state.bids:
        last, now = state.bids[-1], shown.current_bid
        now.seat, now.quantity, now.face, now.auto = last.seat, last.quantity, FACES[last.face], last.auto
        if last.slang is not None:
            now.slang = last.slang
        for laid in state.bids:
            shown.bids.add(seat=laid.seat, quantity=laid.quantity, face=FACES[laid.face], auto=laid.auto)
    shown.max_quantity = most(state)
    if not setup.hidden_count:
        shown.dice_counts.items.extend(state.counts)
        shown.total_dice = sum(state.counts)


def _reveal(row: pb.Reveal, state: State) -> None:
    last = state.shown
    if last is None:
        return
    row.round, row.kind, row.count, row.holds = last.round, last.kind, last.count, last.holds
    fill(row.dice, last.dice)
    row.counts.extend(last.counts)
    row.patterns.extend(last.patterns)
    fill(row.rings, last.rings)
    if last.present is not None:
        row.present = last.present
    row.lifter, row.bidder, row.quantity, row.face = last.lifter, last.bidder, last.quantity, FACES[last.face]
    row.loser = last.loser


def _own(shown: pb.View, state: State, seat: int, bots: Mapping[int, str]) -> None:
    shown.my_seat = seat
    running = state.phase == BIDDING
    sees = sees_own(state, seat)
    if sees:
        shown.my_dice.items.extend(state.dice[seat])
    legal, my_turn = shown.legal, running and seat == state.turn
    legal.lift = my_turn and bool(state.bids)
    legal.peek = sees
    legal.next_game = state.phase == OVER
    if my_turn:
        for face, low, high in ranges(current(state), most(state), state.setup):
            legal.bids.add(face=FACES[face], from_quantity=low, to=high)
    if sees and not state.setup.hidden_count and helped(state, seat, seat in bots):
        _help(shown, state, seat, my_turn)


def sees_own(state: State, seat: int) -> bool:
    """Whether the seat may look at its dice now."""
    return state.phase == BIDDING and state.counts[seat] > 0 and bool(state.dice[seat]) and not locked(state, seat)


def _help(shown: pb.View, state: State, seat: int, my_turn: bool) -> None:
    seen = sight(state.dice[seat], [n for other, n in enumerate(state.counts) if other != seat], state.setup)
    now, help = current(state), shown.help
    help.SetInParent()
    if now is not None:
        p = odds(seen, *now)
        help.current.p, help.current.percent = text(p), percent(p)
    if not my_turn:
        return
    for face, low, _ in ranges(now, most(state), state.setup):
        p = odds(seen, low, face)
        help.bids.add(quantity=low, face=FACES[face], p=text(p), percent=percent(p))
    advice = suggest(seen, now, most(state))
    said = help.suggest
    said.do = "lift" if advice.bid is None else "bid"
    said.p, said.percent = text(advice.p), percent(advice.p)
    if advice.bid is not None:
        said.bid.quantity, said.bid.face = advice.bid[0], FACES[advice.bid[1]]


def redact(event: Message, state: State, audience: int | None) -> Message:
    """Only shaken cups are secret: one's own until it is locked, all once they were lifted (rules file, Events)."""
    if not isinstance(event, pb.CupsShaken):
        return event
    this, now = (event.game, event.round), (state.game, state.round)
    if this < now or (this == now and state.open):
        return event
    hidden = pb.CupsShaken(game=event.game, round=event.round, starter=event.starter)
    closed = locked(state, audience) if audience is not None and this == now else state.setup.peek_once
    for seat, cup in enumerate(event.dice):
        hidden.dice.add(items=cup.items if seat == audience and not closed else ())
    return hidden
