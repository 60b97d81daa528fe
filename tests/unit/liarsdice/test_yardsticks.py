"""The yardsticks themselves: exact exploitability, the local best response, games by number, intervals."""

from random import Random

import pytest

from services.liarsdice.options import resolve
from services.liarsdice.regulars.guess import Known
from services.liarsdice.regulars.mixing import Bid, Mixture
from services.liarsdice.strength import arguments, calibrated, wilson
from services.liarsdice.yardsticks.best_response import exploited
from services.liarsdice.yardsticks.games import Pairing, Played, games
from services.liarsdice.yardsticks.local_response import Response, Rounds, responses
from services.liarsdice.yardsticks.players import ODDS, only_odds, together

STANDARD = resolve({"seats": 2})
LAST_ROUND = resolve({"seats": 2, "dice_each": 1, "ones_without_jokers": True})


def test_hard_gives_nothing_away_in_the_last_round() -> None:
    found = exploited("hard", LAST_ROUND)
    assert found.left < 1e-3
    assert found.opener == pytest.approx(1 / 9, abs=2e-3)


def test_the_odds_alone_give_one_round_in_six_away() -> None:
    # A certain 1 x own die always, lifted or raised: what answers knows the die, what opens bids its own.
    found = exploited(ODDS, LAST_ROUND)
    assert (found.opener, found.answerer) == pytest.approx((1 / 6, 1 / 6))


@pytest.mark.parametrize("level", ["easy", "normal", ODDS])
def test_a_local_response_wins_no_more_than_the_best(level: str) -> None:
    best = exploited(level, LAST_ROUND)
    won = responses(Rounds(level, LAST_ROUND, 1, 3), range(400))
    answering, opening = sum(won[1::2]) / 200, sum(won[::2]) / 200
    assert -1 / 9 < answering <= best.opener + 0.1
    assert -1 / 9 < opening <= best.answerer + 0.1


def test_a_local_response_reads_a_player_that_tells_its_dice() -> None:
    def honest(known: Known, calls: list[Bid], may_lift: bool) -> Mixture:
        return [(None, 1.0)] if may_lift else [((1, known.own[0]), 1.0)]

    response = Response(together(honest), LAST_ROUND, 1)
    belief = response.fair * (response.answers(()).chances[:, 3])
    assert belief.tolist() == pytest.approx([0, 0, 0, 1 / 6, 0, 0])
    # 1 x 4 holds, so it does not lift: it bids what holds, too, and wins.
    assert response.choose((6,), belief, ((1, 4),)) == (1, 6)
    assert response.choose((4,), belief, ((1, 4),)) == (2, 4)
    # As the opener it bids its own die and is lifted.
    assert [response.round(Random(n), True) for n in range(10)] == pytest.approx([1.0] * 10)


def test_a_local_response_counts_the_players_own_lift() -> None:
    def lifts(known: Known, calls: list[Bid], may_lift: bool) -> Mixture:
        return [(None, 1.0)] if may_lift else [((1, 2), 1.0)]

    response = Response(together(lifts), STANDARD, 2)
    assert response.worth((6, 6), response.fair, ((2, 6),)) == pytest.approx(1)
    # 3 x 6 holds unless the other cup has neither a six nor a one.
    assert response.worth((6, 6), response.fair, ((3, 6),)) == pytest.approx(1 - 2 * (4 / 6) ** 2)
    # 4 x 6: (6, 6), (1, 6) twice, (1, 1), or 1+2 twice, which counts three.
    assert response.worth((6, 6), response.fair, ((4, 6),)) == pytest.approx(2 * 6 / 36 - 1)


def test_games_are_the_same_in_any_company() -> None:
    pairing = Pairing("easy", ODDS, 3, 7)
    assert games(pairing, range(6)) == games(pairing, range(2)) + games(pairing, range(2, 6))
    assert games(pairing, range(6)) != games(pairing._replace(seed=8), range(6))


def test_the_odds_player_does_what_the_help_suggests() -> None:
    known = Known(0, (6, 6, 2, 3), (4, 4), (), STANDARD)
    assert only_odds(known, [(q, f) for q in range(1, 9) for f in range(2, 7)], False) == [((2, 6), 1.0)]


def test_intervals() -> None:
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert wilson(10, 20) == pytest.approx((0.2993, 0.7007), abs=1e-4)


def test_calibration_by_tenths() -> None:
    told = calibrated([Played(0, ((0.31, True), (0.33, False))), Played(1, ((1.0, True),))])
    assert [line.split("[")[0].strip() for line in told] == [
        "p in 0.3..0.4: said 0.320, held 0.500",
        "p in 0.9..1.0: said 1.000, held 1.000",
    ]


def test_what_one_may_ask_for(capsys: pytest.CaptureFixture[str]) -> None:
    asked = arguments(["--only", "last", "--pair", "hard,normal", "--seats", "4", "--games", "2000", "--seed", "3"])
    assert (asked.only, asked.pair, asked.seats, asked.games) == (["last"], [("hard", "normal")], [4], 2000)
    for given, named in ((["--pair", "hard,best"], "easy, normal, hard, odds"), (["--seats", "9"], "2..8")):
        with pytest.raises(SystemExit):
            arguments(given)
        told = capsys.readouterr().err
        assert given[0] in told and named in told
