"""Reads plain JSON into cards and states: the rules file's Position, and the arguments of its queries."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from libs.table.rules import Refused
from services.klaverjas.cards import CARD, CODES, FULL, SUIT, mask, points
from services.klaverjas.score import Pair
from services.klaverjas.state import CHOOSE, PLAY, Four, State, house
from stamtafel.klaverjas.v1.klaverjas_pb2 import Options


def bad(field: str, what: str) -> Refused:
    """The refusal of a value in JSON."""
    return Refused("bad_argument", f"{field} {what}", field)


def read_card(value: Any, field: str) -> int:
    """A card code."""
    card = CARD.get(value) if isinstance(value, str) else None
    if card is None:
        raise bad(field, f"must be suit and rank like SJ or HT, not {value!r}")
    return card


def read_cards(value: Any, field: str, most: int) -> tuple[int, ...]:
    """A list of at most `most` different card codes, in the order given."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise bad(field, "must be a list of cards")
    found = tuple(read_card(item, field) for item in cast("Sequence[Any]", value))
    if len(set(found)) < len(found) or len(found) > most:
        raise bad(field, f"must be at most {most} different cards")
    return found


def read_suit(value: Any, field: str) -> int:
    """A suit letter."""
    suit = SUIT.get(value) if isinstance(value, str) else None
    if suit is None:
        raise bad(field, f"must be one of S, H, D, C, not {value!r}")
    return suit


def read_int(value: Any, field: str, low: int, high: int) -> int:
    """A whole number in a range."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise bad(field, f"must be a whole number from {low} to {high}")
    return value


def read_pair(value: Any, field: str, high: int) -> Pair:
    """A pair {"ns", "ew"} of whole numbers from 0."""
    if not isinstance(value, Mapping):
        raise bad(field, 'must be {"ns", "ew"}')
    given = cast("Mapping[str, Any]", value)
    return read_int(given.get("ns"), field, 0, high), read_int(given.get("ew"), field, 0, high)


def read_hands(value: Any, field: str = "hands") -> Four:
    """Four lists of cards, no card twice."""
    if not isinstance(value, Sequence) or isinstance(value, str) or len(cast("Sequence[Any]", value)) != 4:
        raise bad(field, "must be four lists of cards")
    hands = [mask(read_cards(item, field, 8)) for item in cast("Sequence[Any]", value)]
    a, b, c, d = hands
    if (a | b | c | d).bit_count() != sum(hand.bit_count() for hand in hands):
        raise bad(field, "must not hold a card twice")
    return a, b, c, d


_BOOMPJE = ("boompje", "dealer", "phase", "hands", "trump", "maker", "passes", "turned")
_PLAYED = ("trick_no", "leader", "table", "tricks", "card_points", "roem", "score", "timeouts")
FIELDS = frozenset((*_BOOMPJE, *_PLAYED))
_ZERO = {"ns": 0, "ew": 0}


def position(options: Options, given: Mapping[str, Any]) -> State:
    """The state that a position describes. Refused `bad_argument` when it cannot be."""
    rules = house(options)
    for field in given:
        if field not in FIELDS:
            raise bad(field, "is no field of a position")
    phase = given.get("phase", PLAY)
    if phase not in (CHOOSE, PLAY):
        raise bad("phase", "must be choose_trump or play")
    dealer = read_int(given.get("dealer", 3 if rules.first_dealer is None else rules.first_dealer), "dealer", 0, 3)
    playing = phase == PLAY
    trump = read_suit(given.get("trump"), "trump") if playing else None
    maker = read_int(given.get("maker"), "maker", 0, 3) if playing else None
    turned = given.get("turned")
    first = maker if maker is not None and rules.maker_leads else (dealer + 1) & 3
    timeouts = given.get("timeouts", (0, 0, 0, 0))
    if not isinstance(timeouts, Sequence) or len(cast("Sequence[Any]", timeouts)) != 4:
        raise bad("timeouts", "must be four whole numbers")
    a, b, c, d = (read_int(count, "timeouts", 0, 1_000_000) for count in cast("Sequence[Any]", timeouts))
    state = State(
        options=options,
        house=rules,
        phase=phase,
        boompje=read_int(given.get("boompje", 1), "boompje", 1, 64),
        dealer=dealer,
        passes=0 if playing else read_int(given.get("passes", 0), "passes", 0, 4),
        turned=read_suit(turned, "turned") if turned is not None and rules.trump_maker == "turned" else None,
        trump=trump,
        maker=maker,
        leader=read_int(given.get("leader", first), "leader", 0, 3),
        trick_no=read_int(given.get("trick_no", 1), "trick_no", 1, 8),
        table=read_cards(given.get("table", ()), "table", 3),
        hands=read_hands(given.get("hands")),
        tricks=read_pair(given.get("tricks", _ZERO), "tricks", 7),
        card_points=read_pair(given.get("card_points", _ZERO), "card_points", 152),
        roem=read_pair(given.get("roem", _ZERO), "roem", 10_000),
        score=read_pair(given.get("score", _ZERO), "score", 1_000_000),
        timeouts=(a, b, c, d),
    )
    _check(state)
    return state


def _check(state: State) -> None:
    """Whether hands, table, tricks and points of a position fit together."""
    laid = {(state.leader + at) & 3 for at in range(len(state.table))}
    for seat, hand in enumerate(state.hands):
        if hand.bit_count() != 9 - state.trick_no - (seat in laid):
            raise bad("hands", f"of seat {seat} does not fit trick_no and table")
    held = state.hands[0] | state.hands[1] | state.hands[2] | state.hands[3]
    if held & mask(state.table):
        raise bad("table", "must not show a card that a hand holds")
    if sum(state.tricks) != state.trick_no - 1:
        raise bad("tricks", "must add up to trick_no - 1")
    gone = [card for card in range(len(CODES)) if (FULL & ~held & ~mask(state.table)) >> card & 1]
    # While trump is being named nothing has been played, so there is no value to add up to.
    if sum(state.card_points) != (0 if state.trump is None else points(state.trump, gone)):
        raise bad("card_points", "must add up to the value of the cards that were played")
    if state.phase == CHOOSE:
        if state.trick_no != 1:
            raise bad("trick_no", "must be 1 while trump is being named")
        if state.table:
            raise bad("table", "must be empty while trump is being named")
        if state.house.trump_maker == "turned" and state.turned is None:
            raise bad("turned", "must be given while trump is being named")
        if state.house.trump_maker == "turned" and state.passes > 3:
            raise bad("passes", "must be at most 3 where a suit was turned")
        if state.house.trump_maker in ("forehand_must", "fixed") and state.passes:
            raise bad("passes", "must be 0 where nobody may pass")
