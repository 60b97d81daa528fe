"""Runs inside GNU Backgammon's own Python (`gnubg -t -q -r -p gnu_side.py`): plays positions for a yardstick.

Reads from the socket named by STAMTAFEL_GNU_SOCKET requests of 55 bytes: plies, two dice, 52 counts (the seat on roll
first, 0 = off, 25 = bar). Answers 8 bytes: from, to, from, to ... of its best turn, cubeless, unused ones 0. With 255
for the plies it answers a 2-byte count and that many turns of 8 bytes instead: all that it holds to be legal. Needs
nothing of ours.
"""

# pyright: basic

import os
import socket

import gnubg  # pyright: ignore[reportMissingImports]


def read(connection, size):
    """Exactly so many bytes, or nothing at the end."""
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            return b""
        data += part
    return data


def turn(moves):
    """A turn as 8 bytes."""
    return bytes((list(moves) + [0] * 8)[:8])


def legal(board, dice):
    """All turns that GNU Backgammon lists for this position."""
    gnubg.command("set turn 1")
    gnubg.command("set board " + gnubg.positionid(board))
    gnubg.command(f"set dice {dice[0]} {dice[1]}")
    found = [gnubg.parsemove(entry["move"]) for entry in gnubg.hint(5000)["hint"]]
    return [turn([at for step in moves for at in step]) for moves in found]


def serve():
    """Answers until the other end closes."""
    for command in (
        "set automatic roll off",
        "set automatic game off",
        "set automatic move off",
        "set automatic bearoff off",
        "set player 0 human",
        "set player 1 human",
        "set evaluation chequerplay evaluation plies 0",
        "set display off",
        "new game",
    ):
        gnubg.command(command)
    cube = gnubg.cubeinfo(1, -1, 1, 0, (0, 0), 0)
    cube["jacoby"] = 0
    cube["gammonprice"] = ((1.0, 1.0), (1.0, 1.0))
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(os.environ["STAMTAFEL_GNU_SOCKET"])
    while True:
        asked = read(connection, 55)
        if not asked:
            return
        plies, dice, mine, other = asked[0], (asked[1], asked[2]), asked[4:29], asked[30:55]
        board = (tuple(other), tuple(mine))
        if plies == 255:
            turns = legal(board, dice)
            connection.sendall(len(turns).to_bytes(2, "little") + b"".join(turns))
            continue
        gnubg.command(f"set dice {dice[0]} {dice[1]}")
        best = gnubg.findbestmove(board, cube, gnubg.evalcontext(0, plies, 1, 0))
        connection.sendall(turn(best))


serve()
