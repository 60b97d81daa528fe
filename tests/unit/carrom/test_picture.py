"""The picture of carrom: every disc where it lies, and the last shot's ways through the keyframes."""

from xml.etree import ElementTree

from services.carrom.board import PALET
from services.carrom.picture import svg
from stamtafel.carrom.v1 import carrom_pb2 as pb
from tests.unit.client.pictured import SPACE, views, words_of


def test_discs_and_ways_of_a_whole_play_are_there() -> None:
    with_ways = 0
    for _, view in views("carrom"):
        assert isinstance(view, pb.View)
        root = ElementTree.fromstring(svg(view))
        tracks = {one.piece: one for one in view.last_shot.shot.keyframes}
        ways = root.findall(f".//{SPACE}polyline")
        assert len(ways) == len(tracks)
        rests = any(one.piece == PALET for one in view.last_shot.shot.rest)
        assert len(root.findall(f".//{SPACE}circle")) == len(view.board) + rests + 4 + 2 + 8
        named = set(words_of(svg(view)))
        assert {piece for piece in view.board if piece != "red"} <= named
        if ways:
            with_ways += 1
            last = tracks[PALET].frames
            told = ways[-1].attrib["points"].split()  # the palet's is on top
            assert told[0] == f"{last[0].x / 10:g},{-last[0].y / 10:g}"
            assert len(told) == len(last)
    assert with_ways > 10


def test_the_words_tell_what_goes_on() -> None:
    view = pb.View(phase="shoot", pile=["w3", "red"])
    view.set.number = 2
    view.teams.add(colour="white", left=4, sets=1, points=12)
    view.teams.add(colour="black", left=7)
    view.turn.seat, view.turn.colour = 1, "black"
    view.last_shot.seat = 0
    view.last_shot.shot.pocketed.extend(("w1", "w2"))
    first, second = words_of(svg(view))
    assert first == "Set 2.  team 0, white: 4 left, 1 sets, 12 points;  team 1, black: 7 left, 0 sets"
    assert second == "Seat 1 (black) to shoot; before: seat 0 pocketed w1 w2.  Above the centre: w3 red"
    view.result.winner = 0
    assert words_of(svg(view))[1].startswith("Team 0 has won")
