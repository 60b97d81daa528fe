import asyncio

import pytest

from libs.service import LoopOptions, Metrics, Supervisor


class Time:
    """A clock and a sleep that only move each other."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def supervisor(time: Time) -> tuple[Supervisor, Metrics]:
    metrics = Metrics(process=False, clock=time.clock)
    return Supervisor(metrics, time.sleep), metrics


async def test_a_failing_loop_starts_again_after_longer_waits() -> None:
    time = Time()
    loops, metrics = supervisor(time)
    done = asyncio.Event()

    async def work() -> None:
        if len(time.slept) < 5:
            raise RuntimeError("boom")
        done.set()

    loops.start("work", work, LoopOptions(longest_wait=0.5))
    await done.wait()
    assert time.slept == [0.1, 0.2, 0.4, 0.5, 0.5]
    assert 'stamtafel_loop_failures_total{loop="work"} 5.0' in metrics.render().decode()
    await loops.stop()


async def test_a_long_healthy_run_forgets_earlier_failures() -> None:
    time = Time()
    loops, _ = supervisor(time)
    done = asyncio.Event()

    async def work() -> None:
        if len(time.slept) == 4:
            done.set()
            return
        if len(time.slept) == 3:
            time.now += 60
        raise RuntimeError("boom")

    loops.start("work", work)
    await done.wait()
    assert time.slept == [0.1, 0.2, 0.4, 0.1]
    await loops.stop()


async def test_a_fatal_exception_is_reported_and_not_retried() -> None:
    time = Time()
    loops, _ = supervisor(time)

    async def work() -> None:
        raise KeyError("fenced")

    loops.start("work", work, LoopOptions(fatal=(LookupError,)))
    assert isinstance(await loops.failed, KeyError)
    assert time.slept == []


async def test_stop_cancels_every_loop() -> None:
    loops, _ = supervisor(Time())
    cancelled: list[str] = []

    async def wait(name: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append(name)

    loops.start("a", lambda: wait("a"))
    loops.start("b", lambda: wait("b"))
    await asyncio.sleep(0)
    await loops.stop()
    assert sorted(cancelled) == ["a", "b"]


async def test_a_loop_without_beats_is_stuck_and_a_beat_frees_it() -> None:
    time = Time()
    loops, _ = supervisor(time)
    heartbeat = loops.start("work", asyncio.Event().wait, LoopOptions(stale_after=5))  # type: ignore[arg-type]
    loops.start("patient", asyncio.Event().wait)  # type: ignore[arg-type]
    await asyncio.sleep(0)
    time.now += 6
    assert loops.stuck() == {"work": 6}
    heartbeat.beat()
    assert loops.stuck() == {}
    await loops.stop()


async def test_a_name_runs_once() -> None:
    loops, _ = supervisor(Time())
    loops.start("work", asyncio.Event().wait)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="runs already"):
        loops.start("work", asyncio.Event().wait)  # type: ignore[arg-type]
    await loops.stop()
