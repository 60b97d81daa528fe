"""Opening, seats, host rights, computer players, options: what all games share."""

import pytest

from libs.table.life import GATHERING, PLAYING, RESTING, any_of
from libs.table.standing import options_of
from services.trictrac.rules import RULES
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt
from tests.unit.table.desk import ANN, BEN, BOTS, CAS, OPERATOR, SERVICE, TIMER, Desk, names, opened, two_playing


def test_open_seals_the_draws_and_seats_the_opener_as_host() -> None:
    desk = Desk()
    events = desk.do(ANN, opened(seats=3))
    assert names(events) == ["TableOpened", "DrawsSealed", "SeatTaken", "HostMoved", "ClocksSet"]
    assert desk.table.life.state == GATHERING
    assert desk.table.life.host == 0
    assert desk.table.life.seats[0].player == "ann"
    assert len(desk.table.life.commitment) == 32
    assert options_of(RULES, desk.table.life.options).points == 6


def test_bots_in_the_options_take_their_seats_and_the_opener_another() -> None:
    desk = Desk()
    desk.do(ANN, opened(seats=3, bots=[tt.Bot(seat=0, level="hard"), tt.Bot(seat=2, level="easy")]))
    assert desk.table.life.bots() == {0: "hard", 2: "easy"}
    assert desk.table.life.seats[1].player == "ann"


def test_a_table_of_computer_players_starts_at_once() -> None:
    desk = Desk()
    events = desk.do(ANN, opened(seats=2, bots=[tt.Bot(seat=0, level="easy"), tt.Bot(seat=1, level="easy")]))
    assert "PlayBegan" in names(events)
    assert desk.table.life.host is None


def test_bad_options_name_the_field() -> None:
    refusal = Desk().refused(ANN, opened(seats=99))
    assert (refusal.code, refusal.field) == ("bad_argument", "seats") or refusal.field == "seats"
    assert Desk().refused(ANN, pb.OpenTable(options=any_of(tt.Throw()))).code == "bad_option"


def test_private_tables_ask_for_their_code() -> None:
    desk = Desk()
    asked = opened(seats=2)
    asked.private = True
    desk.do(ANN, asked)
    code = desk.table.life.code
    assert desk.refused(BEN, pb.Sit(code="WRONG")).code == "bad_code"
    desk.do(ANN, pb.RenewCode())
    assert desk.refused(BEN, pb.Sit(code=code)).code == "bad_code"
    desk.do(BEN, pb.Sit(code=desk.table.life.code.lower()))
    assert desk.table.life.seats[1].player == "ben"


def test_seats_are_taken_once_unless_hot_seat() -> None:
    desk = Desk()
    desk.do(ANN, opened(seats=3))
    assert desk.refused(ANN, pb.Sit()).code == "already_seated"
    assert desk.refused(BEN, pb.Sit(seat=0)).code == "seat_taken"
    assert desk.refused(BEN, pb.Sit(seat=7)).code == "unknown_seat"
    desk.do(BEN, pb.Sit(seat=2))
    desk.do(CAS, pb.Sit())
    assert desk.refused(OPERATOR, pb.Sit()).code == "role_missing"
    assert desk.refused(pb.Actor(id="dirk", kind=pb.ACTOR_KIND_PLAYER), pb.Sit()).code == "table_full"
    hot = Desk()
    asked = opened(seats=2)
    asked.hot_seat = True
    hot.do(ANN, asked)
    hot.do(ANN, pb.Sit())
    assert hot.table.life.seats_of("ann") == [0, 1]


def test_the_host_moves_on_when_he_leaves() -> None:
    desk = Desk()
    desk.do(ANN, opened(seats=3))
    desk.do(BEN, pb.Sit(seat=2))
    events = desk.do(ANN, pb.Leave())
    assert names(events)[:2] == ["SeatLeft", "HostMoved"]
    assert desk.table.life.host == 2
    desk.do(BEN, pb.Leave())
    assert desk.table.life.host is None
    desk.do(CAS, pb.Sit())
    assert desk.table.life.host == 0


def test_only_the_host_seats_and_removes_computer_players() -> None:
    desk = Desk()
    desk.do(ANN, opened(seats=3))
    assert desk.refused(BEN, pb.SeatBot(level="easy")).code == "not_host"
    assert desk.refused(ANN, pb.SeatBot(level="genius")).field == "level"
    desk.do(ANN, pb.SeatBot(level="hard"))
    assert desk.table.life.bots() == {1: "hard"}
    assert desk.refused(ANN, pb.RemoveBot(seat=0)).code == "bad_argument"
    desk.do(ANN, pb.RemoveBot(seat=1))
    assert not desk.table.life.seats[1].taken


def test_ready_starts_when_all_are_and_start_asks_for_full_seats() -> None:
    desk = Desk()
    desk.do(ANN, opened(seats=2))
    assert desk.refused(ANN, pb.Start()).code == "seats_missing"
    desk.do(BEN, pb.Sit())
    assert desk.refused(BEN, pb.Start()).code == "not_host"
    desk.do(ANN, pb.Ready(on=True))
    desk.do(ANN, pb.Ready(on=False))
    desk.do(BEN, pb.Ready(on=True))
    assert desk.table.life.state == GATHERING
    events = desk.do(ANN, pb.Start())
    assert names(events)[:2] == ["PlayBegan", "GameStarted"]
    assert desk.table.life.state == PLAYING
    assert desk.refused(ANN, pb.Ready(on=True)).code == "wrong_state"


def test_options_change_between_plays_and_never_take_a_seat() -> None:
    desk = Desk()
    desk.do(ANN, opened(seats=3))
    desk.do(BEN, pb.Sit(seat=2))
    smaller = pb.SetOptions(options=any_of(tt.Options(seats=2)))
    refusal = desk.refused(ANN, smaller)
    assert (refusal.code, refusal.field) == ("bad_option", "seats")
    desk.do(ANN, pb.SetOptions(options=any_of(tt.Options(seats=4, points=2))))
    assert len(desk.table.life.seats) == 4
    assert options_of(RULES, desk.table.life.options).points == 2


def test_match_tables_have_fixed_seats_and_no_host() -> None:
    desk = Desk()
    match = pb.Match(match_id="r1.1", seats=[pb.MatchSeat(player="ann"), pb.MatchSeat(player="ben")])
    asked = opened(seats=2)
    asked.match.CopyFrom(match)
    assert desk.refused(ANN, asked).code == "role_missing"
    desk.do(SERVICE, asked)
    assert desk.refused(ANN, pb.Leave()).code == "not_offered"
    assert desk.refused(ANN, pb.Start()).code == "not_host"
    desk.do(ANN, pb.Ready(on=True))
    desk.do(BEN, pb.Ready(on=True))
    assert desk.table.life.state == PLAYING


def test_the_order_of_checks_of_a_game_command() -> None:
    desk = Desk()
    desk.do(ANN, opened(seats=2, first_starter=0))
    desk.do(BEN, pb.Sit())
    throw = pb.Act(seat=9, body=any_of(tt.Throw()))
    assert desk.refused(ANN, throw).code == "unknown_seat"
    throw.seat = 1
    assert desk.refused(ANN, throw, expected_version=99).code == "not_your_seat"
    throw.seat = 0
    assert desk.refused(ANN, throw, expected_version=99).code == "version_mismatch"
    assert desk.refused(ANN, throw).code == "not_started"
    desk.do(ANN, pb.Ready(on=True))
    desk.do(BEN, pb.Ready(on=True))
    assert desk.refused(BEN, pb.Act(seat=1, body=any_of(tt.Throw()))).code == "not_your_turn"
    assert desk.refused(ANN, pb.Act(seat=0, body=any_of(tt.Options()))).code == "bad_argument"
    assert desk.refused(BOTS, throw).code == "not_your_seat"
    events = desk.do(ANN, throw, expected_version=desk.table.version)
    assert names(events)[0] == "DiceThrown"
    desk.do(OPERATOR, pb.CloseTable(reason="test over"))
    assert desk.refused(ANN, throw).code == "closed"
    assert desk.refused(ANN, pb.Sit()).code == "closed"


def test_unknown_fields_and_broken_bytes_are_refused_by_the_game() -> None:
    desk = Desk()
    two_playing(desk)
    body = any_of(tt.Throw())
    body.value += b"\xf8\x3f\x01"  # field 1023
    assert desk.refused(ANN, pb.Act(seat=0, body=body)).code == "bad_argument"
    body.value = b"\xff\xff\xff"
    assert desk.refused(ANN, pb.Act(seat=0, body=body)).code == "bad_argument"


def test_leaving_in_mid_play_keeps_the_seat_until_the_play_ends() -> None:
    desk = Desk()
    two_playing(desk, points=1, bok=False)
    desk.do(BEN, pb.Leave())
    assert desk.table.life.seats[1].away
    assert desk.refused(BEN, pb.Leave()).code == "wrong_state"
    desk.do(BEN, pb.Sit())
    assert not desk.table.life.seats[1].away
    desk.do(BEN, pb.Leave())
    _play_out(desk)
    assert desk.table.life.state == RESTING
    assert not desk.table.life.seats[1].taken
    assert desk.table.life.host == 0


def _play_out(desk: Desk) -> None:
    while desk.table.life.state == PLAYING:
        desk.later(30)
        desk.do(TIMER, pb.ExpireClock(clock_id=desk.clock_id()))


def test_a_rematch_is_ready_again() -> None:
    desk = Desk()
    two_playing(desk, points=1, bok=False)
    _play_out(desk)
    assert desk.table.life.result
    desk.do(ANN, pb.Ready(on=True))
    events = desk.do(BEN, pb.Ready(on=True))
    began = next(event for event in events if isinstance(event, pb.PlayBegan))
    assert began.play == 2
    assert desk.table.life.state == PLAYING


@pytest.mark.parametrize("body", [pb.Pause(), pb.VoidPlay(reason="x"), pb.AdjustClock(clock_id="x", reason="x")])
def test_players_do_not_operate(body: object) -> None:
    desk = Desk()
    two_playing(desk)
    assert desk.refused(BEN, body).code in ("not_host", "role_missing")  # type: ignore[arg-type]
