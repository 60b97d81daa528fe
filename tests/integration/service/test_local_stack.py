"""The local stack with real Postgres and NATS, and the fake service of the unit tests in the place of real ones."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import nats
import psutil
import pytest

from deploy.catalog import Service
from deploy.local import ChildFailed, LocalStack, Running, StackOptions

FAKE = Service("fake", "tests.unit.deploy.fake_service")
ROOT = Path(__file__).resolve().parents[3]
driver: Any = asyncpg


@pytest.fixture
async def stack(tmp_path: Path) -> AsyncIterator[LocalStack]:
    deep = tmp_path / ("a directory with a long name, blanks and a comma" * 2) / "data"
    async with LocalStack(deep) as started:
        yield started


async def test_postgres_and_nats_take_work_in_a_deep_directory(stack: LocalStack) -> None:
    database = await driver.connect(stack.env()["DATABASE_URL"])
    assert await database.fetchval("SHOW fsync") == "on"
    assert await database.fetchval("SHOW synchronous_commit") == "on"
    await database.close()
    client = await nats.connect(stack.env()["NATS_URL"])
    assert (await client.jetstream().account_info()).streams == 0
    await client.close()


async def test_a_killed_service_comes_back_on_its_port(stack: LocalStack) -> None:
    await stack.start([FAKE])
    first, port = stack.child("fake").pid, stack.http_ports["fake"]
    await stack.kill("fake")
    await stack.wait_ready("fake")
    assert stack.child("fake").pid not in (first, None)
    assert stack.http_ports["fake"] == port


async def test_a_service_can_be_held_down_and_restarted(stack: LocalStack) -> None:
    await stack.start([FAKE])
    await stack.kill("fake", restart=False)
    assert stack.child("fake").pid is None
    await stack.restart("fake")
    first = stack.child("fake").pid
    await stack.restart("fake")
    assert stack.child("fake").pid not in (first, None)
    assert b'"event":"stopping"' in stack.log_path("fake").read_bytes()


async def test_a_replica_has_a_name_and_a_port_of_its_own(stack: LocalStack) -> None:
    await stack.start([FAKE])
    assert await stack.add_replica("fake") == "fake-2"
    assert stack.http_ports["fake-2"] != stack.http_ports["fake"]
    found = json.loads((stack.data / "ports.json").read_text())
    assert found["http"]["fake-2"] == f"127.0.0.1:{stack.http_ports['fake-2']}"
    assert found["gateway"] == stack.server


async def test_postgres_and_nats_survive_a_kill_with_their_data(stack: LocalStack) -> None:
    database = await driver.connect(stack.database_url)
    await database.execute("CREATE TABLE kept AS SELECT 1 AS x")
    await stack.kill("postgres")
    database.terminate()
    await stack.kill("nats")
    await stack.wait_ready()
    database = await driver.connect(stack.database_url)
    assert await database.fetchval("SELECT x FROM kept") == 1
    await database.close()


async def test_a_service_that_keeps_crashing_is_given_up_with_its_log(stack: LocalStack) -> None:
    crashing = LocalStack(
        stack.data / "second",
        StackOptions(stack.database_url, stack.nats_url, env={"FAKE_HABIT": "crash"}),
    )
    async with crashing:
        with pytest.raises(ChildFailed, match=r"exit code 9(.|\n)*fake service, habit 'crash'"):
            await crashing.start([FAKE])
    unset = StackOptions(stack.database_url, stack.nats_url, env={"STAMTAFEL_SHUTDOWN_SECONDS": "soon"})
    async with LocalStack(stack.data / "second", unset) as misled:
        with pytest.raises(ChildFailed, match="STAMTAFEL_SHUTDOWN_SECONDS has a value that is not allowed"):
            await misled.start([FAKE])
        assert misled.child("fake").starts == 1


async def test_a_second_one_in_the_same_directory_says_who_runs(stack: LocalStack) -> None:
    with pytest.raises(Running, match=rf"process {os.getpid()} runs Stamtafel in .*gateway at {stack.server}"):
        await LocalStack(stack.data).__aenter__()


async def test_kill_minus_nine_of_the_launcher_leaves_no_child(tmp_path: Path) -> None:
    launcher = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from deploy.local import LocalStack\n"
        "from tests.integration.service.test_local_stack import FAKE\n"
        "async def main():\n"
        "    async with LocalStack(Path(sys.argv[1])) as stack:\n"
        "        await stack.start([FAKE])\n"
        "        print(*(stack.child(name).pid for name in stack.names()), flush=True)\n"
        "        await asyncio.Event().wait()\n"
        "asyncio.run(main())\n",
        str(tmp_path),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'gen'}"},
        stdout=asyncio.subprocess.PIPE,
    )
    assert launcher.stdout is not None
    children = [psutil.Process(int(pid)) for pid in (await launcher.stdout.readline()).split()]
    assert len(children) == 3
    launcher.send_signal(signal.SIGKILL)
    await launcher.wait()
    _, alive = await asyncio.to_thread(psutil.wait_procs, children, 20)
    assert alive == []
    async with LocalStack(tmp_path) as again:
        assert not any("second" in name for name in again.names())
