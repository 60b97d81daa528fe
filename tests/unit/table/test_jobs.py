"""Long computations run in processes of their own, one core each; a worker that dies is replaced."""

import os
import signal
from pathlib import Path

import pytest

from libs.table.jobs import JobFailed, WorkerJobs
from libs.table.rules import Job


def threads() -> str | None:
    return os.environ.get("OPENBLAS_NUM_THREADS")


def dies_once(mark: str) -> str:
    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def fails() -> None:
    raise ValueError("no such shot")


async def test_workers_compute_and_are_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    jobs = WorkerJobs()
    try:
        assert await jobs.run(Job(threads, ())) == "1"
        assert await jobs.run(Job(dies_once, (str(tmp_path / "mark"),))) == "alive"
        with pytest.raises(JobFailed, match="fails: no such shot"):
            await jobs.run(Job(fails, ()))
    finally:
        jobs.close()
