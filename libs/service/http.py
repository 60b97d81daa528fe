"""/metrics, /healthz and /readyz on one port, answered by the process's own event loop.

prometheus_client's server answers from a thread of its own, and so would call a process healthy whose event loop is
stuck; its ASGI and WSGI apps need a web server. Three fixed GET answers need neither.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

Answer = tuple[HTTPStatus, str, bytes]
Route = Callable[[], Answer]
READ_SECONDS = 5.0
HEADER_BYTES = 16 * 1024


def text(status: HTTPStatus, body: str) -> Answer:
    """A short plain answer."""
    return status, "text/plain; charset=utf-8", body.encode()


def exposition(body: bytes) -> Answer:
    """An answer in Prometheus' text format."""
    return HTTPStatus.OK, CONTENT_TYPE_PLAIN_0_0_4, body


class HttpServer:
    """Answers GET for a fixed set of paths; one request a connection."""

    def __init__(self, routes: Mapping[str, Route]) -> None:
        """`routes` maps a path to a function that gives status, content type and body."""
        self._routes = routes
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port, which is a free one for `port` 0. Raises OSError when it is taken."""
        self._server = await asyncio.start_server(self._serve, host, port, limit=HEADER_BYTES)
        return self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(READ_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(self._answer(head))
                await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # a caller who stays silent, talks too much or leaves gets no answer
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    def _answer(self, head: bytes) -> bytes:
        words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
        if len(words) != 3 or words[0] not in ("GET", "HEAD"):
            status, kind, body = text(HTTPStatus.METHOD_NOT_ALLOWED, "only GET\n")
        elif (route := self._routes.get(words[1].partition("?")[0])) is None:
            status, kind, body = text(HTTPStatus.NOT_FOUND, "no such page\n")
        else:
            status, kind, body = route()
        lines = (f"HTTP/1.1 {status.value} {status.phrase}", f"Content-Type: {kind}", f"Content-Length: {len(body)}")
        return "\r\n".join((*lines, "Connection: close\r\n\r\n")).encode() + (b"" if words[0] == "HEAD" else body)
