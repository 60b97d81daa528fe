"""Settings of a process: read once, in `__main__.py`, from the environment.

A service subclasses `Settings` in `services/<name>/settings.py`; every field carries a description with its unit.
Names in the environment are `STAMTAFEL_<FIELD>`; only `DATABASE_URL` and `NATS_URL`, which hosts hand out under these
names, go without a prefix.
"""

import importlib
import importlib.util
import os
import pkgutil
import socket
from collections.abc import Iterable
from typing import ClassVar, Literal, TypeVar, get_args, get_origin

import msgspec
from pydantic import Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

PREFIX = "STAMTAFEL_"
S = TypeVar("S", bound="Settings")


class SettingsError(Exception):
    """A setting is missing or has a value that is not allowed; the text names the variable and what is allowed."""


def default_instance() -> str:
    """Name of this process among its replicas: host name and process id."""
    return f"{socket.gethostname()}-{os.getpid()}"


class Settings(BaseSettings):
    """What every service needs; a service adds its own fields in a subclass with a `service` name."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, populate_by_name=True, frozen=True, extra="ignore", hide_input_in_errors=True
    )
    service: ClassVar[str] = "all"

    database_url: str = Field(
        default="postgresql://postgres@127.0.0.1:5432/stamtafel",
        validation_alias="DATABASE_URL",
        repr=False,
        description="Postgres of the event logs and read models, as a URL.",
        json_schema_extra={"secret": True},
    )
    nats_url: str = Field(
        default="nats://127.0.0.1:4222",
        validation_alias="NATS_URL",
        repr=False,
        description="NATS server with JetStream, as a URL.",
        json_schema_extra={"secret": True},
    )
    nats_user: str = Field(default="", description="User at NATS; empty for none.")
    nats_password: str = Field(
        default="", repr=False, description="Password of that user; empty for none.", json_schema_extra={"secret": True}
    )
    instance: str = Field(
        default_factory=default_instance,
        min_length=1,
        max_length=200,
        description="Name of this process among its replicas: owner of its leases; default host name and process id.",
    )
    http_host: str = Field(default="127.0.0.1", description="Address of /metrics, /healthz and /readyz.")
    http_port: int = Field(
        default=8080, ge=0, le=65535, description="TCP port of /metrics, /healthz and /readyz; 0 takes a free one."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="Least level logged.")
    shutdown_seconds: float = Field(
        default=15.0,
        gt=0,
        le=300,
        description="Longest time a stop may take before what is left is dropped, in seconds.",
    )


class SettingRow(msgspec.Struct, frozen=True):
    """One setting as `stamtafel settings` lists it; `default` is text, `allowed` says type and range."""

    service: str
    name: str
    env: str
    default: str
    allowed: str
    meaning: str


def load(cls: type[S]) -> S:
    """Read `cls` from the environment; raise `SettingsError`, which names every bad or missing variable."""
    try:
        return cls()
    except ValidationError as bad:
        raise SettingsError("; ".join(_sentence(cls, error) for error in bad.errors())) from None


def describe(cls: type[Settings]) -> list[SettingRow]:
    """One row for each field that `cls` itself declares, in order of declaration."""
    inherited = set(Settings.model_fields) if cls is not Settings else set[str]()
    return [
        SettingRow(cls.service, name, env_name(name, field), _default(field), allowed(field), field.description or "")
        for name, field in cls.model_fields.items()
        if name not in inherited
    ]


def all_settings(packages: Iterable[str] = ("services",)) -> list[type[Settings]]:
    """The base class and every subclass found in `<package>.<name>.settings`, by service name.

    The packages are named by text so that this library depends on no service.
    """
    for package in packages:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            name = f"{package}.{module.name}.settings"
            if module.ispkg and importlib.util.find_spec(name) is not None:
                importlib.import_module(name)
    return [Settings, *sorted(_subclasses(Settings), key=lambda cls: (cls.service, cls.__qualname__))]


def env_name(name: str, field: FieldInfo) -> str:
    """The environment variable of a field."""
    return field.validation_alias if isinstance(field.validation_alias, str) else PREFIX + name.upper()


def allowed(field: FieldInfo) -> str:
    """What a field accepts, in words: `whole number from 0 to 65535`, `one of debug, info`."""
    kind = field.annotation
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(str(word) for word in get_args(kind))
    words = {int: "whole number", float: "number", str: "text", bool: "true or false"}.get(kind or str)  # type: ignore[arg-type]
    text = words or str(kind).replace("typing.", "")
    for bound in field.metadata:
        for key, word in (("ge", "from"), ("gt", "above"), ("le", "to"), ("lt", "below")):
            if (limit := getattr(bound, key, None)) is not None:
                text += f" {word} {limit}"
        if limit := getattr(bound, "min_length", None):
            text += f" of at least {limit} characters"
        if limit := getattr(bound, "max_length", None):
            text += f" of at most {limit} characters"
    return text


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "(required)"
    if field.default_factory is not None:
        return "(computed)"
    return str(field.default)


def _sentence(cls: type[Settings], error: ErrorDetails) -> str:
    key = str(error["loc"][0]) if error["loc"] else "?"
    for name, field in cls.model_fields.items():
        if key in (name, field.validation_alias):
            what = "is missing" if error["type"] == "missing" else "has a value that is not allowed"
            return f"{env_name(name, field)} {what}; allowed: {allowed(field)} ({field.description})"
    return f"{key}: {error['msg']}"


def _subclasses(cls: type[Settings]) -> list[type[Settings]]:
    direct = cls.__subclasses__()
    return direct + [further for sub in direct for further in _subclasses(sub)]
