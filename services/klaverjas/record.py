"""Records of boompjes as text (R13.2): the PBN dialect of public trick games. `write` exports, `read` imports."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from google.protobuf.message import Message

from libs.table.rules import Refused
from services.klaverjas import options as choices
from services.klaverjas.cards import CARD, CODES, SUIT, SUITS, cards, mask, points
from services.klaverjas.pbn import SEATS, deal_text, read_deal
from services.klaverjas.state import Four
from services.klaverjas.tricks import UNDERTRUMP, why, winner
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb

FORMAT = "pbn"


class Record(NamedTuple):
    """A boompje as its record tells it. Pairs (ns, ew); `tricks` are four cards each in order of play."""

    variant: str
    undertrump: str
    boompje: int
    dealer: int
    hands: Four
    trump: int
    maker: int
    card_points: tuple[int, int]
    roem: tuple[int, int]
    pit: tuple[int, int]
    points: tuple[int, int]
    first: int
    tricks: tuple[tuple[int, ...], ...]


class Step(NamedTuple):
    """A command of an imported game, and the random outcomes that it takes, in the shape of the Randomness table."""

    seat: int
    command: Message
    draws: tuple[Any, ...] = ()


class Script(NamedTuple):
    """An imported game: complete options, the outcomes that its start takes, its commands; what its records say."""

    options: pb.Options
    start: tuple[Any, ...]
    steps: tuple[Step, ...]
    boompjes: tuple[Record, ...]


# -------------------------------------------------------------------------------------------------------- export


def write(events: Iterable[Message], names: Sequence[str] = ()) -> str:
    """All scored boompjes of a game, one after the other. `names` by seat go into a comment."""
    parts: list[str] = []
    if names:
        parts.append("; " + ", ".join(f"{SEATS[seat]} {' '.join(name.split())}" for seat, name in enumerate(names)))
    options, started, dealt = pb.Options(), pb.BoompjeStarted(), pb.CardsDealt()
    won: list[pb.TrickWon] = []
    for event in events:
        if isinstance(event, pb.GameStarted):
            options = event.options
        elif isinstance(event, pb.BoompjeStarted):
            started, won = event, []
        elif isinstance(event, pb.CardsDealt):
            dealt = event
        elif isinstance(event, pb.TrickWon):
            won.append(event)
        elif isinstance(event, pb.BoompjeScored) and len(won) == 8 and dealt.boompje == event.boompje:
            parts.append(_written(started, dealt, won, event, options))
    return "\n\n".join(parts) + "\n"


def _written(
    started: pb.BoompjeStarted,
    dealt: pb.CardsDealt,
    won: Sequence[pb.TrickWon],
    scored: pb.BoompjeScored,
    options: pb.Options,
) -> str:
    a, b, c, d = (mask(CARD[code] for code in hand.items) for hand in dealt.hands)
    first = won[0].leader
    tags = {
        "Game": "Klaverjas",
        "Variant": options.variant,
        "Undertrump": options.undertrump,
        "Boompje": str(scored.boompje),
        "Dealer": SEATS[started.dealer],
        "Deal": deal_text((a, b, c, d), started.forehand),
        "Trump": scored.trump,
        "Maker": SEATS[scored.maker],
        "CardPoints": _pair(scored.card_points),
        "Roem": _pair(scored.roem),
        "Pit": _pair(scored.pit),
        "Points": _pair(scored.boompje_points),
        "Play": SEATS[first],
    }
    lines = [f'[{name} "{value}"]' for name, value in tags.items()]
    lines += [" ".join(trick.cards[(first + step - trick.leader) & 3] for step in range(4)) for trick in won]
    return "\n".join(lines)


def _pair(value: pb.Pair) -> str:
    return f"{value.ns}-{value.ew}"


# -------------------------------------------------------------------------------------------------------- import

_TAG = re.compile(r'\[(\w+) "([^"]*)"\]')
_TAGS = ("Game", "Variant", "Undertrump", "Boompje", "Dealer", "Deal", "Trump", "Maker", "CardPoints", "Roem", "Pit")
_ALL = (*_TAGS, "Points", "Play")


def read(text: str) -> Script:
    """A game from its boompjes. Refused `bad_argument` at the first illegal card, or where the card points disagree."""
    records = tuple(_record(tags, plays) for tags, plays in _blocks(text))
    if not records:
        raise _bad("holds no boompje")
    for before, after in pairwise(records):
        if after.boompje != before.boompje + 1 or after.dealer != (before.dealer + 1) & 3:
            raise _bad(f"boompje {after.boompje} does not follow: its number and its dealer are one more each time")
        if (after.variant, after.undertrump) != (before.variant, before.undertrump):
            raise _bad("variant and undertrumping are the same all through a game")
    # Whoever the maker was, the seats before it have passed.
    maker_leads = any(record.first != (record.dealer + 1) & 3 for record in records)
    if maker_leads and any(record.first != record.maker for record in records):
        raise _bad("one rule of who leads must fit all boompjes")
    options = choices.complete(
        pb.Options(
            lead="maker" if maker_leads else "forehand",
            variant=records[0].variant,
            undertrump=records[0].undertrump,
            boompjes=len(records),
            trump_maker="pass_round",
            first_dealer=str(records[0].dealer),
        )
    )
    decks = [deck_of(record.hands, record.dealer) for record in records]
    steps: list[Step] = []
    for number, record in enumerate(records):
        following = (decks[number + 1],) if number + 1 < len(records) else ()
        steps += _steps(record, following)
    return Script(options, (decks[0],), tuple(steps), records)


def deck_of(hands: Four, dealer: int) -> list[str]:
    """A deck that deals these hands (R3.3), top first."""
    rest = [cards(hand) for hand in hands]
    deck: list[int] = []
    for packet in (3, 2, 3):
        for step in range(1, 5):
            seat = (dealer + step) & 3
            deck += rest[seat][:packet]
            rest[seat] = rest[seat][packet:]
    return [CODES[card] for card in deck]


def _blocks(text: str) -> list[tuple[dict[str, str], list[str]]]:
    """Tags and lines of play of each boompje; comments and unknown tags are skipped."""
    blocks: list[tuple[dict[str, str], list[str]]] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line[0] in ";%":
            continue
        tag = _TAG.fullmatch(line)
        if tag is None:
            if line[0] == "[" or not blocks or "Play" not in blocks[-1][0]:
                raise _bad(f'line {number} is neither a tag like [Game "Klaverjas"] nor a line of play')
            blocks[-1][1].append(line)
            continue
        name, value = tag.groups()
        if name == "Game":
            blocks.append(({}, []))
        if not blocks:
            raise _bad(f"line {number}: a boompje begins with its Game tag")
        if name in blocks[-1][0]:
            raise _bad(f"line {number}: tag {name} is there twice")
        blocks[-1][0][name] = value
    return blocks


def _record(tags: dict[str, str], plays: list[str]) -> Record:
    missing = [name for name in _ALL if name not in tags]
    if missing:
        raise _bad(f"tag {missing[0]} is missing")
    if tags["Game"] != "Klaverjas":
        raise _bad("the game is not Klaverjas")
    hands, named = read_deal(tags["Deal"])
    dealer, first = _seat(tags, "Dealer"), _seat(tags, "Play")
    if [hand.bit_count() for hand in hands] != [8] * 4 or named != (dealer + 1) & 3:
        raise _bad("Deal holds eight cards for each seat, forehand first")
    if tags["Variant"] not in ("rotterdams", "amsterdams") or tags["Undertrump"] not in UNDERTRUMP:
        raise _bad("Variant or Undertrump is none of the game's words")
    if tags["Trump"] not in SUIT or re.fullmatch(r"\d{1,5}", tags["Boompje"]) is None:
        raise _bad("Trump is S, H, D or C, Boompje a number of at most five digits")
    record = Record(
        variant=tags["Variant"],
        undertrump=tags["Undertrump"],
        boompje=int(tags["Boompje"]),
        dealer=dealer,
        hands=hands,
        trump=SUIT[tags["Trump"]],
        maker=_seat(tags, "Maker"),
        card_points=_points(tags, "CardPoints"),
        roem=_points(tags, "Roem"),
        pit=_points(tags, "Pit"),
        points=_points(tags, "Points"),
        first=first,
        tricks=(),
    )
    return record._replace(tricks=_tricks(record, plays))


def _tricks(record: Record, plays: list[str]) -> tuple[tuple[int, ...], ...]:
    """The tricks in order of play, each card checked by the rules."""
    if len(plays) != 8 or (record.first not in ((record.dealer + 1) & 3, record.maker)):
        raise _bad("Play names forehand or maker and holds eight lines")
    rules = (record.variant == "amsterdams", UNDERTRUMP[record.undertrump])
    hands, leader, won = list(record.hands), record.first, [0, 0]
    tricks: list[tuple[int, ...]] = []
    for number, line in enumerate(plays, 1):
        columns = line.split()
        if len(columns) != 4 or any(code not in CARD for code in columns):
            raise _bad(f"trick {number} is four cards like SJ SK SQ S8")
        trick: tuple[int, ...] = ()
        for step in range(4):
            seat = (leader + step) & 3
            card = CARD[columns[(seat - record.first) & 3]]
            code = why(rules, record.trump, trick, hands[seat], card)
            if code is not None:
                raise _bad(f"trick {number}: {CODES[card]} of {SEATS[seat]} is refused: {code}")
            hands[seat] &= ~(1 << card)
            trick = (*trick, card)
        leader = (leader + winner(record.trump, trick)) & 3
        won[leader & 1] += points(record.trump, trick) + 10 * (number == 8)
        tricks.append(trick)
    if (won[0], won[1]) != record.card_points:
        raise _bad(f"CardPoints of boompje {record.boompje} are {won[0]}-{won[1]} by the cards")
    return tuple(tricks)


def _steps(record: Record, following: tuple[Any, ...]) -> list[Step]:
    """The commands that play a boompje; the last one draws the next deck."""
    speaker = (record.dealer + 1) & 3
    passing = [Step((speaker + step) & 3, pb.Pass()) for step in range((record.maker - speaker) & 3)]
    steps = [*passing, Step(record.maker, pb.ChooseTrump(suit=SUITS[record.trump]))]
    leader = record.first
    for trick in record.tricks:
        steps += [Step((leader + at) & 3, pb.Play(card=CODES[card])) for at, card in enumerate(trick)]
        leader = (leader + winner(record.trump, trick)) & 3
    steps[-1] = steps[-1]._replace(draws=following)
    return steps


def _seat(tags: dict[str, str], name: str) -> int:
    if len(tags[name]) != 1 or tags[name] not in SEATS:
        raise _bad(f"{name} is S, W, N or E")
    return SEATS.index(tags[name])


def _points(tags: dict[str, str], name: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,5})-(\d{1,5})", tags[name])
    if found is None:
        raise _bad(f'{name} is "ns-ew", like "100-62"')
    return int(found[1]), int(found[2])


def _bad(what: str) -> Refused:
    return Refused("bad_argument", f"record: {what}", "record")
