"""Ports of a local Stamtafel: fixed ones so that people can remember them, free ones where those are taken."""

import socket
from collections.abc import Iterable

GATEWAY = 7420
NATS = 7421
FIRST_HTTP = 7430
HOST = "127.0.0.1"


class Ports:
    """Gives out ports on the loopback address, none of them twice."""

    def __init__(self, *, fixed: bool = True) -> None:
        """With `fixed` False (tests) every port is a free one."""
        self._fixed = fixed
        self._given: set[int] = set()

    def take(self, wanted: int) -> int:
        """`wanted` if it is free and ports are fixed, else a free port."""
        for port in self._candidates(wanted):
            if port not in self._given and _is_free(port):
                self._given.add(port)
                return port
        raise OSError("no free port on the loopback address")

    def _candidates(self, wanted: int) -> Iterable[int]:
        if self._fixed and wanted:
            yield wanted
        for _ in range(100):
            with socket.socket() as probe:
                probe.bind((HOST, 0))
                port: int = probe.getsockname()[1]
            yield port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True
