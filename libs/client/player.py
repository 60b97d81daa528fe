"""The command line's own player: the game's computer player on a seat of one's own, through the same door as people."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
from google.protobuf.message import Message

from libs.client import games
from libs.client.errors import Refused
from libs.client.play import Play
from libs.client.tables import act_request, viewing
from libs.table.brain import Look
from stamtafel.table.v1 import table_pb2 as table

_KIT = "stamtafel.table."


class Chair(msgspec.Struct, frozen=True):
    """Which seat is played, and how well: `easy`, `normal` or `hard`. `rng` is the player's own chance."""

    game: str
    table_id: str
    seat: int
    level: str = "normal"
    rng: Random = msgspec.field(default_factory=Random)


class Mind:
    """Thinks for one chair on what its seat is shown."""

    def __init__(self, chair: Chair) -> None:
        self._chair = chair
        self._think = games.brain(chair.game)
        self._memory: Any = None
        self._events: list[Message] = []

    def see(self, update: table.Update) -> None:
        """Take in what happened."""
        for event in update.events:
            name = event.body.TypeName()
            if name == table.PlayBegan.DESCRIPTOR.full_name:
                self._memory, self._events = None, []
            elif not name.startswith(_KIT) and (message := games.unpack(self._chair.game, event.body)) is not None:
                self._events.append(message)

    def decide(self, view: table.TableView) -> Message | None:
        """A command, or None to wait for the next update."""
        chair = self._chair
        shown, options = games.unpack(chair.game, view.game_view), games.unpack(chair.game, view.options)
        if view.state != table.TABLE_STATE_PLAYING or view.paused or not view.actions or not shown or not options:
            return None
        events, self._events = tuple(self._events), []
        look = Look(chair.seat, chair.level, options, shown, tuple(view.actions), events, chair.rng)
        thought = self._think(look, self._memory)
        self._memory = thought.memory
        return thought.command


async def play_to_the_end(
    play: Play, chair: Chair, hear: Callable[[table.Update], None], new_id: Callable[[], str]
) -> table.TableView:
    """Play the seat until a play of the table has ended, or the table is closed; returns the last view.

    `hear` is shown every update, from the first event on. Raises ClientError; Refused when the player was refused on
    what stands now, which is a bug of the player.
    """
    mind = Mind(chair)
    not_before = 0
    seen_playing = False
    async with contextlib.aclosing(play.watch(viewing(chair.table_id, chair.seat, False, from_version=0))) as updates:
        async for update in updates:
            hear(update)
            mind.see(update)
            view = update.view
            seen_playing |= view.state == table.TABLE_STATE_PLAYING or bool(view.result.places)
            if view.state == table.TABLE_STATE_CLOSED or (seen_playing and view.state == table.TABLE_STATE_RESTING):
                return view
            command = mind.decide(view) if view.version >= not_before else None
            if command is None:
                continue
            answer = await play.act(act_request(chair.table_id, chair.seat, command, new_id()))
            if answer.HasField("accepted"):
                not_before = answer.accepted.version
            elif answer.refused.version == view.version:
                raise Refused(answer.refused)
    return table.TableView(table_id=chair.table_id, game=chair.game, state=table.TABLE_STATE_CLOSED)
