"""Commands and clocks become events, or a refusal with the rules file's code (R11). No state is changed here."""

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from libs.table.rules import Ctx, Event, Refused
from services.klaverjas.cards import CARD, CODES, SUIT, SUIT_MASK, SUITS, codes, deal, default_card, default_trump
from services.klaverjas.cards import points as worth
from services.klaverjas.evolve import evolve
from services.klaverjas.score import SIDES, Pair, plus, score
from services.klaverjas.state import (
    CHOOSE,
    COLLECT,
    FINISHED,
    PLAY,
    State,
    alike,
    first_speaker,
    forehand,
    may_pass,
    seconds,
    side,
    turn,
    winning_seat,
)
from services.klaverjas.tricks import Roem, legal, named, roem, why
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb

CLAIMS = (20, 40, 50, 70, 100, 200)


def start(state: State, ctx: Ctx) -> list[Event]:
    """The first dealer, drawn if the options say so, and the first boompje (R3.2)."""
    dealer = state.house.first_dealer
    if dealer is None:
        dealer = ctx.draws.pick((0, 1, 2, 3))
    return [pb.GameStarted(first_dealer=dealer, options=state.options), *_boompje(state, 1, dealer, ctx)]


def decide(state: State, seat: int, command: Message, ctx: Ctx) -> list[Event]:
    """Events of a command. Refused in the order of the rules file's table (R11.2)."""
    refusal = early(state, seat)
    if refusal is not None:
        raise refusal
    return _DO[type(command)](state, seat, command, ctx)


def early(state: State, seat: int) -> Refused | None:
    """What comes before any look at the command, also at one that cannot be read (R11.2)."""
    if not 0 <= seat <= 3:
        return Refused("unknown_seat", f"there is no seat {seat}; seats are 0 to 3", "seat")
    return Refused("game_over", "the game is over") if state.phase == FINISHED else None


def expire(state: State, seat: int, ctx: Ctx) -> list[Event]:
    """What the clock does for the seat (R10.2-R10.6); [] when no clock of that seat runs."""
    if turn(state) != seat or not seconds(state):
        return []
    late = pb.ClockExpired(seat=seat, action=state.phase, timeouts=state.timeouts[seat] + 1)
    if state.phase == COLLECT:
        return [late, *_collected(state, seat, True, ctx)]
    if state.phase == PLAY:
        return [late, *_played(evolve(state, late), seat, default_card(playable(state), _trump(state)), True, ctx)]
    if may_pass(state):
        return [late, *_passed(state, seat, True, ctx)]
    return [late, _chosen(state, seat, default_trump(state.hands[seat]), state.passes >= 4, True)]


def playable(state: State) -> int:
    """The cards that the seat to act may play, as a mask; 0 outside phase `play`."""
    seat = turn(state)
    if state.phase != PLAY or seat is None:
        return 0
    return legal(state.house.play, _trump(state), state.table, state.hands[seat])


def can_claim(state: State, seat: int) -> bool:
    """Whether this seat may claim roem now (R7.11)."""
    taken = state.last_trick
    return state.phase == COLLECT and taken is not None and (taken.winner ^ seat) & 1 == 0 and not state.claimed


def suits(state: State, seat: int) -> tuple[int, ...]:
    """The suits that this seat, whose turn it is to choose, may name (R4)."""
    named_now = range(4) if state.turned is None else (state.turned,)
    held = state.hands[seat]
    return tuple(number for number in named_now if not state.house.must_hold or held & SUIT_MASK[number])


# ------------------------------------------------------------------------------------------------------ commands


def _choose_trump(state: State, seat: int, command: pb.ChooseTrump, ctx: Ctx) -> list[Event]:
    suit = SUIT.get(command.suit)
    if suit is None:
        raise Refused("bad_argument", f"suit must be one of S, H, D, C, not {command.suit!r}", "suit")
    _expect(state, seat, CHOOSE)
    if state.turned is not None and suit != state.turned:
        raise Refused("illegal_move", f"only the turned suit {SUITS[state.turned]} may be named", "suit")
    if state.house.must_hold and not state.hands[seat] & SUIT_MASK[suit]:
        raise Refused("suit_not_held", f"you hold no card of {command.suit}", "suit")
    return [_chosen(state, seat, suit, state.passes >= 4, False)]


def _pass(state: State, seat: int, command: pb.Pass, ctx: Ctx) -> list[Event]:
    _expect(state, seat, CHOOSE)
    if not may_pass(state):
        raise Refused("must_choose", "you must name trump")
    return _passed(state, seat, False, ctx)


def _play(state: State, seat: int, command: pb.Play, ctx: Ctx) -> list[Event]:
    card = CARD.get(command.card)
    if card is None:
        raise Refused("bad_argument", f"card must be suit and rank like SJ or HT, not {command.card!r}", "card")
    _expect(state, seat, PLAY)
    code = why(state.house.play, _trump(state), state.table, state.hands[seat], card)
    if code is not None:
        raise Refused(code, WHY[code].format(card=command.card), "card")
    return _played(state, seat, card, False, ctx)


def _claim_roem(state: State, seat: int, command: pb.ClaimRoem, ctx: Ctx) -> list[Event]:
    claimed = command.points
    if claimed not in CLAIMS:
        raise Refused("bad_argument", "points must be one of 20, 40, 50, 70, 100, 200", "points")
    taken = state.last_trick
    if state.phase != COLLECT or taken is None:
        raise _wrong_phase(state)
    if (taken.winner ^ seat) & 1:
        raise Refused("not_your_roem", "the other side won this trick")
    if state.claimed:
        raise Refused("roem_already_claimed", "roem of this trick was claimed already; there is one claim")
    true = sum(item.points for item in _roem(state, taken.cards))
    written = claimed if claimed <= true else 0
    return [pb.RoemClaimed(trick=taken.trick, seat=seat, side=side(seat), claimed=claimed, points=written)]


def _collect(state: State, seat: int, command: pb.Collect, ctx: Ctx) -> list[Event]:
    _expect(state, seat, COLLECT)
    return _collected(state, seat, False, ctx)


_DO: dict[type[Message], Callable[[State, int, Any, Ctx], list[Event]]] = {
    pb.ChooseTrump: _choose_trump,
    pb.Pass: _pass,
    pb.Play: _play,
    pb.ClaimRoem: _claim_roem,
    pb.Collect: _collect,
}

WHY = {
    "card_not_in_hand": "you do not hold {card}",
    "must_follow": "{card} may not be played: you must follow suit",
    "must_overtrump": "{card} may not be played: you must play a higher trump",
    "must_trump": "{card} may not be played: you must play a trump",
    "no_undertrump": "{card} may not be played: undertrumping is forbidden",
}


def _expect(state: State, seat: int, phase: str) -> None:
    """The phase, then the turn: before any look at the cards."""
    if state.phase != phase:
        raise _wrong_phase(state)
    if turn(state) != seat:
        raise Refused("not_your_turn", f"seat {turn(state)} is to act")


def _wrong_phase(state: State) -> Refused:
    return Refused("wrong_phase", f"the table is in phase {state.phase}", phase=state.phase)


def _trump(state: State) -> int:
    assert state.trump is not None
    return state.trump


# -------------------------------------------------------------------------------------------------------- events


def _chosen(state: State, seat: int, suit: int, forced: bool, auto: bool) -> pb.TrumpChosen:
    return pb.TrumpChosen(seat=seat, suit=SUITS[suit], side=side(seat), forced=forced, auto=auto)


def _passed(state: State, seat: int, auto: bool, ctx: Ctx) -> list[Event]:
    """A pass; the fourth one in `turned` draws a second suit and binds the forehand to it (R4.4)."""
    passed = pb.TrumpPassed(seat=seat, auto=auto)
    if state.turned is None or state.passes < 3:
        return [passed]
    suit = ctx.draws.pick(others(state.turned))
    bound = _chosen(state, first_speaker(state), SUIT[suit], True, False)
    return [passed, pb.SuitTurned(round=2, suit=suit), bound]


def others(turned: int) -> tuple[str, ...]:
    """The three suits that may be turned second (R4.4)."""
    return tuple(letter for letter in SUITS if letter != SUITS[turned])


def _played(state: State, seat: int, card: int, auto: bool, ctx: Ctx) -> list[Event]:
    """A card on the table and, if it is the fourth, the trick (R6), its roem (R7.10) and what follows."""
    table = (*state.table, card)
    played = pb.CardPlayed(seat=seat, card=CODES[card], trick=state.trick_no, position=len(table), auto=auto)
    if len(table) < 4:
        return [played]
    state = evolve(state, played)
    taker = winning_seat(state)
    assert taker is not None
    won = pb.TrickWon(
        trick=state.trick_no,
        seat=taker,
        side=side(taker),
        leader=state.leader,
        cards=named(table),
        card_points=worth(_trump(state), table),
        last_trick_bonus=10 if state.trick_no == 8 else 0,
    )
    events: list[Event] = [played, won]
    if state.house.claim:
        return events
    items = _roem(state, table)
    if items:
        events.append(
            pb.RoemScored(
                trick=state.trick_no,
                seat=taker,
                side=side(taker),
                points=sum(item.points for item in items),
                items=[pb.RoemItem(kind=kind, points=points, cards=named(cards)) for kind, points, cards in items],
            )
        )
    if won.trick == 8:
        for event in events[1:]:
            state = evolve(state, event)
        events += _scored(state, ctx)
    return events


def _collected(state: State, seat: int, auto: bool, ctx: Ctx) -> list[Event]:
    """The trick is taken away; after the eighth the boompje is scored (R7.11)."""
    collected = pb.TrickCollected(trick=state.trick_no, seat=seat, auto=auto)
    if state.trick_no < 8:
        return [collected]
    return [collected, *_scored(evolve(state, collected), ctx)]


def _scored(state: State, ctx: Ctx) -> list[Event]:
    """The score of the boompje (R8), then the end (R9) or the next boompje in the same step (R9.4)."""
    maker = state.maker
    assert maker is not None
    result = score(maker & 1, state.tricks, state.card_points, state.roem, state.house.tegenpit)
    total = plus(state.score, result.points)
    scored = pb.BoompjeScored(
        boompje=state.boompje,
        trump=SUITS[_trump(state)],
        maker=maker,
        playing_side=side(maker),
        tricks=pair_of(state.tricks),
        card_points=pair_of(state.card_points),
        roem=pair_of(state.roem),
        result="made" if result.made else "nat",
        pit_side=None if result.pit_side is None else SIDES[result.pit_side],
        pit=pair_of(result.pit),
        roem_scored=pair_of(result.roem),
        boompje_points=pair_of(result.points),
        score=pair_of(total),
    )
    target = state.house.target
    reached = target is not None and max(total) >= target and total[0] != total[1]
    if not reached and state.boompje < state.house.boompjes:
        return [scored, *_boompje(state, state.boompje + 1, forehand(state), ctx)]
    finished = pb.GameFinished(
        winner=None if total[0] == total[1] else SIDES[total[1] > total[0]],
        score=pair_of(total),
        boompjes=state.boompje,
        reason="target" if reached else "boompjes",
    )
    return [scored, finished]


def _boompje(state: State, number: int, dealer: int, ctx: Ctx) -> list[Event]:
    """A new boompje: the deck of that number is drawn and dealt, a suit turned where the options say so (R3, R4.4)."""
    deck = ctx.draws.shuffle(CODES, at=number)
    events: list[Event] = [
        pb.BoompjeStarted(boompje=number, dealer=dealer, forehand=(dealer + 1) & 3),
        dealt(number, dealer, deck),
    ]
    if state.house.trump_maker == "turned":
        events.append(pb.SuitTurned(round=1, suit=ctx.draws.pick(SUITS)))
    return events


def dealt(number: int, dealer: int, deck: tuple[str, ...]) -> pb.CardsDealt:
    """The hands of boompje `number` from a shuffled deck of codes, top first (R3.3)."""
    hands = deal([CARD[code] for code in deck], dealer)
    return pb.CardsDealt(boompje=number, hands=[pb.Hand(items=codes(hand)) for hand in hands])


def _roem(state: State, trick: tuple[int, ...]) -> tuple[Roem, ...]:
    return roem(_trump(state), trick, alike(state), state.house.four_jacks)


def pair_of(value: Pair) -> pb.Pair:
    """A pair as a message."""
    return pb.Pair(ns=value[0], ew=value[1])
