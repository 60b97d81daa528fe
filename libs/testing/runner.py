"""Runs conformance cases against the games' real rules: `python -m libs.testing CASES_DIR`."""

import importlib
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from libs.table.rules import Refused, Rules
from libs.testing.cases import Case, folders, read_folder
from libs.testing.compare import difference, events_difference, shown
from libs.testing.play import Play, open_play
from libs.testing.scripted import ScriptError

ELSEWHERE = {"tournament": "services.tally.rules"}
"""Modules of case folders that are not named like their service. Such a RULES may have `queries` only."""


class Failed(Exception):
    """A case that does not hold: step (empty: none), expected against got."""

    def __init__(self, step: str, reason: str) -> None:
        super().__init__(f"{step}: {reason}" if step else reason)


def find_rules(game: str) -> Rules[Any, Any] | None:
    """The game's RULES, or None when there is no such game."""
    module = ELSEWHERE.get(game, f"services.{game}.rules")
    try:
        return cast("Rules[Any, Any]", importlib.import_module(module).RULES)
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(error.name + ".")):
            return None
        raise


def check(case: Case, rules: Rules[Any, Any]) -> None:
    """Runs one case. Raises Failed."""
    if case.wrong is not None:
        raise Failed("", case.wrong)
    try:
        if "query" in case.body:
            _check_query(case.body, rules.queries)
        else:
            _check_script(case.body, rules)
    except Failed:
        raise
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        raise Failed("", f"crashed: {type(error).__name__}: {error} ({where})") from error


def _check_query(body: Mapping[str, Any], queries: Mapping[str, Callable[[Mapping[str, Any]], Any]]) -> None:
    ask = queries.get(body["query"])
    if ask is None:
        raise Failed("", f"no query {body['query']!r}")
    arguments = dict(body.get("with", {}))
    if "options" in body:
        arguments.setdefault("options", body["options"])
    try:
        answer = ask(arguments)
    except Refused as refusal:
        answer = {"error": refusal.code, "field": refusal.field, "option": refusal.field, **refusal.details}
    if found := difference(body["answer"], answer):
        raise Failed("", found)


def _check_script(body: Mapping[str, Any], rules: Rules[Any, Any]) -> None:
    position = body.get("position")
    try:
        play = open_play(rules, body.get("options", {}), position, body.get("random", []))
        opening = play.start() if position is None else []
    except Refused as refusal:
        raise Failed("start", f"refused with {refusal}") from refusal
    except ScriptError as error:
        raise Failed("start", str(error)) from error
    for number, step in enumerate(body["steps"], 1):
        name = f"step {number}"
        try:
            happened = _do(play, step, opening if number == 1 else [], name)
            _check_step(play, step, happened, name)
        except ScriptError as error:
            raise Failed(name, str(error)) from error
    if play.script.left and not body.get("random_rest", False):
        raise Failed("end", f"random: {len(play.script.left)} of {len(play.script.entries)} draws unused")


def _do(play: Play, step: Mapping[str, Any], opening: list[Any], name: str) -> list[Any]:
    """Lets the step happen; its events. A step without a command only looks: as the first, at the opening events."""
    if "clock" in step:
        return play.expire(step["clock"])
    if "do" not in step:
        return opening
    expected = step.get("rejected")
    try:
        events = play.act(step["seat"], play.read(step["seat"], step["do"], step.get("with", {})))
    except Refused as refusal:
        if refusal.code == expected:
            return []
        wanted = "accepted" if expected is None else f"rejected with {expected}"
        raise Failed(name, f"expected {wanted}, got rejected with {refusal}") from refusal
    if expected is not None:
        raise Failed(name, f"expected rejected with {expected}, got accepted")
    return events


def _check_step(play: Play, step: Mapping[str, Any], happened: list[Any], name: str) -> None:
    for key in ("events", "only_events"):
        if key in step and (found := events_difference(step[key], happened, only=key == "only_events")):
            raise Failed(name, found)
    if "view" not in step and "hidden" not in step:
        return
    audience = step.get("as")
    audience = None if audience == "spectator" else audience
    if found := difference(step.get("view", {}), play.view(audience), True, "view"):
        raise Failed(name, found)
    view = play.see(audience)
    for path in step.get("hidden", []):
        if (found := shown(view, path)) is not None:
            raise Failed(name, f"{path}: expected hidden, got {found}")


def run(root: Path, tell: Callable[[str], None]) -> int:
    """Runs every case under `root`; one line for each that fails, a summary at the end. The exit code: 0 all passed."""
    passed = failed = unknown = 0
    for folder in folders(root):
        rules = find_rules(folder.name)
        if rules is None:
            tell(f"{folder.name}: no such game")
            unknown += 1
            continue
        for case in read_folder(folder):
            try:
                check(case, rules)
                passed += 1
            except Failed as failure:
                tell(f"{case.id} {failure}")
                failed += 1
    if not passed and not failed:
        tell(f"no case found in {root}")
    tell(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed and not unknown else 1
