"""Commands of players: games, tables, play, join, watch, sign-in, whoami."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from random import Random
from typing import Annotated

import typer

from libs.client import games, show
from libs.client.cli_base import command, default_name, draw, opened, out, place_of, say
from libs.client.client import Client
from libs.client.keys import session_by_keys
from libs.client.place import Place
from libs.client.player import Chair, play_to_the_end
from libs.client.setup import LEVELS, BadWish, Wish, read_levels, read_options, set_up
from libs.client.terminal import Paper, Terminal, read_lines
from libs.table.plain import to_plain
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table

TableId = Annotated[str, typer.Argument(metavar="TABLE", help="Id of the table.")]
Name = Annotated[str, typer.Option(help="Name to show; a new one makes a new guest.")]
Words = Annotated[str, typer.Option("--lang", help="Language of the picture: en, nl, or da for liarsdice.")]
_ALL = (
    table.TABLE_STATE_GATHERING,
    table.TABLE_STATE_PLAYING,
    table.TABLE_STATE_RESTING,
    table.TABLE_STATE_CLOSED,
)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    for run in (games_command, tables, play, join, watch, sign_in, whoami):
        app.command("games" if run is games_command else run.__name__.replace("_", "-"))(run)


@command
async def games_command(context: typer.Context) -> None:
    """The games that are offered, with their options and presets."""
    async with opened(place_of(context), sign_in=False) as client:
        for game in await client.lobby.games():
            seats = ", ".join(str(number) for number in game.seats)
            say(f"{game.game}{f', {seats} seats' if seats else ''}{'' if game.available else ' (not running now)'}")
            defaults = games.unpack(game.game, game.defaults)
            if defaults is not None:
                plain = to_plain(defaults, unset=False)
                say("  options: " + ", ".join(f"{name}={value}" for name, value in plain.items() if value != []))
            if game.presets:
                say("  presets: " + ", ".join(preset.name for preset in game.presets))


@command
async def tables(
    context: typer.Context,
    game: Annotated[str, typer.Option(help="Only tables of this game.")] = "",
    mine: Annotated[bool, typer.Option("--mine", help="Only where I hold a seat.")] = False,
    free: Annotated[bool, typer.Option("--free", help="Only with a free seat.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Closed ones too.")] = False,
) -> None:
    """The tables, the newest event first."""
    wanted = pb.TableFilter(game=game, mine=mine, with_free_seat=free, states=_ALL if every else ())
    none = True
    async with opened(place_of(context)) as client:
        async for one in client.lobby.tables(wanted):
            none = False
            say(show.summary_line(one))
    if none:
        say("no tables; `stamtafel play GAME` opens one")


@command
async def play(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game, as `stamtafel games` names it.")],
    seats: Annotated[int | None, typer.Option(help="Number of seats.")] = None,
    bots: Annotated[
        str | None,
        typer.Option(help="Regulars: levels with commas between; none: wait for people. Default: all seats."),
    ] = None,
    option: Annotated[list[str] | None, typer.Option("--option", "-o", help="Option of the game, name=value.")] = None,
    hot_seat: Annotated[bool, typer.Option("--hot-seat", help="All seats without a regular are mine.")] = False,
    private: Annotated[bool, typer.Option("--private", help="Others need the invitation code.")] = False,
    auto: Annotated[
        bool, typer.Option("--auto", help="The command line plays for me, to the end of one play.")
    ] = False,
    level: Annotated[str, typer.Option(help="How well it plays then: easy, normal or hard.")] = "normal",
    name: Name = "",
    words: Words = "en",
) -> None:
    """Play a game here in the terminal, against regulars or people."""
    options = read_options(option or ())
    if seats is not None:
        options["seats"] = seats
    if level not in LEVELS:
        raise BadWish(f"a level is {', '.join(LEVELS)}, not {level!r}")
    wish = Wish(game, options, read_levels(bots), hot_seat, private)
    games.rules(game)
    async with opened(place_of(context), name) as client:
        table_id, mine = await set_up(client, wish)
        say(f"table {table_id}")
        if auto:
            await _auto(client, table_id, mine, level)
        else:
            await _at_the_table(client, table_id, mine, words)


@command
async def join(
    context: typer.Context,
    table_id: TableId,
    seat: Annotated[int | None, typer.Option(help="Which seat; default: the lowest free one.")] = None,
    code: Annotated[str, typer.Option(help="Invitation code of a private table.")] = "",
    auto: Annotated[
        bool, typer.Option("--auto", help="The command line plays for me, to the end of one play.")
    ] = False,
    level: Annotated[str, typer.Option(help="How well it plays then.")] = "normal",
    name: Name = "",
    words: Words = "en",
) -> None:
    """Take a seat at somebody's table (or go back to one's own) and play."""
    _need_id(table_id)
    async with opened(place_of(context), name) as client:
        mine = await _own_seats(client, table_id)
        if not mine:
            await client.lobby.join(table_id, seat, code)
            mine = await _own_seats(client, table_id)
            # Where the next game is a command of the game (liarsdice), nobody waits for this seat to be ready.
            if not (await client.tables.view(table_id, mine[0])).actions:
                await client.lobby.ready(table_id)
        if auto:
            await _auto(client, table_id, mine, level)
        else:
            await _at_the_table(client, table_id, mine, words)


@command
async def watch(
    context: typer.Context,
    table_id: TableId,
    seat: Annotated[int | None, typer.Option("--as", help="Look from this seat of mine.")] = None,
    since: Annotated[int | None, typer.Option("--from", help="From this version on.")] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Events as lines, no picture.")] = False,
    until_end: Annotated[bool, typer.Option("--until-end", help="Stop at the end of the play.")] = False,
    words: Words = "en",
) -> None:
    """Follow a table until it is closed (or Ctrl-C), through lost connections."""
    game = _need_id(table_id)
    paper = _paper()
    pictures = not lines and paper.clear is not None
    async with (
        opened(place_of(context)) as client,
        contextlib.aclosing(client.tables.watch(table_id, seat, False, since)) as updates,
    ):
        async for update in updates:
            if pictures:
                assert paper.clear is not None
                paper.clear()
                draw(show.table_text(update.view, seat, words))
            else:
                for event in update.events:
                    say(show.event_line(game, event))
                if update.reset:
                    draw(show.table_text(update.view, seat, words))
            for line in show.result_lines(update.view) if pictures else ():
                say(line)
            ended = update.view.state == table.TABLE_STATE_RESTING and update.view.HasField("result")
            if until_end and (ended or update.view.state == table.TABLE_STATE_CLOSED):
                return


@command
async def sign_in(
    context: typer.Context,
    name: Name = "",
    token: Annotated[str, typer.Option(help="ID token of an account; else a guest.", envvar="STAMTAFEL_ID_TOKEN")] = "",
    roles: Annotated[
        str, typer.Option(help="With the gateway's keys at hand: operator, analyst, auditor, with commas between.")
    ] = "",
) -> None:
    """Sign in: as a guest, with an account's token, or with roles where the gateway's keys can be read."""
    place = place_of(context)
    async with opened(place, sign_in=False) as client:
        if roles:
            await _by_keys(client, place, name, roles)
        elif token:
            await client.sign_in(token)
        else:
            await client.sign_in_guest(name or default_name())
        say(_player_line(await client.self()))


@command
async def whoami(context: typer.Context) -> None:
    """Who I am at this gateway."""
    async with opened(place_of(context)) as client:
        say(_player_line(await client.self()))


def _player_line(player: pb.Player) -> str:
    roles = ", ".join(pb.Role.Name(role).removeprefix("ROLE_").lower() for role in player.roles)
    return f"{player.name}, {player.player_id}{', guest' if player.guest else ''} ({roles})"


async def _by_keys(client: Client, place: Place, name: str, roles: str) -> None:
    wanted = [role.strip() for role in roles.split(",") if role.strip()]
    client.account.adopt(session_by_keys(place.data / "keys", name or "operator", wanted))


def _need_id(table_id: str) -> str:
    try:
        return games.game_of_table(table_id)
    except ValueError:
        raise BadWish(f"{table_id!r} is no id of a table; `stamtafel tables` lists them") from None


async def _own_seats(client: Client, table_id: str) -> list[int]:
    me = client.account.player_id
    return [seat.seat for seat in (await client.tables.view(table_id)).seats if seat.player == me]


async def _at_the_table(client: Client, table_id: str, mine: list[int], words: str) -> None:
    keyboard: asyncio.Queue[str | None] = asyncio.Queue()
    read_lines(sys.stdin, keyboard)
    await Terminal(client, table_id, mine, _paper(), words).run(keyboard)


async def _auto(client: Client, table_id: str, mine: list[int], level: str) -> None:
    """Every own seat is played by the game's computer player; the first one's updates tell the story."""
    view = await client.tables.view(table_id)
    teller = Teller(view)
    rng = Random()
    async with client.tables.play() as session:
        seats = [
            play_to_the_end(
                session,
                Chair(view.game, table_id, seat, level, rng),
                teller.hear if seat == mine[0] else _deaf,
                client.new_id,
            )
            for seat in mine
        ]
        last, *_ = await asyncio.gather(*seats)
    for line in show.result_lines(last):
        say(line)


class Teller:
    """Says what happens at a table: the game's story where it has one, else each event."""

    def __init__(self, view: table.TableView) -> None:
        self._game = view.game
        self._story = games.story(view.game, show.first_names(view.seats))

    def hear(self, update: table.Update) -> None:
        """Tell an update."""
        for event in update.events:
            message = games.unpack(self._game, event.body)
            if self._story is None:
                say(show.event_line(self._game, event))
            elif message is not None:
                for line in self._story.hear(message):
                    say(line)


def _deaf(_: table.Update) -> None:
    pass


def _paper() -> Paper:
    console = out()
    return Paper(say, console.clear if console.is_terminal else None, draw)
