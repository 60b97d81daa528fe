import asyncio
import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from libs.service import parent

ROOT = Path(__file__).resolve().parents[3]
STARTS_WORKER = """
import os, signal, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from libs.service.parent import die_with_parent
if __name__ == "__main__":
    pool = ProcessPoolExecutor(1, get_context("spawn"), die_with_parent, (signal.SIGKILL, os.getpid()))
    print(pool.submit(os.getpid).result(), flush=True)
    signal.pause()
"""
STARTS_COMMAND = """
import os, signal, subprocess, sys
child = subprocess.Popen([sys.executable, "-I", "-S", sys.argv[1], str(os.getpid()), "15", "-", sys.executable,
    "-c", "import os, signal; print(os.getpid(), flush=True); signal.pause()"])
signal.pause()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel call is Linux's")
@pytest.mark.parametrize("program", [STARTS_WORKER, STARTS_COMMAND], ids=["worker", "command"])
async def test_a_child_ends_when_its_starter_is_killed(program: str, tmp_path: Path) -> None:
    script = tmp_path / "starter.py"
    script.write_text(program)
    starter = await asyncio.create_subprocess_exec(
        sys.executable,
        str(script),
        parent.__file__,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE,
    )
    assert starter.stdout is not None
    child = psutil.Process(int(await starter.stdout.readline()))
    os.kill(starter.pid, signal.SIGKILL)
    await starter.wait()
    _, alive = await asyncio.to_thread(psutil.wait_procs, [child], 20)
    assert alive == []


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel call is Linux's")
async def test_a_child_whose_starter_is_gone_already_ends_at_once() -> None:
    program = f"from libs.service import die_with_parent; die_with_parent(15, {os.getpid() + 1}); print('alive')"
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await child.communicate()
    assert (child.returncode, out) == (-signal.SIGTERM, b"")
