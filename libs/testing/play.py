"""A game driven by hand: given options and chance, when a seat acts, then these events. No kit, no log, no clock.

play = given(RULES, {"seats": 2, "first_starter": 0}, random=[[6, 4]])
play.when(0, "throw").then({"type": "dice_thrown", "seat": 0})
play.when(1, "stand").refused("not_your_turn")
assert play.view(0)["turn"]["seat"] == 0
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from google.protobuf.message import Message

from libs.table.asked import asked_options
from libs.table.plain import DoesNotFit, from_plain, to_plain, type_name
from libs.table.rules import Refused, Rules, unread
from libs.testing.compare import events_difference
from libs.testing.scripted import Script, ScriptedCtx, ScriptError, facts_of


class Step:
    """What one command did: its events, or the refusal."""

    def __init__(self, events: list[Message], refusal: Refused | None = None) -> None:
        self.events, self.refusal = events, refusal

    def then(self, *expected: Mapping[str, Any]) -> "Step":
        """Asserts these events in this order; others may stand between them."""
        assert self.refusal is None, f"refused: {self.refusal}"
        assert (found := events_difference(expected, self.events, only=False)) is None, found
        return self

    def then_only(self, *expected: Mapping[str, Any]) -> "Step":
        """Asserts these events and no others."""
        assert self.refusal is None, f"refused: {self.refusal}"
        assert (found := events_difference(expected, self.events, only=True)) is None, found
        return self

    def refused(self, code: str, field: str | None = None) -> "Step":
        """Asserts the refusal's code, and its field if one is named."""
        assert self.refusal is not None, f"expected {code}, accepted with {[type_name(type(e)) for e in self.events]}"
        assert self.refusal.code == code, f"expected {code}, got {self.refusal}"
        assert field is None or self.refusal.field == field, f"expected field {field}, got {self.refusal.field}"
        return self


class Play:
    """One play of a game. `state` is the newest state, `events` all events so far, in order."""

    def __init__(self, rules: Rules[Any, Any], options: Message, state: Any, script: Script) -> None:
        self.rules, self.options, self.state, self.script = rules, options, state, script
        self.facts = facts_of(rules.seating(options))
        self.ctx = ScriptedCtx(script, self.facts)
        self.events: list[Message] = []
        self.commands = {type_name(kind): kind for kind in rules.commands}

    def _append(self, events: Sequence[Message]) -> list[Message]:
        for event in events:
            if type(event) not in self.rules.events:
                raise ScriptError(f"{type_name(type(event))} is none of the game's events")
            self.state = self.rules.evolve(self.state, event)
        self.events.extend(events)
        return list(events)

    def start(self) -> list[Message]:
        """The opening events, appended."""
        return self._append(self.rules.start(self.state, self.ctx))

    def command(self, name: str, arguments: object) -> Message:
        """The command message that JSON spells. Raises the game's own refusal for what does not fit."""
        kind = self.commands.get(name)
        if kind is None:
            raise self.rules.unreadable(name, None)
        try:
            return from_plain(kind, arguments)
        except DoesNotFit as error:
            raise self.rules.unreadable(name, error.field) from error

    def read(self, seat: int, name: str, arguments: object) -> Message:
        """The same for a seat: where the game's order has checks before it, their refusal is raised (R11.2)."""
        try:
            return self.command(name, arguments)
        except Refused as refusal:
            raise unread(self.rules, self.state, seat, refusal) from refusal

    def act(self, seat: int, command: Message) -> list[Message]:
        """Decides and appends. Raises Refused; then nothing has changed, and drawing first is an error."""
        before = self.script.used
        try:
            events = self.rules.decide(self.state, seat, command, self.ctx)
        except Refused:
            if self.script.used != before:
                raise ScriptError("random: a refused command has drawn") from None
            raise
        if not events:
            raise ScriptError("an accepted command has no event")
        return self._append(events)

    def expire(self, seat: int) -> list[Message]:
        """The clock of that seat is up; its events, appended."""
        return self._append(self.rules.expire(self.state, seat, self.ctx))

    def when(self, seat: int, name: str, **arguments: Any) -> Step:
        """A command by its name in the rules file."""
        try:
            return Step(self.act(seat, self.read(seat, name, arguments)))
        except Refused as refusal:
            return Step([], refusal)

    def when_late(self, seat: int) -> Step:
        """A missed clock."""
        return Step(self.expire(seat))

    def see(self, audience: int | None = None) -> Message:
        """The view of a seat, or of the public."""
        return self.rules.view(self.state, audience, self.facts)

    def view(self, audience: int | None = None) -> dict[str, Any]:
        """The same as plain JSON."""
        return cast("dict[str, Any]", to_plain(self.see(audience)))


def open_play(
    rules: Rules[Any, Any], options: Mapping[str, Any], position: Mapping[str, Any] | None, random: Sequence[Any]
) -> Play:
    """A play before its opening events; a start from a position has none. Raises Refused for options or position."""
    try:
        asked = asked_options(rules, options)
    except DoesNotFit as error:
        raise rules.unreadable(None, error.field) from error
    complete = rules.options(asked)
    state = rules.initial(complete) if position is None else rules.position(complete, position)
    return Play(rules, complete, state, Script(random))


def given(
    rules: Rules[Any, Any],
    options: Mapping[str, Any] | None = None,
    position: Mapping[str, Any] | None = None,
    random: Sequence[Any] = (),
) -> Play:
    """A play that stands ready: started, or set up at `position`."""
    play = open_play(rules, options or {}, position, random)
    if position is None:
        play.start()
    return play
