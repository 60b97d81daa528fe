"""How a play begins and ends: ready, start, the game's own next game, the result, the seals around it."""

from __future__ import annotations

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from libs.table.draft import Draft
from libs.table.life import PLAYING, any_of
from libs.table.rules import Refused
from libs.table.seats import check_host, own_seat
from libs.table.standing import present_options
from stamtafel.table.v1 import table_pb2 as pb


def ready(draft: Draft, command: pb.Command) -> None:
    """Ready: the seat is, or is no longer, ready. When every seat is, the play starts."""
    asked = command.ready
    life = draft.life
    _check_between(draft)
    if asked.HasField("seat"):
        seats = [own_seat(draft, command.actor, asked.seat)]
    else:
        seats = life.seats_of(command.actor.id)
        if not seats:
            raise Refused("not_your_seat", "you hold no seat at this table", "seat")
    check_nonce(asked.nonce)
    for number in seats:
        draft.add(pb.SeatReady(seat=number, on=asked.on, nonce=asked.nonce))
    start_if_all_ready(draft)


def start_command(draft: Draft, command: pb.Command) -> None:
    """Start: the host starts, ready or not; every seat must be taken."""
    if not (draft.life.imported and command.actor.id == draft.life.opener):
        check_host(draft, command.actor)
    _check_between(draft)
    _check_seats(draft)
    begin(draft)


def check_nonce(nonce: bytes) -> None:
    """Refuses a nonce that is too long."""
    if len(nonce) > 64:
        raise Refused("bad_argument", f"nonce is 0..64 bytes, not {len(nonce)}", "nonce")


def _check_between(draft: Draft) -> None:
    if draft.life.state == PLAYING:
        raise Refused("wrong_state", "a play is running")
    if draft.life.ended and not draft.life.next_options and draft.rules.again(draft.game) is None:
        raise Refused("wrong_state", f"the next game of {draft.rules.game} is a command of the game")


def _check_seats(draft: Draft) -> None:
    missing = [str(number) for number, seat in enumerate(draft.life.seats) if not seat.taken]
    if missing:
        raise Refused("seats_missing", f"nobody sits at seat {', '.join(missing)}", seats=",".join(missing))


def start_if_all_ready(draft: Draft) -> None:
    """Begins the play when every seat is taken and ready (computer players always are)."""
    if draft.life.state != PLAYING and all(seat.ready for seat in draft.life.seats):
        begin(draft)


def next_options(draft: Draft) -> AnyMessage:
    """Options of the coming play: those that were set, else what the rules make of a rematch, else the present ones."""
    life = draft.life
    if life.next_options:
        return AnyMessage.FromString(life.next_options)
    if life.ended and draft.game is not None:
        again = draft.rules.again(draft.game)
        if again is not None:
            return any_of(again)
    return AnyMessage.FromString(life.options)


def begin(draft: Draft) -> None:
    """Begins the next play with the game's opening events."""
    draft.add(began_event(draft, next_options(draft)))
    if not draft.life.position:
        draft.add_played(draft.rules.start(draft.game, draft.ctx()))
    finish(draft)


def began_event(draft: Draft, options: AnyMessage) -> pb.PlayBegan:
    """PlayBegan of the next play, with who plays and the nonces given so far."""
    life = draft.life
    return pb.PlayBegan(
        play=life.play + 1,
        options=options,
        nonces=[seat.nonce for seat in life.seats],
        position=life.position,
        players=[seat.player or f"bot:{seat.bot}" for seat in life.seats],
    )


def act_at_rest(draft: Draft, seat: int, message: Message) -> None:
    """A game command between plays. Where it makes the result go away, the next play begins with it."""
    rules = draft.rules
    events = rules.decide(draft.game, seat, message, draft.ctx(next_play=True))
    probe = draft.game
    for event in events:
        probe = rules.evolve(probe, event)
    if rules.result(probe) is None:
        _check_seats(draft)
        draft.add(began_event(draft, present_options(rules, draft.life, draft.game)))
    draft.add_played(events)
    finish(draft)


def finish(draft: Draft) -> None:
    """After the game's events: a new score is told (matches), a result ends the play and seals the next."""
    life = draft.life
    if life.state != PLAYING:
        return
    if life.match_id:
        score = draft.rules.score(draft.game)
        if score is not None and score != life.score:
            draft.add(pb.ScoreChanged(score=score))
    result = draft.rules.result(draft.game)
    if result is None:
        return
    draft.add(pb.PlayEnded(play=life.play, result=result))
    draft.reveal()
    draft.seal()
    free_left_seats(draft)


def free_left_seats(draft: Draft) -> None:
    """Between plays a seat whose player went away is free again."""
    life = draft.life
    if life.match_id:
        return
    for number, seat in enumerate(life.seats):
        if seat.away:
            draft.add(pb.SeatLeft(seat=number, player=seat.player))
    move_host(draft)


def move_host(draft: Draft) -> None:
    """Hands host rights to the lowest seat that a person holds, when the host's seat is no longer held by one."""
    life = draft.life
    if life.match_id or (life.host is not None and life.seats[life.host].player):
        return
    people = [number for number, seat in enumerate(life.seats) if seat.player]
    if people:
        draft.add(pb.HostMoved(seat=people[0]))
    elif life.host is not None:
        draft.add(pb.HostMoved())
