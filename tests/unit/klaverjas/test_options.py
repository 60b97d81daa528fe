"""Options, presets and positions: what is completed, what is refused and how (R0)."""

from typing import Any

import pytest

from libs.table.rules import Facts, Refused
from libs.testing.play import given
from services.klaverjas.cards import CODES
from services.klaverjas.rules import RULES
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb

HANDS = [["SA", "HA"], ["S9", "H7"], ["ST", "D7"], ["C7", "CA"]]
POSITION: dict[str, Any] = {
    "hands": HANDS,
    "trump": "S",
    "maker": 0,
    "trick_no": 7,
    "leader": 0,
    "tricks": {"ns": 4, "ew": 2},
    "card_points": {"ns": 70, "ew": 25},
}


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        (pb.Options(preset="brabants"), "preset"),
        (pb.Options(variant="gronings"), "variant"),
        (pb.Options(boompjes=0), "boompjes"),
        (pb.Options(boompjes=65), "boompjes"),
        (pb.Options(target_points=99), "target_points"),
        (pb.Options(fixed_maker=4), "fixed_maker"),
        (pb.Options(first_dealer="4"), "first_dealer"),
        (pb.Options(four_jacks=0), "four_jacks"),
        (pb.Options(tegenpit=50), "tegenpit"),
        (pb.Options(move_seconds=601), "move_seconds"),
        (pb.Options(bots=pb.Bots(items=[pb.Bot(level="easy")])), "bots"),
        (pb.Options(bots=pb.Bots(items=[pb.Bot(seat=1)])), "bots"),
        (pb.Options(bots=pb.Bots(items=[pb.Bot(seat=4, level="easy")])), "bots"),
        (pb.Options(bots=pb.Bots(items=[pb.Bot(seat=1, level="easy"), pb.Bot(seat=1, level="hard")])), "bots"),
    ],
)
def test_a_wrong_option_is_named(asked: pb.Options, field: str) -> None:
    with pytest.raises(Refused) as refused:
        RULES.options(asked)
    assert (refused.value.code, refused.value.field) == ("bad_argument", field)


@pytest.mark.parametrize(
    ("asked", "field", "told"),
    [
        ({"boompjes": "16"}, "boompjes", "a whole number from 1 to 64"),
        ({"target_points": 150.5}, "target_points", "from 100 to 10000 or null"),
        ({"trump_must_hold": 1}, "trump_must_hold", "true or false"),
        ({"variant": None}, "variant", "rotterdams, amsterdams"),
        ({"preset": ["solo"]}, "preset", "tafel, solo"),
        ({"bots": [{"seat": "1", "level": "easy"}]}, "bots", "easy, normal, hard"),
        ({"kraken": True}, "kraken", "options are preset, variant"),
    ],
)
def test_an_option_that_cannot_be_read_is_told_what_may_be(asked: dict[str, Any], field: str, told: str) -> None:
    with pytest.raises(Refused, match=told) as refused:
        given(RULES, asked)
    assert (refused.value.code, refused.value.field) == ("bad_argument", field)


def test_every_option_is_complete_but_the_target() -> None:
    full = RULES.options(pb.Options())
    unset = [field.name for field in full.DESCRIPTOR.fields if not full.HasField(field.name)]
    assert unset == ["target_points"]
    assert RULES.options(full) == full


def test_an_empty_list_of_bots_replaces_the_presets() -> None:
    assert [bot.seat for bot in RULES.options(pb.Options(preset="solo")).bots.items] == [1, 2, 3]
    assert not RULES.options(pb.Options(preset="solo", bots=pb.Bots())).bots.items


def test_bots_are_listed_and_seated_by_seat() -> None:
    full = RULES.options(pb.Options(bots=pb.Bots(items=[pb.Bot(seat=2, level="hard"), pb.Bot(seat=0, level="easy")])))
    assert [bot.seat for bot in full.bots.items] == [0, 2]
    assert RULES.seating(full) == (4, {0: "easy", 2: "hard"}, None)


def test_false_and_zero_are_values() -> None:
    full = RULES.options(pb.Options(preset="solo", trump_maker="forehand_must", move_seconds=0, tegenpit=0))
    assert (full.trump_maker, full.move_seconds, full.tegenpit) == ("forehand_must", 0, 0)


def test_a_rematch_moves_the_first_dealer_on() -> None:
    play = given(RULES, {"boompjes": 1, "first_dealer": "3"}, POSITION)
    again = RULES.again(play.state)
    assert again is not None and again.first_dealer == "0" and again.boompjes == 1
    drawn = RULES.again(RULES.initial(RULES.options(pb.Options(first_dealer="draw"))))
    assert drawn is not None and drawn.first_dealer == "draw"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"deler": 1}, "deler"),
        ({"phase": "collect"}, "phase"),
        ({"dealer": 4}, "dealer"),
        ({"trump": None}, "trump"),
        ({"maker": None}, "maker"),
        ({"hands": HANDS[:3]}, "hands"),
        ({"hands": [["SA", "SA"], *HANDS[1:]]}, "hands"),
        ({"hands": [["S9", "HA"], *HANDS[1:]]}, "hands"),
        ({"trick_no": 6}, "hands"),
        ({"tricks": {"ns": 4, "ew": 3}}, "tricks"),
        ({"card_points": {"ns": 70, "ew": 26}}, "card_points"),
        ({"card_points": {"ns": 70}}, "card_points"),
        ({"timeouts": [0, 0]}, "timeouts"),
        ({"table": ["SA"]}, "hands"),
    ],
)
def test_a_position_that_cannot_be_is_refused(change: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        RULES.position(RULES.options(pb.Options()), {**POSITION, **change})
    assert (refused.value.code, refused.value.field) == ("bad_argument", field)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"card_points": {"ns": 0, "ew": 1}}, "card_points"),
        ({"turned": None}, "turned"),
        ({"turned": "X"}, "turned"),
        ({"passes": 4}, "passes"),
        ({"passes": 5}, "passes"),
        ({"trick_no": 2}, "hands"),
    ],
)
def test_a_choice_of_trump_that_cannot_be_is_refused(change: dict[str, Any], field: str) -> None:
    hands = [list(CODES[8 * seat : 8 * seat + 8]) for seat in range(4)]
    position = {"phase": "choose_trump", "passes": 3, "turned": "C", "hands": hands}
    options = RULES.options(pb.Options(trump_maker="turned"))
    assert RULES.position(options, position).turned == 3
    with pytest.raises(Refused) as refused:
        RULES.position(options, {**position, **change})
    assert (refused.value.code, refused.value.field) == ("bad_argument", field)


def test_a_trick_may_lie_in_a_position() -> None:
    position = {**POSITION, "hands": [["SA"], ["S9", "H7"], ["ST", "D7"], ["C7", "CA"]], "table": ["HA"]}
    play = given(RULES, {}, position)
    assert play.view()["turn"] == {"seat": 1, "action": "play", "may_pass": False}
    play.when(1, "play", card="S9").refused("must_follow", "card")
    play.when(1, "play", card="H7").then_only({"type": "card_played", "position": 2})


def test_the_result_counts_what_a_drive_counts() -> None:
    play = given(RULES, {"boompjes": 1}, POSITION)
    assert RULES.result(play.state) is None
    for seat, card in ((0, "SA"), (1, "S9"), (2, "ST"), (3, "C7"), (1, "H7"), (2, "D7"), (3, "CA"), (0, "HA")):
        play.when(seat, "play", card=card).then({"type": "card_played"})
    result = RULES.result(play.state)
    assert result is not None
    numbers = {number.key: list(number.values) for number in result.numbers}
    assert list(result.sides) == [0, 1, 0, 1]
    assert list(result.points) == list(play.state.score) == numbers["boompje_1"]
    assert numbers["tricks"] == [5, 3] and numbers["pits"] == [0, 0]
    assert list(result.places) == [1, 2, 1, 2]
    assert RULES.clocks(play.state) == () and RULES.to_act(play.state) == frozenset()
    play.when(0, "pass").refused("game_over")


def test_a_seat_that_a_computer_player_takes_over_is_shown_at_once() -> None:
    """The view of a state is kept for its audiences, but not for other facts."""
    play = given(RULES, {"boompjes": 1}, POSITION)
    before = RULES.view(play.state, None, Facts({}, None))
    after = RULES.view(play.state, None, Facts({2: "hard"}, None))
    assert isinstance(before, pb.View) and isinstance(after, pb.View)
    assert not before.seats[2].HasField("bot") and after.seats[2].bot == "hard"
