"""Trains the net by self-play: every seat plays by it, and regrets what it might have called instead.

    python -m services.liarsdice.regulars.engine.train --minutes 45 --out more_1.npz
    python -m services.liarsdice.regulars.engine.train --minutes 28 --cups two --pull 0.15 --out two_1.npz

`train.log` has the command and course of each net that is shipped.

Each round is one of many situations (numbers of dice, house rules). A seat's outcome is measured against what a
critic, who sees all cups, expected before the call: that is the regret of not calling it, with the luck of the hidden
dice taken out. Scores move along it in small, clipped steps (Schulman's PPO); a price on certainty keeps every mixture
mixed (Sokota's magnetic mirror descent), so that self-play settles near an equilibrium and does not go round in
circles. A shipped net is the running average of the later ones, and several play as one by the mean of their mixtures:
as in counterfactual regret minimisation it is the average that counts. One core, numpy only.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from services.liarsdice.counting import highest
from services.liarsdice.options import PRESETS, resolve
from services.liarsdice.regulars.engine.net import Layers, Nets, drawn, forward, mixture, read, save, shares
from services.liarsdice.regulars.engine.rounds import CALLS, LIFT, UPS, Rounds, shake
from services.liarsdice.regulars.engine.senses import WIDTH, sense
from services.liarsdice.regulars.engine.situations import (
    RULES,
    Bools,
    Floats,
    Ints,
    Situation,
    Situations,
    rows_of,
)
from services.liarsdice.regulars.engine.stakes import after_loss

HIDDEN = (160, 96)
CRITIC = (128, 64)
CLIP = 0.2
BATCH = 2048
PASSES = 2
MIXED, PLAIN, SURE = 0.5, 0.5, 10.0
"""Share of the rounds of three or more where some seats go by the odds, share of those seats, and how strictly."""
SEATS = ((2, 0.30), (3, 0.18), (4, 0.26), (5, 0.10), (6, 0.06), (7, 0.05), (8, 0.05))
DICE = ((4, 0.70), (3, 0.08), (5, 0.12), (6, 0.06), (2, 0.04))


@dataclass
class Learner:
    """A net and its Adam moments."""

    layers: list[Floats]
    first: list[Floats] = field(default_factory=list[Floats])
    second: list[Floats] = field(default_factory=list[Floats])
    steps: int = 0

    def step(self, inputs: Floats, outs: list[Floats], slope: Floats, rate: float) -> None:
        """One step down, `slope` the gradient at the last outputs."""
        slopes: list[Floats] = []
        for at in range(len(self.layers) - 2, -1, -2):
            below = outs[at // 2 - 1] if at else inputs
            slopes = [below.T @ slope, slope.sum(axis=0), *slopes]
            if at:
                slope = (slope @ self.layers[at].T) * (below > 0)
        norm = float(np.sqrt(sum(float(np.sum(one * one)) for one in slopes)))
        if not self.first:
            self.first = [np.zeros_like(part) for part in self.layers]
            self.second = [np.zeros_like(part) for part in self.layers]
        self.steps += 1
        scale = np.float32(rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps))
        shrink = np.float32(min(1.0, 1.0 / (norm + 1e-9)))
        for weights, slope_, first, second in zip(self.layers, slopes, self.first, self.second, strict=True):
            slope_ *= shrink
            first += np.float32(0.1) * (slope_ - first)
            second += np.float32(0.001) * (slope_ * slope_ - second)
            weights -= scale * first / (np.sqrt(second) + np.float32(1e-7))


def fresh(sizes: tuple[int, ...], rng: np.random.Generator) -> list[Floats]:
    """A net that knows nothing."""
    layers: list[Floats] = []
    for inputs, outputs in pairwise(sizes):
        scale = np.sqrt(2 / inputs) * (0.1 if outputs == sizes[-1] else 1)
        layers += [rng.normal(0, scale, (inputs, outputs)).astype(np.float32), np.zeros(outputs, np.float32)]
    return layers


def situations(count: int, rng: np.random.Generator, seats: Sequence[tuple[int, float]] = SEATS) -> Situations:
    """Situations as games bring them: equal dice, then one round after another lost by anybody.

    `seats`: numbers of seats at first, and how often.
    """
    found: list[Situation] = []
    while len(found) < count:
        around = int(rng.choice([k for k, _ in seats], p=[p for _, p in seats]))
        each = int(rng.choice([k for k, _ in DICE], p=[p for _, p in DICE]))
        named = {"seats": around, "dice_each": each, **_rules(rng)}
        setup = resolve(named)
        dice = (each,) * around
        while sum(n > 0 for n in dice) > 1:
            playing = tuple(n for n in dice if n)
            found.append(Situation(playing, setup, highest(playing, around, setup)))
            dice = after_loss(playing, int(rng.integers(len(playing))))
    return rows_of(found)


def _rules(rng: np.random.Generator) -> dict[str, Any]:
    kind = rng.random()
    if kind < 0.45:
        return {}
    if kind < 0.75:
        return {"preset": str(rng.choice([name for name in PRESETS if name != "standard"]))}
    return {name: bool(rng.random() < 0.4) for name in RULES} | {"hidden_count": bool(rng.random() < 0.2)}


class Played(NamedTuple):
    """Decisions of a batch of rounds, a row each. `oracle`: what is sensed, and which calls would hold."""

    inputs: Floats
    oracle: Floats
    legal: Bools
    calls: Ints
    shares: Floats
    outcome: Floats


def play(layers: Layers, kinds: Situations, rounds: int, rng: np.random.Generator) -> Played:
    """A batch of rounds by the net; where more than two play, some seats go by the odds, as guests often do.

    What those call is not learnt from.
    """
    at = rng.integers(0, len(kinds.seats), rounds)
    table = Rounds(kinds, at, shake(kinds.dice[at], rng), (rng.random(rounds) * kinds.seats[at]).astype(np.int64))
    plain = (
        (rng.random(table.brings.shape) < PLAIN) & (rng.random((rounds, 1)) < MIXED) & (kinds.seats[at] > 2)[:, None]
    )
    inputs: list[Floats] = []
    oracle: list[Floats] = []
    legals: list[Bools] = []
    calls: list[Ints] = []
    mixed: list[Floats] = []
    who: list[tuple[Ints, Ints]] = []
    while len(every := np.flatnonzero(~table.over)):
        apart = plain[every, table.turn[every]]
        rows, others = every[~apart], every[apart]
        if len(others):
            table.call(others, drawn(by_odds(table, others, SURE), rng))
        if not len(rows):
            continue
        legal = table.legal(rows)
        seen = sense(table, rows, legal)
        shares = mixture(forward(layers, seen)[-1], legal)
        call = drawn(shares, rng)
        who.append((rows, table.turn[rows]))
        inputs.append(seen)
        oracle.append(truth(table, rows))
        legals.append(legal)
        calls.append(call)
        mixed.append(shares[np.arange(len(rows)), call])
        table.call(rows, call)
    outcome = np.concatenate([table.brings[rows, seats] for rows, seats in who])
    seen = np.concatenate(inputs)
    return Played(
        seen,
        np.concatenate([seen, np.concatenate(oracle)], axis=1),
        np.concatenate(legals),
        np.concatenate(calls),
        np.concatenate(mixed),
        outcome,
    )


def truth(table: Rounds, rows: Ints) -> Floats:
    """Which bid of each call would hold, how far off it is, and the same of the bid on the table."""
    quantity = np.where(table.quantity[rows] == 0, table.kinds.base[table.at[rows]], table.quantity[rows])
    over = table.total[rows][:, None, :] - quantity[:, None, None] - np.arange(UPS)[:, None]
    held = (over >= 0) & table.counted[rows][:, None, :]
    face = np.maximum(0, table.face[rows])
    each = np.arange(len(rows))
    now = table.quantity[rows] > 0
    # how far off: of the lowest quantity alone, by face
    return np.concatenate(
        [
            held.reshape(len(rows), -1),
            np.clip(over[:, 0, :], -4, 4) / 4,
            (held[each, 0, face] & now)[:, None],
        ],
        axis=1,
    ).astype(np.float32)


ORACLE = WIDTH + CALLS - 1 + 7 + 1


class Step(NamedTuple):
    """How a batch is learnt from: the rate, the price on certainty, and the pull to the net that play is drawn to.

    `magnet` is a slow copy of the net itself; `pull` keeps self-play from going round in circles.
    """

    rate: float
    mixing: float
    pull: float = 0.0
    magnet: Layers = ()


def learn(policy: Learner, critic: Learner, batch: Played, how: Step, rng: np.random.Generator) -> dict[str, float]:
    """`PASSES` over a batch."""
    n = len(batch.calls)
    expected = np.concatenate(
        [forward(critic.layers, batch.oracle[at : at + 8192])[-1][:, 0] for at in range(0, n, 8192)]
    )
    regret = batch.outcome - expected
    error = float(np.mean(regret**2))
    regret = regret / np.float32(regret.std() + 1e-6)
    entropy = moved = 0.0
    for _ in range(PASSES):
        order = rng.permutation(n)
        for start in range(0, n - BATCH // 2, BATCH):
            rows = order[start : start + BATCH]
            each, size = np.arange(len(rows)), len(rows)
            inputs, legal, calls = batch.inputs[rows], batch.legal[rows], batch.calls[rows]
            outs = forward(policy.layers, inputs)
            shares = mixture(outs[-1], legal)
            ratio = shares[each, calls] / batch.shares[rows]
            gain = regret[rows]
            free = np.where(gain > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
            push = (free * ratio * gain)[:, None]
            logs = np.log(np.maximum(shares, 1e-12))
            mixed = -(shares * logs).sum(axis=1, keepdims=True)
            slope = shares * push
            slope[each, calls] -= push[:, 0]
            # entropy's slope at the scores: -p (log p + H)
            slope += np.float32(how.mixing) * shares * (logs + mixed)
            if how.pull:
                far = logs - np.log(np.maximum(mixture(forward(how.magnet, inputs)[-1], legal), 1e-12))
                slope += np.float32(how.pull) * shares * (far - (shares * far).sum(axis=1, keepdims=True))
            policy.step(inputs, outs, slope / np.float32(size), how.rate)
            seen = batch.oracle[rows]
            outs = forward(critic.layers, seen)
            wrong = outs[-1][:, 0] - batch.outcome[rows]
            critic.step(seen, outs, (2 * wrong / np.float32(size))[:, None].astype(np.float32), 2 * how.rate)
            entropy, moved = float(mixed.mean()), float(np.mean(~free))
    lifts: Bools = batch.calls == LIFT
    return {"error": error, "entropy": entropy, "clipped": moved, "length": n / max(1, int(np.count_nonzero(lifts)))}


def by_odds(table: Rounds, rows: Ints, sure: float) -> Floats:
    """Shares of the calls of a player who follows the odds (R10.7), the more strictly the greater `sure`."""
    legal = table.legal(rows)
    seen = sense(table, rows, legal)
    right = np.concatenate([1 - seen[:, -3:-2], seen[:, -3 - 2 * (CALLS - 1) : -3 - (CALLS - 1)]], axis=1)
    # of equals the highest bid, and no lift
    right[:, 1:] += np.arange(1, CALLS, dtype=np.float32) * np.float32(1e-5)
    return mixture(right * np.float32(sure), legal)


def against_odds(nets: Nets, kinds: Situations, seats: int, rounds: int, rng: np.random.Generator) -> float:
    """Share of rounds that one seat loses by the net among others that follow the odds (par: 1 / seats)."""
    at = rng.choice(np.flatnonzero((kinds.seats == seats) & (kinds.rules.sum(axis=1) == 0)), rounds)
    table = Rounds(kinds, at, shake(kinds.dice[at], rng), rng.integers(0, seats, rounds))
    mine = rng.integers(0, seats, rounds)
    while len(rows := np.flatnonzero(~table.over)):
        calls = drawn(by_odds(table, rows, 1e5), rng)
        own = np.flatnonzero(table.turn[rows] == mine[rows])
        if len(own):
            calls[own] = drawn(shares(nets, table, rows[own]), rng)
        table.call(rows, calls)
    return np.count_nonzero(np.equal(table.loser, mine)) / rounds


def main() -> None:
    """Trains, and writes the net every few minutes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rounds", type=int, default=4096)
    parser.add_argument("--kinds", type=int, default=12_000)
    parser.add_argument("--cups", choices=("two", "more"), default="more")
    parser.add_argument("--resume", type=Path, help="a net to go on from")
    parser.add_argument("--rate", type=float, default=1e-3, help="of learning, at first")
    parser.add_argument("--pull", type=float, default=0.0, help="to the slow copy of itself")
    parser.add_argument(
        "--mixing", type=float, nargs=2, default=(0.03, 0.005), help="price on certainty, first to last"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("weights.npz"))
    parser.add_argument("--log", type=Path)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    seats = ((2, 1.0),) if asked.cups == "two" else SEATS
    kinds = situations(asked.kinds, rng, seats)
    policy = Learner(list(read(asked.resume)) if asked.resume else fresh((WIDTH, *HIDDEN, CALLS), rng))
    critic = Learner(fresh((ORACLE, *CRITIC, 1), rng))
    average = [part.copy() for part in policy.layers]
    magnet = [part.copy() for part in policy.layers]
    began = told = time.monotonic()
    count = 0
    while (done := (time.monotonic() - began) / (60 * asked.minutes)) < 1:
        if count and count % 400 == 0:
            kinds = situations(asked.kinds, rng, seats)
        how = Step(rate=asked.rate * (1 - done) + 3e-5, mixing=asked.mixing[0] ** (1 - done) * asked.mixing[1] ** done)
        how = how._replace(pull=asked.pull, magnet=magnet)
        figures = learn(policy, critic, play(policy.layers, kinds, asked.rounds, rng), how, rng)
        count += 1
        fade = np.float32(min(0.999, count / (count + 50)))
        for mean, part in zip(average, policy.layers, strict=True):
            mean += (1 - fade) * (part - mean)
        for mean, part in zip(magnet, policy.layers, strict=True):
            mean += np.float32(max(0.01, 1 / (count + 5))) * (part - mean)
        if time.monotonic() - told > 60:
            told = time.monotonic()
            figures |= {
                f"odds{k}": against_odds((average,), kinds, k, 20_000, rng)
                for k in (2, 4)
                if k == 2 or asked.cups != "two"
            }
            line = f"{60 * asked.minutes * done:6.0f} s {count:6} batches  " + "  ".join(
                f"{name} {value:.4f}" for name, value in figures.items()
            )
            print(line, flush=True)
            if asked.log:
                with asked.log.open("a") as file:
                    file.write(line + "\n")
            keep(asked.out, average)
    keep(asked.out, average)


def keep(path: Path, layers: Layers) -> None:
    """Writes a net that is sound. Raises FloatingPointError."""
    if not all(np.isfinite(part).all() for part in layers):
        raise FloatingPointError("the net has come apart: go on from an earlier one with a lower rate")
    save(path, layers)


if __name__ == "__main__":
    main()
