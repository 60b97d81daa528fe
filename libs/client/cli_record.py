"""`stamtafel record`: records of plays in the games' own notations, out and in."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from libs.client import games
from libs.client.cli_base import command, fail, opened, place_of, say
from libs.client.cli_play import TableId
from libs.client.importing import bring
from libs.client.records import Plan, game_for, plan, read_text
from libs.client.setup import BadWish
from libs.table.rules import Refused

_HELP = "Records of plays in the game's own notation. `record TABLE` is short for `record export TABLE`."


class _ExportByDefault(TyperGroup):
    """`record TABLE`, with its options before or behind, is `record export TABLE`."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # pyright: ignore
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["export", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=_ExportByDefault, help=_HELP, no_args_is_help=True)


@app.command("export")
@command
async def export(
    context: typer.Context,
    table_id: TableId,
    play: Annotated[int, typer.Option(help="Number of the play; 0: the last one.", min=0)] = 0,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write; default: here.")] = None,
) -> None:
    """The record of a play; of one that still runs where the game hides nothing."""
    try:
        games.game_of_table(table_id)
    except ValueError:
        raise BadWish(f"{table_id!r} is no id of a table; `stamtafel tables --all` lists them") from None
    async with opened(place_of(context)) as client:
        found = await client.history.record(table_id, play)
    if output is None:
        sys.stdout.write(found.text)
    else:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(found.text, encoding="utf-8", newline="")
        say(f"{len(found.text.splitlines())} lines ({found.format}) in {output}")


@app.command("import")
@command
async def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The record of a match, e.g. a .mat file.")],
    game: Annotated[str, typer.Option(help="The game, where the file's name does not tell it.")] = "",
    again: Annotated[bool, typer.Option("--again", help="Once more, though it has been imported before.")] = False,
) -> None:
    """Make a table of a record (operators): every move is checked first, and a file with an illegal one opens none.

    An import that was cut off goes on when the file is imported again.
    """
    if not file.is_file():
        raise BadWish(f"there is no file {file}")
    try:
        made = plan(game_for(file, game), read_text(file))
    except Refused as wrong:
        fail(f"{file}: {wrong.message.rstrip('.')}; nothing is imported")
    for warning in made.warnings:
        say(f"note: {warning}")
    began = time.monotonic()
    async with opened(place_of(context)) as client:
        found = await bring(client, made, anew=again)
    say(f"table {found.table_id}")
    say(_told(made, found.sent, time.monotonic() - began))


def _told(made: Plan, sent: int, seconds: float) -> str:
    if not sent:
        return "this file was imported before; --again imports it once more"
    score = zip(made.names, made.score, strict=False)
    how = "" if made.ended else "; the record ends in mid-play, and so does the table"
    return f"{', '.join(f'{name} {points}' for name, points in score)}: {sent} commands in {seconds:.1f} s{how}"
