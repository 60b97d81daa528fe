"""Clocks, pauses, absence, the house's clock, voiding: time is passed in, nothing sleeps."""

from types import SimpleNamespace
from typing import Any

import pytest

from libs.table.clocks import HOUSE_IDLE_US, fill_bank, overlap
from libs.table.life import CLOSED, GATHERING, HOUSE, PLAYING, Running, any_of
from libs.table.views import redact, table_view
from services.klaverjas.rules import RULES as KLAVERJAS
from services.liarsdice.rules import RULES as LIARSDICE
from services.trictrac.rules import RULES
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt
from tests.unit.table.desk import ANN, BEN, BOTS, OPERATOR, SECOND, TIMER, Desk, names, opened, two_playing


def test_a_throw_that_leaves_a_choice_starts_a_fresh_clock() -> None:
    desk = Desk()
    two_playing(desk)
    first = desk.table.life.clocks[0]
    assert first.due == desk.now + 20 * SECOND
    desk.later(5)
    desk.act(ANN, 0, tt.Throw())
    second = desk.table.life.clocks[0]
    assert second.clock_id != first.clock_id
    assert second.due == desk.now + 20 * SECOND


def test_an_expiry_is_refused_for_another_clock_and_before_its_time() -> None:
    desk = Desk()
    two_playing(desk)
    assert desk.refused(TIMER, pb.ExpireClock(clock_id="x")).code == "no_such_clock"
    assert desk.refused(ANN, pb.ExpireClock(clock_id=desk.clock_id())).code == "role_missing"
    desk.later(19)
    early = desk.refused(TIMER, pb.ExpireClock(clock_id=desk.clock_id()))
    assert (early.code, early.details) == ("not_due", {"rest_ms": 1000})
    desk.later(1)
    old = desk.clock_id()
    events = desk.do(TIMER, pb.ExpireClock(clock_id=old))
    assert names(events)[0] == "ClockExpired"
    assert names(events)[-1] == "ClocksSet"
    assert desk.refused(TIMER, pb.ExpireClock(clock_id=old)).code == "no_such_clock"


def test_order_in_the_stream_decides_between_an_action_and_an_expiry() -> None:
    desk = Desk()
    two_playing(desk)
    clock = desk.clock_id()
    desk.later(25)
    desk.act(ANN, 0, tt.Throw())
    assert desk.refused(TIMER, pb.ExpireClock(clock_id=clock)).code == "no_such_clock"


def test_time_never_runs_back() -> None:
    desk = Desk()
    two_playing(desk)
    at = desk.table.at
    desk.later(-100)
    desk.act(ANN, 0, tt.Throw())
    assert desk.table.at == at


def test_a_pause_keeps_what_is_left() -> None:
    desk = Desk()
    asked = opened(seats=2, first_starter=0)
    asked.private = True
    desk.do(ANN, asked)
    desk.do(BEN, pb.Sit(code=desk.table.life.code))
    desk.do(ANN, pb.Start())
    desk.later(12)
    desk.do(ANN, pb.Pause())
    assert desk.refused(ANN, pb.Act(seat=0, body=any_of(tt.Throw()))).code == "paused"
    assert [clock.seat for clock in desk.table.life.clocks] == [HOUSE]
    desk.later(3600)
    desk.do(ANN, pb.Resume())
    assert desk.table.life.clocks[0].due == desk.now + 8 * SECOND
    desk.act(ANN, 0, tt.Throw())


def test_open_tables_are_paused_by_operators_only() -> None:
    desk = Desk()
    two_playing(desk)
    assert desk.refused(ANN, pb.Pause()).code == "not_offered"
    desk.do(OPERATOR, pb.Pause())
    assert desk.refused(OPERATOR, pb.Pause()).code == "wrong_state"
    desk.do(OPERATOR, pb.Resume())


def test_an_operator_moves_a_clock_with_a_reason() -> None:
    desk = Desk()
    two_playing(desk)
    due = desk.table.life.clocks[0].due
    assert desk.refused(OPERATOR, pb.AdjustClock(clock_id=desk.clock_id(), by_ms=1)).field == "reason"
    desk.do(OPERATOR, pb.AdjustClock(clock_id=desk.clock_id(), by_ms=5000, reason="power cut"))
    assert desk.table.life.clocks[0].due == due + 5 * SECOND


def test_a_clock_stands_still_while_its_log_has_no_owner() -> None:
    desk = Desk()
    two_playing(desk)
    began = desk.now
    desk.house.gaps.append((began + 5 * SECOND, began + 12 * SECOND))
    desk.later(21)
    events = desk.do(TIMER, pb.ExpireClock(clock_id=desk.clock_id()))
    assert names(events) == ["ClocksSet"]
    moved = desk.table.life.clocks[0]
    assert (moved.due, moved.credited) == (desk.now + 7 * SECOND, 7 * SECOND)
    desk.later(8)
    assert names(desk.do(TIMER, pb.ExpireClock(clock_id=moved.clock_id)))[0] == "ClockExpired"


def test_overlap_counts_only_what_lies_in_the_clocks_time() -> None:
    clock = Running("1-0", 0, "k", 100, 100, 200)
    assert overlap(clock, [(0, 50), (90, 120), (150, 160)], 200) == 30
    assert overlap(Running("1-0", 0, "k", 100, 100, 200, credited=30), [(90, 120), (150, 160)], 200) == 0


def test_three_missed_clocks_entrust_the_seat_until_its_player_acts() -> None:
    desk = Desk()
    asked = opened(seats=2, first_starter=0, points=12)
    asked.absence = pb.ABSENCE_BOT
    desk.do(ANN, asked)
    desk.do(BEN, pb.Sit())
    desk.do(ANN, pb.Start())
    while not desk.table.life.seats[0].entrusted:
        desk.later(21)
        seat = desk.table.life.clocks[0].seat
        if seat == 1:
            desk.act(BEN, 1, tt.Throw())
            continue
        desk.do(TIMER, pb.ExpireClock(clock_id=desk.clock_id()))
    assert desk.table.life.seats[0].missed == 3
    while 0 not in RULES.to_act(desk.table.game):
        desk.act(BEN, 1, tt.Throw())
    desk.act(BOTS, 0, tt.Throw())
    while 0 not in RULES.to_act(desk.table.game):
        desk.act(BEN, 1, tt.Throw())
    assert names(desk.act(ANN, 0, tt.Throw()))[0] == "SeatReturned"
    assert not desk.table.life.seats[0].entrusted


def test_a_forgotten_table_closes_and_a_used_one_does_not() -> None:
    desk = Desk()
    desk.do(ANN, opened(seats=3))
    house = desk.table.life.clocks[0]
    assert (house.seat, house.due) == (HOUSE, desk.now + HOUSE_IDLE_US)
    desk.later(600)
    desk.do(BEN, pb.Sit())
    desk.later(301)
    desk.do(TIMER, pb.ExpireClock(clock_id=desk.clock_id()))
    assert desk.table.life.state == GATHERING
    assert desk.table.life.clocks[0].due == desk.now + (900 - 301) * SECOND
    desk.later(600)
    events = desk.do(TIMER, pb.ExpireClock(clock_id=desk.clock_id()))
    assert names(events) == ["TableClosed", "ClocksSet"]
    assert desk.table.life.state == CLOSED
    assert desk.table.life.clocks == ()


def test_voiding_returns_to_the_last_rest_with_a_new_seal() -> None:
    desk = Desk()
    two_playing(desk)
    desk.act(ANN, 0, tt.Throw())
    assert desk.refused(OPERATOR, pb.VoidPlay()).field == "reason"
    events = desk.do(OPERATOR, pb.VoidPlay(reason="wrong options"))
    assert names(events)[:3] == ["PlayVoided", "DrawsRevealed", "DrawsSealed"]
    assert desk.table.life.state == GATHERING
    assert desk.table.game is None
    desk.do(ANN, pb.Start())
    assert (desk.table.life.state, desk.table.life.play) == (PLAYING, 2)


@pytest.mark.parametrize("rules", [KLAVERJAS, LIARSDICE])
def test_after_the_first_play_was_voided_its_secrets_stay_hidden(rules: Any) -> None:
    """There is no state of the game then that redaction could be judged by."""
    desk = Desk(rules)
    desk.do(ANN, pb.OpenTable(hot_seat=True))
    for _ in range(3):
        desk.do(ANN, pb.Sit())
    secret = [one for one in desk.do(ANN, pb.Ready(on=True)) if names([one])[0] in ("CardsDealt", "CupsShaken")]
    desk.do(OPERATOR, pb.VoidPlay(reason="wrong options"))
    assert desk.table.game is None
    assert len(secret) == 1
    assert redact(secret[0], desk.table, None) != secret[0]


def test_banks_are_filled_for_the_seats_whose_clock_runs() -> None:
    event = SimpleNamespace(bank_left_ms=[600_000, 500_000])
    fill_bank(event, [Running("1-0", 1, "k", 0, 2_000_000, 402_000_000)], 102_000_000)  # type: ignore[arg-type]
    assert event.bank_left_ms == [600_000, 300_000]


def test_views_show_deadlines() -> None:
    desk = Desk()
    two_playing(desk)
    view = table_view(desk.table, 0)
    assert view.clocks[0].due.seconds == (desk.now + 20 * SECOND) // SECOND
    assert list(view.to_act) == [0]
    assert list(view.actions) == ["throw"]
