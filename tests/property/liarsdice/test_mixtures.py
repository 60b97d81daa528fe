"""Every level's mixture, at any table: chances that sum to 1, over legal calls only, and more than one of them."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.liarsdice.bot import policy
from services.liarsdice.counting import biddable, highest, ranges
from services.liarsdice.options import resolve
from services.liarsdice.regulars.guess import Known
from services.liarsdice.state import next_with_dice
from services.liarsdice.yardsticks.players import LEVELS

RULES = ("stairs", "any_kind", "present", "ones_without_jokers", "classic_lift", "hidden_count", "peek_once")


@st.composite
def turns(draw: st.DrawFn) -> tuple[Known, list[tuple[int, int]]]:
    """What the seat in turn knows, and its legal bids."""
    seats = draw(st.integers(2, 5))
    rules: dict[str, Any] = {name: draw(st.booleans()) for name in RULES}
    setup = resolve({"seats": seats, "dice_each": 4, **rules})
    counts = tuple(draw(st.lists(st.integers(0, 4), min_size=seats, max_size=seats)))
    if sum(n > 0 for n in counts) < 2:
        counts = tuple(max(1, n) for n in counts)
    seat = draw(st.sampled_from([s for s, n in enumerate(counts) if n]))
    own = tuple(draw(st.lists(st.integers(1, 6), min_size=counts[seat], max_size=counts[seat])))
    most = highest(counts, seats, setup)
    everything = [(quantity, face) for quantity in range(1, most + 1) for face in biddable(setup)]
    said = sorted(draw(st.lists(st.sampled_from(everything), max_size=5, unique=True)))
    # The seats before in turn, counted back from ours.
    order = [seat]
    while len(order) <= len(counts):
        order.append(next_with_dice(counts, order[-1]))
    alive = sum(n > 0 for n in counts)
    bids = tuple((order[(k - len(said)) % alive], *bid) for k, bid in enumerate(said))
    legal = [
        (quantity, face)
        for face, low, high in ranges(said[-1] if said else None, most, setup)
        for quantity in range(low, high + 1)
    ]
    return Known(seat, own, counts, bids, setup), legal


@pytest.mark.parametrize("level", LEVELS)
@given(turn=turns())
@settings(max_examples=150, deadline=None)
def test_a_mixture_of_legal_calls(level: str, turn: tuple[Known, list[tuple[int, int]]]) -> None:
    known, legal = turn
    mixture = policy(level, known, legal, bool(known.bids))
    calls = [call for call, _ in mixture]
    assert sum(chance for _, chance in mixture) == pytest.approx(1, abs=1e-5)
    assert min(chance for _, chance in mixture) >= 0
    assert len(set(calls)) == len(calls)
    assert set(calls) <= {*legal, *([None] if known.bids else [])}
    assert policy(level, known, legal, bool(known.bids)) == mixture
    if not known.bids:
        assert sum(chance > 0 for _, chance in mixture) > 1
