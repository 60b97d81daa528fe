"""All contracts that this process has, for reflection:

So that `grpcurl` resolves every game's messages inside an Any.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path

import stamtafel


def load_contracts(roots: Iterable[str] | None = None) -> list[str]:
    """Import every generated `*_pb2` module below the package `stamtafel`; returns their names.

    `roots` are its directories (default: the package's own). They are no regular packages, so files are looked for.
    """
    names: list[str] = []
    for root in stamtafel.__path__ if roots is None else roots:
        for path in sorted(Path(root).rglob("*_pb2.py")):
            name = ".".join(("stamtafel", *path.relative_to(root).with_suffix("").parts))
            importlib.import_module(name)
            names.append(name)
    return names
