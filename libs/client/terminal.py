"""Playing in a terminal: draws the table whenever it changes, takes what a person types."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TextIO

from google.protobuf.message import Message

from libs.client import games, show
from libs.client.client import Client
from libs.client.errors import ClientError
from libs.client.play import Play
from libs.client.tables import act_request, viewing
from libs.table.plain import DoesNotFit, from_plain, type_name
from libs.table.rules import Refused
from stamtafel.table.v1 import table_pb2 as table

KIT_HELP = "? help   q leave and quit   a play again (after the end)"
CLEAR = "\x1b[2J\x1b[H"


class Paper:
    """Where it is written: `write` a line as it is, `draw` a picture in markup, `clear` the screen (None: never)."""

    def __init__(
        self,
        write: Callable[[str], None],
        clear: Callable[[], None] | None = None,
        draw: Callable[[str], None] | None = None,
    ) -> None:
        self.write = write
        self.clear = clear
        self.draw = draw or write


def read_lines(source: TextIO, inbox: asyncio.Queue[str | None]) -> None:
    """Hand over lines as they are typed, None at the end.

    A thread reads them, and it ends with the program: a read from a keyboard cannot be broken off.
    """
    loop = asyncio.get_running_loop()

    def read() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            for line in iter(source.readline, ""):
                loop.call_soon_threadsafe(inbox.put_nowait, line.rstrip("\n"))
            loop.call_soon_threadsafe(inbox.put_nowait, None)

    threading.Thread(target=read, name="keyboard", daemon=True).start()


class Terminal:
    """One person with one or more seats at one table."""

    def __init__(self, client: Client, table_id: str, seats: Sequence[int], paper: Paper, words: str = "en") -> None:
        """`words`: language of the picture, `en` or the game's own, like `nl` or `da`."""
        self._client = client
        self._table_id = table_id
        self._seats = list(seats)
        self._paper = paper
        self._words = words
        self._game = games.game_of_table(table_id)
        self._views: dict[int, table.TableView] = {}
        self._drawn: tuple[int, int] = (-1, -1)
        self._answered = 0

    async def run(self, lines: asyncio.Queue[str | None]) -> bool:
        """Until the person quits or the table is closed. True when a play was played to its end."""
        async with self._client.tables.play() as play:
            inbox: asyncio.Queue[table.Update | ClientError | str | None] = asyncio.Queue()
            tasks = [asyncio.create_task(self._watch(play, seat, inbox)) for seat in self._seats]
            tasks.append(asyncio.create_task(_pump(lines, inbox)))
            try:
                return await self._serve(play, inbox)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(
        self, play: Play, seat: int, inbox: asyncio.Queue[table.Update | ClientError | str | None]
    ) -> None:
        try:
            async with contextlib.aclosing(play.watch(viewing(self._table_id, seat, False, None))) as updates:
                async for update in updates:
                    inbox.put_nowait(update)
        except ClientError as error:
            inbox.put_nowait(error)

    async def _serve(self, play: Play, inbox: asyncio.Queue[table.Update | ClientError | str | None]) -> bool:
        while True:
            item = await inbox.get()
            if isinstance(item, ClientError):
                raise item
            if item is None or item in ("q", "quit"):
                await self._leave()
                return self._over()
            if isinstance(item, str):
                await self._typed(play, item.strip())
                continue
            self._views[item.view.audience] = item.view
            if inbox.empty():
                self._draw(item)
            if item.view.state == table.TABLE_STATE_CLOSED:
                self._paper.write("The table is closed.")
                return self._over()

    # ------------------------------------------------------------------------------------------------- picture

    def _shown(self) -> int:
        """The seat whose picture is shown: the one to act among one's own, else the lowest."""
        for seat, view in self._views.items():
            if seat in view.to_act:
                return seat
        return min(self._views, default=self._seats[0])

    def _draw(self, update: table.Update | None = None) -> None:
        seat = self._shown()
        view = self._views.get(seat)
        if view is None or (update is not None and self._drawn == (seat, view.version)):
            return
        acting = bool(view.actions) or view.state != table.TABLE_STATE_PLAYING
        if self._paper.clear is None and not acting:  # no screen: only what asks for an answer
            return
        self._drawn = (seat, view.version)
        if self._paper.clear is not None:
            self._paper.clear()
        self._paper.draw(show.table_text(view, seat, self._words))
        for line in self._below(seat, view):
            self._paper.write(line)

    def _below(self, seat: int, view: table.TableView) -> Iterable[str]:
        if view.state == table.TABLE_STATE_GATHERING:
            code = f" --code {view.code}" if view.code else ""
            yield f"Waiting for people: stamtafel join {view.table_id}{code}"
        elif view.state == table.TABLE_STATE_RESTING:
            yield from show.result_lines(view)
            yield "q quits (? help)" if view.actions else "a plays again, q quits"
        elif view.paused:
            yield "The table is paused."
        elif seat in view.to_act:
            left = show.seconds_left(view, seat, self._client.timing.now())
            clock = "" if left is None else f", {max(0, round(left))} s"
            yield f"Your move{f', seat {seat}' if len(self._seats) > 1 else ''}{clock} (? help):"

    # ------------------------------------------------------------------------------------------------- commands

    async def _typed(self, play: Play, text: str) -> None:
        seat = self._shown()
        view = self._views.get(seat)
        if view is None:
            return
        if text in ("?", "help"):
            self._help()
        elif view.state in (table.TABLE_STATE_RESTING, table.TABLE_STATE_GATHERING) and not view.actions:
            if view.state == table.TABLE_STATE_RESTING and text in ("a", "again", "y"):
                await self._ask(self._client.lobby.ready(self._table_id))
            elif text:
                self._paper.write("There is nothing to do but wait, or q." if view.play == 0 else "a or q")
        else:
            await self._act(play, seat, view, text)

    def _help(self) -> None:
        screen = games.screen(self._game)
        if screen is not None:
            self._paper.write(screen.help(self._words))
        else:
            commands = (type_name(kind) for kind in games.rules(self._game).commands)
            self._paper.write(f"A command and its arguments as JSON: {', '.join(commands)}")
        if len(self._seats) > 1:
            self._paper.write(f"For another of your seats put its number before: {self._seats[-1]}: ...")
        self._paper.write(KIT_HELP)

    async def _act(self, play: Play, seat: int, view: table.TableView, text: str) -> None:
        number, colon, rest = text.partition(":")
        if colon and number.strip().isdecimal() and int(number) in self._views:
            seat, text = int(number), rest.strip()
            view = self._views[seat]
        elif not view.actions:  # out of turn: the seat that may do something
            seat = next((own for own, other in self._views.items() if other.actions), seat)
            view = self._views[seat]
        if (not text and not view.actions) or view.version < self._answered:
            return  # a bare Enter while others play is no move, nor is a second one before the first has shown
        shown = games.unpack(self._game, view.game_view)
        try:
            if shown is None:
                raise Refused("not_started", "the play has not begun")
            command = parse(self._game, text, shown)
        except Refused as no:
            self._paper.write(no.message)
            return
        request = act_request(self._table_id, seat, command, self._client.new_id())
        answer = await play.act(request)
        self._answered = answer.accepted.version
        if answer.HasField("refused"):
            self._paper.write(f"{answer.refused.message or answer.refused.code} (? help)")

    async def _ask(self, command: Awaitable[int]) -> None:
        try:
            await command
        except ClientError as no:
            self._paper.write(no.message)

    async def _leave(self) -> None:
        for seat in self._seats:
            with contextlib.suppress(ClientError):
                await self._client.lobby.leave(self._table_id, seat)

    def _over(self) -> bool:
        return any(view.HasField("result") for view in self._views.values())


async def _pump(
    lines: asyncio.Queue[str | None], inbox: asyncio.Queue[table.Update | ClientError | str | None]
) -> None:
    while (line := await lines.get()) is not None:
        inbox.put_nowait(line)
    inbox.put_nowait(None)


def parse(game: str, text: str, view: Message) -> Message:
    """The command that was typed: as the game's screen reads it, or its name with arguments as JSON. Raises Refused."""
    screen = games.screen(game)
    if screen is not None:
        return screen.parse(text, view)
    rules = games.rules(game)
    name, _, arguments = text.partition(" ")
    kind = next((one for one in rules.commands if type_name(one) == name), None)
    if kind is None:
        raise rules.unreadable(name, None)
    try:
        return from_plain(kind, json.loads(arguments or "{}"))
    except DoesNotFit as bad:
        raise rules.unreadable(name, bad.field) from None
    except ValueError:
        raise rules.unreadable(name, None) from None
