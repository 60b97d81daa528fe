"""Setting up a table for the command line: options from words, seats for people and regulars."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence

import msgspec
from google.protobuf.message import Message

from libs.client import games
from libs.client.client import Client
from libs.table.asked import asked_options
from libs.table.plain import DoesNotFit, fields_by_name
from stamtafel.table.v1 import table_pb2 as table

LEVELS = ("easy", "normal", "hard")
DEFAULT_LEVELS = ("normal", "easy", "hard")


class BadWish(Exception):
    """What was asked for cannot be; the text says what can."""


class Wish(msgspec.Struct, frozen=True):
    """A table as somebody wants it.

    `bots`: levels of regulars, first for the seats where the options have regulars (None: as they are, and one for
    every seat that is left). With `hot_seat` all other seats are one's own, else they wait for people.
    """

    game: str
    options: Mapping[str, object] = {}
    bots: Sequence[str] | None = None
    hot_seat: bool = False
    private: bool = False


def read_options(given: Sequence[str]) -> dict[str, object]:
    """Options from `name=value` words; a value that is JSON counts as such, else it is text. Raises BadWish."""
    found: dict[str, object] = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise BadWish(f"an option is name=value, not {word!r}")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def read_levels(text: str | None) -> list[str] | None:
    """Levels from words with commas between; `none` for no regulars. Raises BadWish."""
    if text is None:
        return None
    levels = [word for word in text.replace(" ", "").split(",") if word and word != "none"]
    for level in levels:
        if level not in LEVELS:
            raise BadWish(f"a regular is {', '.join(LEVELS)}, not {level!r}")
    return levels


def options_message(game: str, options: Mapping[str, object]) -> Message:
    """The game's options message. Raises BadWish, games.UnknownGame."""
    rules = games.rules(game)
    try:
        return asked_options(rules, options)
    except DoesNotFit as bad:
        allowed = ", ".join(fields_by_name(rules.options_type.DESCRIPTOR))
        raise BadWish(f"option {bad.path}: {bad.why}; {game} has {allowed}") from None


async def _change(client: Client, table_id: str, regulars: Sequence[table.SeatView], levels: Sequence[str]) -> None:
    """Regulars of other levels where the options have some already."""
    for seat, level in zip(regulars, levels, strict=False):
        if seat.bot != level:
            await client.lobby.remove_bot(table_id, seat.seat)
            await client.lobby.seat_bot(table_id, level, seat.seat)


async def set_up(client: Client, wish: Wish) -> tuple[str, list[int]]:
    """Open the table, sit down, seat the regulars, be ready: (table id, own seats). Raises BadWish, ClientError."""
    how = table.OpenTable(hot_seat=wish.hot_seat, private=wish.private)
    table_id = await client.lobby.open(wish.game, how, options_message(wish.game, wish.options))
    seats = (await client.tables.view(table_id)).seats
    free = sum(1 for seat in seats if not seat.player and not seat.bot)
    regulars = [seat for seat in seats if seat.bot]
    levels = wish.bots
    if levels is None:
        levels = [] if wish.hot_seat else list(itertools.islice(itertools.cycle(DEFAULT_LEVELS), free))
    else:
        most = len(regulars) + free
        if len(levels) > most:
            await client.lobby.close(table_id)
            raise BadWish(f"only {most} seats are left for regulars, not {len(levels)}")
        await _change(client, table_id, regulars, levels)
        levels = levels[len(regulars) :]
    if wish.hot_seat:
        for _ in range(free - len(levels)):
            await client.lobby.join(table_id)
    for level in levels:
        await client.lobby.seat_bot(table_id, level)
    await client.lobby.ready(table_id)
    me = client.account.player_id
    view = await client.tables.view(table_id)
    return table_id, [seat.seat for seat in view.seats if seat.player == me]
