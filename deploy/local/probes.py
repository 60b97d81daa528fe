"""Small questions to a child: does it take work?"""

import asyncio
from contextlib import suppress

ASK_SECONDS = 2.0


async def http_ready(host: str, port: int) -> bool:
    """Whether /readyz at that port answers 200."""
    reply = await _talk(host, port, b"GET /readyz HTTP/1.1\r\nHost: local\r\n\r\n")
    return reply.startswith(b"HTTP/1.1 200")


async def nats_ready(host: str, port: int) -> bool:
    """Whether a NATS server with JetStream greets at that port."""
    return b'"jetstream":true' in await _talk(host, port, b"")


async def _talk(host: str, port: int, question: bytes) -> bytes:
    """Send `question`, if any, and return the first line of the answer; empty when nobody answers."""
    try:
        async with asyncio.timeout(ASK_SECONDS):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                if question:
                    writer.write(question)
                return await reader.readline()
            finally:
                writer.close()
                with suppress(OSError):
                    await writer.wait_closed()
    except (OSError, TimeoutError, ValueError):
        return b""
