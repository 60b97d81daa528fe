"""Who loses, which place, and what it means for the road to Viborg."""

from typing import Any

from libs.testing.play import Play, given
from services.liarsdice.rules import RULES

CLEAN = {"strokes": [0, 0, 0], "rounds_given": [0, 0, 0], "selvbinders": [0, 0, 0]}


def types(play: Play, seat: int, name: str, **arguments: Any) -> list[str]:
    """Names of the events of an accepted command."""
    step = play.when(seat, name, **arguments)
    assert step.refusal is None, step.refusal
    return [type(event).DESCRIPTOR.name for event in step.events]


def test_places_count_who_is_out_not_who_has_a_number() -> None:
    """R5.5: 1 + the number that went out in earlier rounds; who watches a final went out of nothing."""
    options = {"seats": 5}
    play = given(RULES, options, {"dice": [[], [3], [5, 5], [], [6]], "places": [1, 0, 0, 1, 0], "starter": 1})
    play.when(1, "bid", quantity=1, face=6)
    out = play.when(2, "lift").then({"type": "seats_out", "seats": [1, 4], "place": 3})
    out.then({"type": "game_lost", "seat": 2, "places": [1, 3, 5, 1, 3]})


def test_the_last_two_may_be_left_by_a_classic_lift() -> None:
    play = given(RULES, {"seats": 3, "classic_lift": True}, {"dice": [[2], [3], [4]]}, [[5], [6]])
    play.when(0, "bid", quantity=3, face=6)
    step = play.when(1, "lift")
    step.then({"type": "round_lost", "seat": 0, "reason": "lie"}, {"type": "dice_put_away", "seats": [1]})
    step.then({"type": "seats_out", "seats": [1], "place": 1}, {"type": "cups_shaken", "starter": 0})
    assert play.view()["dice_counts"] == [1, 0, 1]
    assert play.view()["turn"]["seat"] == 0


def test_losing_the_final_is_losing_altogether() -> None:
    """R6.7: also when the mats of a set-up table say otherwise; never a selvbinder."""
    ledger = {"mats": ["green", "green", "black"], **CLEAN}
    position = {"finale": True, "participants": [0, 2], "dice": [[3], [], [5]], "ledger": ledger}
    play = given(RULES, {"seats": 3, "finale": True}, position)
    play.when(0, "bid", quantity=1, face=5)
    step = play.when(2, "lift")
    step.then({"type": "game_lost", "seat": 2, "finale": True}, {"type": "tabt_helt", "seat": 2, "selvbinder": False})
    play = given(RULES, {"seats": 3, "finale": True}, position)
    play.when(0, "bid", quantity=2, face=6)
    assert types(play, 2, "lift")[-5:] == ["GameLost", "TabtHelt", "StrokeDrawn", "RoundGiven", "MatsTurnedGreen"]


def test_order_of_a_games_end_in_viborg() -> None:
    ledger = {"mats": ["black", "green", "green"], **CLEAN}
    position: dict[str, Any] = {"dice": [[3], [], [5]], "places": [0, 1, 0], "starter": 0, "ledger": ledger}
    play = given(RULES, {"seats": 3, "finale": True}, position)
    play.when(0, "bid", quantity=1, face=5)
    assert types(play, 2, "lift") == [
        *("Lifted", "CupsLifted", "RoundLost", "DicePutAway", "SeatsOut", "GameLost", "SentToViborg", "FinaleCalled")
    ]
    play = given(RULES, {"seats": 3, "viborg": False}, position)
    play.when(0, "bid", quantity=1, face=5)
    assert types(play, 2, "lift")[5:] == ["GameLost", "RoundGiven"]
    play = given(RULES, {"seats": 3, "turn_seconds": 5}, position)
    play.when(0, "bid", quantity=2, face=5)
    assert [type(e).DESCRIPTOR.name for e in play.when_late(2).events][:2] == ["ClockExpired", "Lifted"]


def test_a_final_of_a_table_for_two_is_played_by_both_and_a_third_in_viborg_ends_it() -> None:
    ledger = {"mats": ["black", "black"], "strokes": [0, 0], "rounds_given": [0, 0], "selvbinders": [0, 0]}
    over = {"over": True, "loser": 1, "places": [1, 2], "ledger": ledger}
    play = given(RULES, {"seats": 2, "finale": True, "dice_each": 1}, over, [[2], [3]])
    play.when(0, "next_game").then({"type": "game_started", "participants": [0, 1], "finale": True, "starter": 1})
    three = {"over": True, "loser": 2, "places": [1, 1, 3], "ledger": {"mats": ["black"] * 3, **CLEAN}}
    play = given(RULES, {"seats": 3, "dice_each": 1}, three, [[2], [3], [4]])
    play.when(0, "set_rules", finale=True)
    play.when(0, "next_game").then({"type": "game_started", "participants": [0, 1, 2], "finale": False, "starter": 2})


def test_switching_viborg_off_keeps_the_board_and_only_turns_what_was_black() -> None:
    ledger = {
        "mats": ["green", "black", "black"],
        "strokes": [3, 0, 1],
        "rounds_given": [4, 0, 1],
        "selvbinders": [1, 0, 0],
    }
    play = given(RULES, {"seats": 3}, {"over": True, "loser": 2, "places": [1, 1, 3], "ledger": ledger})
    play.when(0, "set_rules", viborg=False).then_only(
        {"type": "rules_set", "seat": 0, "changes": {"viborg": False}}, {"type": "mats_turned_green", "seats": [1, 2]}
    )
    view = play.view()
    assert (view["mats"], view["strokes"], view["selvbinders"]) == (["green"] * 3, [3, 0, 1], [1, 0, 0])
    play.when(0, "set_rules", viborg=True).then_only({"type": "rules_set"})
    assert play.view()["mats"] == ["green"] * 3
