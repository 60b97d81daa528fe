"""The events of a start, a bid, a lift and what follows it (rules file, Events: order at a lift)."""

from google.protobuf.message import Message

from libs.table.rules import Draws, Facts
from services.liarsdice.counting import FACES, Cup, count, holds
from services.liarsdice.evolve import evolve
from services.liarsdice.options import message_of
from services.liarsdice.speech import nickname
from services.liarsdice.state import State, current, in_viborg
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb


def opening(state: State, draws: Draws) -> list[Message]:
    """The table and its first game (R2.1)."""
    setup = state.setup
    starter = draws.pick(range(setup.seats)) if setup.starter is None else setup.starter
    opened = pb.TableOpened(seats=setup.seats, options=message_of(setup))
    return [opened, *game_of(state, starter, tuple(range(setup.seats)), draws)]


def next_game(state: State, draws: Draws) -> list[Message]:
    """The next game (R2.6), or the final of the two in Viborg (R6.7)."""
    starter, both = state.starter, in_viborg(state)
    if not state.setup.finale or len(both) != 2:
        return game_of(state, starter, tuple(range(state.setup.seats)), draws)
    return game_of(state, starter if starter in both else both[0], both, draws)


def game_of(state: State, starter: int, playing: tuple[int, ...], draws: Draws) -> list[Message]:
    """A game that begins with the seats of `playing`, ascending; whether it is the final follows (R6.7)."""
    finale = len(playing) < state.setup.seats or (state.setup.finale and len(in_viborg(state)) == 2)
    started = pb.GameStarted(
        game=state.game + 1,
        participants=playing,
        starter=starter,
        dice_each=state.setup.dice_each,
        finale=finale,
    )
    return [started, shaken(evolve(state, started), starter, draws)]


def shaken(state: State, starter: int, draws: Draws) -> pb.CupsShaken:
    """All cups shaken: one draw for each seat with dice, by seat."""
    event = pb.CupsShaken(game=state.game, round=state.round + 1, starter=starter)
    for n in state.counts:
        event.dice.add(items=draws.dice(n) if n else ())
    return event


def bid(state: State, seat: int, laid: tuple[int, int], facts: Facts, auto: bool = False) -> pb.BidMade:
    """A bid (quantity, face); a regular says it by nickname (R11.1)."""
    quantity, face = laid
    slang = nickname(quantity, face) if seat in facts.bots else None
    return pb.BidMade(seat=seat, quantity=quantity, face=FACES[face], auto=auto, slang=slang)


def lift(state: State, seat: int, draws: Draws, auto: bool = False) -> list[Message]:
    """The lift of the current bid, the count, who loses, and the next round or the end of the game."""
    last = state.bids[-1]
    lifted = pb.Lifted(seat=seat, bidder=last.seat, quantity=last.quantity, face=FACES[last.face], auto=auto)
    opened = cups_lifted(state, (last.quantity, last.face))
    loser = seat if opened.holds else last.seat
    lost = pb.RoundLost(seat=loser, reason="held" if opened.holds else "lie")
    classic = state.setup.classic_lift and not opened.holds
    away = [s for s, n in enumerate(state.counts) if n and (s == seat if classic else s != loser)]
    events: list[Message] = [lifted, opened, lost, pb.DicePutAway(seats=away)]
    out = [s for s in away if state.counts[s] == 1]
    if out:
        before = sum(not state.counts[s] for s in state.participants)
        events.append(pb.SeatsOut(seats=out, place=1 + before))
    for event in events:
        state = evolve(state, event)
    if sum(n > 0 for n in state.counts) == 1:
        return [*events, *_game_over(state, loser)]
    return [*events, shaken(state, loser, draws)]


def cups_lifted(state: State, laid: tuple[int, int]) -> pb.CupsLifted:
    """All cups counted for the bid."""
    quantity, face = laid
    counted = count(state.dice, face, state.setup)
    event = pb.CupsLifted(
        round=state.round,
        kind=counted.kind,
        count=counted.count,
        counts=counted.counts,
        patterns=counted.patterns,
        present=counted.present,
        holds=holds(counted, quantity),
    )
    fill(event.dice, state.dice)
    fill(event.rings, counted.rings)
    return event


def fill(rows: object, lists: tuple[Cup, ...]) -> None:
    """Adds one row of `items` for each list."""
    for one in lists:
        rows.add(items=one)  # pyright: ignore


def _game_over(state: State, loser: int) -> list[Message]:
    """The end of a game and the way to Viborg (R5.6, R6)."""
    places = tuple(len(state.participants) if seat == loser else place for seat, place in enumerate(state.places))
    ledger = state.ledger
    events: list[Message] = [pb.GameLost(seat=loser, game=state.game, places=places, finale=state.finale)]
    given = pb.RoundGiven(seat=loser, rounds_given=ledger.rounds_given[loser] + 1)
    if not state.setup.viborg:
        return [*events, given]
    black = in_viborg(state)
    if loser in black or state.finale:
        # Judged before the mats turn; the final is never the loser's own fault alone.
        alone = black == (loser,) and not state.finale
        stroke = pb.StrokeDrawn(seat=loser, strokes=ledger.strokes[loser] + 1)
        green = pb.MatsTurnedGreen(seats=black)
        return [*events, pb.TabtHelt(seat=loser, selvbinder=alone), stroke, given, green]
    events.append(pb.SentToViborg(seat=loser))
    if state.setup.finale and len(black) == 1:
        events.append(pb.FinaleCalled(seats=sorted((*black, loser))))
    return events


def missed(state: State, seat: int, draws: Draws, facts: Facts) -> list[Message]:
    """The clock of the seat in turn: a bid is lifted, an opener makes the lowest bid (R9.2, R9.3)."""
    expired = pb.ClockExpired(seat=seat)
    if current(state) is not None:
        return [expired, *lift(state, seat, draws, auto=True)]
    lowest = 0 if state.setup.any_kind else state.setup.lowest_face
    return [expired, bid(state, seat, (1, lowest), facts, auto=True)]
