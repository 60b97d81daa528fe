"""What the commands of the command line share: where they run, signing in, telling errors in one sentence."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import getpass
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

import typer
from rich.console import Console

from libs.client import games
from libs.client.client import Client, connect
from libs.client.errors import ClientError, NotReachable, SignInNeeded
from libs.client.place import Place
from libs.client.retry import PATIENCE_S
from libs.client.setup import BadWish
from libs.client.tokens import FileTokens

EXIT_FAILED, EXIT_USAGE, EXIT_NOT_REACHABLE = 1, 2, 3
FIRST_CALL_S = 3.0
_NO_GATEWAY = "NO_GATEWAY"
NAME_CHARS = 40
ROOT = Path(__file__).resolve().parents[2]

P = ParamSpec("P")
T = TypeVar("T")


def out() -> Console:
    """Standard output as it is now (tests replace it)."""
    return Console(highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """A line to standard output, as it is."""
    out().print(text, markup=False, emoji=False)


def draw(text: str) -> None:
    """A picture in rich markup (see `show.table_text`) to standard output."""
    out().print(text, emoji=False)


def fail(message: str, code: int = EXIT_FAILED) -> NoReturn:
    """End with one sentence on standard error."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(f"stamtafel: {message}", markup=False, emoji=False)
    raise typer.Exit(code)


def command(run: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """A command that is a coroutine; what goes wrong is told in a sentence and an exit code."""

    @functools.wraps(run)
    def told(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            asyncio.run(run(*args, **kwargs))
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise typer.Exit(130) from None
        except BrokenPipeError:
            sys.stderr.close()  # the reader has enough; nothing more to say
            raise typer.Exit(0) from None
        except (BadWish, games.UnknownGame) as bad:
            fail(str(bad), EXIT_USAGE)
        except ClientError as error:
            fail(_sentence(error), EXIT_NOT_REACHABLE if isinstance(error, NotReachable) else EXIT_FAILED)
        except OSError as error:
            fail(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")

    return told


def _sentence(error: ClientError) -> str:
    if isinstance(error, NotReachable):
        return error.message if error.reason == _NO_GATEWAY else f"no answer came ({error.message.rstrip('.')})"
    if isinstance(error, SignInNeeded):
        return f"{error.message}; `stamtafel sign-in` does"
    if error.reason == "ROLE_MISSING":
        return f"{error.message}; `stamtafel sign-in --roles ...` where the gateway's keys are, or --token"
    return error.message


@contextlib.asynccontextmanager
async def opened(place: Place, name: str = "", sign_in: bool = True) -> AsyncGenerator[Client]:
    """A client of the place's gateway, signed in as who was here last, or as a new guest. Raises ClientError."""
    tls = b"" if place.tls else None
    async with connect(place.address, FileTokens(place.tokens), tls=tls) as client:
        client.patience_s = FIRST_CALL_S
        try:
            if sign_in:
                await _signed_in(client, name)
        except NotReachable as error:
            if error.reason not in ("UNAVAILABLE", "DEADLINE_EXCEEDED"):
                raise
            hint = "`stamtafel up` starts one here, --address names another"
            raise NotReachable(_NO_GATEWAY, f"no gateway answers at {place.address}; {hint}") from None
        client.patience_s = PATIENCE_S
        yield client


async def _signed_in(client: Client, name: str) -> None:
    kept = client.account.kept
    if kept is not None and (not name or name == kept.name):
        try:
            await client.self()
            return
        except SignInNeeded:
            if not kept.guest:
                raise
            name = kept.name  # a guest of a gateway that does not know the old tokens any more
    await client.sign_in_guest((name or default_name())[:NAME_CHARS])


def default_name() -> str:
    """The name of who sits at this machine."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "guest"


def place_of(context: typer.Context) -> Place:
    """Where a command runs."""
    place = context.obj
    assert isinstance(place, Place)
    return place
