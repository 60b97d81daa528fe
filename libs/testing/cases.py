"""Conformance cases from disk: `CASES/<game>/*.json`, checked for shape as they are read."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

_STEP_KEYS = {"seat", "do", "with", "clock", "events", "only_events", "rejected", "as", "view", "hidden"}


class Case(NamedTuple):
    """One case. `body` is the case as it stands in its file; `wrong` what is wrong with its shape (None: nothing)."""

    game: str
    id: str
    body: Mapping[str, Any]
    wrong: str | None = None


def folders(root: Path) -> list[Path]:
    """The game folders of a case folder, sorted by name."""
    return (
        sorted(path for path in root.iterdir() if path.is_dir() and path.name[0] not in "._") if root.is_dir() else []
    )


def read_folder(folder: Path) -> Iterator[Case]:
    """All cases of one game's folder, by file name and then in order. A file that is no case file is one wrong case."""
    seen: set[str] = set()
    for path in sorted(folder.glob("*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["game"] != folder.name:
                raise ValueError(f"game is {content['game']!r} in folder {folder.name!r}")
            cases = cast("list[dict[str, Any]]", content["cases"])
            for body in cases:
                wrong = _wrong(body)
                if body["id"] in seen:
                    wrong = "the id is used twice"
                seen.add(body["id"])
                yield Case(folder.name, body["id"], body, wrong)
        except (ValueError, KeyError, TypeError) as error:
            yield Case(folder.name, path.name, {}, f"no case file: {type(error).__name__}: {error}")


def _wrong(body: Mapping[str, Any]) -> str | None:
    if "query" in body:
        return None if "answer" in body else "a query without an answer"
    steps = body.get("steps")
    if not isinstance(steps, list) or not steps:
        return "neither a query nor steps"
    for number, step in enumerate(cast("list[dict[str, Any]]", steps), 1):
        if extra := set(step) - _STEP_KEYS:
            return f"step {number}: unknown {sorted(extra)}"
        if ("do" in step) != ("seat" in step) or ("do" in step and "clock" in step):
            return f"step {number}: a command names `seat` and `do`, a missed clock `clock`"
        if "rejected" in step and ("do" not in step or "events" in step or "only_events" in step):
            return f"step {number}: `rejected` belongs to a command alone"
    return None
