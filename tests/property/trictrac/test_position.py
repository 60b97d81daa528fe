"""Positions: any moment of a game written as the rules file's Position is that moment again."""

from typing import Any

from google.protobuf.message import Message
from hypothesis import given, settings

from libs.table.rules import Facts, Refused
from services.trictrac.rules import RULES
from services.trictrac.state import OVER, THROW_OFF, State
from stamtafel.trictrac.v1 import trictrac_pb2 as pb
from tests.property.trictrac.games import Chance, Game, games, play

COMMANDS: tuple[Message, ...] = (pb.Throw(), pb.Throw(direction=9), pb.Stand(), pb.TakePoint())


def position_of(view: pb.View, out: list[int]) -> dict[str, Any]:
    """The Position that a public view shows; `out` in the order in which they went."""
    given: dict[str, Any] = {
        "points": [row.points for row in view.seats],
        "bok": view.bok if view.HasField("bok") else None,
        "out": out,
        "round": view.round,
        "starter": view.starter,
        "limit": view.limit if view.HasField("limit") else None,
    }
    n = len(view.seats)
    order = [view.seats[(view.starter + step) % n] for step in range(n)]
    given["stood"] = [
        {
            "seat": row.seat,
            "dice": list(row.standing.dice),
            "throws_made": row.standing.throws_made,
            "reason": row.standing.reason,
        }
        for row in order
        if row.HasField("standing")
    ]
    if view.phase == THROW_OFF:
        off = view.throw_off
        thrown = [{"seat": one.seat, "die": one.die} for one in off.thrown]
        given["throw_off"] = {"seats": list(off.seats), "pass_number": off.pass_number, "thrown": thrown}
    elif throws := view.seats[view.turn.seat].throws:
        given["turn"] = {"seat": view.turn.seat, "throws": [list(dice.items) for dice in throws]}
    return given


def shown(state: State) -> pb.View:
    """The public view without what a position leaves out: the round before, throws thrown away, what lay before."""
    view = RULES.view(state, None, Facts())
    view.ClearField("last_round")
    for row in view.seats:
        if row.HasField("standing"):
            del row.throws[:]
            row.throws.add(items=row.standing.dice)
    named = view.throw_off.thrown if view.phase == THROW_OFF else view.seats[view.turn.seat].throws
    if not named:
        for field in ("dice", "seat", "score"):
            view.table.ClearField(field)
    return view


def answer(state: State, seat: int, command: Message | None) -> object:
    """The events of a command, or of a missed clock, or the code of its refusal."""
    try:
        if command is None:
            return RULES.expire(state, seat, Chance(7))
        return RULES.decide(state, seat, command, Chance(7))
    except Refused as refusal:
        return refusal.code


@settings(max_examples=30, deadline=None)
@given(games())
def test_a_position_goes_on_like_the_game(game: Game) -> None:
    for step in play(game):
        state = step.after
        if state.phase == OVER:
            continue
        view = RULES.view(state, None, Facts())
        again = RULES.position(game.options, position_of(view, list(state.out)))
        assert shown(again) == shown(state)
        for seat in range(-1, len(state.points) + 1):
            for command in (None, *COMMANDS):
                assert answer(again, seat, command) == answer(state, seat, command)
