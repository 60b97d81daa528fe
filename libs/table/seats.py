"""Checks on seats and roles that lifecycle commands share."""

from __future__ import annotations

from libs.table.draft import Draft
from libs.table.rules import Refused
from stamtafel.table.v1 import table_pb2 as pb


def check_number(draft: Draft, number: int) -> None:
    """Refuses a seat that the table does not have."""
    seats = len(draft.life.seats)
    if not 0 <= number < seats:
        raise Refused("unknown_seat", f"seat is 0..{seats - 1}, not {number}", "seat")


def own_seat(draft: Draft, actor: pb.Actor, number: int) -> int:
    """`number`, when the sender holds that seat."""
    check_number(draft, number)
    if not actor.id or draft.life.seats[number].player != actor.id:
        raise Refused("not_your_seat", f"seat {number} is not yours", "seat")
    return number


def check_host(draft: Draft, actor: pb.Actor) -> None:
    """Refuses who is not host of this table."""
    life = draft.life
    if life.match_id:
        raise Refused("not_host", "tables of a match have no host")
    if life.host is None or actor.kind != pb.ACTOR_KIND_PLAYER or life.seats[life.host].player != actor.id:
        raise Refused("not_host", "only the host of the table may do that")


def check_kind(actor: pb.Actor, *kinds: pb.ActorKind.ValueType) -> None:
    """Refuses senders of another kind."""
    if actor.kind not in kinds:
        names = ", ".join(pb.ActorKind.Name(kind).removeprefix("ACTOR_KIND_").lower() for kind in kinds)
        raise Refused("role_missing", f"only for: {names}", "actor")


def free_seat(draft: Draft) -> int:
    """The lowest free seat."""
    for number, seat in enumerate(draft.life.seats):
        if not seat.taken:
            return number
    raise Refused("table_full", "every seat is taken")


def check_free(draft: Draft, number: int) -> None:
    """Refuses a seat that somebody has."""
    check_number(draft, number)
    if draft.life.seats[number].taken:
        raise Refused("seat_taken", f"seat {number} is taken", "seat")
