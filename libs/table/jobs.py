"""Long computations (a simulated shot) in spawned worker processes, off the event loop."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

from libs.service.parent import die_with_parent
from libs.table.rules import Job

TRIES = 3


class JobFailed(Exception):
    """The computation raised, or its worker died three times."""


class Jobs(Protocol):
    """Where computations run."""

    async def run(self, job: Job) -> Any:
        """The job's outcome. Raises JobFailed."""
        ...

    def close(self) -> None:
        """Ends the workers."""
        ...


class WorkerJobs:
    """Runs jobs in spawned processes (never forked: grpc and event loops do not survive it)."""

    def __init__(self, workers: int = 1) -> None:
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    async def run(self, job: Job) -> Any:
        """The job's outcome. A worker that dies is replaced, three times at most. Raises JobFailed."""
        loop = asyncio.get_running_loop()
        for _ in range(TRIES):
            pool = self._open()
            try:
                return await loop.run_in_executor(pool, job.function, *job.arguments)
            except BrokenProcessPool:
                self._drop(pool)
            except Exception as error:
                raise JobFailed(f"{job.function.__name__}: {error}") from error
        raise JobFailed(f"{job.function.__name__}: its worker died {TRIES} times")

    def _open(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # A worker is one core's work. On small matrices more threads cost three times the time and help nobody;
            # numpy looks at this when a worker first imports it.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            self._pool = ProcessPoolExecutor(
                self._workers,
                multiprocessing.get_context("spawn"),
                die_with_parent,  # an idle worker would wait for ever for a killed owner's next job
                (signal.SIGKILL, os.getpid()),
            )
        return self._pool

    def _drop(self, pool: ProcessPoolExecutor) -> None:
        if self._pool is pool:
            self._pool = None
        pool.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Ends the workers; computations that run are lost and run again elsewhere."""
        if self._pool is not None:
            pool, self._pool = self._pool, None
            pool.shutdown(wait=False, cancel_futures=True)


class InlineJobs:
    """Runs jobs in place: for tests and tools."""

    async def run(self, job: Job) -> Any:
        """The job's outcome. Raises JobFailed."""
        try:
            return job.function(*job.arguments)
        except Exception as error:
            raise JobFailed(f"{job.function.__name__}: {error}") from error

    def close(self) -> None:
        """Nothing to end."""
