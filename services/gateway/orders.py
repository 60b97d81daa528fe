"""Commands on their way to a log: the envelope, and the one answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from libs.bus import BusError
from services.gateway.catalog import Catalog
from services.gateway.errors import Denied, from_bus
from services.gateway.limits import Buckets
from services.gateway.ports import CommandPort
from services.gateway.shapes import command_id, missing, seat, text
from services.gateway.tokens import OPERATOR, Identity
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table

VALID_FOR_MS = 30_000
MOST_DRAWS = 64
DRAW_CHARS = 10_000


def actor(who: Identity, operator: bool = False) -> table.Actor:
    """The sender of a command."""
    kind = table.ACTOR_KIND_OPERATOR if operator else table.ACTOR_KIND_PLAYER
    return table.Actor(id=who.player_id, name=who.name, kind=kind)


class Orders:
    """Sends commands for people."""

    def __init__(self, commands: CommandPort, catalog: Catalog, rate: Buckets, deadline_s: float = 10.0) -> None:
        """`rate` limits the commands of each player but operators; `deadline_s` is how long an answer is waited for."""
        self._commands = commands
        self._catalog = catalog
        self._rate = rate
        self._deadline_s = deadline_s

    @staticmethod
    def envelope(request: Any, who: Identity, operator: bool = False) -> table.Command:
        """A command without a body, for any request with `command_id`, `table_id` and `expected_version`.

        Raises Denied BAD_SHAPE for a bad id.
        """
        command_id(request.command_id)
        command = table.Command(
            command_id=request.command_id,
            table_id=request.table_id,
            actor=actor(who, operator),
            valid_for_ms=VALID_FOR_MS,
            correlation_id=request.command_id,
        )
        if request.HasField("expected_version"):
            command.expected_version = request.expected_version
        return command

    def act(self, request: pb.ActRequest, who: Identity) -> tuple[str, table.Command]:
        """(log, command) of a game command. Raises Denied: BAD_SHAPE, UNKNOWN_TABLE, ROLE_MISSING, RATE."""
        self._charge(who)
        command_id(request.command_id)
        if not request.HasField("seat") or not request.HasField("body"):
            raise missing(*(field for field in ("seat", "body") if not request.HasField(field)))
        seat("seat", request.seat)
        log = self._catalog.log_of(request.table_id)
        self._catalog.check_command(log, request.body)
        if request.draws:
            self._check_draws(request, who)
        command = self.envelope(request, who, operator=bool(request.draws))
        command.act.seat = request.seat
        command.act.body.CopyFrom(request.body)
        command.act.draws.extend(request.draws)
        return log, command

    async def send(self, command: table.Command, who: Identity) -> bytes:
        """Send any other command;

        The serialized Answer. Raises Denied: RATE, UNKNOWN_TABLE, BACKLOG, NO_OWNER, NO_ANSWER.
        """
        self._charge(who)
        return await self.deliver(self._catalog.log_of(command.table_id), command)

    def _charge(self, who: Identity) -> None:
        """Operators have no limit: a match of many games is imported as fast as its log takes it."""
        if OPERATOR not in who.roles:
            self._rate.take(who.player_id, "commands")

    async def deliver(self, log: str, command: table.Command) -> bytes:
        """Send to this log. Publishes before it first waits, so calls in order are published in order."""
        try:
            return await self._commands.send(log, command.table_id, _builder(command), self._deadline_s)
        except BusError as error:
            raise from_bus(error) from error

    @staticmethod
    def _check_draws(request: pb.ActRequest, who: Identity) -> None:
        who.need(OPERATOR)
        if len(request.draws) > MOST_DRAWS:
            raise Denied("BAD_SHAPE", f"draws may name {MOST_DRAWS} at most")
        for n, draw in enumerate(request.draws):
            text(f"draws[{n}].json", draw.json, 1, DRAW_CHARS)


def _builder(command: table.Command) -> Callable[[str], bytes]:
    def build(reply_to: str) -> bytes:
        command.answer_to = reply_to
        return command.SerializeToString()

    return build
