import asyncio
import sys

import pytest

from libs.service import LoopOptions, Process, Settings
from libs.service.process import EXIT_FAILED, EXIT_OK, EXIT_SETTINGS


def settings(**more: object) -> Settings:
    return Settings.model_validate({"http_port": 0, "instance": "test", **more})


async def get(process: Process[Settings], path: str) -> tuple[int, str]:
    reader, writer = await asyncio.open_connection("127.0.0.1", process.http_port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    await writer.wait_closed()
    return int(head.split(" ")[1]), body


async def test_the_order_of_a_stop() -> None:
    happened: list[str] = []

    async def loop() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            happened.append("loop cancelled")

    async def note(what: str) -> None:
        happened.append(what)

    async def broken() -> None:
        raise RuntimeError("drain failed")

    async def main(process: Process[Settings]) -> None:
        process.resources.push_async_callback(note, "opened first")
        process.resources.push_async_callback(note, "opened second")
        process.supervise("loop", loop)
        process.on_drain(lambda: note("finish batch"))
        process.on_drain(broken)
        process.on_drain(lambda: note("release lease"))
        asyncio.get_running_loop().call_soon(process.stop)

    assert await Process(settings()).live(main) == EXIT_OK
    assert happened == ["finish batch", "release lease", "loop cancelled", "opened second", "opened first"]


async def test_readiness_says_what_it_waits_for() -> None:
    seen: list[tuple[int, str]] = []

    async def main(process: Process[Settings]) -> None:
        process.not_ready("writer", "the database is away")
        process.ready()

        async def look_again() -> None:
            seen.append(await get(process, "/readyz"))

        await look_again()
        process.ready("writer")
        seen.append(await get(process, "/readyz"))
        seen.append(await get(process, "/healthz"))
        seen.append(await get(process, "/nothing"))
        page = await get(process, "/metrics?x=1")
        seen.append((page[0], "stamtafel_ready 1.0" if "stamtafel_ready 1.0" in page[1] else page[1]))
        process.on_drain(look_again)
        process.stop()

    await Process(settings()).live(main)
    assert seen == [
        (503, "writer: the database is away\n"),
        (200, "ready\n"),
        (200, "ok\n"),
        (404, "no such page\n"),
        (200, "stamtafel_ready 1.0"),
        (503, "stopping\n"),
    ]


async def test_an_exception_in_main_ends_the_process() -> None:
    closed = asyncio.Event()

    async def main(process: Process[Settings]) -> None:
        process.on_drain(lambda: asyncio.sleep(0, closed.set()))
        raise RuntimeError("no")

    assert await Process(settings()).live(main) == EXIT_FAILED
    assert closed.is_set()


async def test_a_fatal_exception_in_a_loop_ends_the_process() -> None:
    async def loop() -> None:
        raise KeyError("bug")

    async def main(process: Process[Settings]) -> None:
        process.supervise("loop", loop, LoopOptions(fatal=(KeyError,)))

    assert await Process(settings()).live(main) == EXIT_FAILED


async def test_a_stop_during_start_cancels_main() -> None:
    async def main(process: Process[Settings]) -> None:
        process.stop()
        await asyncio.Event().wait()

    assert await Process(settings()).live(main) == EXIT_OK


async def test_a_drain_that_hangs_is_dropped() -> None:
    async def main(process: Process[Settings]) -> None:
        process.on_drain(asyncio.Event().wait)
        process.stop()

    assert await Process(settings(shutdown_seconds=0.01)).live(main) == EXIT_OK


async def test_a_taken_port_is_a_failure() -> None:
    async def main(process: Process[Settings]) -> None:
        assert await Process(settings(http_port=process.http_port)).live(main) == EXIT_FAILED
        process.stop()

    assert await Process(settings()).live(main) == EXIT_OK


@pytest.mark.parametrize(("port", "code"), [("99999", EXIT_SETTINGS), ("0", EXIT_OK)])
async def test_run_as_a_program_ends_on_a_signal_or_bad_settings(port: str, code: int) -> None:
    program = (
        "import os, signal\n"
        "from libs.service import run, Settings\n"
        "async def main(process):\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    await process.stopping.wait()\n"
        "run(main, Settings)\n"
    )
    env = {"STAMTAFEL_HTTP_PORT": port, "PYTHONPATH": ":".join(sys.path)}
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, env=env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await child.communicate()
    assert child.returncode == code, (out, err)
    if code == EXIT_SETTINGS:
        assert b"STAMTAFEL_HTTP_PORT has a value that is not allowed; allowed: whole number from 0 to 65535" in err
