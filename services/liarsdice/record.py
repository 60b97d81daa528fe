"""The record of games (R12.2), written and read. Peeks and help switches are left out."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from google.protobuf.message import Message
from msgspec.structs import replace

from libs.table.plain import DoesNotFit, from_plain, to_plain
from libs.table.rules import Draws, Refused
from services.liarsdice.counting import FACES, NUMBERS, Cup
from services.liarsdice.evolve import evolve
from services.liarsdice.flow import game_of
from services.liarsdice.options import Setup, message_of, setup_of
from services.liarsdice.speech import nickname, read_bid, write_bid
from services.liarsdice.state import Ledger, State, fresh
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb

FORMAT = "liarsdice-text"

_HEADER = re.compile(r"liarsdice game (\d+) participants ([\d,]+) starter (\d+)")
_DICE = re.compile(r"(\d):([1-6]+)")
_CALL = re.compile(r"(\d):([^!\s]+)(!?)")


def round_line(
    head: tuple[int, tuple[int, int, bool]],
    dice: Sequence[Cup],
    bids: Sequence[tuple[int, int, int, bool]],
    lifter: tuple[int, bool],
) -> str:
    """One round: (round, (count, kind, holds)); cups by seat; bids (seat, quantity, face, auto); (lifter, auto)."""
    number, (count, kind, held) = head
    cups = " ".join(f"{seat}:{''.join(map(str, cup))}" for seat, cup in enumerate(dice) if cup)
    calls = [f"{seat}:{write_bid(quantity, face)}{'!' * auto}" for seat, quantity, face, auto in bids]
    calls.append(f"{lifter[0]}:L{'!' * lifter[1]}")
    loser = lifter[0] if held else bids[-1][0]
    return f"{number} | {cups} | {' '.join(calls)} | {count}x{kind} {'held' if held else 'lie'} loser {loser}"


class Step(NamedTuple):
    """One decision: the seat, its command (None: its clock was missed), and the draws that it takes."""

    seat: int
    command: Message | None
    draws: tuple[Any, ...]


class Script(NamedTuple):
    """A game to play again: options, ledger before it, starter, and its decisions. `draws` are those of its start."""

    game: int
    participants: tuple[int, ...]
    starter: int
    options: pb.Options
    ledger: Ledger
    draws: tuple[Any, ...]
    steps: tuple[Step, ...]
    places: tuple[int, ...]
    names: tuple[str, ...] = ()

    def before(self) -> State:
        """The table before this game."""
        return replace(fresh(setup_of(self.options)), ledger=self.ledger, game=self.game - 1)

    def opening(self, draws: Draws) -> list[Message]:
        """The events of its start on `before()`, out of the first draws."""
        return game_of(self.before(), self.starter, self.participants, draws)


def write(events: Iterable[Message], names: Sequence[str] = (), before: State | None = None) -> str:
    """All finished and running games of a table, one after another, with an empty line between; names as comments.

    `before`: where the table stood, for events that do not begin with the table's first.
    """
    lines = [f"# {seat} {' '.join(name.split())}" for seat, name in enumerate(names)]
    state, regulars, at = before, set[int](), 0
    for event in events:
        if isinstance(event, pb.TableOpened):
            state = fresh(setup_of(event.options))
        if state is None:
            raise Refused("bad_argument", "a record begins where the table is opened", "events")
        if isinstance(event, pb.GameStarted):
            lines += _header(state, event)
            regulars, at = set(state.setup.regulars), len(lines) - 2
        elif isinstance(event, pb.BidMade) and (event.seat in regulars) != _regular(event, event.seat in regulars):
            # Regulars change seats while a table lives; the record names those who spoke as one in this game.
            regulars ^= {event.seat}
            lines[at] = _options(replace(state.setup, regulars=tuple(sorted(regulars))))
        after = evolve(state, event)
        if isinstance(event, pb.CupsLifted):
            lines.append(_round(state, event))
        elif isinstance(event, pb.GameLost):
            lines += [f"places {' '.join(str(place or '-') for place in event.places)}", ""]
        state = after
    return "\n".join(lines).rstrip("\n") + "\n"


def _header(state: State, event: pb.GameStarted) -> list[str]:
    led = state.ledger
    mats = ["black" if black else "green" for black in led.black]
    ledger = {
        "mats": mats,
        "strokes": list(led.strokes),
        "rounds_given": list(led.rounds_given),
        "selvbinders": list(led.selvbinders),
    }
    playing = ",".join(map(str, event.participants))
    return [
        f"liarsdice game {event.game} participants {playing} starter {event.starter}",
        _options(state.setup),
        json.dumps(ledger),
    ]


def _options(setup: Setup) -> str:
    return json.dumps(to_plain(message_of(setup), unset=False))


def _regular(event: pb.BidMade, known: bool) -> bool:
    """Whether the seat speaks as a regular (R11.1); `known` where this bid has no nickname."""
    has_one = nickname(event.quantity, NUMBERS[event.face]) is not None
    return event.HasField("slang") if has_one else known


def _round(state: State, event: pb.CupsLifted) -> str:
    lifter = state.lift[0] if state.lift else 0
    # A missed clock lifts for the seat that would otherwise have had the turn: the event before says so.
    auto = state.lift_auto
    bids = [(laid.seat, laid.quantity, laid.face, laid.auto) for laid in state.bids]
    return round_line((event.round, (event.count, event.kind, event.holds)), state.dice, bids, (lifter, auto))


def read(text: str) -> list[Script]:
    """The games of a record. Raises Refused `bad_argument` with the line."""
    games: list[Script] = []
    names: list[str] = []
    lines = enumerate(text.splitlines(), 1)
    for number, line in lines:
        if line.startswith("#"):
            names.append(line[1:].strip().partition(" ")[2])
        elif line.strip():
            try:
                games.append(_game(line, lines, tuple(names)))
            except (ValueError, KeyError, TypeError, IndexError, StopIteration, DoesNotFit) as error:
                raise Refused(
                    "bad_argument", f"line {number} or after: no record of liarsdice ({error})", "text"
                ) from None
    return games


def _game(header: str, lines: Iterator[tuple[int, str]], names: tuple[str, ...]) -> Script:
    found = _HEADER.fullmatch(header.strip())
    if found is None:
        raise ValueError(f"a game begins with its header, not {header!r}")
    options = from_plain(pb.Options, json.loads(next(lines)[1]))
    given: dict[str, Any] = json.loads(next(lines)[1])
    tallies = (tuple(given[name]) for name in ("strokes", "rounds_given", "selvbinders"))
    ledger = Ledger(tuple(mat == "black" for mat in given["mats"]), *tallies)
    shakes: list[tuple[Any, ...]] = []
    rounds: list[list[Step]] = []
    places: tuple[int, ...] = ()
    for _, line in lines:
        if line.startswith("places"):
            places = tuple(0 if place == "-" else int(place) for place in line.split()[1:])
            break
        if not line.strip():
            break
        _, cups, calls, _ = line.split(" | ")
        shakes.append(tuple([int(die) for die in _match(_DICE, cup)[2]] for cup in cups.split()))
        rounds.append([_step(call) for call in calls.split()])
    steps: list[Step] = []
    for at, one in enumerate(rounds):
        # The lift shakes the cups of the round after it.
        after = shakes[at + 1] if at + 1 < len(shakes) else ()
        steps += [*one[:-1], one[-1]._replace(draws=after)]
    playing = tuple(int(seat) for seat in found[2].split(","))
    return Script(
        int(found[1]), playing, int(found[3]), options, ledger, shakes[0] if shakes else (), tuple(steps), places, names
    )


def _match(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} cannot be read")
    return found


def _step(call: str) -> Step:
    found = _match(_CALL, call)
    said = read_bid(found[2])
    if said is None:
        raise ValueError(f"{found[2]!r} is neither a bid nor a lift")
    seat = int(found[1])
    if found[3]:
        return Step(seat, None, ())
    command = pb.Bid(quantity=said[0], face=FACES[said[1]]) if said[0] else pb.Lift()
    return Step(seat, command, ())
