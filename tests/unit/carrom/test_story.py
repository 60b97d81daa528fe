"""A match told in lines."""

from libs.testing.play import given
from services.carrom.rules import RULES
from services.carrom.story import Story

SHOT = {"x": 0.0, "angle": 0.0, "speed": 3.0}


def test_a_set_in_lines() -> None:
    eight = [f"b{n}" for n in range(1, 9)]
    position = {"turn": 0, "acquired": {"white": ["w1"], "black": eight}, "sets": [0, 2]}
    random = [{"first_contact": "w4", "pocketed": ["w4"]}, {"first_contact": "b9"}, {"first_contact": "b9"}]
    random += [{"first_contact": "w5", "pocketed": ["palet"]}, {"first_contact": "b9", "pocketed": ["b9"]}]
    play = given(RULES, {}, position, random)
    for seat in (0, 0, 1, 0, 1):
        play.when(seat, "shoot", **SHOT)
    story = Story(["Ann", "Bob"])
    assert [line for event in play.events for line in story.hear(event)] == [
        "  Ann      2 shots: w4 - nothing in",
        "  Bob      1 shot: - nothing in",
        "  Ann      1 shot: w4 back (penalty) - palet lost",
        "  Bob      1 shot: b9 - all in",
        "set 1 to Bob (cleared, 8 left)",
        "Bob wins the match (sets)",
    ]


def test_the_start_a_bonus_and_the_end() -> None:
    nine = [f"w{n}" for n in range(1, 9)]
    position = {"turn": 0, "acquired": {"white": nine, "black": ["b1"]}, "red": {"owned": 1}}
    play = given(RULES, {"seats": 4}, position, [{"first_contact": "w9", "pocketed": ["w9"]}])
    play.when(0, "shoot", **SHOT)
    play.when(2, "resign")
    told = [line for event in play.events for line in Story(["Ann", "Bob", "Cas", "Dee"]).hear(event)]
    assert "Bob owns the red and plays the bonus, 8 left" in told
    assert told[-2:] == ["Cas gives up", "Bob and Dee wins the match (resign)"]
    opened = given(RULES, {}, random=[{"white": 1}])
    assert [line for event in opened.events for line in Story(["Ann", "Bob"]).hear(event)] == [
        "set 1: Bob has white and breaks"
    ]
