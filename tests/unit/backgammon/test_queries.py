"""Queries beyond the cases: what the options put in force, identifiers of a match, and arguments that are none."""

from typing import Any

import pytest

from libs.table.rules import Refused
from services.backgammon.rules import RULES

GAMMON = [{}, {"6": 15}]
SEVEN_POINTS = "cAngAAAAAAAE"


def ask(query: str, **given: Any) -> Any:
    return RULES.queries[query](given)


@pytest.mark.parametrize(
    ("options", "points"),
    [
        ({"preset": "money"}, 1),
        ({"preset": "money", "jacoby": False}, 2),
        ({"preset": "money", "play": "match"}, 2),
        ({"preset": "tournament", "jacoby": True}, 2),
        ({"preset": "tournament", "play": "money", "jacoby": True}, 1),
    ],
)
def test_a_score_is_under_the_jacoby_rule_when_the_options_and_their_preset_say_so(
    options: dict[str, Any], points: int
) -> None:
    answer = ask("score_game", board=GAMMON, winner=0, options=options)
    assert answer == {"kind": "gammon", "points": points}


def test_a_match_id_says_nothing_of_jacoby() -> None:
    assert ask("match_id", roller=1, turn=1, length=7, jacoby=True) == {"id": SEVEN_POINTS}
    assert ask("from_match_id", id=SEVEN_POINTS)["jacoby"] is False
    assert ask("from_match_id", id=SEVEN_POINTS[:-1] + "A")["jacoby"] is False  # without the bit, as old files have it
    assert ask("from_match_id", id=ask("match_id", jacoby=True)["id"])["jacoby"] is True


@pytest.mark.parametrize(
    ("query", "given", "field"),
    [
        ("from_match_id", {"id": "cAngAAAAAA=="}, "id"),
        ("from_match_id", {"id": "cAngAAAAAAA="}, "id"),
        ("from_position_id", {"id": "4HPwATDgc/AB=="}, "id"),
        ("from_position_id", {"id": "4HPwATDgc/ABMA", "seat": 1.0}, "seat"),
        ("turns", {"dice": [3, 1], "seat": True}, "seat"),
        ("turns", {"dice": None}, "dice"),
        ("score_game", {"board": GAMMON, "winner": 2}, "winner"),
        ("score_game", {"board": GAMMON, "winner": 0, "cube": 2}, "cube"),
        ("score_game", {"board": GAMMON, "winner": 0, "cube": {"value": 2, "owner": 2}}, "owner"),
        ("score_game", {"board": GAMMON, "winner": 0, "options": {"jacobi": True}}, "options"),
        ("score_game", {"board": GAMMON, "winner": 0, "options": {"preset": "fast"}}, "preset"),
        ("resolve", {"dice": [3, 1], "moves": "8/5 \u0666/5"}, "moves"),
        ("mat_export", {"names": ["Ann"]}, "names"),
        ("mat_export", {"games": 1}, "games"),
        ("mat_export", {"games": [{"actions": [], "winner": 2, "points": 1}]}, "winner"),
        ("mat_export", {"games": [{"actions": [], "winner": 1}]}, "points"),
        ("mat_export", {"games": [{"actions": [{"seat": 2, "take": True}]}]}, "seat"),
        ("mat_export", {"games": [{"actions": [{"seat": 0, "roll": [3, 7], "moves": ""}]}]}, "dice"),
        ("mat_export", {"headers": ["Event"]}, "headers"),
    ],
)
def test_a_wrong_argument_is_refused_by_name(query: str, given: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        ask(query, **given)
    assert (refused.value.code, refused.value.field) == ("bad_argument", field)


def test_a_false_cannot_move_is_told_as_it_stands() -> None:
    head = " 5 point match\n\n Game 1\n Ann : 0                        Bob : 0\n"
    rows = "  1) 31: 8/5 6/5                64: Cannot Move\n"
    (error,) = ask("mat_import", text=head + rows + "  2) 21: 13/11 6/5\n")["errors"]
    assert (error["error"], error["action"], error["text"]) == ("illegal_move", 1, "Cannot Move")
    (game,) = ask("mat_import", text=head + rows + "      Wins 1 point\n")["games"]
    assert (game["winner"], game["reason"], game["turns"]) == (0, "resign", 2)


@pytest.mark.parametrize(("letters", "blanks"), [(25, 2), (26, 1)])
def test_a_name_line_is_padded_to_32_columns(letters: int, blanks: int) -> None:
    name = "A" * letters
    text = ask("mat_export", names=[name, "Bob"], games=[{"actions": [], "winner": 1, "points": 2}])["text"]
    assert text.splitlines()[3] == f" {name} : 0{' ' * blanks}Bob : 0"
    imported = ask("mat_import", text=text.replace("A : 0", "A : 1"))
    assert [(error["error"], error["file"]) for error in imported["errors"]] == [("score_mismatch", [1, 0])]
