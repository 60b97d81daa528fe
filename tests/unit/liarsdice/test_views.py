"""Clocks, views between games, bids in words."""

import pytest

from libs.testing.play import given
from services.liarsdice.queries import QUERIES
from services.liarsdice.rules import RULES


def test_a_clock_is_bound_to_game_round_and_bids() -> None:
    play = given(RULES, {"seats": 3, "turn_seconds": 15, "starter": 0, "dice_each": 1}, None, [[2], [3], [4], [5], [6]])
    keys = [RULES.clocks(play.state)]
    play.when(0, "peek")
    assert RULES.clocks(play.state) == keys[0]
    play.when(0, "bid", quantity=1, face=6)
    keys.append(RULES.clocks(play.state))
    assert play.expire(0) == [] and RULES.clocks(play.state) == keys[1]
    play.when_late(1).then({"type": "clock_expired", "seat": 1}, {"type": "lifted", "seat": 1, "auto": True})
    assert (keys[0][0].seat, keys[1][0].seat) == (0, 1) and keys[0][0].key != keys[1][0].key
    assert play.state.phase == "game_over" and RULES.clocks(play.state) == ()
    assert play.expire(1) == []


def test_the_grace_is_for_the_opening_after_a_lift_only() -> None:
    play = given(
        RULES,
        {"seats": 2, "turn_seconds": 10, "reveal_seconds": 4, "starter": 0, "dice_each": 2},
        None,
        [[2, 2], [3, 3], [5, 5], [6]],
    )
    assert play.view()["turn"]["clock"] == {"limit_s": 10, "warn_s": 5, "grace_s": 0}
    play.when(0, "bid", quantity=2, face=6)
    play.when(1, "lift")
    (clock,) = RULES.clocks(play.state)
    assert (clock.seat, clock.limit_ms, clock.free_ms) == (0, 10_000, 4_000)
    play.when(0, "bid", quantity=1, face=2)
    (clock,) = RULES.clocks(play.state)
    assert (clock.seat, clock.free_ms) == (1, 0)
    assert play.view()["turn"]["clock"]["grace_s"] == 0


def test_views_between_games() -> None:
    play = given(
        RULES, {"seats": 3, "starter": 0, "dice_each": 1, "peek_once": True}, None, [[2], [3], [4], [1], [1], [1]]
    )
    play.when(0, "bid", quantity=1, face=6)
    play.when(1, "lift")
    view = play.view(2)
    for name in ("turn", "current_bid", "max_quantity", "dice_counts", "total_dice", "my_dice", "help"):
        assert view[name] is None, name
    assert (view["bids"], view["in_game"], view["locked"]) == ([], [False] * 3, [False] * 3)
    assert (view["starter"], view["round"], view["result"]) == (0, 1, {"loser": 0, "places": [3, 1, 1]})
    assert view["legal"] == {"lift": False, "peek": False, "next_game": True, "bids": []}
    assert view["last_reveal"]["loser"] == 0
    play.when(1, "next_game")
    assert play.view()["last_reveal"] is None and play.view()["result"] is None
    assert play.view()["starter"] == 0


def test_a_regulars_bid_of_a_position_is_told_by_its_nickname() -> None:
    bids = [{"seat": 1, "quantity": 2, "face": 5}]
    play = given(RULES, {"seats": 2, "table": "regulars"}, {"dice": [[3, 3], [4, 4]], "bids": bids})
    assert play.view()["current_bid"]["slang"] == "møller"
    assert "slang" not in play.view()["bids"][0]


@pytest.mark.parametrize(
    ("quantity", "face", "plain", "slang"),
    [
        (1, 6, "en sekser", None),
        (2, 6, "to seksere", "to af de store"),
        (1, "any", "en af en slags", None),
        (20, 4, "tyve firere", "tyve lujer"),
        (21, 2, "21 toere", None),
        (48, 5, "48 femmere", "48 møller"),
        (2, 1, "to ettere", None),
    ],
)
def test_bids_in_words(quantity: int, face: object, plain: str, slang: str | None) -> None:
    assert QUERIES["say"]({"quantity": quantity, "face": face}) == {"plain": plain, "slang": slang}


@pytest.mark.parametrize("text", ["05-5", "5-0", "5-7", "5x5", "5-5 ", "", "l", "0-2", "5-**", "*-5", "LL", "5-"])
def test_what_is_no_bid_in_a_record(text: str) -> None:
    with pytest.raises(Exception, match="text") as refused:
        QUERIES["parse_bid"]({"text": text})
    assert refused.value.code == "bad_argument"  # type: ignore[attr-defined]
