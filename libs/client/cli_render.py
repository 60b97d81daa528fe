"""`stamtafel render`: a table as a picture in a file, as it stood at a version."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import resvg_py
import typer

from libs.client import games
from libs.client.cli_base import command, opened, place_of, say
from libs.client.cli_play import TableId
from libs.client.client import Client
from libs.client.setup import BadWish
from libs.table.pictures import FONT
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1.table_pb2 import TableView

_ZOOM = 2
"""Pixels of a PNG for one of the SVG's: sharp on screens of today."""
_LETTER = (
    f'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="18" font-family="{FONT}">M</text></svg>'
)
_BLANK = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"/>'


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(render.__name__)(render)


@command
async def render(
    context: typer.Context,
    table_id: TableId,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write, .svg or .png.")],
    at: Annotated[
        int | None, typer.Option("--at", help="As it stood at (or last before) this version; default: now.", min=1)
    ] = None,
    seat: Annotated[int | None, typer.Option("--as", help="As this seat saw it.")] = None,
    revealed: Annotated[bool, typer.Option("--revealed", help="Everything, not only what was known then.")] = False,
) -> None:
    """Draw a table as a picture: the board with the last shot's ways, the cards, the dice."""
    draw, write = _drawer(table_id), writer(output)
    request = pb.ReplayTableRequest(table_id=table_id, revealed=revealed)
    if seat is not None:
        request.seat = seat
    async with opened(place_of(context)) as client:
        view = await _view(client, request, at)
    if view is None or not view.HasField("game_view"):
        raise BadWish(f"there is nothing to draw at version {at}" if at else "there is nothing to draw yet")
    if write(draw(view)):
        say(f"version {view.version} in {output}")
    else:
        say(f"version {view.version} in {output}, without words: no font was found (an .svg has them)")


def _drawer(table_id: str) -> Callable[[TableView], str]:
    """Who draws this table. Raises BadWish, UnknownGame."""
    try:
        game = games.game_of_table(table_id)
    except ValueError:
        raise BadWish(f"{table_id!r} is no id of a table; `stamtafel tables --all` lists them") from None
    svg = games.picture(game)
    if svg is None:
        raise BadWish(f"{game} has no picture; `stamtafel replay` shows it as text")

    def draw(view: TableView) -> str:
        shown = games.unpack(game, view.game_view)
        assert shown is not None  # whose picture is known, its view is
        return svg(shown)

    return draw


async def _view(client: Client, request: pb.ReplayTableRequest, at: int | None) -> TableView | None:
    """The table at that version (None: now, which is the version a look at it tells); None: nothing had happened."""
    if at is None:
        seat = request.seat if request.HasField("seat") else None
        at = (await client.tables.view(request.table_id, seat)).version
    request.from_version = request.to_version = at
    found: TableView | None = None
    async for reply in client.history.replay(request):
        found = reply.view
    return found


def writer(output: Path) -> Callable[[str], bool]:
    """Who writes a picture to that file, and tells whether its words are in it. Raises BadWish for other endings."""
    kind = output.suffix.lower()
    if kind not in (".svg", ".png"):
        raise BadWish(f"{output} ends neither in .svg nor in .png")

    def write(svg: str) -> bool:
        output.parent.mkdir(parents=True, exist_ok=True)
        if kind == ".svg":
            output.write_text(svg, encoding="utf-8")
            return True
        output.write_bytes(png(svg))
        return resvg_py.svg_to_bytes(svg_string=_LETTER) != resvg_py.svg_to_bytes(svg_string=_BLANK)

    return write


def png(svg: str) -> bytes:
    """The picture as the bytes of a PNG, two pixels for one of the SVG's."""
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=_ZOOM))
