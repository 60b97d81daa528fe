"""Commands of operators: `stamtafel operate ...`. Needs the operator role (`stamtafel sign-in --roles operator`)."""

from __future__ import annotations

from typing import Annotated

import typer
from rich import box
from rich.table import Table

from libs.client import show
from libs.client.cli_base import command, draw, opened, out, place_of, say
from libs.client.cli_play import TableId

Reason = Annotated[str, typer.Option(help="Why; it is kept.")]

app = typer.Typer(help="Run tables and logs (operators).", no_args_is_help=True, pretty_exceptions_enable=False)


@app.command()
@command
async def logs(context: typer.Context) -> None:
    """All logs with their owners."""
    listed = Table("log", "owner", "epoch", "position", "commands", "tables", box=box.SIMPLE)
    async with opened(place_of(context)) as client:
        for one in await client.operations.logs():
            numbers = (one.epoch, one.pos, one.command_seq, one.tables)
            listed.add_row(one.log, *((one.owner, *map(str, numbers)) if one.available else ("nobody answers",)))
    out().print(listed)


@app.command()
@command
async def explain(context: typer.Context, table_id: TableId) -> None:
    """What the owner of a table knows about it."""
    async with opened(place_of(context)) as client:
        known = await client.operations.explain(table_id)
    draw(show.table_text(known.view, None))
    for clock in known.view.clocks:
        whose = f"seat {clock.seat}" if clock.HasField("seat") else "the house"
        say(f"clock {clock.clock_id} of {whose}, due {clock.due.ToDatetime():%Y-%m-%d %H:%M:%S}")
    if known.set_aside:
        say(f"set aside: {known.set_aside}")
    if known.parked:
        say("waits for a computation")
    say(f"log {known.log.log}, owner {known.log.owner}, epoch {known.log.epoch}, position {known.log.pos}")


@app.command()
@command
async def pause(context: typer.Context, table_id: TableId) -> None:
    """Stop all clocks of a table."""
    async with opened(place_of(context)) as client:
        say(f"paused at version {await client.operations.pause(table_id)}")


@app.command()
@command
async def resume(context: typer.Context, table_id: TableId) -> None:
    """Let the clocks run on."""
    async with opened(place_of(context)) as client:
        say(f"resumed at version {await client.operations.resume(table_id)}")


@app.command()
@command
async def clock(
    context: typer.Context,
    table_id: TableId,
    clock_id: Annotated[str, typer.Argument(metavar="CLOCK", help="Which, as `explain` names it.")],
    by: Annotated[float, typer.Option(help="By so many seconds; negative: earlier.")],
    reason: Reason,
) -> None:
    """Move a running clock."""
    async with opened(place_of(context)) as client:
        version = await client.operations.adjust_clock(table_id, clock_id, round(by * 1000), reason)
    say(f"moved at version {version}")


@app.command()
@command
async def void(context: typer.Context, table_id: TableId, reason: Reason) -> None:
    """Void the play that runs."""
    async with opened(place_of(context)) as client:
        say(f"void at version {await client.operations.void(table_id, reason)}")


@app.command()
@command
async def close(context: typer.Context, table_id: TableId, reason: Reason) -> None:
    """Close a table at any time."""
    async with opened(place_of(context)) as client:
        say(f"closed at version {await client.operations.close(table_id, reason)}")


@app.command()
@command
async def move(
    context: typer.Context,
    log: Annotated[str, typer.Argument(help="The log, e.g. trictrac-0.")],
    reason: Reason,
) -> None:
    """Ask the owner of a log to hand it over."""
    async with opened(place_of(context)) as client:
        await client.operations.move(log, reason)
    say(f"{log} was let go; the next owner takes it within seconds")
