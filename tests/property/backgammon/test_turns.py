"""The legal turns, against a slow generator written from the rules, and against GNU Backgammon where it is
installed."""

from random import Random

import numpy as np
import pytest

from services.backgammon import notation
from services.backgammon.board import START, Throw
from services.backgammon.engine import batch, gnu
from tests.property.backgammon.plain import ROLLS, random_position, turns

POSITIONS = 1000


def test_the_plain_generator_agrees_on_random_positions_and_all_throws() -> None:
    rng = Random(11)
    for _ in range(POSITIONS // 10):
        position = random_position(rng)
        mine, other = bytes(position[0]), bytes(position[1])
        for dice in ROLLS:
            expected = {(bytes(a), bytes(b)) for a, b in turns(position, dice)}
            assert set(Throw(mine, other, dice).finals) == expected, (position, dice)


def test_the_plain_generator_agrees_on_many_positions() -> None:
    rng = Random(12)
    for number in range(POSITIONS):
        position, dice = random_position(rng), ROLLS[number % 21]
        thrown = Throw(bytes(position[0]), bytes(position[1]), dice)
        assert set(thrown.finals) == {(bytes(a), bytes(b)) for a, b in turns(position, dice)}, (position, dice)


def test_the_batch_generator_agrees() -> None:
    rng = Random(13)
    positions = [random_position(rng) for _ in range(POSITIONS)]
    dice = [ROLLS[rng.randrange(21)] for _ in positions]
    found = batch.turns(np.array(positions, dtype=np.int8), np.array(dice, dtype=np.int8))
    for row, (position, thrown) in enumerate(zip(positions, dice, strict=True)):
        mine, other = bytes(position[0]), bytes(position[1])
        ours = {(board[0].tobytes(), board[1].tobytes()) for board in found.boards[found.owner == row]}
        exact = Throw(mine, other, thrown)
        assert ours == (set(exact.finals) or {(mine, other)}), (position, thrown)
        assert len(ours) == int((found.owner == row).sum())


def test_every_canonical_text_is_read_as_its_turn() -> None:
    rng = Random(14)
    for _ in range(300):
        position, dice = random_position(rng), ROLLS[rng.randrange(21)]
        thrown = Throw(bytes(position[0]), bytes(position[1]), dice)
        for final in thrown.finals[:40]:
            text = notation.canonical(thrown, final)
            assert notation.resolve(thrown, text) == final, (position, dice, text)


def test_a_client_that_follows_the_legal_steps_is_never_stuck() -> None:
    rng = Random(15)
    for _ in range(1000):
        position, dice = random_position(rng), ROLLS[rng.randrange(21)]
        thrown = Throw(bytes(position[0]), bytes(position[1]), dice)
        mine, other, played = thrown.mine, thrown.other, ()
        while found := thrown.legal(mine, other, played):
            step, (mine, other, _) = rng.choice(found)
            played = (*played, step)
        assert (mine, other) in thrown.finals or not thrown.longest


@pytest.mark.skipif(gnu.program() is None, reason="GNU Backgammon is not installed")
def test_gnu_backgammon_agrees() -> None:
    rng = Random(16)
    with gnu.GnuBackgammon() as other_program:
        assert other_program.legal(START, START, (3, 1)) == set(Throw(START, START, (3, 1)).finals)
        for number in range(300):
            position, dice = random_position(rng), ROLLS[number % 21]
            mine, other = bytes(position[0]), bytes(position[1])
            exact = Throw(mine, other, dice)
            if exact.longest:
                assert other_program.legal(mine, other, dice) == set(exact.finals), (position, dice)
                assert other_program.best(mine, other, dice) in exact.finals
