"""Corners where rules meet: order of refusals (R11.2), claims (R7.11), the turned suit (R4.4), the target (R9.2)."""

from random import Random
from typing import Any

import pytest

from libs.table.life import RESTING, any_of
from libs.table.rules import Refused
from libs.testing.play import Play, given
from services.klaverjas.cards import CODES
from services.klaverjas.rules import RULES
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table
from tests.unit.table.desk import ANN, Desk

LAST: dict[str, Any] = {
    "hands": [["HK"], ["HQ"], ["HJ"], ["D7"]],
    "trump": "S",
    "maker": 0,
    "trick_no": 8,
    "leader": 0,
    "tricks": {"ns": 3, "ew": 4},
    "card_points": {"ns": 53, "ew": 90},
}
JACKS = {**LAST, "hands": [["HJ"], ["DJ"], ["CJ"], ["SJ"]], "card_points": {"ns": 53, "ew": 73}}
FULL = [
    ["S7", "S9", "SJ", "SA", "HT", "HA", "C8", "C7"],
    ["ST", "SK", "H7", "H8", "H9", "D8", "DA", "D7"],
    ["SQ", "HK", "DT", "DQ", "DK", "C9", "CT", "CA"],
    ["S8", "HJ", "HQ", "D9", "DJ", "CJ", "CQ", "CK"],
]
DECK = list(CODES)


def last_trick(options: dict[str, Any], position: dict[str, Any], random: list[Any] | None = None) -> Play:
    """All four hold one card and lay it."""
    play = given(RULES, options, position, random or [])
    for seat, (card,) in enumerate(position["hands"]):
        play.when(seat, "play", card=card).then({"type": "card_played", "trick": 8, "position": seat + 1})
    return play


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("play", {"card": "ZZ"}),
        ("play", {"card": "HA", "why": 1}),
        ("play", {}),
        ("claim_roem", {"points": "20"}),
        ("pass", {"suit": "S"}),
        ("undo", {}),
        ("collect", {}),
    ],
)
def test_seat_and_end_of_game_are_looked_at_before_the_command(name: str, arguments: dict[str, Any]) -> None:
    play = last_trick({"boompjes": 1}, LAST)
    play.when(4, name, **arguments).refused("unknown_seat", "seat")
    play.when(-1, name, **arguments).refused("unknown_seat", "seat")
    play.when(0, name, **arguments).refused("game_over")


def test_what_cannot_be_read_comes_before_phase_and_turn() -> None:
    play = given(RULES, {}, LAST)
    play.when(2, "claim_roem", points="20").refused("bad_argument", "points")
    play.when(2, "claim_roem", points=60).refused("bad_argument", "points")
    play.when(2, "undo").refused("bad_argument")
    play.when(2, "claim_roem", points=20).refused("wrong_phase")


def test_a_table_says_game_over_to_what_it_cannot_read_after_the_end() -> None:
    desk = Desk(RULES)
    desk.do(ANN, table.OpenTable(hot_seat=True, options=any_of(pb.Options(boompjes=1))))
    for _ in range(3):
        desk.do(ANN, table.Sit())
    desk.do(ANN, table.Ready(on=True))
    nonsense = table.Act(seat=0, body=any_of(pb.Options()))
    assert desk.refused(ANN, nonsense).code == "bad_argument"
    rng = Random(1)
    while desk.table.life.state != RESTING:
        state: Any = desk.table.game
        (seat,) = RULES.to_act(state)
        desk.act(ANN, seat, rng.choice(list(RULES.some(state, seat))))
    assert desk.refused(ANN, nonsense).code == "game_over"


def test_the_target_may_be_null_and_no_other_option() -> None:
    assert given(RULES, {"target_points": None}, LAST).view()["options"]["target_points"] is None
    with pytest.raises(Refused) as refused:
        given(RULES, {"boompjes": None}, LAST)
    assert (refused.value.code, refused.value.field) == ("bad_argument", "boompjes")


def test_the_order_of_refusals_while_a_trick_lies() -> None:
    play = last_trick({"roem_mode": "claim", "boompjes": 1}, {**LAST, "timeouts": [1, 0, 2, 0]})
    play.when(1, "claim_roem", points=30).refused("bad_argument", "points")
    play.when(3, "claim_roem", points=20).refused("not_your_roem")
    play.when(1, "play", card="HQ").refused("wrong_phase")
    play.when(1, "collect").refused("not_your_turn")
    assert play.state.timeouts == (0, 0, 0, 0)
    play.when(2, "claim_roem", points=100).then_only(
        {"type": "roem_claimed", "side": "ns", "claimed": 100, "points": 0}
    )
    play.when(0, "claim_roem", points=20).refused("roem_already_claimed")
    play.when(3, "claim_roem", points=20).refused("not_your_roem")
    play.when_late(2).then_only()
    play.when(0, "collect").then({"type": "boompje_scored", "result": "nat", "roem_scored": {"ns": 0, "ew": 0}})


@pytest.mark.parametrize(("worth", "claimed", "written"), [(100, 200, 0), (100, 100, 100), (200, 200, 200)])
def test_the_true_sum_of_a_claim_follows_the_options(worth: int, claimed: int, written: int) -> None:
    play = last_trick({"roem_mode": "claim", "boompjes": 1, "four_jacks": worth}, JACKS)
    play.when(1, "claim_roem", points=claimed).then_only({"type": "roem_claimed", "seat": 1, "points": written})
    play.when_late(3).then(
        {"type": "clock_expired", "seat": 3, "action": "collect", "timeouts": 1},
        {"type": "trick_collected", "auto": True},
        {"type": "boompje_scored", "boompje_points": {"ns": 0, "ew": 162 + written}},
    )


def test_the_fourth_pass_by_the_clock_binds_the_forehand_who_leads_as_maker() -> None:
    position = {"phase": "choose_trump", "passes": 3, "turned": "C", "hands": FULL, "timeouts": [2, 0, 0, 1]}
    play = given(RULES, {"trump_maker": "turned", "lead": "maker", "first_dealer": "2"}, position, ["D"])
    play.when_late(2).then_only(
        {"type": "clock_expired", "seat": 2, "action": "choose_trump", "timeouts": 1},
        {"type": "trump_passed", "seat": 2, "auto": True},
        {"type": "suit_turned", "round": 2, "suit": "D"},
        {"type": "trump_chosen", "seat": 3, "suit": "D", "side": "ew", "forced": True, "auto": False},
    )
    seen = play.view()
    assert seen["timeouts"] == [2, 0, 1, 1]
    assert (seen["maker"], seen["leader"], seen["turned"]) == (3, 3, "D")


def test_the_next_deal_keeps_the_last_trick_and_forgets_trump_and_turned_suit() -> None:
    options = {"boompjes": 2, "trump_maker": "turned"}
    play = last_trick(options, LAST, [DECK, "C"])
    seen = play.view()
    assert (seen["phase"], seen["trick_no"], seen["turned"]) == ("choose_trump", 1, "C")
    assert [seen[name] for name in ("trump", "maker", "playing_side", "leader", "winning_seat")] == [None] * 5
    assert seen["last_trick"]["roem"] == 20 and seen["last_boompje"]["boompje"] == 1
    assert seen["turn"] == {"seat": 1, "action": "choose_trump", "may_pass": True}


@pytest.mark.parametrize(
    ("score", "boompje", "end"),
    [
        ((1408, 1410), 1, None),
        ((1408, 1410), 2, {"winner": None, "reason": "boompjes"}),
        ((1408, 1409), 1, {"winner": "ns", "reason": "target"}),
        ((1408, 1409), 2, {"winner": "ns", "reason": "target"}),
        ((1407, 1409), 1, None),
        ((0, 1409), 2, {"winner": "ew", "reason": "boompjes"}),
    ],
)
def test_the_target_ends_a_game_unless_scores_are_equal(
    score: tuple[int, int], boompje: int, end: dict[str, Any] | None
) -> None:
    """The last trick makes it 92 : 90 for this boompje."""
    position = {**LAST, "score": {"ns": score[0], "ew": score[1]}, "boompje": boompje}
    play = last_trick({"boompjes": 2, "target_points": 1500}, position, [] if end else [DECK])
    last = play.events[-1]
    if end is None:
        assert isinstance(last, pb.CardsDealt)
        return
    assert isinstance(last, pb.GameFinished)
    assert {"winner": last.winner or None, "reason": last.reason} == end
    assert last.boompjes == boompje and play.view()["winner"] == end["winner"]
