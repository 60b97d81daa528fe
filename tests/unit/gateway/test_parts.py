"""Small parts: ids of tables, bytes on the wire, buckets, settings, TLS, health, reflection."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from google.protobuf import descriptor_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from hypothesis import given
from hypothesis import strategies as st

from libs.service.settings import SettingsError, load
from libs.table.ids import game_of, log_of, logs_of, table_id
from services.gateway.errors import CODES, Denied
from services.gateway.limits import Buckets, Rate, Streams
from services.gateway.server import GatewayServer, ServerOptions
from services.gateway.settings import GatewaySettings
from services.gateway.wire import Chunk, answer_item, answered, play_item, varint
from stamtafel.gateway.v1 import gateway_pb2 as pb
from stamtafel.table.v1 import table_pb2 as table
from tests.unit.gateway.world import world


def test_a_tables_id_is_the_same_for_the_same_command_and_tells_its_log() -> None:
    one = table_id("trictrac", 4, "ann", "c1")
    assert one == table_id("trictrac", 4, "ann", "c1")
    assert len({one, table_id("trictrac", 4, "ann", "c2"), table_id("trictrac", 4, "annc", "1")}) == 3
    assert log_of(one) in logs_of("trictrac", 4)
    assert game_of(log_of(one)) == "trictrac"
    assert one.rpartition("-")[2] == table_id("trictrac", 1, "ann", "c1").rpartition("-")[2]
    shards = [log_of(table_id("trictrac", 4, "ann", str(n))) for n in range(400)]
    assert all(shards.count(log) > 60 for log in logs_of("trictrac", 4))
    with pytest.raises(ValueError, match="at least 1"):
        table_id("trictrac", 0, "ann", "c1")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "trictrac",
        "trictrac-0",
        "trictrac-0-",
        "-0-a",
        "trictrac-x-a",
        "trictrac-0-*",
        "a.b-0-c",
        "t-0-a b",
        "t-0->",
    ],
)
def test_what_is_no_id_of_a_table(text: str) -> None:
    with pytest.raises(ValueError, match="no id"):
        log_of(text)


@given(st.binary(max_size=300), st.integers(0, 2**32 - 1))
def test_bytes_put_together_are_what_the_contract_says(junk: bytes, watch_id: int) -> None:
    update = table.Update(table_id="t", from_version=1, version=2)
    update.view.commitment = junk
    data = update.SerializeToString()
    chunk = Chunk(data, 2)
    assert pb.WatchTableResponse.FromString(chunk.watch_response()) == pb.WatchTableResponse(update=update)
    answer = table.Answer(command_id=junk.hex(), accepted=table.Accepted(version=7))
    joined = b"".join(
        (
            chunk.item(watch_id),
            answer_item(answer.SerializeToString()),
            play_item(pb.PlayItem(watch_id=3, ended=pb.WatchEnded(table_id="t"))),
        )
    )
    assert pb.PlayResponse.FromString(joined) == pb.PlayResponse(
        items=[
            pb.PlayItem(watch_id=watch_id, update=update),
            pb.PlayItem(answer=answer),
            pb.PlayItem(watch_id=3, ended=pb.WatchEnded(table_id="t")),
        ]
    )
    for kind in (pb.ActResponse, pb.JoinTableResponse, pb.OperationsServiceCloseTableResponse):
        assert kind.FromString(answered(answer.SerializeToString())).answer == answer
    assert chunk.item(watch_id) is chunk.item(watch_id)


def test_every_answering_response_has_its_answer_in_field_1() -> None:
    for message in pb.DESCRIPTOR.message_types_by_name.values():
        if "answer" in message.fields_by_name and message.name.endswith("Response"):
            assert message.fields_by_name["answer"].number == 1


@given(st.integers(0, 2**63))
def test_varints(n: int) -> None:
    assert table.Accepted.FromString(b"\x08" + varint(n)).version == n


def test_buckets_fill_with_time_and_are_forgotten() -> None:
    now = 0.0
    buckets = Buckets(Rate(2.0, 3.0), lambda: now, most_keys=5)
    for _ in range(3):
        buckets.take("ann")
    with pytest.raises(Denied) as caught:
        buckets.take("ann")
    assert (caught.value.reason, caught.value.retry_after_s) == ("RATE", 0.5)
    buckets.take("bob")
    now = 0.5
    buckets.take("ann")
    now = 100.0
    for _ in range(3):
        buckets.take("ann")
    for n in range(20):
        buckets.take(f"p{n}")
    assert len(buckets) == 5


def test_streams_are_counted_and_given_back() -> None:
    streams = Streams(1)
    with streams.hold("ann"):
        with pytest.raises(Denied, match="STREAMS"), streams.hold("ann"):
            pass
        with streams.hold("bob"):
            assert streams.open == 2
    assert streams.open == 0


def test_every_reason_of_the_contract_has_its_status() -> None:
    problem = Denied("RATE", "slowly", retry_after_s=1.5).problem()
    assert (problem.code, problem.reason, problem.retry_after.nanos) == (8, "RATE", 500_000_000)
    assert all(0 < code <= 16 for code in CODES.values())


def test_settings_name_logs_and_issuers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAMTAFEL_LOGS", "trictrac-0,trictrac-1,carrom-0")
    monkeypatch.setenv("STAMTAFEL_OIDC_ISSUERS", '[{"issuer": "i", "audience": "a", "jwks_uri": "u"}]')
    found = load(GatewaySettings)
    assert found.games == {"trictrac": 2, "carrom": 1}
    assert found.issuers[0].issuer == "i"
    monkeypatch.setenv("STAMTAFEL_OIDC_ISSUERS", "[{}]")
    with pytest.raises(SettingsError, match="STAMTAFEL_OIDC_ISSUERS"):
        load(GatewaySettings)


async def test_health_and_reflection_also_of_the_games_messages() -> None:
    async with world() as w:
        channel = w.client(token="").channel
        health = health_pb2_grpc.HealthStub(channel)
        for service in ("", "stamtafel.gateway.v1.TablesService"):
            reply = await health.Check(health_pb2.HealthCheckRequest(service=service))
            assert reply.status == health_pb2.HealthCheckResponse.SERVING
        reflection = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo()
        await reflection.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        names = {service.name for service in (await reflection.read()).list_services_response.service}
        assert "stamtafel.gateway.v1.LobbyService" in names
        for symbol in ("stamtafel.trictrac.v1.Throw", "stamtafel.gateway.v1.TablesService"):
            await reflection.write(reflection_pb2.ServerReflectionRequest(file_containing_symbol=symbol))
            file, *_ = (await reflection.read()).file_descriptor_response.file_descriptor_proto
            found = descriptor_pb2.FileDescriptorProto.FromString(file)
            assert found.package == symbol.rpartition(".")[0]
        await reflection.done_writing()


def certificate() -> tuple[bytes, bytes]:
    """(private key, certificate) for 127.0.0.1, as PEM."""
    key = generate_private_key(SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "stamtafel")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return private, made.public_bytes(Encoding.PEM)


async def test_tls() -> None:
    private, chain = certificate()
    server = GatewayServer(ServerOptions("127.0.0.1:0", (private, chain)), [], lambda: None)
    port = await server.start()
    credentials = grpc.ssl_channel_credentials(chain)
    async with grpc.aio.secure_channel(f"127.0.0.1:{port}", credentials) as channel:
        reply = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
        assert reply.status == health_pb2.HealthCheckResponse.SERVING
    await server.stop(0)


async def test_a_port_that_is_taken_is_an_error() -> None:
    one = GatewayServer(ServerOptions("127.0.0.1:0"), [], lambda: None)
    port = await one.start()
    with pytest.raises(OSError, match=str(port)):
        await GatewayServer(ServerOptions(f"127.0.0.1:{port}"), [], lambda: None).start()
    await one.stop(0)
