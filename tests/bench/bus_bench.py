"""How fast the bus is, beside the floor of the same run: a raw request and reply."""

from __future__ import annotations

import asyncio
import secrets
import statistics
import time

from libs.bus import Bus, CommandSender, Position, Relay, answer
from libs.bus.ports import Committed

COMMANDS = 40_000
EVENTS = 100_000
PAYLOAD = b"x" * 200
WINDOW = 256


async def bench_bus(url: str) -> dict[str, float]:
    """Measure on the server at `url`, with streams of its own.

    `floor_nats_rtt_ms`: p50 of 2,000 raw requests; `command_publish_take_per_s`: commands of 200 bytes published
    without acks and taken by a reader on another connection, one process; `command_answer_per_s`,
    `command_answer_p50_ms`: the whole way of a command with 256 callers; `answers_per_s`: answers sent and received;
    `relay_events_per_s`, `events_take_per_s`.
    """
    log = f"bench-{secrets.token_hex(4)}"
    here = await Bus.connect(url, "bench")
    there = await Bus.connect(url, "bench-far")
    try:
        figures = await _round_trips(here, there)
        figures |= await _commands(here, there, log)
        figures |= await _answers(here, there)
        figures |= await _relay(here, there, log)
        return figures
    finally:
        await here.close()
        await there.close()


async def _round_trips(here: Bus, there: Bus) -> dict[str, float]:
    there.subscribe("bench.echo", lambda subject, reply, data, header: there.publish(reply.decode(), data))
    await there.request("$JS.API.INFO", b"")
    took: list[float] = []
    for _ in range(2000):
        start = time.perf_counter()
        await here.request("bench.echo", b"x")
        took.append(time.perf_counter() - start)
    return {"floor_nats_rtt_ms": statistics.median(took) * 1000}


async def _commands(here: Bus, there: Bus, log: str) -> dict[str, float]:
    reader = await there.commands(log, Position())
    start = time.perf_counter()
    for sent in range(0, COMMANDS, 200):
        for _ in range(200):
            here.publish(f"cmd.{log}.table", PAYLOAD)
        if sent % 2000 == 0:
            await here.flushed()
            await asyncio.sleep(0)
    left = COMMANDS
    while left:
        left -= len(await reader.take())
    figures = {"command_publish_take_per_s": COMMANDS / (time.perf_counter() - start)}
    await reader.close()
    again = await there.commands(log, Position())
    start = time.perf_counter()
    left = COMMANDS
    while left:
        left -= len(await again.take())
    figures["command_take_per_s"] = COMMANDS / (time.perf_counter() - start)

    async def own() -> None:
        while True:
            for raw in await again.take():
                answer(there, raw.data.decode(), b"yes")

    owner = asyncio.create_task(own())
    sender = CommandSender(here, f"bench-{log}")
    took: list[float] = []

    async def call() -> None:
        for _ in range(40):
            begun = time.perf_counter()
            await sender.send(log, "table", str.encode)
            took.append(time.perf_counter() - begun)

    start = time.perf_counter()
    await asyncio.gather(*(call() for _ in range(WINDOW)))
    figures["command_answer_per_s"] = len(took) / (time.perf_counter() - start)
    figures["command_answer_p50_ms"] = statistics.median(took) * 1000
    owner.cancel()
    await again.close()
    sender.close()
    return figures


async def _answers(here: Bus, there: Bus) -> dict[str, float]:
    got = 0
    done = asyncio.get_running_loop().create_future()

    def hear(subject: bytes, reply: bytes, data: bytes, header: bytes) -> None:
        nonlocal got
        got += 1
        if got == COMMANDS:
            done.set_result(None)

    here.subscribe("ans.bench.*", hear)
    await here.request("$JS.API.INFO", b"")
    start = time.perf_counter()
    for n in range(COMMANDS):
        answer(there, "ans.bench.1", PAYLOAD)
        if n % 256 == 0:
            await there.flushed()
            await asyncio.sleep(0)
    await done
    return {"answers_per_s": COMMANDS / (time.perf_counter() - start)}


async def _relay(here: Bus, there: Bus, log: str) -> dict[str, float]:
    records: list[Committed] = [(n, f"table-{n % 100}", "play", PAYLOAD) for n in range(1, EVENTS + 1)]

    async def read(after: int, limit: int) -> list[Committed]:
        return records[after : after + limit]

    relay = Relay(there, log, read)
    start = time.perf_counter()
    await relay.start()
    await relay.reached(EVENTS)
    figures = {"relay_events_per_s": EVENTS / (time.perf_counter() - start)}
    await relay.close()
    reader = here.events(log, 0)
    start = time.perf_counter()
    left = EVENTS
    while left:
        left -= len(await reader.take())
    figures["events_take_per_s"] = EVENTS / (time.perf_counter() - start)
    await reader.close()
    return figures
