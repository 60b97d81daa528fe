"""Sealed draws: the same for the same seed, fair, and open to anyone's check."""

from collections import Counter
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from libs.table.draws import SealedDraws, commitment, play_key
from stamtafel.table.v1 import table_pb2 as pb
from stamtafel.trictrac.v1 import trictrac_pb2 as tt
from tests.unit.table.desk import ANN, BEN, OPERATOR, TABLE, Desk, opened


@given(st.binary(min_size=32, max_size=32), st.integers(0, 1000))
def test_a_draw_depends_on_its_number_only(seed: bytes, number: int) -> None:
    key = play_key(seed, "t", 1, (b"", b"x"))
    later = SealedDraws(key, number)
    again = SealedDraws(key, number)
    assert later.dice(5) == again.dice(5)
    assert later.taken == number + 1
    assert later.shuffle(range(32)) == again.shuffle(range(32))
    assert later.pick("abc") == again.pick("abc")


@given(st.binary(min_size=32, max_size=32))
def test_the_key_binds_table_play_and_nonces(seed: bytes) -> None:
    keys = {
        play_key(seed, "t", 1, ()),
        play_key(seed, "u", 1, ()),
        play_key(seed, "t", 2, ()),
        play_key(seed, "t", 1, (b"a",)),
        play_key(seed, "t", 1, (b"", b"a")),
    }
    assert len(keys) == 5


def test_dice_choices_and_shuffles_are_fair() -> None:
    draws = SealedDraws(play_key(bytes(32), "t", 1, ()))
    dice = Counter(die for _ in range(6000) for die in draws.dice(1))
    assert all(abs(count - 1000) < 150 for count in dice.values()), dice
    chosen = Counter(draws.pick(range(7)) for _ in range(7000))
    assert all(abs(count - 1000) < 150 for count in chosen.values()), chosen
    first = Counter(draws.shuffle("abcd")[0] for _ in range(4000))
    assert all(abs(count - 1000) < 150 for count in first.values()), first


def test_places_are_draws_of_their_own() -> None:
    key = play_key(bytes(32), "t", 1, ())
    assert SealedDraws(key, 0).shuffle(range(8), at=3) == SealedDraws(key, 7).shuffle(range(8), at=3)
    assert SealedDraws(key, 0).shuffle(range(8), at=3) != SealedDraws(key, 3).shuffle(range(8))


def test_a_play_is_drawn_from_its_sealed_seed_and_the_nonces() -> None:
    desk = Desk()
    asked = opened(seats=2, first_starter=0)
    asked.nonce = b"ann's"
    desk.do(ANN, asked)
    desk.do(BEN, pb.Sit(nonce=b"ben's"))
    desk.do(ANN, pb.Start())
    seed = desk.table.seed
    assert commitment(seed) == sha256(seed).digest() == desk.table.life.commitment
    assert desk.table.life.nonces == (b"ann's", b"ben's")
    expected = SealedDraws(play_key(seed, TABLE, 1, (b"ann's", b"ben's")))
    for _ in range(2):
        thrown = desk.act(ANN, 0, tt.Throw())[0]
        dice = expected.dice(2)
        assert isinstance(thrown, tt.DiceThrown)
        assert tuple(thrown.dice) == dice
        if sorted(dice) == [1, 2]:
            break
    revealed = desk.do(OPERATOR, pb.VoidPlay(reason="test"))[1]
    assert isinstance(revealed, pb.DrawsRevealed)
    assert revealed.seed == seed
    assert desk.table.seed != seed
