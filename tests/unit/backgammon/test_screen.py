"""The board as text, and what a person types."""

import pytest

from libs.table.rules import Refused
from libs.testing.play import given
from services.backgammon import screen
from services.backgammon.rules import RULES
from stamtafel.backgammon.v1 import backgammon_pb2 as pb

MOVE = {"turn": 0, "phase": "move", "dice": [3, 1]}


def test_the_board_shows_points_pips_cube_score_and_what_to_type() -> None:
    text = screen.draw(given(RULES, {"play": "match"}, MOVE).see(0), 0)
    for part in ("match to 7", "score 0-0", "167 pips", "Cube: 1 in the middle", "⚂ ⚀", "#1 13/10 6/5", "You may type"):
        assert part in text
    assert text.count("●") - text.count("● black") == 15


def test_each_seat_sees_its_own_home_below_at_the_right() -> None:
    play = given(RULES, {}, {"board": [{"1": 2}, {"13": 1, "6": 14}], "turn": 0})
    mine = screen.draw(play.see(0), 0).splitlines()
    theirs = screen.draw(play.see(1), 1).splitlines()
    below = [line for line in mine if "┼ 12" in line]
    assert below and mine[mine.index(below[0]) - 1].rstrip().endswith("● │  ●●●")
    assert "14" in "\n".join(theirs)


def test_the_bar_a_tall_stack_and_dutch_words() -> None:
    play = given(RULES, {}, {"board": [{"bar": 2, "6": 9}, {"13": 5, "8": 4, "5": 6}], "turn": 0})
    text = screen.draw(play.see(None), None, "nl")
    assert "│ ● │" in text and " 9 " in text and "pips, 4 uit" in text


def test_an_offer_and_a_resignation_are_told() -> None:
    play = given(RULES, {}, {"turn": 0, "phase": "double_offered"})
    assert "offers the cube at 2" in screen.draw(play.see(1), 1)
    play = given(RULES, {}, {"turn": 0, "phase": "resign_offered", "resign": {"seat": 0, "kind": "gammon"}})
    assert "offers to lose a gammon (2)" in screen.draw(play.see(1), 1)
    play.when(1, "accept_resign")
    assert "wins" in screen.draw(play.see(1), 1)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("8/5 6/5", pb.Play(moves="8/5 6/5")),
        ("#1", pb.Play(moves="13/10 6/5")),
        ("13/9", pb.Play(moves="13/9")),
        ("8/5", pb.Move(from_point=8, to=5)),
        ("8", pb.Move(from_point=8)),
        ("u", pb.Undo()),
        ("u all", pb.Undo(all=True)),
        ("ok", pb.Confirm()),
        ("resign gammon", pb.Resign(kind="gammon")),
    ],
)
def test_what_is_typed_in_a_turn(text: str, command: pb.Play) -> None:
    assert screen.parse(text, given(RULES, {}, MOVE).see(0)) == command


@pytest.mark.parametrize(("text", "command"), [("", pb.Roll()), ("r", pb.Roll()), ("D", pb.Double())])
def test_what_is_typed_before_the_throw(text: str, command: pb.Roll) -> None:
    assert screen.parse(text, given(RULES, {}, {"turn": 0}).see(0)) == command


def test_pressing_return_never_answers_a_double() -> None:
    with pytest.raises(Refused):
        screen.parse("", given(RULES, {}, {"turn": 0, "phase": "double_offered"}).see(1))


@pytest.mark.parametrize("text", ["hop", "#99", "#x", "8/x", "resign now please"])
def test_what_cannot_be_read_tells_what_can(text: str) -> None:
    with pytest.raises(Refused) as refused:
        screen.parse(text, given(RULES, {}, MOVE).see(0))
    assert refused.value.code == "bad_argument" and "You may type: 13 or 13/8 (one step)" in refused.value.message


def test_bearing_off_and_entering_are_typed_by_name() -> None:
    off = given(RULES, {}, {"board": [{"2": 2, "1": 1}, {"6": 2}], "turn": 0, "phase": "move", "dice": [6, 5]})
    assert screen.parse("2/off", off.see(0)) == pb.Move(from_point=2, to=0)
    bar = given(RULES, {}, {"board": [{"bar": 1, "6": 3}, {"6": 2}], "turn": 0, "phase": "move", "dice": [6, 5]})
    assert screen.parse("bar", bar.see(0)) == pb.Move(from_point=25)


def test_a_long_list_of_turns_breaks_between_turns_and_a_number_sign_tells_all_of_it() -> None:
    view = given(RULES, {}, {"turn": 0, "phase": "move", "dice": [2, 1]}).see(0)
    lines = screen.draw(view, 0).splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("Turns: #1 "))
    shown = [line for line in lines[start:] if "#" in line and not line.startswith("You may")]
    assert len(shown) > 1 and all(len(line) <= screen.WIDTH for line in shown)
    listed = screen.turns(view)
    with pytest.raises(Refused) as refused:
        screen.parse("#", view)
    told = " ".join(refused.value.message.split())
    assert told == " ".join(f"#{n} {text}" for n, text in enumerate(listed, 1))


def test_after_the_match_there_is_nothing_to_wait_for() -> None:
    play = given(RULES, {}, {"turn": 0, "phase": "resign_offered", "resign": {"seat": 0, "kind": "single"}})
    assert "Nothing to do" in screen.draw(play.see(0), 0)
    play.when(1, "accept_resign")
    assert "Nothing to do" not in screen.draw(play.see(0), 0)


def test_an_illegal_turn_is_answered_with_the_legal_ones() -> None:
    play = given(RULES, {}, MOVE)
    with pytest.raises(Refused) as refused:
        play.act(0, pb.Play(moves="13/5"))
    assert refused.value.code == "illegal_move"
    assert "'13/5' is no complete legal turn with 3-1; legal: 13/10 6/5, 13/10 8/7, " in refused.value.message
    assert " 8/5 6/5" in refused.value.message
