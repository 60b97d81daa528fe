"""Responses put together from bytes that are already there: what the owner serialized is never parsed to be sent on.

A message field on the wire is its tag (field number and kind 2), its length, its bytes; the pieces here are the field
numbers of `WatchTableResponse`, `PlayItem`, `PlayResponse` and of the responses that hold an answer (tested against the
generated classes).
"""

from __future__ import annotations

from stamtafel.gateway.v1 import gateway_pb2 as pb

_RESPONSE_ANSWER = b"\x0a"  # field 1 of every <Rpc>Response with an answer
_RESPONSE_UPDATE = b"\x0a"  # WatchTableResponse.update = 1
_RESPONSE_ITEM = b"\x0a"  # PlayResponse.items = 1
_ITEM_WATCH_ID = b"\x08"  # PlayItem.watch_id = 1
_ITEM_ANSWER = b"\x12"  # PlayItem.answer = 2
_ITEM_UPDATE = b"\x1a"  # PlayItem.update = 3

_SMALL = tuple(bytes((n,)) for n in range(128))


def varint(n: int) -> bytes:
    """`n` (not negative) as protobuf's varint."""
    if n < 128:
        return _SMALL[n]
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def answered(answer: bytes) -> bytes:
    """A response that holds a serialized Answer in field 1."""
    return _RESPONSE_ANSWER + varint(len(answer)) + answer


def answer_item(answer: bytes) -> bytes:
    """A PlayResponse with one item, a serialized Answer.

    Several of these, joined, are one PlayResponse with all items.
    """
    item = _ITEM_ANSWER + varint(len(answer)) + answer
    return _RESPONSE_ITEM + varint(len(item)) + item


def update_item(watch_id: int, update: bytes) -> bytes:
    """A PlayResponse with one item, a serialized Update of a watch."""
    item = _ITEM_UPDATE + varint(len(update)) + update
    if watch_id:
        item = _ITEM_WATCH_ID + varint(watch_id) + item
    return _RESPONSE_ITEM + varint(len(item)) + item


def play_item(item: pb.PlayItem) -> bytes:
    """A PlayResponse with one item of any kind."""
    return pb.PlayResponse(items=[item]).SerializeToString()


class Chunk:
    """One update on its way to many readers: its bytes, and the forms they take, each made once."""

    __slots__ = ("_items", "_watch", "closed", "data", "version")

    def __init__(self, data: bytes, version: int, closed: bool = False) -> None:
        """`data` is a serialized Update that ends with `version`; `closed`: nothing will follow it."""
        self.data = data
        self.version = version
        self.closed = closed
        self._items: dict[int, bytes] = {}
        self._watch = b""

    def watch_response(self) -> bytes:
        """A serialized WatchTableResponse."""
        if not self._watch:
            self._watch = _RESPONSE_UPDATE + varint(len(self.data)) + self.data
        return self._watch

    def item(self, watch_id: int) -> bytes:
        """A serialized PlayResponse with this one item."""
        found = self._items.get(watch_id)
        if found is None:
            found = self._items[watch_id] = update_item(watch_id, self.data)
        return found
