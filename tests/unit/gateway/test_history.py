"""History, exports, checks, and what operators and auditors may."""

from __future__ import annotations

from collections.abc import AsyncIterator

import grpc
import pytest

from libs.log.export import from_json, read_export, verify_export
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table
from tests.unit.gateway.world import Client, World, reason, world

TABLE = "trictrac-0-abc"
OTHER = "trictrac-0-xyz"


@pytest.fixture
async def w() -> AsyncIterator[World]:
    async with world() as made:
        made.owner.open(holders=("ann",)).version = 450
        made.owner.store(TABLE, 250)
        made.owner.store(OTHER, 30)
        made.owner.store(TABLE + "2", 1)
        yield made


async def exported(client: Client, **fields: object) -> list[str]:
    stream = client.history.ExportLog(pb.ExportLogRequest(**fields), metadata=client.metadata)  # type: ignore[arg-type]
    return b"".join([piece.lines async for piece in stream]).decode().splitlines()


async def test_events_come_in_pages_up_to_a_limit(w: World) -> None:
    client = w.client("ann")
    for limit, expected in ((0, 447), (5, 5), (300, 300)):
        request = pb.ListEventsRequest(table_id=TABLE, after_version=3, limit=limit)
        pages = [page async for page in client.history.ListEvents(request, metadata=client.metadata)]
        versions = [event.version for page in pages for event in page.events]
        assert versions == list(range(4, 4 + expected))


async def test_a_replay_goes_from_decision_to_decision(w: World) -> None:
    client = w.client("ann")
    request = pb.ReplayTableRequest(table_id=TABLE, from_version=5, to_version=8)
    views = [reply.view async for reply in client.history.ReplayTable(request, metadata=client.metadata)]
    assert [view.version for view in views] == [5, 6, 7, 8]
    request = pb.ReplayTableRequest(table_id=TABLE, from_version=451)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.history.ReplayTable(request, metadata=client.metadata).read()
    assert reason(caught.value) == ("OUT_OF_RANGE", "BAD_VERSION")


async def test_what_is_secret_in_a_running_play_is_for_auditors_and_noted(w: World) -> None:
    client = w.client("ann", "operator", "analyst")
    request = pb.ListEventsRequest(table_id=TABLE, revealed=True)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.history.ListEvents(request, metadata=client.metadata).read()
    assert reason(caught.value) == ("FAILED_PRECONDITION", "PLAY_RUNNING")
    request.as_auditor = True
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.history.ListEvents(request, metadata=client.metadata).read()
    assert reason(caught.value) == ("PERMISSION_DENIED", "ROLE_MISSING")
    assert w.notes == []
    auditor = w.client("dora", "auditor")
    assert await auditor.history.ListEvents(request, metadata=auditor.metadata).read() is not grpc.aio.EOF
    assert w.notes == [("ListEvents", "dora", TABLE)]


async def test_an_exported_table_can_be_checked_offline(w: World) -> None:
    lines = await exported(w.client("ann"), table_id=TABLE)
    verified = verify_export(from_json(line) for line in lines)
    assert (verified.events, verified.pos) == (250, 281)
    header, links, _ = read_export(from_json(line) for line in lines)
    assert list(header.streams) == [TABLE]
    assert header.exported_at_us == int(w.now * 1e6)
    assert [link.record.ver for link in links] == list(range(1, 251))


async def test_an_exported_log_is_for_auditors_and_noted(w: World) -> None:
    client = w.client("ann", "operator")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await exported(client, log="trictrac-0")
    assert reason(caught.value) == ("PERMISSION_DENIED", "ROLE_MISSING")
    lines = await exported(w.client("dora", "auditor"), log="trictrac-0")
    assert verify_export(from_json(line) for line in lines).events == 281
    assert w.notes == [("ExportLog", "dora", "trictrac-0")]


@pytest.mark.parametrize("fields", [{}, {"table_id": TABLE, "log": "trictrac-0"}, {"log": "chess-0"}])
async def test_exports_of_nothing(w: World, fields: dict[str, str]) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await exported(w.client("dora", "auditor"), **fields)
    assert reason(caught.value) == ("INVALID_ARGUMENT", "BAD_SHAPE")


async def test_a_check_says_what_is_wrong(w: World) -> None:
    client = w.client("ann")
    request = pb.VerifyTableRequest(table_id=TABLE)
    checked = await client.history.VerifyTable(request, metadata=client.metadata)
    assert (checked.sound, checked.events, checked.version) == (True, 250, 250)
    assert checked.hash == w.owner.records[249].hash
    record = w.owner.records[99]
    w.owner.records[99] = type(record)(**{name: getattr(record, name) for name in record.__struct_fields__} | {"at": 1})
    checked = await client.history.VerifyTable(request, metadata=client.metadata)
    assert not checked.sound
    assert "position 100" in checked.problems[0]


async def test_a_game_without_notation(w: World) -> None:
    client = w.client("ann")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.history.GetRecord(pb.GetRecordRequest(table_id=TABLE), metadata=client.metadata)
    assert reason(caught.value) == ("FAILED_PRECONDITION", "NOT_OFFERED")


OPERATIONS = {
    "ListLogs": pb.ListLogsRequest(),
    "ExplainTable": pb.ExplainTableRequest(table_id=TABLE),
    "AdjustClock": pb.AdjustClockRequest(command_id="c1", table_id=TABLE, clock_id="k", by_ms=-5000, reason="late"),
    "VoidPlay": pb.VoidPlayRequest(command_id="c2", table_id=TABLE, reason="wrong dice"),
    "CloseTable": pb.OperationsServiceCloseTableRequest(command_id="c3", table_id=TABLE, reason="fire"),
    "MoveLog": pb.MoveLogRequest(log="trictrac-0", reason="deploy"),
}


@pytest.mark.parametrize("name", OPERATIONS)
async def test_operations_need_the_role(w: World, name: str) -> None:
    client = w.client("ann", "auditor", "analyst")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await getattr(client.operations, name)(OPERATIONS[name], metadata=client.metadata)
    assert reason(caught.value) == ("PERMISSION_DENIED", "ROLE_MISSING")
    assert w.notes == [] and w.owner.commands == []
    operator = w.client("otto", "operator")
    await getattr(operator.operations, name)(OPERATIONS[name], metadata=operator.metadata)
    for command in w.owner.commands:
        assert command.actor.kind == table.ACTOR_KIND_OPERATOR
    assert [note[0] for note in w.notes] == ([] if name in ("ListLogs", "ExplainTable") else [name])


async def test_pausing_is_for_hosts_too_and_the_table_says_who_is(w: World) -> None:
    for player, roles, kind in (
        ("ann", (), table.ACTOR_KIND_PLAYER),
        ("otto", ("operator",), table.ACTOR_KIND_OPERATOR),
    ):
        client = w.client(player, *roles)
        request = pb.PauseTableRequest(command_id=f"p-{player}", table_id=TABLE)
        await client.operations.PauseTable(request, metadata=client.metadata)
        resume = pb.ResumeTableRequest(command_id=f"r-{player}", table_id=TABLE)
        await client.operations.ResumeTable(resume, metadata=client.metadata)
        assert [command.actor.kind for command in w.owner.commands[-2:]] == [kind, kind]


async def test_logs_with_and_without_an_owner(w: World) -> None:
    operator = w.client("otto", "operator")
    (log,) = (await operator.operations.ListLogs(pb.ListLogsRequest(), metadata=operator.metadata)).logs
    assert (log.log, log.available, log.owner, log.pos) == ("trictrac-0", True, "owner-1", 281)
    await w.owner.stop()
    (log,) = (await operator.operations.ListLogs(pb.ListLogsRequest(), metadata=operator.metadata)).logs
    assert (log.log, log.available) == ("trictrac-0", False)
    await w.owner.start()


@pytest.mark.parametrize(("by_ms", "reason_"), [(0, "x"), (10**9, "x"), (5, ""), (5, "x" * 201)])
async def test_clocks_moved_by_nothing_or_for_no_reason(w: World, by_ms: int, reason_: str) -> None:
    operator = w.client("otto", "operator")
    request = pb.AdjustClockRequest(command_id="c1", table_id=TABLE, clock_id="k", by_ms=by_ms, reason=reason_)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await operator.operations.AdjustClock(request, metadata=operator.metadata)
    assert reason(caught.value) == ("INVALID_ARGUMENT", "BAD_SHAPE")
