"""Who cannot tell two worlds apart cannot know what differs between them.

Random games are played against the rules alone. At every version, for every audience, the hidden part of the world is
changed (unplayed cards swap hands, other cups fall otherwise) and everything that the audience can receive is built
again: its view, all events as it may know them, what it may do, and the refusal of every wrong command. All must be the
same to the byte. Needs no list of forbidden fields, so it also sees lengths, order, numbers and odds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, TypeVar

import pytest
from google.protobuf.message import Message

from libs.table.rules import Facts, Refused
from libs.table.seeded import SeededCtx
from tests.secrecy.scan import Secrets, games_with_secrets

GAMES = games_with_secrets()
FORMS = [(name, form) for name, secrets in GAMES.items() for form in range(len(secrets.forms))]
MOST = 400
"""Decisions of a game that are looked at."""
T = TypeVar("T")


def fold(rules: Any, options: Message, events: Sequence[Message]) -> Any:
    state = rules.initial(options)
    for event in events:
        state = rules.evolve(state, event)
    return state


def play(rules: Any, options: Message, rng: Random) -> Iterator[tuple[list[Message], Any]]:
    """All events so far and the state, after every decision of a random game."""
    chance = SeededCtx(rng)
    state = rules.initial(options)
    events = list(rules.start(state, chance))
    state = fold(rules, options, events)
    yield events, state
    for _ in range(MOST):
        if rules.result(state) is not None:
            return
        seat = rng.choice(sorted(rules.to_act(state)))
        if rng.random() < 0.05 and (new := rules.expire(state, seat, chance)):
            pass
        else:
            kinds: dict[type, list[Message]] = {}
            for command in rules.some(state, seat):
                kinds.setdefault(type(command), []).append(command)
            # small bids and early plays make long games; the kinds are equally likely
            new = rules.decide(state, seat, rng.choice(rng.choice(list(kinds.values()))[:8]), chance)
        for event in new:
            state = rules.evolve(state, event)
        events.extend(new)
        yield events, state


def received(secrets: Secrets, rules: Any, events: Sequence[Message], state: Any, audience: int | None) -> list[Any]:
    """Everything that the audience can get at this moment, as bytes and text."""
    shown = [rules.view(state, audience, Facts()).SerializeToString(deterministic=True)]
    for event in events:
        seen = rules.redact(event, state, audience)
        shown.append(None if seen is None else seen.SerializeToString(deterministic=True))
    shown += [rules.clocks(state), rules.to_act(state), rules.result(state), rules.score(state)]
    if audience is None:
        return shown
    shown.append(rules.actions(state, audience))
    shown.append([command.SerializeToString() for command in rules.some(state, audience)])
    for command in secrets.attempts():
        try:
            rules.decide(state, audience, command, SeededCtx(Random(0)))
            shown.append("accepted")
        except Refused as refused:
            shown.append((refused.code, refused.message, refused.field, str(refused.details)))
    return shown


def differences(secrets: Secrets, rules: Any, asked: Message, seed: int) -> list[str]:
    """Where an audience could tell two worlds apart."""
    rng = Random(seed)
    options = rules.options(asked)
    seats = rules.seating(options).seats
    found: list[str] = []
    worlds = 0
    for events, state in play(rules, options, rng):
        for audience in (None, *range(seats)):
            other_events = secrets.elsewhere(events, audience, rng)
            if other_events == events:
                continue
            worlds += 1
            other = fold(rules, options, other_events)
            here = received(secrets, rules, events, state, audience)
            there = received(secrets, rules, other_events, other, audience)
            found += [
                f"{audience} after {len(events)} events: {a!r} or {b!r}"
                for a, b in zip(here, there, strict=True)
                if a != b
            ]
    assert worlds > 20
    return found


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("game", "form"), FORMS)
def test_hidden_things_change_nothing_that_an_audience_receives(game: str, form: int, seed: int) -> None:
    secrets = GAMES[game]
    found = differences(secrets, secrets.rules, secrets.forms[form], seed)
    assert found == [], found[:5]


def leaky(rules: Any, part: str) -> Any:
    """The rules with one hole, made on purpose."""
    kind = type(rules)

    class OpenEvents(kind):
        """Forgets to redact events."""

        def redact(self, event: Message, state: Any, audience: int | None) -> Message | None:
            return event

    class OpenView(kind):
        """Shows everybody the view of seat 0."""

        def view(self, state: Any, audience: int | None, facts: Facts) -> Message:
            return super().view(state, 0, facts)

    class OpenRefusals(kind):
        """Tells in refusals what lies on the table."""

        def decide(self, state: Any, seat: int, command: Message, ctx: Any) -> list[Message]:
            try:
                return super().decide(state, seat, command, ctx)
            except Refused as refused:
                raise Refused(refused.code, f"{refused.message} {state!r}", refused.field) from None

    return {"events": OpenEvents, "view": OpenView, "refusals": OpenRefusals}[part]()


@pytest.mark.parametrize("part", ["events", "view", "refusals"])
@pytest.mark.parametrize("game", GAMES)
def test_a_hole_made_on_purpose_is_found(game: str, part: str) -> None:
    secrets = GAMES[game]
    assert differences(secrets, leaky(secrets.rules, part), secrets.forms[0], 3)
