"""The table of services. Everything that starts, deploys or watches them is made from it or tested against it."""

import importlib.util

import msgspec


class Service(msgspec.Struct, frozen=True):
    """One service:

    Its name, the module that runs it, and whether it keeps an event log (schema and role of its name).
    """

    name: str
    module: str
    keeps_log: bool


def _service(name: str, *, keeps_log: bool) -> Service:
    return Service(name, f"services.{name}", keeps_log)


SERVICES = (
    _service("trictrac", keeps_log=True),
    _service("liarsdice", keeps_log=True),
    _service("klaverjas", keeps_log=True),
    _service("backgammon", keeps_log=True),
    _service("carrom", keeps_log=True),
    _service("matchmaking", keeps_log=True),
    _service("tally", keeps_log=True),
    _service("timer", keeps_log=False),
    _service("bots", keeps_log=False),
    _service("gateway", keeps_log=False),
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


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
