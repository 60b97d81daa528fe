"""NATS for the platform:

Commands in, events out, live updates, queries. Knows bytes, subjects and sequences; no game, no protobuf.
"""

from libs.bus.commands import CommandReader
from libs.bus.connection import Bus
from libs.bus.errors import (
    ApiError,
    Backlog,
    BusError,
    Disconnected,
    Lost,
    NoAnswer,
    NoOwner,
    QueryFailed,
    TooLarge,
    Unavailable,
)
from libs.bus.events import EventReader
from libs.bus.live import Live, publish_live, publish_owner, subscribe_live, subscribe_owner
from libs.bus.memory import MemoryBroker, MemoryBus
from libs.bus.ports import (
    BusPort,
    Commands,
    Committed,
    Events,
    Fact,
    Gap,
    Position,
    Raw,
    ReadCommitted,
    Relaying,
    Subscribed,
    Wire,
)
from libs.bus.queries import Served, ask, serve
from libs.bus.relay import Relay
from libs.bus.sender import CommandSender, answer
from libs.bus.streams import StreamInfo, ensure_commands, ensure_events

__all__ = [
    "ApiError",
    "Backlog",
    "Bus",
    "BusError",
    "BusPort",
    "CommandReader",
    "CommandSender",
    "Commands",
    "Committed",
    "Disconnected",
    "EventReader",
    "Events",
    "Fact",
    "Gap",
    "Live",
    "Lost",
    "MemoryBroker",
    "MemoryBus",
    "NoAnswer",
    "NoOwner",
    "Position",
    "QueryFailed",
    "Raw",
    "ReadCommitted",
    "Relay",
    "Relaying",
    "Served",
    "StreamInfo",
    "Subscribed",
    "TooLarge",
    "Unavailable",
    "Wire",
    "answer",
    "ask",
    "ensure_commands",
    "ensure_events",
    "publish_live",
    "publish_owner",
    "serve",
    "subscribe_live",
    "subscribe_owner",
]
