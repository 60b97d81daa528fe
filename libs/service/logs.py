"""Structured logs: one JSON object a line, on standard output, with correlation ids from context variables.

Secrets stay out by construction (P5): only plain values are written, values under telling names are hidden, passwords
in URLs are cut, and an exception shows its type and frames, but its message only when no frame stands in code that
knows hidden cards or dice.
"""

import logging
import re
import sys
import traceback
from collections.abc import Iterable, Mapping, MutableMapping
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec
import structlog
from structlog.contextvars import bind_contextvars, bound_contextvars, clear_contextvars
from structlog.typing import FilteringBoundLogger, Processor

__all__ = ["bind", "bound", "clear", "configure", "get_logger"]

HIDDEN = "[hidden]"
SECRET_NAMES = re.compile(
    r"password|passwd|secret|token|authorization|cookie|credential|api_?key|private|seed|nonce|hands?$|cards?$|dice$|cups?$"
    r"|(^|_)code$|(^|_)(url|dsn)$"
)
URL_PASSWORD = re.compile(r"(\w+://[^\s:/@]*):[^\s@/]*@")
SECRET_CODE = ("/libs/table/", "/services/")
PLAIN = (str, int, float, bool, type(None))
ALLOWED_CODES = {"refusal_code"}

bind = bind_contextvars
bound = bound_contextvars
clear = clear_contextvars


def configure(service: str, level: str = "info", stream: BinaryIO | None = None) -> None:
    """Send the logs of this process, those of libraries included, to `stream` (standard output) from `level` upwards.

    `service` is put on every line. Calling it again replaces what was configured.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    chain: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        show_exception,
        keep_plain,
        lambda _logger, _method, event: msgspec.json.encode({"service": service, **event}),
    ]
    structlog.configure(
        processors=chain,
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.BytesLoggerFactory(stream or sys.stdout.buffer),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    for handler in list(root.handlers):
        if isinstance(handler, _Forward):
            root.removeHandler(handler)
    root.addHandler(_Forward())
    root.setLevel(max(number, logging.WARNING))
    logging.getLogger("stamtafel").setLevel(number)


def get_logger(name: str) -> FilteringBoundLogger:
    """A logger whose lines carry `part: name`; call it with an event in words and plain keyword values."""
    return structlog.get_logger(part=name)


def show_exception(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replace `exc_info` by `error`: type, frames, and the first line of the message where no secrets can be in it."""
    info: Any = event.pop("exc_info", None)
    if info is True:
        info = sys.exc_info()
    error = cast("Any", info[1] if isinstance(info, tuple) else info)
    if isinstance(error, BaseException):
        event["error"] = describe_error(error)
    return event


def describe_error(error: BaseException) -> dict[str, Any]:
    """An exception as plain values that are safe to log."""
    frames = traceback.extract_tb(error.__traceback__)
    paths = [Path(frame.filename).as_posix() for frame in frames]
    knows_secrets = any(code in path and not path.endswith("__main__.py") for path in paths for code in SECRET_CODE)
    message = str(error).partition("\n")[0][:500]
    row: dict[str, Any] = {
        "type": f"{type(error).__module__}.{type(error).__qualname__}",
        "message": HIDDEN if knows_secrets else cut_passwords(message),
        "frames": [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames[-12:]],
    }
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        row["cause"] = describe_error(cause)
    return row


def keep_plain(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Hide what has a telling name; anything but plain values shows as the name of its type."""
    return {key: value if key == "error" else _plain(key, value) for key, value in event.items()}


def cut_passwords(text: str) -> str:
    """The text with the password of every URL in it replaced."""
    return URL_PASSWORD.sub(rf"\1:{HIDDEN}@", text) if "://" in text else text


def _plain(key: str, value: Any) -> Any:
    if key not in ALLOWED_CODES and SECRET_NAMES.search(key):
        return HIDDEN
    if isinstance(value, str):
        return cut_passwords(value)
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value)
        return {str(name): _plain(str(name), item) for name, item in items.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(key, member) for member in cast("Iterable[Any]", value)]
    if isinstance(value, Path):
        return str(value)
    return f"<{type(value).__name__}>"


class _Forward(logging.Handler):
    """Carries the lines of libraries that use the standard library's logging into ours."""

    def emit(self, record: logging.LogRecord) -> None:
        level = record.levelname.lower()
        write = getattr(get_logger(record.name), level if level in ("debug", "info", "warning", "error") else "error")
        write(record.getMessage(), exc_info=record.exc_info or None)
