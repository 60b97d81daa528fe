"""Records of a log made by hand, as the relay would send them and the owner would read them back."""

from collections.abc import Iterable, Sequence

from google.protobuf.message import Message

from libs.bus import BusPort, Committed, Fact
from libs.bus.queries import Served, serve
from stamtafel.log.v1.log_pb2 import EventRecord
from stamtafel.table.v1.table_pb2 import Query, QueryReply, ReadLogResponse

START_US = 1_700_000_000_000_000


class Script:
    """A log that a test writes: `add` gives each event its position, version and time (one second apart)."""

    def __init__(self, log: str = "trictrac-0") -> None:
        self.log = log
        self.records: list[EventRecord] = []
        self._versions: dict[str, int] = {}

    def add(self, stream: str, body: Message, kind: str = "table") -> EventRecord:
        """Append one event."""
        version = self._versions[stream] = self._versions.get(stream, 0) + 1
        position = len(self.records) + 1
        record = EventRecord(
            log=self.log,
            position=position,
            stream=stream,
            version=version,
            kind=kind,
            type=body.DESCRIPTOR.full_name,
            data=body.SerializeToString(),
            at_us=START_US + position * 1_000_000,
        )
        self.records.append(record)
        return record

    def facts(self, after: int = 0) -> list[Fact]:
        """The events behind a position, as a reader takes them."""
        return [Fact(*entry) for entry in committed(self.records[after:])]

    async def read(self, after: int, limit: int) -> Sequence[Committed]:
        """What the relay reads."""
        return committed(self.records[after : after + limit])

    def serve(self, bus: BusPort) -> Served:
        """Answer `ReadLog` as the owner would."""

        async def handle(data: bytes) -> bytes:
            asked = Query.FromString(data).read_log
            page = self.records[asked.after : asked.after + asked.limit]
            wanted = set(asked.kinds)
            records = [record.SerializeToString() for record in page if not wanted or record.kind in wanted]
            answer = ReadLogResponse(records=records, last=asked.after + len(page))
            return QueryReply(read_log=answer).SerializeToString()

        return serve(bus, self.log, handle)


def committed(records: Iterable[EventRecord]) -> list[Committed]:
    """Records in the shape of the relay."""
    return [(r.position, r.stream, r.kind, r.SerializeToString()) for r in records]
