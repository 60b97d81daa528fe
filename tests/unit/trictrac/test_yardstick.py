"""The yardstick of the rules file, evaluated exactly (R11)."""

import pytest

from services.trictrac.heads_up import FREE, Stake, chance
from services.trictrac.yardstick import AtOnce, Best, Easy, Match, Normal, Policy, ThreeTimes, against_best


@pytest.mark.parametrize(
    ("policy", "expected"), [(Best(), 0.500), (Normal(), 0.485), (AtOnce(), 0.385), (ThreeTimes(), 0.271)]
)
def test_against_best_play(policy: Policy, expected: float) -> None:
    assert against_best(policy) == pytest.approx(expected, abs=0.0005)


def test_best_play_reaches_its_own_value() -> None:
    stake = Stake(6, 6, FREE)
    assert Match(Best(), Best()).chance(stake) == pytest.approx(chance(stake), abs=1e-12)


def test_easy_is_the_weakest_level() -> None:
    assert against_best(Easy()) < against_best(Normal()) < against_best(Best()) + 1e-9
