"""Commands of analysts: replay, log, verify."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from libs.client import games, show
from libs.client.checking import FileReport, check_file
from libs.client.cli_base import EXIT_FAILED, command, draw, opened, place_of, say
from libs.client.cli_play import TableId, Words
from libs.client.client import Client
from libs.client.setup import BadWish
from libs.table.standing import AnyRules
from stamtafel.gateway.v1 import gateway_pb2 as pb


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    for run in (replay, log, verify):
        app.command(run.__name__)(run)


def _game(table_id: str) -> str:
    try:
        return games.game_of_table(table_id)
    except ValueError:
        raise BadWish(f"{table_id!r} is no id of a table; `stamtafel tables --all` lists them") from None


@command
async def replay(
    context: typer.Context,
    table_id: TableId,
    at: Annotated[int | None, typer.Option("--at", help="The table as it stood at this version.", min=1)] = None,
    seat: Annotated[int | None, typer.Option("--as", help="As this seat saw it.")] = None,
    revealed: Annotated[bool, typer.Option("--revealed", help="Everything, not only what was known then.")] = False,
    auditor: Annotated[bool, typer.Option("--as-auditor", help="Also what is secret in a running play.")] = False,
    pictures: Annotated[
        bool | None,
        typer.Option("--pictures/--no-pictures", help="The table after every decision, or at the end only."),
    ] = None,
    words: Words = "en",
) -> None:
    """What happened at a table: every event, and the table after every decision (or at a version)."""
    game = _game(table_id)
    drawn = games.screen(game) is not None if pictures is None else pictures
    request = pb.ReplayTableRequest(table_id=table_id, revealed=revealed, as_auditor=auditor)
    if seat is not None:
        request.seat = seat
    if at is not None:
        request.from_version = request.to_version = at
    last: pb.ReplayTableResponse | None = None
    async with opened(place_of(context)) as client:
        async for reply in client.history.replay(request):
            last = reply
            for event in reply.events:
                say(show.event_line(game, event))
            if drawn:
                draw(f"\n{show.table_text(reply.view, seat, words)}\n")
    if last is None:
        say("there is nothing before the first decision")
    elif not drawn:
        draw(f"\n{show.table_text(last.view, seat, words)}")


@command
async def log(
    context: typer.Context,
    table_id: Annotated[str, typer.Argument(metavar="TABLE", help="Id of a table; or a log (auditors).")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write; default: here.")] = None,
) -> None:
    """Export the stored events of a table as JSON lines, with their hash chain."""
    async with opened(place_of(context)) as client:
        text = await _export(client, table_id)
    if output is None:
        sys.stdout.write(text.decode())
    else:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_bytes(text)
        events = len(text.splitlines()) - 2
        say(f"{events} events in {output}")


@command
async def verify(
    context: typer.Context,
    what: Annotated[str, typer.Argument(metavar="FILE|TABLE", help="An exported file, or the id of a table.")],
) -> None:
    """Check the hash chain and recompute all dice, cards and choices, here and not on the server."""
    lines = _lines(Path(what))
    if lines is None:
        if "/" in what or "." in what:
            raise BadWish(f"there is no file {what}")
        _game(what)
        async with opened(place_of(context)) as client:
            lines = (await _export(client, what)).decode().splitlines()
    report = check_file(lines, _rules)
    for line in report_lines(report):
        say(line)
    if report.problems:
        raise typer.Exit(EXIT_FAILED)


def report_lines(report: FileReport) -> list[str]:
    """What `verify` says."""
    lines: list[str] = []
    if report.log and not report.problems:
        lines.append(f"chain  {report.events} events of {report.log}, every hash fits")
    for one in report.tables:
        if one.plays:
            plays = ", ".join(str(number) for number in one.plays)
            lines.append(f"dice   {one.table_id}: {one.draws} draws of play {plays} recomputed")
        if one.sealed:
            plays = ", ".join(str(number) for number in one.sealed)
            lines.append(f"dice   {one.table_id}: the seed of play {plays} is not revealed yet")
        if one.imported:
            lines.append(f"dice   {one.table_id}: an imported record, its draws were not made here")
    lines += [f"dice   {name}: no rules of this game here, not checked" for name in report.unchecked]
    lines += [f"WRONG  {problem}" for problem in report.problems]
    lines.append("NOT sound" if report.problems else "sound")
    return lines


def _lines(path: Path) -> list[str] | None:
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else None


async def _export(client: Client, what: str) -> bytes:
    request = pb.ExportLogRequest(table_id=what) if what.count("-") > 1 else pb.ExportLogRequest(log=what)
    return b"".join([piece async for piece in client.history.export(request)])


def _rules(game: str) -> AnyRules | None:
    try:
        return games.rules(game)
    except games.UnknownGame:
        return None
