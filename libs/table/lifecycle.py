"""Opening a table, taking and leaving seats, computer players, codes and options: the commands of a table at rest."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError, Message

from libs.table.draft import Draft
from libs.table.life import PLAYING, any_of
from libs.table.plays import check_nonce, move_host, start_if_all_ready
from libs.table.rules import Refused, Seating
from libs.table.seats import check_free, check_host, check_kind, check_number, free_seat, own_seat
from libs.table.unknown import first_unknown_field
from stamtafel.table.v1 import table_pb2 as pb

BOT_LEVELS = ("easy", "normal", "hard")
MOST_HEADERS = 64
HEADER_KEY_CHARS = 64
HEADER_VALUE_CHARS = 500


def read_options(draft: Draft, packed: AnyMessage) -> Message:
    """Complete options out of what was asked for; nothing asked: the game's defaults. Raises the game's refusals."""
    rules = draft.rules
    wanted = rules.options_type.DESCRIPTOR.full_name
    name = packed.type_url.rpartition("/")[2]
    if not name and not packed.value:
        return rules.options(rules.options_type())
    if name != wanted:
        raise Refused("bad_option", f"options of {rules.game} are a {wanted}, not {name or 'nothing'}", "options")
    try:
        asked = rules.options_type.FromString(packed.value)
    except DecodeError:
        raise Refused("bad_option", f"these bytes are no {wanted}", "options") from None
    unknown = first_unknown_field(asked)
    if unknown is not None:
        raise rules.unreadable(None, f"field {unknown}")
    return rules.options(asked)


def open_table(draft: Draft, command: pb.Command) -> None:
    """OpenTable: the table, its seal, its computer players, and the opener's seat."""
    asked, actor = command.open_table, command.actor
    if draft.version:
        raise Refused("already_open", "this table is open already")
    check_kind(actor, pb.ACTOR_KIND_PLAYER, pb.ACTOR_KIND_OPERATOR, pb.ACTOR_KIND_SERVICE)
    if asked.imported:
        check_kind(actor, pb.ACTOR_KIND_OPERATOR)
    elif asked.HasField("match"):
        check_kind(actor, pb.ACTOR_KIND_SERVICE)
    check_nonce(asked.nonce)
    options = read_options(draft, asked.options)
    seating = draft.rules.seating(options)
    _check_position(draft, asked, options)
    _check_match(asked, seating)
    _check_headers(asked)
    draft.add(_opened(draft, command, options, seating))
    draft.seal()
    for seat, level in sorted(seating.bots.items()):
        draft.add(pb.BotSeated(seat=seat, level=level, name=bot_name(seat, level)))
    if not asked.HasField("match") and actor.kind == pb.ACTOR_KIND_PLAYER:
        _seat_opener(draft, command, seating)
    start_if_all_ready(draft)


def _opened(draft: Draft, command: pb.Command, options: Message, seating: Seating) -> pb.TableOpened:
    asked = command.open_table
    in_match = asked.HasField("match")
    event = pb.TableOpened(
        game=draft.rules.game,
        options=any_of(options),
        seats=seating.seats,
        private=asked.private,
        code=draft.house.code() if asked.private else "",
        spectators=asked.spectators or pb.SPECTATORS_ALLOWED,
        absence=pb.ABSENCE_PLAY_ON if in_match else asked.absence or pb.ABSENCE_PLAY_ON,
        hot_seat=asked.hot_seat,
        position=asked.position,
        imported=asked.imported,
        opener=pb.Actor(id=command.actor.id, name=command.actor.name, kind=command.actor.kind),
        headers=asked.headers,
    )
    if in_match:
        event.match.CopyFrom(asked.match)
    return event


def _check_position(draft: Draft, asked: pb.OpenTable, options: Message) -> None:
    if not asked.position:
        return
    if draft.rules.hides or not asked.private or asked.HasField("match"):
        raise Refused("not_offered", "positions are for private tables of games without hidden information", "position")
    try:
        given: Any = json.loads(asked.position)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise Refused("bad_argument", "position is a JSON object in the rules file's shape", "position")
    try:
        draft.rules.position(options, given)  # pyright: ignore[reportUnknownArgumentType]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise Refused("bad_argument", f"this is no position of {draft.rules.game}: {error}", "position") from None


def _check_match(asked: pb.OpenTable, seating: Seating) -> None:
    if not asked.HasField("match"):
        return
    if not asked.match.match_id:
        raise Refused("bad_argument", "a match has an id", "match.match_id")
    if len(asked.match.seats) != seating.seats:
        raise Refused(
            "bad_argument",
            f"the match names {len(asked.match.seats)} seats, the options {seating.seats}",
            "match.seats",
        )


def _check_headers(asked: pb.OpenTable) -> None:
    if asked.headers and not asked.imported:
        raise Refused("bad_argument", "headers are those of an imported record", "headers")
    if len(asked.headers) > MOST_HEADERS:
        raise Refused("bad_argument", f"a record has {MOST_HEADERS} headers at most", "headers")
    for header in asked.headers:
        if not 1 <= len(header.key) <= HEADER_KEY_CHARS or len(header.value) > HEADER_VALUE_CHARS:
            allowed = f"1..{HEADER_KEY_CHARS} characters, its text 0..{HEADER_VALUE_CHARS}"
            raise Refused("bad_argument", f"a header's name has {allowed}: {header.key[:80]!r}", "headers")


def _seat_opener(draft: Draft, command: pb.Command, seating: Seating) -> None:
    asked = command.open_table
    if asked.HasField("seat"):
        number = asked.seat
        check_free(draft, number)
    elif seating.host is not None and not draft.life.seats[seating.host].taken:
        number = seating.host
    elif all(seat.taken for seat in draft.life.seats):
        return  # the opener only looks on
    else:
        number = free_seat(draft)
    draft.add(
        pb.SeatTaken(seat=number, player=command.actor.id, name=command.actor.name, nonce=asked.nonce),
    )
    draft.add(pb.HostMoved(seat=number))


def bot_name(seat: int, level: str) -> str:
    """Name of a regular at a seat; the same for the same seat, so that replays read alike."""
    regulars = ("Henk", "Bodil", "Truus", "Karsten", "Odette", "Gerrit", "Inger", "Marcel")
    return f"{regulars[seat % len(regulars)]} ({level})"


def _check_rest(draft: Draft) -> None:
    if draft.life.state == PLAYING:
        raise Refused("wrong_state", "not while a play runs")


def _check_no_match(draft: Draft) -> None:
    if draft.life.match_id:
        raise Refused("not_offered", "seats and options of a match are fixed")


def sit(draft: Draft, command: pb.Command) -> None:
    """Sit: a free seat, with the code at private tables. Who comes back to his own seat in mid-play has it again."""
    asked, actor, life = command.sit, command.actor, draft.life
    check_kind(actor, pb.ACTOR_KIND_PLAYER)
    check_nonce(asked.nonce)
    mine = life.seats_of(actor.id)
    gone = [number for number in mine if life.seats[number].away or life.seats[number].entrusted]
    if life.state == PLAYING and gone:
        for number in gone if not asked.HasField("seat") else [own_seat(draft, actor, asked.seat)]:
            draft.add(pb.SeatReturned(seat=number))
        return
    _check_rest(draft)
    _check_no_match(draft)
    if life.private and not mine and asked.code.upper() != life.code:
        raise Refused("bad_code", "this table is private; its code is another one", "code")
    if mine and not life.hot_seat:
        raise Refused("already_seated", f"you sit at seat {mine[0]} already", "seat")
    if asked.HasField("seat"):
        check_free(draft, asked.seat)
    number = asked.seat if asked.HasField("seat") else free_seat(draft)
    draft.add(pb.SeatTaken(seat=number, player=actor.id, name=actor.name, nonce=asked.nonce))
    move_host(draft)


def leave(draft: Draft, command: pb.Command) -> None:
    """Leave: the seat is free again; in mid-play it stays, and its player is away."""
    asked, actor, life = command.leave, command.actor, draft.life
    mine = life.seats_of(actor.id)
    if asked.HasField("seat"):
        mine = [own_seat(draft, actor, asked.seat)]
    if not mine:
        raise Refused("not_your_seat", "you hold no seat at this table", "seat")
    if life.state == PLAYING:
        if all(life.seats[number].away for number in mine):
            raise Refused("wrong_state", "you are away already")
        for number in mine:
            if not life.seats[number].away:
                draft.add(pb.SeatAway(seat=number))
        return
    _check_no_match(draft)
    for number in mine:
        draft.add(pb.SeatLeft(seat=number, player=actor.id))
    move_host(draft)


def seat_bot(draft: Draft, command: pb.Command) -> None:
    """SeatBot: a computer player takes a free seat."""
    asked = command.seat_bot
    check_host(draft, command.actor)
    _check_rest(draft)
    if asked.level not in BOT_LEVELS:
        raise Refused("bad_argument", f"level is one of {', '.join(BOT_LEVELS)}, not {asked.level!r}", "level")
    if asked.HasField("seat"):
        check_free(draft, asked.seat)
    number = asked.seat if asked.HasField("seat") else free_seat(draft)
    draft.add(pb.BotSeated(seat=number, level=asked.level, name=bot_name(number, asked.level)))
    start_if_all_ready(draft)


def remove_bot(draft: Draft, command: pb.Command) -> None:
    """RemoveBot: the seat of a computer player is free again."""
    number = command.remove_bot.seat
    check_host(draft, command.actor)
    _check_rest(draft)
    check_number(draft, number)
    if not draft.life.seats[number].bot:
        raise Refused("bad_argument", f"no computer player sits at seat {number}", "seat")
    draft.add(pb.BotRemoved(seat=number))


def renew_code(draft: Draft, command: pb.Command) -> None:
    """RenewCode: a private table gets another invitation code."""
    check_host(draft, command.actor)
    _check_rest(draft)
    if not draft.life.private:
        raise Refused("not_offered", "this table is open to everybody")
    draft.add(pb.CodeRenewed(code=draft.house.code()))


def set_options(draft: Draft, command: pb.Command) -> None:
    """SetOptions: other options for the coming play; nobody loses a seat by it."""
    check_host(draft, command.actor)
    _check_rest(draft)
    life = draft.life
    if life.ended and draft.rules.again(draft.game) is None:
        raise Refused("not_offered", f"between games {draft.rules.game} changes its rules by a command of its own")
    options = read_options(draft, command.set_options.options)
    seats = draft.rules.seating(options).seats
    lost = [number for number, seat in enumerate(life.seats) if number >= seats and seat.taken]
    if lost:
        raise Refused("bad_option", f"seat {lost[0]} is taken, so there must be more than {seats} seats", "seats")
    draft.add(pb.OptionsSet(options=any_of(options), seats=seats))
