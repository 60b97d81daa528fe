"""Tables that take an imported record: the operator who opened them acts for every seat and brings the draws."""

import json

import pytest

from libs.table.imported import ListedDraws
from libs.table.life import PLAYING, any_of
from libs.table.rules import Facts, NotYet, Refused
from services.carrom.rules import RULES as CARROM
from stamtafel.carrom.v1 import carrom_pb2 as carrom
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


def test_what_is_computed_stands_in_the_record_and_is_not_computed_anew() -> None:
    desk = Desk(CARROM)
    seats = [pb.MatchSeat(player="record:0", name="Ann"), pb.MatchSeat(player="record:1", name="Ben")]
    desk.do(OPERATOR, pb.OpenTable(imported=True, match=pb.Match(match_id="record", seats=seats)))
    desk.do(OPERATOR, pb.Start())
    seat = desk.table.game.turn
    shot = carrom.Shoot(x=0.0, angle=0.0, speed=3.0)
    with pytest.raises(NotYet) as wanted:
        CARROM.decide(desk.table.game, seat, shot, NoOutcome())
    outcome = {**wanted.value.job.function(*wanted.value.job.arguments), "engine": "another engine"}
    assert desk.refused(OPERATOR, pb.Act(seat=seat, body=any_of(shot))).field == "draws"
    for bad in ("{}", "[1, 2]", '{"pocketed": 3, "rest": 4}'):
        act = pb.Act(seat=seat, body=any_of(shot), draws=[pb.ScriptedDraw(json=bad)])
        assert desk.refused(OPERATOR, act).field == "draws"
    drawn = [pb.ScriptedDraw(json=json.dumps(outcome))]
    events = desk.do(OPERATOR, pb.Act(seat=seat, body=any_of(shot), draws=drawn))
    (resolved,) = [event for event in events if isinstance(event, carrom.ShotResolved)]
    assert resolved.engine == "another engine"


class NoOutcome:
    """A `Ctx` that has computed nothing yet."""

    facts = Facts()
    draws = ListedDraws(())

    def compute(self, job: object) -> None:
        raise NotYet(job)  # pyright: ignore[reportArgumentType]


def test_headers_come_with_imported_records_only_and_are_kept() -> None:
    asked = opened(seats=2)
    asked.headers.add(key="Event", value="Club evening")
    assert Desk().refused(ANN, asked).field == "headers"
    asked.imported = True
    event = Desk().do(OPERATOR, asked)[0]
    assert isinstance(event, pb.TableOpened)
    assert [(header.key, header.value) for header in event.headers] == [("Event", "Club evening")]
    asked.headers.add(key="", value="no name")
    assert Desk().refused(OPERATOR, asked).field == "headers"
    del asked.headers[:]
    asked.headers.extend([pb.RecordHeader(key="k", value="v")] * 65)
    assert Desk().refused(OPERATOR, asked).field == "headers"
