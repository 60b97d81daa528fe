"""One command at one table: the checks that all games share, in their order, then the rules. Pure.

The order is that of rules_protocol.md, section 2: closed, unknown_seat, not_your_seat, version_mismatch, paused,
not_started, seats_missing, then the game. Unknown tables, repeats and late commands are the writer's business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from google.protobuf.message import DecodeError, Message

from libs.table import lifecycle, operate, plays
from libs.table.draft import Draft, House
from libs.table.imported import ListedDraws
from libs.table.life import CLOSED, GATHERING, RESTING, Seat
from libs.table.rules import Refused, unread
from libs.table.standing import AnyRules, Standing
from libs.table.unknown import first_unknown_field
from stamtafel.table.v1 import table_pb2 as pb


def decide(
    standing: Standing, seed: bytes, command: pb.Command, now: int, house: House, outcomes: Sequence[Any] = ()
) -> Draft:
    """The decision that a command causes at a table (`standing` is left as it is).

    `seed` is the sealed seed of the present play, or of the next one between plays; `now` the command's time in the
    stream (us); `outcomes` what its computations gave so far. Raises Refused, or NotYet when one is to be made.
    """
    draft = Draft(standing, seed, now, house)
    body = command.WhichOneof("body")
    if body == "act":
        _act(draft, command, outcomes)
    else:
        handler = _HANDLERS.get(body or "")
        if handler is None:
            raise Refused("bad_argument", "the command has no body this server knows", "body")
        if body != "open_table":
            if draft.life.state == CLOSED:
                raise Refused("closed", "this table is closed")
            check_version(draft, command)
        handler(draft, command)
    draft.settle_clocks()
    return draft


def check_version(draft: Draft, command: pb.Command) -> None:
    """Refuses a command that was made for another version of the table."""
    if command.HasField("expected_version") and command.expected_version != draft.version:
        raise Refused(
            "version_mismatch",
            f"the table is at version {draft.version}, not {command.expected_version}",
            "expected_version",
            version=draft.version,
        )


# ------------------------------------------------------------------------------------------------ game commands


def _act(draft: Draft, command: pb.Command, outcomes: Sequence[Any]) -> None:
    act = command.act
    life = draft.life
    number = act.seat
    if life.state == CLOSED:
        raise Refused("closed", "this table is closed")
    if not 0 <= number < len(life.seats):
        raise Refused("unknown_seat", f"seat is 0..{len(life.seats) - 1}, not {number}", "seat")
    seat = life.seats[number]
    if not may_act(seat, command.actor) and not (life.imported and command.actor.id == life.opener):
        raise Refused("not_your_seat", f"seat {number} is not yours", "seat")
    check_version(draft, command)
    if life.paused:
        raise Refused("paused", "the table is paused")
    if life.state == GATHERING:
        raise Refused("not_started", "the play has not started yet")
    if draft.game is None:
        raise Refused("not_started", "the play was voided; it has to be started again")
    try:
        message = read_act(draft.rules, act)
    except Refused as refusal:
        raise unread(draft.rules, draft.game, number, refusal) from None
    if act.draws and not life.imported:
        raise Refused("bad_argument", "draws come with imported records only", "draws")
    draft.use(ListedDraws(act.draws) if life.imported else None, outcomes)
    if command.actor.id == seat.player and (seat.entrusted or seat.away or seat.missed):
        draft.add(pb.SeatReturned(seat=number))
    if life.state == RESTING:
        plays.act_at_rest(draft, number, message)
    else:
        draft.add_played(_decided(draft, number, message))
        plays.finish(draft)


def _decided(draft: Draft, seat: int, message: Message) -> Sequence[Message]:
    """The game's events; an outcome in a record that the game cannot read is the record's fault."""
    try:
        return draft.rules.decide(draft.game, seat, message, draft.ctx())
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        if draft.scripted is None:
            raise
        raise Refused("bad_argument", f"the record's draws do not fit this command ({error!r})", "draws") from error


def may_act(seat: Seat, actor: pb.Actor) -> bool:
    """Whether this sender may act for this seat (at imported tables the operator who opened them acts for all)."""
    if actor.kind == pb.ACTOR_KIND_PLAYER:
        return bool(seat.player) and seat.player == actor.id
    return actor.kind == pb.ACTOR_KIND_BOT and bool(seat.bot or seat.entrusted)


def read_act(rules: AnyRules, act: pb.Act) -> Message:
    """The game's command out of its Any. Raises the game's own `unreadable` refusal."""
    name = act.body.type_url.rpartition("/")[2]
    command_type = command_types(rules).get(name)
    if command_type is None:
        raise rules.unreadable(name.rpartition(".")[2] or "nothing", None)
    try:
        message = command_type.FromString(act.body.value)
    except DecodeError:
        raise rules.unreadable(snake(command_type), None) from None
    field = first_unknown_field(message)
    if field is not None:
        raise rules.unreadable(snake(command_type), f"field {field}")
    return message


_COMMAND_TYPES: dict[str, dict[str, type[Message]]] = {}


def command_types(rules: AnyRules) -> dict[str, type[Message]]:
    """The command messages of a game by full name (made once)."""
    known = _COMMAND_TYPES.get(rules.game)
    if known is None:
        known = _COMMAND_TYPES[rules.game] = {t.DESCRIPTOR.full_name: t for t in rules.commands}
    return known


def snake(message: type[Message]) -> str:
    """A message's name as the rules files write it: `TakePoint` is `take_point`."""
    name = message.DESCRIPTOR.name
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name))


# ------------------------------------------------------------------------------------------------ a missed clock


def _expire(draft: Draft, command: pb.Command) -> None:
    if command.actor.kind != pb.ACTOR_KIND_TIMER:
        raise Refused("role_missing", "only the timer says that a clock is up")
    seat = operate.expired_seat(draft, command.expire_clock.clock_id)
    if seat is None:
        return
    draft.add_played(draft.rules.expire(draft.game, seat, draft.ctx()))
    operate.note_miss(draft, seat)
    operate.drop_clock(draft, command.expire_clock.clock_id)
    plays.finish(draft)


_HANDLERS: dict[str, Callable[[Draft, pb.Command], None]] = {
    "open_table": lifecycle.open_table,
    "sit": lifecycle.sit,
    "leave": lifecycle.leave,
    "seat_bot": lifecycle.seat_bot,
    "remove_bot": lifecycle.remove_bot,
    "renew_code": lifecycle.renew_code,
    "set_options": lifecycle.set_options,
    "ready": plays.ready,
    "start": plays.start_command,
    "pause": operate.pause,
    "resume": operate.resume,
    "adjust_clock": operate.adjust_clock,
    "void_play": operate.void_play,
    "close_table": operate.close_table,
    "expire_clock": _expire,
}
