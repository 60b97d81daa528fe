"""`python -m deploy.demo`: a short table of each game, played over gRPC from start to end, exported, and verified.

Starts a Stamtafel of its own, signs in as a guest, seats three regulars of different levels beside the command line's
own player, shows each round, and checks chain and dice from the exported file alone. Exit code 0 when all of it holds.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from random import Random

import msgspec

from deploy.catalog import available
from deploy.local import ChildFailed, LocalStack, Running, StackOptions
from libs.client import games, show
from libs.client.checking import check_file
from libs.client.cli_history import report_lines
from libs.client.cli_play import Teller
from libs.client.client import Client, connect
from libs.client.errors import ClientError
from libs.client.player import Chair, play_to_the_end
from libs.client.setup import Wish, set_up
from stamtafel.gateway.v1 import gateway_pb2 as pb

DATA = Path("build/demo")
BESIDE = ("timer", "tally", "bots", "gateway")


class Show(msgspec.Struct, frozen=True):
    """What is played of a game: options, regulars by level, and the level of our own player."""

    game: str
    options: Mapping[str, object]
    bots: tuple[str, ...]
    level: str = "normal"


SHOWS = (
    Show("trictrac", {"preset": "quick", "seats": 4}, ("easy", "normal", "hard")),
    Show("klaverjas", {"boompjes": 2}, ("easy", "normal", "easy")),
    Show("liarsdice", {"seats": 3}, ("normal", "hard")),
    Show("backgammon", {"preset": "quick"}, ("easy",)),
    Show("carrom", {"preset": "quick"}, ("normal",)),
)


def main(arguments: list[str] | None = None) -> int:
    """Parse, run, say how it went."""
    parser = argparse.ArgumentParser(prog="demo", description="A short table of each game, played and verified.")
    parser.add_argument("games", nargs="*", help="only these (default: all that are here)")
    parser.add_argument("--data", type=Path, default=DATA, help="where everything is kept (default: %(default)s)")
    given = parser.parse_args(arguments)
    here = {service.name for service in available()}
    shows = [one for one in SHOWS if one.game in here and (not given.games or one.game in given.games)]
    if not shows:
        parser.error(f"there is something to show of {', '.join(one.game for one in SHOWS)}")
    try:
        return asyncio.run(run(given.data, shows))
    except (ChildFailed, Running, ClientError, OSError) as bad:
        print(f"demo: {bad}", file=sys.stderr)
        return 1


async def run(data: Path, shows: list[Show]) -> int:
    """Start, play each show, stop. 0 when everything was sound."""
    began = time.monotonic()
    say(f"Starting Postgres, NATS and the services in {data} ...")
    # the regulars do not take their time, and no port is taken that `make up` may want
    options = StackOptions(env={"STAMTAFEL_BOT_PACE": "0"}, log_level="warning")
    async with LocalStack(data, options) as stack:
        await stack.start([*(one.game for one in shows), *BESIDE])
        say(f"Up in {time.monotonic() - began:.1f} s: {', '.join(stack.names())}; the gateway is at {stack.server}")
        async with connect(stack.server) as client:
            player = await client.sign_in_guest("Demo")
            say(f"Signed in as {player.name} ({player.player_id}, a guest)")
            sound = True
            for one in shows:
                sound &= await play(client, one, data)
        say("Stopping ...")
    say(f"{'All sound' if sound else 'NOT sound'}, after {time.monotonic() - began:.1f} s")
    return 0 if sound else 1


async def play(client: Client, one: Show, data: Path) -> bool:
    """One table, from its opening to the check of its file. True when that is sound."""
    wish = Wish(one.game, one.options, one.bots)
    table_id, (seat, *_) = await set_up(client, wish)
    view = await client.tables.view(table_id)
    say(f"\n{one.game}: table {table_id}\n  {', '.join(show.names(view.seats))}\n")
    began = time.monotonic()
    async with client.tables.play() as session:
        chair = Chair(one.game, table_id, seat, one.level, Random())
        last = await play_to_the_end(session, chair, Teller(view).hear, client.new_id)
    say(f"\nPlayed in {time.monotonic() - began:.1f} s, {last.version} events. Final ranking:")
    for line in show.result_lines(last):
        say(f"  {line}")
    file = data / f"{one.game}.jsonl"
    await export(client, table_id, file)
    say(f"\nExported to {file}. Checked from that file alone:")
    report = await asyncio.to_thread(check, file)
    for line in report_lines(report):
        say(f"  {line}")
    return not report.problems and report.plays > 0


async def export(client: Client, table_id: str, file: Path) -> None:
    """The table's stored events as a file."""
    pieces = [piece async for piece in client.history.export(pb.ExportLogRequest(table_id=table_id))]
    await asyncio.to_thread(file.write_bytes, b"".join(pieces))


def check(file: Path):
    """Chain and dice of an exported file."""
    return check_file(file.read_text(encoding="utf-8").splitlines(), games.rules)


def say(text: str) -> None:
    """A line, at once."""
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
