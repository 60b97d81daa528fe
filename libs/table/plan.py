"""A batch in the making: what one commit writes, and what leaves the service after it and never before."""

from __future__ import annotations

import functools
from typing import NamedTuple

from google.protobuf.message import Message

from libs.log.model import Cursor, NewEvent, Secret, Snapshot
from libs.table.draft import Draft
from libs.table.life import kind_of
from libs.table.standing import Standing
from libs.table.views import Happened
from stamtafel.table.v1 import table_pb2 as pb


class Shown(NamedTuple):
    """A watched table after the batch: where it stands, and what happened since the batch began."""

    standing: Standing
    from_version: int
    happened: list[Happened]


class Plan:
    """One batch. `answers` are (subject, bytes); `touched` says what happened where, by table."""

    __slots__ = (
        "accepted",
        "answers",
        "commands",
        "cursor",
        "events",
        "oldest",
        "secrets",
        "shown",
        "snaps",
        "touched",
    )

    def __init__(self) -> None:
        self.events: list[NewEvent] = []
        self.secrets: list[Secret] = []
        self.answers: list[tuple[str, bytes]] = []
        self.touched: dict[str, tuple[int, list[Happened]]] = {}
        self.shown: list[Shown] = []
        self.snaps: list[Snapshot] = []
        self.cursor = Cursor()
        self.commands = 0
        self.accepted = 0
        self.oldest = 0

    def take_in(self, draft: Draft, command: pb.Command, from_version: int) -> None:
        """Adds an accepted decision."""
        draws = draft.draws_taken()
        table_id, now, actor, command_id = draft.table_id, draft.now, command.actor.id, command.command_id
        correlation, causation = command.correlation_id, command.causation_id
        version = from_version
        touched = self.touched.get(table_id)
        if touched is None:
            touched = self.touched[table_id] = (from_version, [])
        happened = touched[1]
        add = self.events.append
        for event in draft.events:
            version += 1
            name, kind = _labels(type(event))
            add(
                NewEvent(
                    table_id,
                    version,
                    name,
                    now,
                    command_id,
                    correlation,
                    causation,
                    actor,
                    draws,
                    event.SerializeToString(),
                    kind,
                )
            )
            draws = 0
            happened.append(Happened(version, now, actor, event))
        for sealed in draft.sealed:
            self.secrets.append(Secret(table_id, sealed.play, sealed.seed))
        self.accepted += 1

    def answer(self, command: pb.Command, answer: bytes) -> None:
        """Remembers an answer to send after the commit."""
        if command.answer_to:
            self.answers.append((command.answer_to, answer))


@functools.cache
def _labels(event: type[Message]) -> tuple[str, str]:
    return event.DESCRIPTOR.full_name, kind_of(event)


def accepted_answer(command: pb.Command, version: int) -> bytes:
    """The bytes of "accepted at version n"."""
    answer = pb.Answer()
    answer.command_id = command.command_id
    answer.table_id = command.table_id
    answer.accepted.version = version
    return answer.SerializeToString()
