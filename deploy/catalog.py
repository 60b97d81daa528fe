"""The table of services. Everything that starts, deploys or watches them is made from it or tested against it."""

import importlib.util
from collections.abc import Iterable

import msgspec


class Service(msgspec.Struct, frozen=True):
    """One service: its name and the module that runs it.

    `keeps_log`: it has an event log, in a schema and with a role of its name. `is_game`: tables are in that log.
    """

    name: str
    module: str
    keeps_log: bool = False
    is_game: bool = False


def _service(name: str, *, keeps_log: bool = False, is_game: bool = False) -> Service:
    return Service(name, f"services.{name}", keeps_log, is_game)


SERVICES = (
    _service("trictrac", keeps_log=True, is_game=True),
    _service("liarsdice", keeps_log=True, is_game=True),
    _service("klaverjas", keeps_log=True, is_game=True),
    _service("backgammon", keeps_log=True, is_game=True),
    _service("carrom", keeps_log=True, is_game=True),
    _service("matchmaking", keeps_log=True),
    _service("tally"),
    _service("timer"),
    _service("bots"),
    _service("gateway"),
)


def available() -> list[Service]:
    """The services whose program is here, in the table's order."""
    return [service for service in SERVICES if _exists(f"{service.module}.__main__")]


def find(name: str) -> Service:
    """The service of that name; LookupError names those that exist."""
    for service in SERVICES:
        if service.name == name:
            return service
    raise LookupError(f"no service {name}; there are {', '.join(service.name for service in SERVICES)}")


def game_logs(services: Iterable[Service]) -> str:
    """The first log of each game among these, as the setting STAMTAFEL_LOGS of those who follow tables wants it."""
    return ",".join(f"{service.name}-0" for service in services if service.is_game)


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
