"""Brings a record into the log: opens its table, sends the commands in order, closes it; goes on after any break."""

from __future__ import annotations

import asyncio
import itertools

import msgspec

from libs.client.client import Client
from libs.client.errors import NotPossible, Refused
from libs.client.play import Play
from libs.client.records import CLOSED_WITH, Plan, Step
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table

AT_ONCE = 100
"""Commands on their way at one time; the gateway takes 256."""
MOST_FRUITLESS = 5
WAIT_S = 0.5
"""How much longer is waited each time that nothing was taken."""
_LATER = frozenset(("version_mismatch", "busy", "too_late", "closed"))
"""Refusals after which a look at the table tells how to go on."""
_KNOWN = frozenset(("already_open", "repeated"))


class Imported(msgspec.Struct, frozen=True):
    """What an import came to. `sent`: commands that were still to be sent; 0: it had been imported before."""

    table_id: str
    sent: int


async def bring(client: Client, plan: Plan, anew: bool = False) -> Imported:
    """Import a record as its operator. The same file of the same operator is imported once, unless `anew`.

    An import that was cut off goes on. Where its table was closed before the record's end, another one is opened.
    Raises ClientError: NotAllowed without the operator role, NotPossible for a table that somebody else has changed.
    """
    key = f"{plan.key}-{client.new_id()}" if anew else plan.key
    for attempt in itertools.count():
        table_id, answer = await client.lobby.open_record(plan.game, plan.opening, plan.options, f"{key}-{attempt}")
        if answer.HasField("refused") and answer.refused.code not in _KNOWN:
            raise Refused(answer.refused)
        found = await _finish(client, plan, table_id)
        if found is not None:
            return found
    raise AssertionError("there is always another table")


async def _finish(client: Client, plan: Plan, table_id: str) -> Imported | None:
    """Send what a table has not taken yet; None: it was closed too early."""
    last = len(plan.versions) - 1
    first: int | None = None
    before, fruitless, at_once = -1, 0, AT_ONCE
    while True:
        view = await client.tables.view(table_id, as_public=True)
        place = plan.place(view.version)
        if view.state == table.TABLE_STATE_CLOSED and place != last:
            return None
        if place is None:
            how = f"`stamtafel operate close {table_id}` ends it, then import the file again"
            raise NotPossible("DISTURBED", f"somebody has changed table {table_id} during the import; {how}")
        first = place if first is None else first
        if place == last:
            return Imported(table_id, last - first)
        fruitless = fruitless + 1 if place == before else 0
        before = place
        try:
            await _send(client, plan, table_id, place, at_once)
        except Refused as refused:
            if refused.reason not in _LATER or fruitless >= MOST_FRUITLESS:
                raise
            at_once = max(1, at_once // 2)
            await client.timing.sleep(fruitless * WAIT_S)


async def _send(client: Client, plan: Plan, table_id: str, place: int, at_once: int) -> None:
    """Send everything after `place`. Raises Refused, with commands behind the refused one refused as well."""
    if place == 0:
        await client.lobby.start(table_id, plan.versions[0])
        place = 1
    async with client.tables.play() as session:
        while steps := plan.steps[place - 1 : place - 1 + at_once]:
            requests = [
                _request(client, table_id, step, plan.versions[place + number]) for number, step in enumerate(steps)
            ]
            await _answered(session, requests)
            place += len(steps)
    await client.operations.close(table_id, CLOSED_WITH, plan.versions[place])


async def _answered(session: Play, requests: list[pb.ActRequest]) -> None:
    """The requests leave in order; all their answers are heard, then the first that is no yes is raised."""
    answers = await asyncio.gather(*(session.act(request) for request in requests), return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
        if answer.HasField("refused"):
            raise Refused(answer.refused)


def _request(client: Client, table_id: str, step: Step, version: int) -> pb.ActRequest:
    """A step for exactly this version of the table: a new id each time does no harm, as it cannot count twice."""
    return pb.ActRequest(
        command_id=client.new_id(),
        table_id=table_id,
        expected_version=version,
        seat=step.seat,
        body=step.body,
        draws=[table.ScriptedDraw(json=text) for text in step.draws],
    )
