"""What a game hands on at its end."""

from libs.testing.play import given
from services.liarsdice.rules import RULES


def test_who_watched_the_final_has_no_place() -> None:
    """R6.7: the others watch and get no place; 0 in the contract's Result."""
    position = {
        "finale": True,
        "participants": [0, 2],
        "dice": [[3], [], [5]],
        "turn": 2,
        "starter": 0,
        "bids": [{"seat": 0, "quantity": 2, "face": 6}],
        "ledger": {
            "mats": ["black", "green", "black"],
            "strokes": [0, 0, 0],
            "rounds_given": [0, 0, 0],
            "selvbinders": [0, 0, 0],
        },
    }
    play = given(RULES, {"seats": 3, "finale": True}, position, [])
    play.when(2, "lift")
    result = RULES.result(play.state)
    assert result is not None
    assert list(result.places) == [2, 0, 1]
    assert result.reason == "finale"
