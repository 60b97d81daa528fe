"""What can go wrong on the bus, as the callers meet it."""

from __future__ import annotations


class BusError(Exception):
    """Everything that this package raises on purpose."""


class Disconnected(BusError):
    """The connection broke while something was waiting for a reply; whether it arrived is unknown."""


class Unavailable(BusError):
    """Nobody listens on the subject: JetStream is not up yet, the stream is missing, or no process serves it."""


class NoOwner(BusError):
    """No process serves this log: nobody answers its queries, or its command stream does not exist."""


class NoAnswer(BusError):
    """The deadline passed without an answer. The outcome is unknown; sending the same command id again is safe."""


class Backlog(BusError):
    """Too much is waiting: the stream refused the command, or too many commands of this sender are open."""


class TooLarge(BusError):
    """The message is larger than the server takes (`max_payload`)."""


class QueryFailed(BusError):
    """The process that serves the query met a bug; its log has the trace."""


class Lost(BusError):
    """The reader stands before the beginning of what the stream still holds.

    `first_available` is the first position that can be read; everything between must come from the log itself.
    """

    def __init__(self, stream: str, after: int, first_available: int) -> None:
        super().__init__(f"{stream}: position {after + 1} is gone, the first available is {first_available}")
        self.stream = stream
        self.after = after
        self.first_available = first_available


class ApiError(BusError):
    """JetStream refused a request.

    `code` is its HTTP-like class, `err_code` the exact error (10059: no such stream).
    """

    def __init__(self, code: int, err_code: int, description: str) -> None:
        super().__init__(f"JetStream error {err_code} ({code}): {description}")
        self.code = code
        self.err_code = err_code


STREAM_NOT_FOUND = 10059
CONSUMER_NOT_FOUND = 10014
MESSAGE_NOT_FOUND = 10037
STREAM_EXISTS = 10058
WRONG_LAST_SEQUENCE = 10071
STREAM_FULL = 10077
