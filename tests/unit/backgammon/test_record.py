"""Match files of other programs, and what a match file cannot say."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from google.protobuf.message import Message

from libs.table.rules import Refused
from libs.testing.scripted import Script as Chance
from libs.testing.scripted import ScriptedCtx
from services.backgammon import mat, record
from services.backgammon.rules import RULES
from stamtafel.backgammon.v1 import backgammon_pb2 as pb
from tests.property.backgammon.games import play

FILES = sorted((Path(__file__).parents[2] / "fixtures" / "records").glob("*.mat"))
TWO_GAMES = """ 0 point match

 Game 1
 Ann : 0                        Bob : 0
  1) 31: 8/5 6/5                64: 24/14
                                  Wins {} points

 Game 2
 Ann : 0                        Bob : {}
  1)                            65: 24/13
  2)  Doubles => 2               Drops
      Wins 1 point
"""


def played(script: record.Script) -> list[Message]:
    """The events of a table that takes all commands of a record."""
    state, events = RULES.initial(RULES.options(script.options)), list[Message]()
    for step in script.steps:
        more = RULES.decide(state, step.seat, step.command, ScriptedCtx(Chance(step.draws)))
        for event in more:
            state = RULES.evolve(state, event)
        events += more
    return events


def refused(text: str) -> Refused:
    with pytest.raises(Refused) as raised:
        record.read(text)
    return raised.value


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_comes_back_equal_and_then_the_same(path: Path) -> None:
    """Equal: the same names, headers, length and events; and the second export is the first, letter by letter."""
    text = path.read_text()
    script = record.read(text)
    events = played(script)
    first = record.write(events, script.names, script.headers)
    again = record.read(first)
    assert (again.names, again.headers, again.options) == (script.names, script.headers, script.options)
    assert script.warnings == again.warnings == []
    assert played(again) == events
    assert record.write(played(again), again.names, again.headers) == first
    said, written = mat.parse(text), mat.parse(first)
    assert said.length == written.length
    assert [(game.names, game.score) for game in said.games] == [(game.names, game.score) for game in written.games]
    assert [_dice_and_cube(game) for game in said.games] == [_dice_and_cube(game) for game in written.games]


def _dice_and_cube(game: mat.Game) -> Sequence[object]:
    return [(cell.side, cell.kind, cell.value, cell.dice, not mat.moves_of(cell)) for cell in game.cells]


def test_the_jacoby_rule_is_said_in_the_export_and_seen_in_the_points_without_it() -> None:
    """Three games without a double, a borne-off gammon and a backgammon among them, for one point each."""
    steps = play(pb.Options(session_games=3, jacoby=True, cube=False), 1, most=3000)
    events = [event for step in steps for event in step.events]
    header = '; [Jacoby "On"]\n\n'
    text = record.write(events, ("Ann", "Bob"))
    assert text.startswith(header)
    for file in (text, text.removeprefix(header), text.replace('"On"', '"true"')):
        script = record.read(file)
        assert script.options.jacoby and script.warnings == []
        assert "acoby" in record.write(played(script), script.names, script.headers)
    without = record.read(text.replace('"On"', '"Off"'))
    assert not without.options.jacoby
    assert {warning["error"] for warning in without.warnings} == {"points_mismatch", "score_mismatch"}


def test_a_match_without_the_crawford_rule() -> None:
    text = """ 2 point match

 Game 1
 Ann : 0                        Bob : 0
  1) 31: 8/5 6/5                64: 24/14
      Wins 1 point

 Game 2
 Ann : 1                        Bob : 0
  1)                            65: 24/13
  2) 31: 8/5 6/5                 Doubles => 2
  3)  Drops
                                  Wins 1 point
"""
    assert refused(text).code == "illegal_double"
    script = record.read('; [Crawford "Off"]\n' + text)
    assert script.options.HasField("crawford") and not script.options.crawford
    exported = record.write(played(script), script.names)
    assert exported.startswith('; [Crawford "Off"]\n\n 2 point match\n')
    assert played(record.read(exported)) == played(script)


def test_automatic_doubles_cannot_be_said() -> None:
    with pytest.raises(Refused) as raised:
        record.write([pb.OpeningRolled(dice=(2, 2)), pb.AutomaticDoubled(value=2)], ("Ann", "Bob"))
    assert raised.value.code == "not_offered" and "stamtafel log" in raised.value.message


def test_a_game_that_has_no_end_is_refused_but_as_the_last_one() -> None:
    unfinished = TWO_GAMES.format(1, 1).replace("      Wins 1 point\n", "").replace(" Drops", "")
    assert record.read(unfinished).steps[-1].command == pb.Double()
    wrong = refused(TWO_GAMES.format(1, 1).replace("                                  Wins 1 points\n", ""))
    assert wrong.details["line"] == 8 and "game 1 has no end" in wrong.message


def test_a_game_after_the_match_is_refused() -> None:
    wrong = refused(TWO_GAMES.format(1, 1).replace(" 0 point", " 1 point"))
    assert (wrong.code, wrong.details["line"]) == ("game_over", 9)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("64: 24/14", "64: 24/15", "line 5, game 1, action 2: 64: 24/15 is not legal; legal: "),
        ("31: 8/5 6/5 ", "31:         ", "line 5, game 1, action 1: 31: is not legal; legal: 13/10 6/5, "),
        ("=> 2", "=> 4", "line 11, game 2, action 2: double 4: no double here"),
        (" Drops", "31: 8/5 6/5", "line 11, game 2, action 3: 31: 8/5 6/5: a double stands open"),
        ("  1)                            65: 24/13\n", "  1) 65: 24/13\n  2) 21: 13/11 6/5\n", "game 2, action 2"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(before: str, after: str, said: str) -> None:
    message = refused(TWO_GAMES.format(1, 1).replace(before, after)).message
    assert said in message


def test_warnings_name_line_game_and_both_numbers() -> None:
    script = record.read(TWO_GAMES.format(1, 3))
    assert [warning["text"] for warning in script.warnings] == [
        "line 9: the score before game 2 is 0:1, not 0:3 as the file says"
    ]
    script = record.read(TWO_GAMES.format(5, 1))
    assert "line 6: game 1 is won by 1 points, not 5 as the file says" in script.warnings[0]["text"]


def test_names_come_back_however_long_or_odd() -> None:
    script = record.read(TWO_GAMES.format(1, 1))
    for names in (("A" * 40, "B" * 40), ("A" * 26, "B"), ("A" * 27, "B"), ("Ann : 3", "B  ob"), ("x", "y:")):
        shown = tuple(" ".join(name.split()) for name in names)
        assert record.read(record.write(played(script), names)).names == shown


def test_headers_of_two_words_are_read() -> None:
    script = record.read('; [Player 1 "Ann"]\n; [Match ID "7"]\n; a comment\n' + TWO_GAMES.format(1, 1))
    assert script.headers == {"Player 1": "Ann", "Match ID": "7"}


def test_a_player_without_a_name_has_one() -> None:
    assert record.read(TWO_GAMES.format(1, 1).replace("Ann", "").replace("Bob", "")).names == ("Player A", "Player B")
