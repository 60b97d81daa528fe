"""The floor of the door: a bare grpc.aio server that sends back what it gets, in a process of its own."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator

import grpc
import uvloop


class Echo(grpc.GenericRpcHandler):
    """One bidi method, bytes in, the same bytes out."""

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        """Every method is the echo."""

        async def echo(requests: AsyncIterator[bytes], _: object) -> AsyncIterator[bytes]:
            async for request in requests:
                yield request

        return grpc.stream_stream_rpc_method_handler(echo)


async def serve() -> None:
    """Prints the port and serves until the input is closed."""
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((Echo(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await server.stop(0)


async def bench_echo(rounds: int = 2000) -> dict[str, float]:
    """`floor_grpc_rtt_ms`: p50 of a message of 100 bytes there and back on an open stream."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.echo", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdin is not None
    port = int(await process.stdout.readline())
    times: list[float] = []
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = channel.stream_stream("/echo/Echo")()
        for _ in range(rounds):
            began = time.perf_counter()
            await call.write(b"x" * 100)
            await call.read()
            times.append(time.perf_counter() - began)
        call.cancel()
    process.stdin.close()
    await process.wait()
    times.sort()
    return {"floor_grpc_rtt_ms": times[len(times) // 2] * 1e3}


if __name__ == "__main__":
    uvloop.run(serve())
