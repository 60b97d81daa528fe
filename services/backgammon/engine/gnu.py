"""GNU Backgammon as a yardstick: a separate program, asked over a socket. Never linked, never the bot."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

import numpy as np

from services.backgammon.board import Half, Pair, advance
from services.backgammon.engine.batch import Boards
from services.backgammon.engine.duel import Dice, Player

_SIDE = Path(__file__).with_name("gnu_side.py")
_PLACES = ("gnubg", "/usr/games/gnubg")
STARTS_WITHIN_S = 60


def program() -> str | None:
    """Where it is installed, or None."""
    return next((found for place in _PLACES if (found := shutil.which(place))), None)


class GnuBackgammon:
    """The program while it runs: `with GnuBackgammon() as gnu: duel(me, gnu.player(plies=0), ...)`."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="gnu-")
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None

    def __enter__(self) -> "GnuBackgammon":
        where = program()
        if where is None:
            raise FileNotFoundError("GNU Backgammon is not installed (Debian package gnubg)")
        path = str(Path(self._folder.name) / "socket")
        self._listener.bind(path)
        self._listener.listen(1)
        self._listener.settimeout(STARTS_WITHIN_S)
        environment = {**os.environ, "STAMTAFEL_GNU_SOCKET": path, "HOME": self._folder.name}
        for name in ("PYTHONPATH", "PYTHONHOME"):
            environment.pop(name, None)
        self._process = subprocess.Popen(
            [where, "-t", "-q", "-r", "-p", str(_SIDE)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self._connection, _ = self._listener.accept()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection is not None:
            self._connection.close()
        self._listener.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def best(self, mine: Half, other: Half, dice: tuple[int, int], plies: int = 0) -> Pair:
        """What its best turn leads to, cubeless for money; the same position when nothing can be played."""
        answer = self._ask(bytes((plies, *dice)) + mine + other, 8)
        return _played(mine, other, answer)

    def legal(self, mine: Half, other: Half, dice: tuple[int, int]) -> set[Pair]:
        """What every turn leads to that it lists as legal."""
        count = int.from_bytes(self._ask(bytes((255, *dice)) + mine + other, 2), "little")
        return {_played(mine, other, self._read(8)) for _ in range(count)}

    def player(self, plies: int = 0) -> Player:
        """As a player of duels."""

        def play(boards: Boards, dice: Dice) -> Boards:
            after = np.empty_like(boards)
            for row, (board, thrown) in enumerate(zip(boards, dice, strict=True)):
                mine, other = board[0].tobytes(), board[1].tobytes()
                found = self.best(mine, other, (int(thrown[0]), int(thrown[1])), plies)
                after[row, 1] = np.frombuffer(found[0], dtype=np.int8)
                after[row, 0] = np.frombuffer(found[1], dtype=np.int8)
            return after

        return play

    def _ask(self, request: bytes, size: int) -> bytes:
        assert self._connection is not None
        self._connection.sendall(request)
        return self._read(size)

    def _read(self, size: int) -> bytes:
        assert self._connection is not None
        data = bytearray()
        while len(data) < size:
            part = self._connection.recv(size - len(data))
            if not part:
                raise ConnectionError("GNU Backgammon has ended")
            data += part
        return bytes(data)


def _played(mine: Half, other: Half, turn: bytes) -> Pair:
    for at in range(0, 8, 2):
        start, to = turn[at], turn[at + 1]
        if start:
            mine, other, _ = advance(mine, other, start, to)
    return mine, other
