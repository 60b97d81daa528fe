"""Trains the nets by temporal differences: the program plays both sides, and each position learns from what came after.

    python -m services.backgammon.engine.train --minutes 60 [--games 256] [--seed 1] [--resume] [--out weights.npz]
    [--log F]

Many games run side by side. Both sides play the turn with the best cubeless equity. When a game ends, every position
of it gets a target: the lambda-return of the evaluations that followed (Sutton's TD(lambda), Tesauro's TD-Gammon).
The targets go into a store of the latest positions, from which minibatches are drawn for Adam. One core, numpy only.
"""

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from services.backgammon.engine import nets
from services.backgammon.engine.batch import START, Boards, Ints, flip, turns

Floats = npt.NDArray[np.float32]
HIDDEN = {nets.CONTACT: 160, nets.CRASHED: 64, nets.RACE: 32}
LONGEST = 600
STORE = 400_000


@dataclass
class Learner:
    """One net and its Adam moments."""

    net: nets.Net
    first: list[Floats] = field(default_factory=list[Floats])
    second: list[Floats] = field(default_factory=list[Floats])
    steps: int = 0

    def learn(self, inputs: Floats, targets: Floats, rate: float) -> float:
        """One step down the cross-entropy of a minibatch; returns its mean squared error."""
        n = len(inputs)
        hidden = nets.sigmoid(inputs @ self.net.w1 + self.net.b1)
        out = nets.sigmoid(hidden @ self.net.w2 + self.net.b2)
        error = (out - targets) / np.float32(n)
        back = (error @ self.net.w2.T) * hidden * (1 - hidden)
        slopes = (inputs.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(axis=0))
        if not self.first:
            self.first = [np.zeros_like(part) for part in self.net]
            self.second = [np.zeros_like(part) for part in self.net]
        self.steps += 1
        scale = np.float32(rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps))
        for weights, slope, first, second in zip(self.net, slopes, self.first, self.second, strict=True):
            first += np.float32(0.1) * (slope - first)
            second += np.float32(0.001) * (slope * slope - second)
            weights -= scale * first / (np.sqrt(second) + np.float32(1e-7))
        return float(np.mean((out - targets) ** 2))


def fresh(rng: np.random.Generator) -> dict[int, nets.Net]:
    """Nets that know nothing."""
    result: dict[int, nets.Net] = {}
    for kind, hidden in HIDDEN.items():
        width = nets.encode(kind, START[None]).shape[1]
        result[kind] = nets.Net(
            rng.normal(0, 1 / np.sqrt(width), (width, hidden)).astype(np.float32),
            np.zeros(hidden, dtype=np.float32),
            rng.normal(0, 1 / np.sqrt(hidden), (hidden, 5)).astype(np.float32),
            np.array([0, -1.5, -4, -1.5, -4], dtype=np.float32),
        )
    return result


def save(path: Path, weights: dict[int, nets.Net]) -> None:
    """Writes the nets in half precision."""
    arrays = {
        f"{nets.NAMES[kind]}_{part}": getattr(net, part).astype(np.float16)
        for kind, net in weights.items()
        for part in nets.Net._fields
    }
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def choose(weights: dict[int, nets.Net], boards: Boards, dice: npt.NDArray[np.int8]) -> tuple[Boards, Floats]:
    """The best turn of each position by cubeless equity: what it leads to, the other seat to move, and its shares."""
    every = turns(boards, dice)
    after = flip(every.boards)
    shares = nets.evaluate(weights, after)
    return _best(every.owner, after, shares)


def _best(owner: Ints, after: Boards, shares: Floats) -> tuple[Boards, Floats]:
    order = np.lexsort((-nets.equity(shares), owner))
    last = np.append(np.flatnonzero(np.diff(owner)), len(owner) - 1)
    pick = order[last]
    return after[pick], shares[pick]


class Store:
    """The latest positions and their targets."""

    def __init__(self) -> None:
        self.boards = np.zeros((STORE, 2, 26), dtype=np.int8)
        self.targets = np.zeros((STORE, 5), dtype=np.float32)
        self.at = 0
        self.size = 0

    def add(self, boards: Boards, targets: Floats) -> None:
        """Takes positions in, the oldest go."""
        rows = (self.at + np.arange(len(boards))) % STORE
        self.boards[rows] = boards
        self.targets[rows] = targets
        self.at = int((self.at + len(boards)) % STORE)
        self.size = min(STORE, self.size + len(boards))


class SelfPlay:
    """Games side by side; finished ones go into the store."""

    def __init__(self, games: int, rng: np.random.Generator) -> None:
        self.rng = rng
        self.boards = np.repeat(START[None], games, axis=0)
        self.past = np.zeros((LONGEST, games, 2, 26), dtype=np.int8)
        self.values = np.zeros((LONGEST, games, 5), dtype=np.float32)
        self.length = np.zeros(games, dtype=np.int64)
        self.finished = 0
        self.store = Store()

    def ply(self, weights: dict[int, nets.Net], trace: float) -> int:
        """One turn in every game; returns the number of positions that came into the store."""
        games = len(self.boards)
        dice = self.rng.integers(1, 7, size=(games, 2)).astype(np.int8)
        opening = np.flatnonzero(self.length == 0)
        while len(again := opening[dice[opening, 0] == dice[opening, 1]]):
            dice[again] = self.rng.integers(1, 7, size=(len(again), 2))
        at = np.arange(games)
        self.past[self.length, at] = self.boards
        self.boards, shares = choose(weights, self.boards, dice)
        self.values[self.length, at] = shares
        self.length += 1
        added = 0
        over = (self.boards[:, :, 0] == 15).any(axis=1)
        for game in np.flatnonzero(over | (self.length >= LONGEST)):
            added += self._finish(int(game), trace, bool(over[game]))
        return added

    def _finish(self, game: int, trace: float, over: bool) -> int:
        n = int(self.length[game])
        if over:
            targets = np.zeros((n, 5), dtype=np.float32)
            follow = self.values[n - 1, game]  # exact: the game is over
            for i in range(n - 1, -1, -1):
                follow = (1 - trace) * self.values[i, game] + trace * follow
                follow = nets.mirrored(follow[None])[0]
                targets[i] = follow
            self.store.add(self.past[:n, game], targets)
            self.finished += 1
        self.boards[game] = START
        self.length[game] = 0
        return n if over else 0


def main() -> None:
    """Reads the command line and trains until the time is up."""
    parser = argparse.ArgumentParser(description="Train the backgammon nets by self-play.")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--games", type=int, default=256)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="go on from --out")
    parser.add_argument("--reuse", type=float, default=1, help="minibatches of 1024 for each 512 new positions")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--end-rate", type=float, default=5e-5)
    parser.add_argument("--trace", type=float, default=0.7, help="lambda at the start; falls to --end-trace")
    parser.add_argument("--end-trace", type=float, default=0.2)
    parser.add_argument("--out", type=Path, default=nets.WEIGHTS)
    parser.add_argument("--log", type=Path, default=Path(__file__).with_name("train.log"))
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    weights = fresh(rng)
    if args.resume:
        with np.load(args.out) as file:
            for kind, name in enumerate(nets.NAMES):
                weights[kind] = nets.Net(*(file[f"{name}_{part}"].astype(np.float32) for part in nets.Net._fields))
    learners = {kind: Learner(net) for kind, net in weights.items()}
    play = SelfPlay(args.games, rng)
    begin, told, due, plies = time.monotonic(), time.monotonic(), 0.0, 0
    loss = dict.fromkeys(learners, 0.0)
    with args.log.open("a") as log:
        log.write(f"start { {name: value for name, value in vars(args).items() if not isinstance(value, Path)} }\n")
        while (share := (time.monotonic() - begin) / (60 * args.minutes)) < 1:
            trace = args.trace + (args.end_trace - args.trace) * min(1.0, 3 * share)
            rate = args.rate * (args.end_rate / args.rate) ** share
            due += play.ply(weights, trace)
            plies += args.games
            while due >= 512 / args.reuse and play.store.size >= 5000:
                due -= 512 / args.reuse
                for kind, value in learn(play, learners, rate).items():
                    loss[kind] += 0.02 * (value - loss[kind])
            if time.monotonic() - told > 60:
                told = time.monotonic()
                save(args.out, weights)
                line = " ".join(f"{nets.NAMES[kind]}={value:.5f}" for kind, value in loss.items())
                log.write(
                    f"min={(told - begin) / 60:.1f} games={play.finished} plies={plies} rate={rate:.6f} mse {line}\n"
                )
                log.flush()
        save(args.out, weights)
        log.write(f"end games={play.finished} plies={plies}\n")


def learn(play: SelfPlay, learners: dict[int, Learner], rate: float) -> dict[int, float]:
    """One minibatch of 1024 positions of the store, split by class."""
    rows = play.rng.integers(0, play.store.size, size=1024)
    boards, targets = play.store.boards[rows], play.store.targets[rows]
    kinds = nets.classes(boards)
    loss: dict[int, float] = {}
    for kind, learner in learners.items():
        part = np.flatnonzero(kinds == kind)
        if len(part) >= 8:
            loss[kind] = learner.learn(nets.encode(kind, boards[part]), targets[part], rate)
    return loss


if __name__ == "__main__":
    main()
