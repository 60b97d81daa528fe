"""`make bench`: floors and figures of one run, as a table and as build/bench.json (a flat object).

python -m tests.bench [PART ...]      parts: log bus grpc timer pipeline door takeover shots games, or
    a game's name (default: all)
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import uvloop

from deploy.local.stack import LocalStack, StackOptions
from tests.bench.bus_bench import bench_bus
from tests.bench.door_bench import BENCH_ENV, bench_door
from tests.bench.echo import bench_echo
from tests.bench.log_bench import bench_log
from tests.bench.pipeline_bench import bench_pipeline
from tests.bench.shots_bench import bench_shots
from tests.bench.takeover_bench import bench_takeover
from tests.bench.timer_bench import bench_timer

ROOT = Path(__file__).parents[2]
OUT = ROOT / "build" / "bench.json"
GAMES = ("trictrac", "klaverjas", "liarsdice", "backgammon", "carrom")

TARGETS: dict[str, tuple[str, float]] = {
    "pipeline_commands_per_s": (">=", 15_000),
    "door_ratio_1": ("<=", 2.0),
    "door_moves_per_s_64": (">=", 4_000),
    "timer_late_p99_ms": ("<=", 50),
    "takeover_s": ("<=", 5),
    "replay_read_per_s": (">=", 100_000),
    "replay_fold_per_s": (">=", 30_000),
    "klaverjas_pipeline_commands_per_s": (">=", 8_000),
    "backgammon_pipeline_commands_per_s": (">=", 8_000),
    "backgammon_turns_us_median": ("<=", 300),
    **{
        f"liarsdice_odds{name}{cold}_p99_ms": ("<=", 5.0)
        for name in ("", "_any", "_any_stairs", "_all")
        for cold in ("", "_cold")
    },
    "carrom_shot_median_ms": ("<=", 30),
    "carrom_shot_p99_ms": ("<=", 120),
}


def games() -> list[str]:
    """The games that are here."""
    return [game for game in GAMES if (ROOT / "services" / game / "rules.py").exists()]


async def pipelines(stack: LocalStack) -> dict[str, float]:
    """Every game through the pipeline; trictrac's figures have no prefix."""
    found: dict[str, float] = {}
    for game in games():
        if game == "carrom":
            continue  # its commands are simulations: see its own figures
        rules = importlib.import_module(f"services.{game}.rules").RULES
        figures = await bench_pipeline(stack.database_url, stack.nats_url, rules, rules.options_type())
        prefix = "" if game == "trictrac" else f"{game}_"
        found |= {f"{prefix}{name}": value for name, value in figures.items()}
    return found


async def game_figures(*only: str) -> dict[str, float]:
    """What each game measures of its own rules (tests/bench/<game>_bench.py); `only` these games, else all."""
    found: dict[str, float] = {}
    for game in only or games():
        if not (ROOT / "tests" / "bench" / f"{game}_bench.py").exists():
            continue
        measured: Any = getattr(importlib.import_module(f"tests.bench.{game}_bench"), f"bench_{game}")()
        figures = await measured if inspect.isawaitable(measured) else measured
        found |= {name if name.startswith(game) else f"{game}_{name}": value for name, value in figures.items()}
    return found


async def door(stack: LocalStack) -> dict[str, float]:
    """The door at 1, 16 and 64 tables."""
    found: dict[str, float] = {}
    for tables in (1, 16, 64):
        found |= await bench_door(stack.server, tables)
    return found


async def infrastructure(part: Callable[[LocalStack], Awaitable[dict[str, float]]]) -> dict[str, float]:
    """A part that needs Postgres and NATS only, fresh ones."""
    with tempfile.TemporaryDirectory(prefix="stamtafel-bench-", ignore_cleanup_errors=True) as folder:
        async with LocalStack(Path(folder)) as stack:
            return await part(stack)


async def platform(
    part: Callable[[LocalStack], Awaitable[dict[str, float]]], services: tuple[str, ...] = ("trictrac",)
) -> dict[str, float]:
    """A part that needs the whole platform."""
    with tempfile.TemporaryDirectory(prefix="stamtafel-bench-", ignore_cleanup_errors=True) as folder:
        async with LocalStack(Path(folder), StackOptions(env=BENCH_ENV)) as stack:
            await stack.start([*services, "tally", "timer", "bots", "gateway"])
            return await part(stack)


PARTS: dict[str, Callable[[], Awaitable[dict[str, float]]]] = {
    "log": lambda: infrastructure(lambda stack: bench_log(stack.database_url)),
    "bus": lambda: infrastructure(lambda stack: bench_bus(stack.nats_url)),
    "grpc": bench_echo,
    "timer": lambda: infrastructure(lambda stack: bench_timer(stack.nats_url)),
    "pipeline": lambda: infrastructure(pipelines),
    "door": lambda: platform(door),
    "takeover": lambda: platform(bench_takeover),
    "shots": lambda: platform(bench_shots, ("trictrac", "carrom")),
    "games": game_figures,
}
GAME_PARTS: dict[str, Callable[[], Awaitable[dict[str, float]]]] = {game: partial(game_figures, game) for game in GAMES}
"""One game of the part `games`, by its name."""


def ratios(found: dict[str, float]) -> dict[str, float]:
    """Figures as ratios to the floors of the same run."""
    made: dict[str, float] = {}
    floors = [found.get(name) for name in ("floor_pg_commit_ms", "floor_nats_rtt_ms", "floor_grpc_rtt_ms")]
    known = [floor for floor in floors if floor is not None]
    if "door_p50_ms_1" in found and len(known) == len(floors):
        made["door_ratio_1"] = found["door_p50_ms_1"] / sum(known)
    batch = found.get("floor_pg_batch_per_s_256")
    if batch:
        for name in ("log_append_per_s_1", "log_append_per_s_64", "log_append_per_s_256", "pipeline_events_per_s"):
            if name in found:
                made[f"{name}_ratio"] = found[name] / batch
    return made


def show(found: dict[str, float]) -> None:
    """The table: figure, value, target."""
    for name in sorted(found):
        mark = ""
        if name in TARGETS:
            sign, target = TARGETS[name]
            reached = found[name] >= target if sign == ">=" else found[name] <= target
            mark = f"{sign} {target:g}  {'reached' if reached else 'MISSED'}"
        print(f"{name:44} {found[name]:14,.3f}  {mark}")


def main() -> None:
    """Runs the parts named, or all; figures of parts that are not run again stay in the file."""
    wanted = sys.argv[1:] or list(PARTS)
    known = PARTS | GAME_PARTS
    unknown = [part for part in wanted if part not in known]
    if unknown:
        sys.exit(f"unknown part {', '.join(unknown)}; there are {', '.join(known)}")
    found: dict[str, float] = json.loads(OUT.read_text()) if OUT.exists() and sys.argv[1:] else {}
    for part in wanted:
        print(f"measuring {part} ...", file=sys.stderr, flush=True)
        found |= uvloop.run(known[part]())  # pyright: ignore[reportArgumentType]
    found["cores"] = float(os.cpu_count() or 1)
    found |= ratios(found)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    show(found)


if __name__ == "__main__":
    main()
