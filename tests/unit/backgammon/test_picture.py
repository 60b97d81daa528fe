"""The picture of backgammon: all thirty checkers, the cube where it is, the dice that are left, what goes on."""

import re

from services.backgammon.picture import svg
from stamtafel.backgammon.v1 import backgammon_pb2 as pb
from tests.unit.client.pictured import views, words_of

MAN, OFF = 'r="23"', 'height="13"'


def position() -> pb.View:
    """A middle game: seat 0 to move with 3-3, two steps made; seven checkers on one point, one on the bar, two off."""
    view = pb.View(game=2, phase="move", to_act=[0], turn=0, dice_left=[3, 3], pips=[90, 120], score=[1, 3])
    view.colors.extend(("black", "white"))
    view.dice.items.extend((3, 3))
    view.match.length = 5
    view.cube.enabled, view.cube.value, view.cube.owner = True, 2, 1
    own, other = [0] * 26, [0] * 26
    own[6], own[1], own[0], own[8] = 7, 2, 2, 4
    other[25], other[20], other[6] = 1, 4, 10
    view.board.add().items.extend(own)
    view.board.add().items.extend(other)
    return view


def test_every_checker_of_a_whole_play_is_there() -> None:
    for _, view in views("backgammon"):
        assert isinstance(view, pb.View)
        drawn = svg(view)
        high = sum(count - 5 for half in view.board for count in half.items[1:25] if count > 5)
        assert drawn.count(MAN) + drawn.count(OFF) + high == 30


def test_high_stacks_tell_their_height_and_dice_what_is_left() -> None:
    view = position()
    drawn, words = svg(view), words_of(svg(position()))
    assert "7" in words and "10" in words
    assert drawn.count(OFF) == 2
    assert drawn.count('<g opacity="0.4"') == 2 and drawn.count('<g opacity="1"') == 2
    assert {"Game 2, match to 5", "seat 0 to move", "2"} <= set(words)
    assert any(word.startswith("seat 1 (white)") and "score 3" in word and "120 pips" in word for word in words)


def cube_at(view: pb.View) -> float:
    """How high the cube lies."""
    found = re.search(r'<rect x="[\d.]+" y="([\d.]+)" width="56" height="56"', svg(view))
    assert found is not None
    return float(found[1])


def test_the_cube_lies_at_its_owner() -> None:
    view = position()
    above = cube_at(view)
    view.cube.owner = 0
    below = cube_at(view)
    view.cube.ClearField("owner")
    assert above < cube_at(view) < below
    view.cube.offer.seat, view.cube.offer.value = 1, 4
    assert {"4", "seat 1 offers the cube at 4"} <= set(words_of(svg(view)))
    view.cube.enabled = False
    view.cube.ClearField("offer")
    assert 'height="56"' not in svg(view)


def test_who_looks_sits_below() -> None:
    view = position()
    from_one = position()
    from_one.me.seat = 1
    assert svg(view) != svg(from_one)
    names = [word for word in words_of(svg(from_one)) if word.startswith("seat") and "pips" in word]
    assert [name[:6] for name in names] == ["seat 0", "seat 1"]


def test_the_end_and_what_was_before() -> None:
    view = position()
    view.last_turn.seat = 1
    view.last_turn.dice.extend((2, 1))
    assert any(word.endswith("2-1: no move") for word in words_of(svg(view)))
    view.phase = "finished"
    view.match_result.winner = 1
    view.result.winner, view.result.kind, view.result.points, view.result.reason = 1, "gammon", 4, "drop"
    words = words_of(svg(view))
    assert "seat 1 has won it all" in words and "game won by seat 1: gammon, 4 (drop)" in words
    view.match_result.ClearField("winner")
    assert "it ends level" in words_of(svg(view))
    view.ClearField("match_result")
    view.resign.seat, view.resign.kind = 0, "single"
    assert "seat 0 offers to lose a single" in words_of(svg(view))
