"""Tables that take an imported record: the operator who opened them acts for every seat and brings the draws."""

import pytest

from libs.table.imported import ListedDraws
from libs.table.life import PLAYING, any_of
from libs.table.rules import Refused
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt
from tests.unit.table.desk import ANN, OPERATOR, Desk, opened


def imported() -> Desk:
    desk = Desk()
    asked = opened(seats=2, first_starter=0)
    asked.imported = True
    asked.match.CopyFrom(
        pb.Match(match_id="record", seats=[pb.MatchSeat(player="x", name="Xavier"), pb.MatchSeat(player="y", name="Y")])
    )
    assert desk.refused(ANN, asked).code == "role_missing"
    desk.do(OPERATOR, asked)
    desk.do(OPERATOR, pb.Start())
    assert desk.table.life.state == PLAYING
    return desk


def throw(seat: int, *draws: str) -> pb.Act:
    return pb.Act(seat=seat, body=any_of(tt.Throw()), draws=[pb.ScriptedDraw(json=text) for text in draws])


def test_the_draws_of_the_record_are_what_falls() -> None:
    desk = imported()
    thrown = desk.do(OPERATOR, throw(0, "[6, 5]"))[0]
    assert isinstance(thrown, tt.DiceThrown)
    assert list(thrown.dice) == [6, 5]
    stood = desk.do(OPERATOR, pb.Act(seat=0, body=any_of(tt.Stand())))
    assert type(stood[0]) is tt.ThrowStood


def test_a_record_that_names_no_draw_or_a_bad_one_is_refused() -> None:
    desk = imported()
    assert desk.refused(OPERATOR, throw(0)).field == "draws"
    assert desk.refused(OPERATOR, throw(0, "[7, 1]")).field == "draws"
    assert desk.refused(OPERATOR, throw(0, "six")).field == "draws"
    assert desk.refused(ANN, throw(0, "[6, 5]")).code == "not_your_seat"


def test_listed_draws_check_their_shape() -> None:
    draws = ListedDraws([pb.ScriptedDraw(json=text) for text in ('{"white": 1}', "[3, 1, 2]", '"x"', "[1]")])
    assert draws.pick([0, 1]) == 1
    assert draws.shuffle([1, 2, 3]) == (3, 1, 2)
    with pytest.raises(Refused):
        draws.pick(["a", "b"])
    with pytest.raises(Refused):
        draws.shuffle([1, 2])
