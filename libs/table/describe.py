"""A game described by itself: message types, possible seats, complete options of every preset."""

from __future__ import annotations

from libs.table.life import any_of
from libs.table.rules import Refused
from libs.table.standing import AnyRules
from stamtafel.table.v1 import table_pb2 as pb

MOST_SEATS = 8


def describe(rules: AnyRules) -> pb.DescribeResponse:
    """What clients and operators need to know before they open a table. Presets come from `rules.presets`."""
    defaults = rules.options(rules.options_type())
    answer = pb.DescribeResponse(
        game=rules.game,
        options_type=rules.options_type.DESCRIPTOR.full_name,
        view_type=rules.view_type.DESCRIPTOR.full_name,
        command_types=[t.DESCRIPTOR.full_name for t in rules.commands],
        event_types=[t.DESCRIPTOR.full_name for t in rules.events],
        seats=_seats(rules),
        defaults=any_of(defaults),
    )
    for name in rules.presets:
        options = rules.options(rules.options_type(preset=name))
        answer.presets.append(pb.Preset(name=name, options=any_of(options)))
    return answer


def _seats(rules: AnyRules) -> list[int]:
    if "seats" not in rules.options_type.DESCRIPTOR.fields_by_name:
        return [rules.seating(rules.options(rules.options_type())).seats]
    possible: list[int] = []
    for seats in range(1, MOST_SEATS + 1):
        try:
            possible.append(rules.seating(rules.options(rules.options_type(seats=seats))).seats)
        except Refused:
            continue
    return possible
