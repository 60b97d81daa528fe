"""What the house rules hide."""

from libs.testing.play import given
from services.liarsdice.rules import RULES
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb

CLEAN = {"strokes": [0, 0, 0], "rounds_given": [0, 0, 0], "selvbinders": [0, 0, 0]}


def test_a_locked_cup_stays_shut_in_the_events_of_the_round_only() -> None:
    play = given(
        RULES, {"seats": 2, "peek_once": True, "starter": 0, "dice_each": 2}, None, [[6, 6], [3, 3], [5], [4, 4]]
    )
    shaken = next(event for event in play.events if isinstance(event, pb.CupsShaken))

    def cups(audience: int | None) -> list[list[int]]:
        seen = RULES.redact(shaken, play.state, audience)
        assert isinstance(seen, pb.CupsShaken)
        return [list(cup.items) for cup in seen.dice]

    assert (cups(0), cups(1), cups(None)) == ([[6, 6], []], [[], [3, 3]], [[], []])
    play.when(0, "bid", quantity=1, face=6)
    assert (cups(0), cups(1)) == ([[], []], [[], [3, 3]])
    play.when(1, "lift")
    assert cups(0) == cups(1) == cups(None) == [[6, 6], [3, 3]]


def test_the_hidden_count_is_the_starting_number_also_in_the_final() -> None:
    """R3.7: participants x dice_each."""
    ledger = {"mats": ["black", "green", "black"], **CLEAN}
    over = {"over": True, "loser": 2, "places": [1, 1, 3], "ledger": ledger}
    play = given(RULES, {"seats": 3, "dice_each": 3, "finale": True, "hidden_count": True}, over, [[2] * 3, [3] * 3])
    play.when(1, "next_game")
    assert play.view()["max_quantity"] == 6
    play.when(1, "peek").refused("seat_out")
    assert play.view(1)["my_dice"] is None
