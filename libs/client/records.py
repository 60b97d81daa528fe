"""Records of other programs as tables: what a file becomes, rehearsed here by the kit before anything is sent.

A `Plan` holds every command and the version that the table has after each. Commands are sent for exactly that version,
so an import that was cut off goes on where it stands, and nothing has a second effect.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from libs.client import games
from libs.client.setup import BadWish
from libs.table.decide import decide
from libs.table.house import TableHouse
from libs.table.ids import table_id
from libs.table.life import PLAYING, any_of
from libs.table.rules import NotYet, Refused
from libs.table.standing import AnyRules
from libs.table.tables import Table
from stamtafel.table.v1 import table_pb2 as table

KEY_CHARS = 24
CLOSED_WITH = "the record ends here"


class Step(msgspec.Struct, frozen=True):
    """One command of the record: the seat, the command, and its draws as JSON."""

    seat: int
    body: AnyMessage
    draws: tuple[str, ...]


class Plan(msgspec.Struct, frozen=True):
    """An import. `key` is made of game and text: the same file is the same import.

    `versions` of the table: after it is opened, started, after each step, and closed. `ended`: the record tells the
    whole play; else the table is closed in mid-play. `score` by side, as far as the record goes.
    """

    game: str
    key: str
    opening: table.OpenTable
    options: Message
    steps: tuple[Step, ...]
    versions: tuple[int, ...]
    names: tuple[str, ...]
    warnings: tuple[str, ...]
    ended: bool
    score: tuple[int, ...]

    def place(self, version: int) -> int | None:
        """How many of the commands a table at this version has taken after it was opened; None: it left the plan."""
        try:
            return self.versions.index(version)
        except ValueError:
            return None


def game_for(path: Path, wanted: str = "") -> str:
    """The game that a file is a record of: the one that was asked for, else by how its name ends. Raises BadWish."""
    formats = games.record_formats()
    known = ", ".join(f"{game} ({one.SUFFIX})" for game, one in sorted(formats.items()))
    if wanted:
        if wanted not in formats:
            games.rules(wanted)
            raise BadWish(f"records of {wanted} cannot be imported; --game is one of: {known}")
        return wanted
    found = [game for game, one in formats.items() if path.name.lower().endswith(one.SUFFIX)]
    if len(found) != 1:
        raise BadWish(f"no telling from its name which game {path.name} is a record of; name it with --game: {known}")
    return found[0]


def read_text(path: Path) -> str:
    """A file's text: UTF-8, or what older programs write (every byte is a letter of Latin-1). Raises OSError."""
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def plan(game: str, text: str) -> Plan:
    """The import of a record. Raises `libs.table.rules.Refused` with what is wrong in the file, and where."""
    script = games.record_formats()[game].read(text)
    steps = tuple(
        Step(seat, any_of(command), tuple(json.dumps(draw) for draw in draws)) for seat, command, draws in script.steps
    )
    key = sha256(f"{game}\0{text}".encode()).hexdigest()[:KEY_CHARS]
    opening = _opening(key, script.names, script.headers)
    played, versions, ended = _rehearse(games.rules(game), opening, script.options, steps)
    score = games.rules(game).score(played.game) or ()
    return Plan(
        game=game,
        key=key,
        opening=opening,
        options=script.options,
        steps=steps,
        versions=tuple(versions),
        names=tuple(script.names),
        warnings=tuple(str(warning["text"]) for warning in script.warnings),
        ended=ended,
        score=tuple(score),
    )


def _opening(key: str, names: Sequence[str], headers: Mapping[str, str]) -> table.OpenTable:
    seats = [table.MatchSeat(player=f"record:{seat}", name=name) for seat, name in enumerate(names)]
    return table.OpenTable(
        imported=True,
        match=table.Match(match_id=f"record:{key}", seats=seats),
        headers=[table.RecordHeader(key=name, value=value) for name, value in headers.items()],
    )


# ---------------------------------------------------------------------------------------------------- rehearsal


def _rehearse(
    rules: AnyRules, opening: table.OpenTable, options: Message, steps: Sequence[Step]
) -> tuple[Table, list[int], bool]:
    """The kit takes every command here, as it will there: the table before it is closed, its versions, its end."""
    desk = _Desk(rules)
    asked = table.OpenTable()
    asked.CopyFrom(opening)
    asked.options.CopyFrom(any_of(options))
    desk.take(table.Command(open_table=asked), table.ACTOR_KIND_OPERATOR)
    desk.take(table.Command(start=table.Start()), table.ACTOR_KIND_PLAYER)
    for number, step in enumerate(steps, 1):
        act = table.Act(seat=step.seat, body=step.body, draws=[table.ScriptedDraw(json=text) for text in step.draws])
        kind = table.ACTOR_KIND_OPERATOR if step.draws else table.ACTOR_KIND_PLAYER
        try:
            desk.take(table.Command(act=act), kind)
        except (Refused, NotYet) as error:
            what = f"command {number} of the record ({step.body.TypeName().rpartition('.')[2]}, seat {step.seat})"
            raise Refused("bad_argument", f"{what} is not accepted: {error}", "text") from error
    played = Table(rules, desk.table.table_id)
    desk.table.copy_to(played)
    ended = played.life.state != PLAYING
    desk.take(table.Command(close_table=table.CloseTable(reason=CLOSED_WITH)), table.ACTOR_KIND_OPERATOR)
    return played, desk.versions, ended


class _Desk:
    """One table of the kit, without a log."""

    def __init__(self, rules: AnyRules) -> None:
        self.table = Table(rules, table_id(rules.game, 1, "rehearsal", "rehearsal"))
        self.house = TableHouse(bytes)
        self.versions: list[int] = []

    def take(self, command: table.Command, kind: table.ActorKind.ValueType) -> None:
        """An accepted command of who opens the table. Raises Refused."""
        command.command_id = f"rehearsal-{len(self.versions)}"
        command.table_id = self.table.table_id
        command.actor.CopyFrom(table.Actor(id="rehearsal", name="rehearsal", kind=kind))
        draft = decide(self.table, self.table.seed, command, 0, self.house)
        self.table.adopt(draft, command.command_id)
        self.versions.append(self.table.version)
