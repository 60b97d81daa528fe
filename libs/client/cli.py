"""`stamtafel`: the command line for players, analysts and operators.

Exit codes: 0 done, 1 refused or failed, 2 wrong use, 3 no gateway answers.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from libs.client import cli_history, cli_home, cli_operate, cli_play, cli_record, cli_render
from libs.client.place import find

app = typer.Typer(
    name="stamtafel",
    help="The regulars' table: play, watch, check and run tavern games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def everywhere(
    context: typer.Context,
    address: Annotated[str, typer.Option(help="Gateway, as host:port (or STAMTAFEL_ADDRESS).")] = "",
    data: Annotated[
        Path | None, typer.Option(help="Data directory of a Stamtafel on this machine (default: .stamtafel).")
    ] = None,
    tls: Annotated[bool, typer.Option("--tls", help="Speak TLS (or STAMTAFEL_TLS=1).")] = False,
) -> None:
    """The regulars' table: play, watch, check and run tavern games."""
    context.obj = find(address, data, tls)


cli_play.add_to(app)
cli_history.add_to(app)
cli_render.add_to(app)
cli_home.add_to(app)
app.add_typer(cli_record.app, name="record")
app.add_typer(cli_operate.app, name="operate")


def main() -> None:
    """The entry point."""
    app(prog_name="stamtafel")


if __name__ == "__main__":
    sys.exit(main())
