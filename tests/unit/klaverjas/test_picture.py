"""The picture of klaverjas: open cards are those of the view and no others; trump, trick, sheet and score are there."""

from services.klaverjas.picture import svg
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb
from tests.unit.client.pictured import views, words_of

BACK = "#8a2f3b"


def drawn(view: pb.View) -> list[str]:
    """The open cards: their ranks are the only words of that size."""
    return [line for line in svg(view).split("<text")[1:] if 'font-size="22"' in line]


def test_only_cards_of_the_view_are_open() -> None:
    for audience, view in views("klaverjas"):
        assert isinstance(view, pb.View)
        laid = len(view.table) or len(view.last_trick.cards)
        assert len(drawn(view)) == laid + len(view.my_hand)
        hidden = sum(size for seat, size in enumerate(view.hand_sizes) if seat != audience)
        assert svg(view).count(BACK) == hidden
        if audience is None:
            assert not view.my_hand


def test_the_sheet_the_trick_and_who_is_to_play() -> None:
    view = next(
        view
        for audience, view in views("klaverjas")
        if isinstance(view, pb.View) and audience == 1 and view.sheet and len(view.table) == 2
    )
    words = words_of(svg(view))
    assert "trump" in words
    assert f"Boompje {view.boompje} of {view.boompjes}, trick {view.trick_no}" in words
    assert {str(view.score.ns), str(view.score.ew), str(view.sheet[0].ns)} <= set(words)
    assert any(word.endswith("to play") for word in words)
    assert svg(view).count("#f2b631") == 1  # the card that wins so far
    assert svg(view).count('fill-opacity="0.5"') == len(view.my_greyed)


def test_a_finished_game_names_who_won() -> None:
    *_, (_, view) = views("klaverjas")
    assert isinstance(view, pb.View) and view.phase == "finished"
    assert any("win" in word or "draw" in word for word in words_of(svg(view)))


def test_before_trump_is_named() -> None:
    view = pb.View(phase="choose_trump", boompje=1, boompjes=16, trick_no=1, hand_sizes=[8] * 4, dealer=3, turned="H")
    view.turn.seat, view.turn.action = 0, "choose_trump"
    assert {"turned", "South names trump", "East (deals)"} <= set(words_of(svg(view)))
    view.ClearField("turned")
    assert "no trump yet" in words_of(svg(view))


def test_a_long_sheet_stays_on_its_paper() -> None:
    view = pb.View(phase="finished", boompje=16, boompjes=16, trick_no=8, hand_sizes=[0] * 4)
    for number in range(1, 17):
        view.sheet.add(boompje=number, trump="C", maker=2, result="nat", ns=0, ew=162)
    words = words_of(svg(view))
    assert words.count("North nat") == 16 and "a draw" in words
    assert "pit" not in " ".join(words)
