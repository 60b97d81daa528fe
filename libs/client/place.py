"""Where the command line finds its gateway and keeps its things: options first, then environment, then files."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

DATA = Path(".stamtafel")
DEFAULT_ADDRESS = "127.0.0.1:7420"


class Place(msgspec.Struct, frozen=True):
    """A place: the gateway's address, the file for tokens, the data directory of a Stamtafel on this machine."""

    address: str
    tokens: Path
    data: Path
    tls: bool = False


class _Ports(msgspec.Struct):
    gateway: str = ""
    database: str = ""


def find(address: str = "", data: Path | None = None, tls: bool = False) -> Place:
    """The place that options and environment name: `--address`, STAMTAFEL_ADDRESS, STAMTAFEL_SERVER, ports.json.

    With a data directory of one's own the tokens are kept there, else under ~/.config/stamtafel.
    """
    known = os.environ.get("STAMTAFEL_ADDRESS") or os.environ.get("STAMTAFEL_SERVER") or ""
    where = data or DATA
    here = _ports(where).gateway
    # a directory that was named speaks before the environment
    found = address or (known or here if data is None else here or known)
    tokens = data / "client" / "tokens.json" if data is not None else _config() / "tokens.json"
    return Place(found or DEFAULT_ADDRESS, tokens, where, tls or bool(os.environ.get("STAMTAFEL_TLS")))


def database_url(data: Path) -> str:
    """The database of a Stamtafel on this machine, for read models: DATABASE_URL, else ports.json; empty: unknown."""
    return os.environ.get("DATABASE_URL", "") or _ports(data).database


def child_environment(root: Path) -> dict[str, str]:
    """The environment for a Python program of this repository, started from anywhere."""
    paths = (str(root), str(root / "gen"), os.environ.get("PYTHONPATH", ""))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def _config() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "stamtafel"


def _ports(data: Path) -> _Ports:
    try:
        return msgspec.json.decode((data / "ports.json").read_bytes(), type=_Ports)
    except (OSError, msgspec.MsgspecError):
        return _Ports()
