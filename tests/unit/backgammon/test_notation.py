"""Notation, identifiers and match files beyond the cases: what is read leniently, what is no notation at all."""

import pytest

from libs.table.plain import to_plain
from libs.table.rules import Refused
from libs.testing.play import open_play
from services.backgammon import ids, mat, notation, record
from services.backgammon.board import START, half, throw
from services.backgammon.rules import RULES
from stamtafel.backgammon.v1 import backgammon_pb2 as pb

FILE = """; [Event "Club evening"]

 3 point match

 Game 1
 Ann : 0                        Bob : 0
  1) 31: 8/5 6/5                64: 24/14
  2)  Doubles => 2               Drops
      Wins 1 point

 Game 2
 Ann : 1                        Bob : 0
  1)                            65: 24/13
  2) 63: 24/15                  21: 13/11 6/5
  3)  Doubles => 2               Takes
  4) 55: 13/3(2)
      Wins 2 points and the match
"""


@pytest.mark.parametrize("text", ["8/5,6/5", "8-5", "8/", "8/5(5)", "8/5(0)", "26/20", "a/b", "8/5 x", "8/5()", "-1/2"])
def test_what_is_no_notation(text: str) -> None:
    with pytest.raises(notation.NotNotation):
        notation.read(text)


@pytest.mark.parametrize("text", ["8/5 6/5", "6/5 8/5", " 8/5*   6/5 ", "8/5* 6/5*", "08/5 6/05"])
def test_what_is_read_as_the_same_turn(text: str) -> None:
    thrown = throw(START, START, (3, 1))
    final = notation.resolve(thrown, text)
    assert final is not None and notation.canonical(thrown, final) == "8/5 6/5"


def test_a_chain_goes_down() -> None:
    thrown = throw(START, START, (3, 1))
    assert notation.resolve(thrown, "5/8 8/5 8/5 6/5") is None
    assert notation.resolve(thrown, "8/8 8/5 6/5") is None


def test_canonical_text_of_hits_and_bear_offs() -> None:
    thrown = throw(half({13: 2, 5: 13}), half({18: 1, 24: 1, 13: 2, 8: 4, 6: 4, 3: 3}), (6, 6))
    assert [notation.canonical(thrown, final) for final in thrown.finals] == ["13/7*/1*(2)"]
    thrown = throw(half({5: 1}), half({6: 2}), (6, 1))
    assert [notation.canonical(thrown, final) for final in thrown.finals] == ["5/off"]


def test_the_largest_throw_stays_quick_and_complete() -> None:
    thrown = throw(half(dict.fromkeys(range(10, 25), 1)), half({24: 15}), (3, 3))
    assert len(thrown.finals) == 1828


@pytest.mark.parametrize("text", ["4HPwATDgc/ABM", "4HPwATDgc/ABM!", "4HPwATDgc/ABMAA", "///////////wAA"])
def test_what_is_no_position_id(text: str) -> None:
    with pytest.raises(ValueError):
        ids.from_position_id(text)


@pytest.mark.parametrize(
    "text",
    [
        "-b----E-C---eE---c-e----B-",
        "-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:7:10",
        "-b----E-C---eE---c-e----B-:0:0:1:70:0:0:0:7:10",
        "Ab----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10",
        "-b----E-C---eE---c-e----Bb:0:0:1:00:0:0:0:7:10",
        "-b----E-C---eE---c-e----BB:0:0:1:00:0:0:0:7:10",
        "-b----E-C---eE---c-e----B-:0:0:1:00:0:0:2:7:10",
        "-b----E-C---eE---c-e----B-:x:0:1:00:0:0:0:7:10",
    ],
)
def test_what_is_no_xgid(text: str) -> None:
    with pytest.raises(ValueError):
        ids.from_xgid(text)


def test_a_short_xgid_has_the_usual_limit() -> None:
    assert ids.from_xgid("-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7").cube_limit == 64


def test_a_match_file_becomes_a_table_and_comes_back_equal() -> None:
    script = record.read(FILE)
    assert (script.names, dict(script.headers), script.warnings) == (("Ann", "Bob"), {"Event": "Club evening"}, [])
    play = open_play(RULES, to_plain(script.options, unset=False), None, [])
    for step in script.steps:
        play.script.add(*step.draws)
        play.act(step.seat, step.command)
    assert play.state.score == (3, 0) and not play.script.left
    assert record.write(play.events, script.names, script.headers) == FILE


def test_a_running_table_has_a_record_too() -> None:
    play = open_play(RULES, {}, None, [[3, 1]])
    play.act(0, pb.Roll())
    play.act(1, pb.Roll())
    play.act(0, pb.Play(moves="8/5 6/5"))
    assert record.write(play.events, ("Ann", "Bob")).endswith("  1) 31: 8/5 6/5\n")


def test_an_illegal_move_is_refused_with_its_line_the_move_and_the_legal_ones() -> None:
    with pytest.raises(Refused) as refused:
        record.read(FILE.replace("64: 24/14", "64: 24/15"))
    assert refused.value.code == "illegal_move"
    assert refused.value.details["line"] == 7 and refused.value.details["move"] == "24/15"
    assert "24/14" in str(refused.value.details["legal"])


def test_a_wrong_score_line_is_a_warning() -> None:
    script = record.read(FILE.replace("Ann : 1 ", "Ann : 2 "))
    assert [warning["error"] for warning in script.warnings] == ["score_mismatch"]


def test_a_text_without_games_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        record.read("hello")
    assert refused.value.code == "bad_argument"


def test_cells_are_found_by_their_tokens() -> None:
    match = mat.parse(" 5 point match\n Game 1\n A : 0  B : 0\n 1)   31:8/5 6/5   64: cannot move.\n 2) Resigns\n 3)\n")
    cells = [(cell.side, cell.kind, cell.text) for cell in match.games[0].cells]
    assert [mat.moves_of(cell) for cell in match.games[0].cells[:2]] == ["8/5 6/5", ""]
    assert cells == [(0, "throw", "8/5 6/5"), (1, "throw", "cannot move."), (0, "resign", "")]
