"""What a round is worth: each seat's chance not to be the last with dice, by how many dice everybody has left."""

from functools import cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Dice = tuple[int, ...]
"""Dice by seat; 0 for a seat that is out and safe."""


def safety(dice: Dice, classic: bool = False) -> tuple[float, ...]:
    """Each seat's chance to escape, if every seat with dice is as likely as another to lose a round.

    `classic`: the table plays R5.4, and half of the rounds end with a right lift.
    """
    order = sorted(range(len(dice)), key=lambda seat: dice[seat])
    found = _sorted(tuple(dice[seat] for seat in order), classic)
    out = [1.0] * len(dice)
    for seat, chance in zip(order, found, strict=True):
        out[seat] = chance
    return tuple(out)


@cache
def _sorted(dice: Dice, classic: bool) -> tuple[float, ...]:
    playing = [seat for seat, n in enumerate(dice) if n]
    if len(playing) == 1:
        return tuple(0.0 if n else 1.0 for n in dice)
    ways = [after_loss(dice, seat) for seat in playing]
    if classic:
        ways += [after_right_lift(dice, seat) for seat in playing]
    total = [0.0] * len(dice)
    for way in ways:
        for seat, chance in enumerate(safety(way, classic)):
            total[seat] += chance / len(ways)
    return tuple(total)


def after_loss(dice: Dice, loser: int) -> Dice:
    """Everybody but the loser puts a die away (R5.3)."""
    return tuple(n - (n > 0 and seat != loser) for seat, n in enumerate(dice))


def after_right_lift(dice: Dice, lifter: int) -> Dice:
    """Only the lifter puts a die away (R5.4)."""
    return tuple(n - (seat == lifter) for seat, n in enumerate(dice))


def of_round(dice: Dice, classic: bool) -> tuple[Floats, Floats]:
    """What a round brings: `[loser, seat]` when a seat loses it, and `[lifter, bidder, seat]` when a lie is lifted.

    From each seat's side 0 is the worst that can come, 1 the best. `dice`: of seats that play, all above 0.
    """
    n = len(dice)
    lost = np.array([safety(after_loss(dice, seat), classic) for seat in range(n)], np.float32)
    right = [safety(after_right_lift(dice, seat), classic) for seat in range(n)] if classic else []
    lie = np.array([[right[lifter] if classic else lost[bidder] for bidder in range(n)] for lifter in range(n)])
    apart = ~np.eye(n, dtype=np.bool_)
    every = np.concatenate([lost, lie[apart]]).astype(np.float32)
    low, high = every.min(axis=0), every.max(axis=0)
    span = np.where(high - low > 1e-9, high - low, 1).astype(np.float32)
    return (lost - low) / span, ((lie - low) / span).astype(np.float32)
