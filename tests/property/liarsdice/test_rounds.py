"""Rounds side by side agree with the rules that play a table, whatever the house rules."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from services.liarsdice.counting import ANY, count, cup_count, highest, holds, ranges
from services.liarsdice.odds import odds, sight
from services.liarsdice.options import Setup, resolve
from services.liarsdice.regulars.engine.rounds import CALLS, FACE, LIFT, UP, UPS, Rounds
from services.liarsdice.regulars.engine.senses import sense
from services.liarsdice.regulars.engine.situations import RULES, Situation, rows_of
from services.liarsdice.regulars.engine.stakes import after_loss, after_right_lift, safety

cups = st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=6), min_size=2, max_size=5)
house = st.fixed_dictionaries({name: st.booleans() for name in RULES})


def table(dice: list[list[int]], rules: dict[str, bool]) -> tuple[Rounds, Setup]:
    """One round with these cups, seat 0 to open."""
    setup = resolve({"seats": len(dice), "dice_each": 6, **rules})
    counts = tuple(len(cup) for cup in dice)
    kinds = rows_of([Situation(counts, setup, highest(counts, len(dice), setup))])
    laid = np.array([[[cup.count(face) for face in range(1, 7)] for cup in dice]])
    return Rounds(kinds, np.array([0]), laid, np.array([0])), setup


@given(cups, house, st.data())
@settings(max_examples=150, deadline=None)
def test_a_round_is_counted_and_settled_as_the_rules_do(
    dice: list[list[int]], rules: dict[str, bool], data: st.DataObject
) -> None:
    rounds, setup = table(dice, rules)
    row = np.array([0])
    counts = [len(cup) for cup in dice]
    while not rounds.over[0]:
        legal = rounds.legal(row)[0]
        now = None if rounds.bids[0] == 0 else (int(rounds.quantity[0]), int(rounds.face[0]))
        base = int(rounds.kinds.base[0]) if now is None else now[0]
        allowed = {
            (face, quantity)
            for face, low, high in ranges(now, int(rounds.kinds.most[0]), setup)
            for quantity in range(low, high + 1)
            if base <= quantity < base + UPS
        }
        offered = {(int(FACE[call]), base + int(UP[call])) for call in range(1, CALLS) if legal[call]}
        assert offered == allowed
        assert legal[LIFT] == (now is not None)
        if now is None and not offered:
            return  # the base is above what may be bid: nobody is asked to think there
        call = data.draw(st.sampled_from([int(c) for c in np.flatnonzero(legal)]))
        lifter, bidder = int(rounds.turn[0]), int(rounds.bidder[0])
        rounds.call(row, np.array([call]))
        if call == LIFT:
            assert now is not None
            held = holds(count(dice, now[1], setup), now[0])
            loser = lifter if held else bidder
            assert rounds.loser[0] == loser
            classic = setup.classic_lift and not held
            left = after_right_lift(tuple(counts), lifter) if classic else after_loss(tuple(counts), loser)
            after = safety(left, setup.classic_lift)
            best, worst = int(np.argmax(after)), int(np.argmin(after))
            if after[best] > after[worst] + 1e-6 and len(set(counts)) == 1:
                assert rounds.brings[0][best] > rounds.brings[0][worst]


@given(cups, house, st.integers(0, 4))
@settings(max_examples=80, deadline=None)
def test_a_seat_senses_the_odds_of_its_calls(dice: list[list[int]], rules: dict[str, bool], seat: int) -> None:
    rounds, setup = table(dice, rules | {"present": False})
    seat %= len(dice)
    rounds.turn[0] = seat
    row = np.array([0])
    legal = rounds.legal(row)
    sensed = sense(rounds, row, legal)[0][-3 - 2 * (CALLS - 1) : -3 - (CALLS - 1)]
    seen = sight(dice[seat], [len(cup) for at, cup in enumerate(dice) if at != seat], setup)
    for call in range(1, CALLS):
        if not legal[0, call] or FACE[call] == ANY:
            continue
        quantity = int(rounds.kinds.base[0] + UP[call])
        assert abs(float(odds(seen, quantity, int(FACE[call]))) - sensed[call - 1]) < 1e-5
        assert cup_count(dice[seat], int(FACE[call]), setup) == rounds.counts[0, seat, FACE[call]]


@given(cups, cups, house)
@settings(max_examples=80, deadline=None)
def test_a_seat_senses_nothing_of_other_cups(
    dice: list[list[int]], others: list[list[int]], rules: dict[str, bool]
) -> None:
    rounds, _ = table(dice, rules)
    swapped = [dice[0]] + [(others[at % len(others)] * 6)[: len(cup)] for at, cup in enumerate(dice) if at]
    again, _ = table(swapped, rules)
    row = np.array([0])
    assert (sense(rounds, row, rounds.legal(row)) == sense(again, row, again.legal(row))).all()
