"""The streams of a log, and what JetStream knows of them.

`CMD_<log>` holds `cmd.<log>.<table>`: limits retention with `discard new`, so a full stream refuses at the door and
loses nothing it took. `EVT_<log>` holds `evt.<log>.<table>.<kind>`: a copy of the log whose sequence is the log's
position; old events leave by age and size, since Postgres has them all.
"""

from __future__ import annotations

import asyncio
import base64
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from libs.bus.errors import MESSAGE_NOT_FOUND, STREAM_EXISTS, STREAM_NOT_FOUND, ApiError, NoAnswer, Unavailable
from libs.bus.ports import Raw

if TYPE_CHECKING:
    from libs.bus.connection import Bus

SECOND_NS = 1_000_000_000
COMMANDS_MAX_BYTES = 256 * 1024 * 1024
COMMANDS_MAX_AGE_NS = 3600 * SECOND_NS
EVENTS_MAX_BYTES = 512 * 1024 * 1024
EVENTS_MAX_AGE_NS = 7 * 24 * 3600 * SECOND_NS

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class StreamInfo(msgspec.Struct, frozen=True):
    """A stream as it is now:

    Creation time (microseconds), first and last sequence (an empty one: last = first - 1, or both 0).
    """

    created: int
    first_seq: int
    last_seq: int
    messages: int


def commands_stream(log: str) -> str:
    """`CMD_<log>`."""
    return f"CMD_{log}"


def events_stream(log: str) -> str:
    """`EVT_<log>`."""
    return f"EVT_{log}"


def to_us(text: str) -> int:
    """RFC 3339 time with up to nine decimals -> whole microseconds since 1970, cut off like `ns // 1000`."""
    return (datetime.fromisoformat(text) - _EPOCH) // _MICROSECOND


def from_us(at: int) -> str:
    """Whole microseconds since 1970 -> RFC 3339."""
    return (_EPOCH + timedelta(microseconds=at)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


async def api(bus: Bus, call: str, body: dict[str, Any] | None = None, timeout_s: float = 5.0) -> dict[str, Any]:
    """Call `$JS.API.<call>`. Raises `ApiError`, and what `Bus.request` raises."""
    reply = await bus.request(f"$JS.API.{call}", _encode(body) if body is not None else b"", timeout_s)
    answer: dict[str, Any] = _decode(reply)
    error = answer.get("error")
    if error is not None:
        raise ApiError(error.get("code", 0), error.get("err_code", 0), error.get("description", ""))
    return answer


async def stream_info(bus: Bus, stream: str) -> StreamInfo | None:
    """What JetStream says of the stream; None when it does not exist."""
    try:
        answer = await api(bus, f"STREAM.INFO.{stream}")
    except ApiError as error:
        if error.err_code == STREAM_NOT_FOUND:
            return None
        raise
    return _info(answer)


async def ensure_commands(bus: Bus, log: str) -> StreamInfo:
    """Make `CMD_<log>`, or bring its limits up to date. For the log's owner."""
    return await _ensure(
        bus,
        {
            "name": commands_stream(log),
            "subjects": [f"cmd.{log}.*"],
            "discard": "new",
            "max_age": COMMANDS_MAX_AGE_NS,
            "max_bytes": COMMANDS_MAX_BYTES,
            "allow_direct": True,
        },
    )


async def ensure_events(bus: Bus, log: str, first_seq: int = 1) -> StreamInfo:
    """Make `EVT_<log>` so that its first message will have sequence `first_seq`;

    One that exists keeps its sequences.
    """
    return await _ensure(
        bus,
        {
            "name": events_stream(log),
            "subjects": [f"evt.{log}.*.*"],
            "discard": "old",
            "max_age": EVENTS_MAX_AGE_NS,
            "max_bytes": EVENTS_MAX_BYTES,
            "first_seq": first_seq,
        },
    )


async def message_time(bus: Bus, stream: str, seq: int) -> int | None:
    """The time (microseconds) of the message with this sequence; None when it is not there."""
    found = await get_message(bus, stream, seq)
    return None if found is None else found.at_us


async def get_message(bus: Bus, stream: str, seq: int) -> Raw | None:
    """One message by its sequence;

    `stream` of the result is the last token of its subject. None when it is not there.
    """
    try:
        answer = await api(bus, f"STREAM.MSG.GET.{stream}", {"seq": seq})
    except ApiError as error:
        if error.err_code == MESSAGE_NOT_FOUND:
            return None
        raise
    message = answer["message"]
    data = base64.b64decode(message.get("data", ""))
    return Raw(message["seq"], to_us(message["time"]), message["subject"].rpartition(".")[2], data)


async def read_span(bus: Bus, stream: str, first: int, last: int, timeout_s: float = 10.0) -> list[Raw]:
    """The messages `first`..`last` of a stream with direct access, oldest first; what is gone is left out."""
    found: list[Raw] = []
    done = asyncio.get_running_loop().create_future()

    def take(subject: bytes, reply: bytes, data: bytes, header: bytes) -> None:
        if b"Nats-Sequence:" not in header[:200] and header.startswith(b"NATS/1.0 "):
            if not done.done():
                done.set_result(header[9:12])  # 204 end of batch, 404 nothing there, 503 nobody
            return
        fields = dict(line.split(b": ", 1) for line in header.split(b"\r\n") if b": " in line)
        table = fields[b"Nats-Subject"].rpartition(b".")[2].decode()
        at = to_us(fields[b"Nats-Time-Stamp"].decode())
        found.append(Raw(int(fields[b"Nats-Sequence"]), at, table, data))

    inbox = bus.fresh_inbox()
    heard = bus.subscribe(inbox, take)
    try:
        start = first
        while start <= last:
            done = asyncio.get_running_loop().create_future()
            ask = {"seq": start, "batch": min(1000, last - start + 1)}
            bus.publish(f"$JS.API.DIRECT.GET.{stream}", _encode(ask), inbox)
            before = len(found)
            async with asyncio.timeout(timeout_s):
                status: bytes = await done
            if status == b"503":
                raise Unavailable(f"{stream} does not give its messages")
            if len(found) == before:
                break
            start = found[-1].seq + 1
    except TimeoutError:
        raise NoAnswer(f"{stream} did not give its messages {first}..{last} in {timeout_s} s") from None
    finally:
        heard.close()
    return [message for message in found if message.seq <= last]


async def _ensure(bus: Bus, wanted: dict[str, Any]) -> StreamInfo:
    config = {"retention": "limits", "storage": "file", "num_replicas": 1, **wanted}
    try:
        return _info(await api(bus, f"STREAM.CREATE.{wanted['name']}", config))
    except ApiError as error:
        if error.err_code != STREAM_EXISTS:
            raise
    present = await api(bus, f"STREAM.INFO.{wanted['name']}")
    kept = {key: value for key, value in wanted.items() if key != "first_seq"}
    return _info(await api(bus, f"STREAM.UPDATE.{wanted['name']}", present["config"] | kept))


def _info(answer: dict[str, Any]) -> StreamInfo:
    state = answer["state"]
    return StreamInfo(to_us(answer["created"]), state["first_seq"], state["last_seq"], state["messages"])
