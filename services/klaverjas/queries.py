"""The rules file's Queries: pure questions, plain JSON in and out. What does not fit is refused `bad_argument`."""

from collections.abc import Callable, Mapping
from typing import Any

from services.klaverjas import pbn
from services.klaverjas import tricks as play
from services.klaverjas.cards import CODES, SUITS, codes, deal, default_card, default_trump, mask, points
from services.klaverjas.position import bad, read_card, read_cards, read_hands, read_int, read_pair, read_suit
from services.klaverjas.score import SIDES, Pair, score

With = Mapping[str, Any]


def _word(given: With, field: str, allowed: tuple[Any, ...], default: Any = None) -> Any:
    value = given.get(field, default)
    if value not in allowed or isinstance(value, bool):
        raise bad(field, f"must be one of {', '.join(map(str, allowed))}")
    return value


def _rules(given: With) -> tuple[bool, int]:
    variant = _word(given, "variant", ("rotterdams", "amsterdams"), "rotterdams")
    return variant == "amsterdams", play.UNDERTRUMP[_word(given, "undertrump", tuple(play.UNDERTRUMP), "free")]


def _situation(given: With) -> tuple[tuple[bool, int], int, tuple[int, ...], int]:
    """Rules, trump, trick and hand of the seat that comes next."""
    trick = read_cards(given.get("trick", ()), "trick", 3)
    return _rules(given), read_suit(given.get("trump"), "trump"), trick, mask(read_cards(given.get("hand"), "hand", 32))


def _pair(value: Pair) -> dict[str, int]:
    return {"ns": value[0], "ew": value[1]}


def legal_cards(given: With) -> dict[str, Any]:
    """The cards that may be played (R5)."""
    return {"cards": codes(play.legal(*_situation(given)))}


def why_illegal(given: With) -> dict[str, Any]:
    """The code with which a card would be refused, or null (R5.14)."""
    return {"code": play.why(*_situation(given), read_card(given.get("card"), "card"))}


def trick_winner(given: With) -> dict[str, Any]:
    """Who wins the cards as they lie (R6.1)."""
    trick = read_cards(given.get("trick"), "trick", 4)
    if not trick:
        raise bad("trick", "must hold a card")
    index = play.winner(read_suit(given.get("trump"), "trump"), trick)
    return {"index": index, "card": CODES[trick[index]]}


def card_points(given: With) -> dict[str, Any]:
    """Points of cards, without the 10 of the last trick (R2.4)."""
    return {"points": points(read_suit(given.get("trump"), "trump"), read_cards(given.get("cards"), "cards", 32))}


def _items(given: With) -> tuple[play.Roem, ...]:
    trick = read_cards(given.get("trick"), "trick", 4)
    if len(trick) != 4:
        raise bad("trick", "must be four cards")
    alike = play.FOUR_ALIKE[_word(given, "four_alike", tuple(play.FOUR_ALIKE), "nine_up")]
    return play.roem(read_suit(given.get("trump"), "trump"), trick, alike, _word(given, "four_jacks", (100, 200), 200))


def roem(given: With) -> dict[str, Any]:
    """Roem of a trick (R7)."""
    return {"points": sum(item.points for item in _items(given))}


def roem_items(given: With) -> dict[str, Any]:
    """Roem of a trick, combination by combination (R7)."""
    items = _items(given)
    return {
        "points": sum(item.points for item in items),
        "items": [{"kind": kind, "points": worth, "cards": play.named(cards)} for kind, worth, cards in items],
    }


def score_boompje(given: With) -> dict[str, Any]:
    """What is written for a boompje (R8)."""
    playing = SIDES.index(_word(given, "playing_side", SIDES))
    tricks, won = read_pair(given.get("tricks"), "tricks", 8), read_pair(given.get("card_points"), "card_points", 162)
    roem_won = read_pair(given.get("roem"), "roem", 10_000)
    result = score(playing, tricks, won, roem_won, _word(given, "tegenpit", (0, 100, 200), 100))
    return {
        "result": "made" if result.made else "nat",
        "pit_side": None if result.pit_side is None else SIDES[result.pit_side],
        "pit": _pair(result.pit),
        "roem_scored": _pair(result.roem),
        "boompje_points": _pair(result.points),
    }


def deal_deck(given: With) -> dict[str, Any]:
    """The hands that a deck gives (R3.3)."""
    deck = read_cards(given.get("deck"), "deck", 32)
    if len(deck) != 32:
        raise bad("deck", "must be all 32 cards")
    return {"hands": [codes(hand) for hand in deal(deck, read_int(given.get("dealer"), "dealer", 0, 3))]}


def clock_trump(given: With) -> dict[str, Any]:
    """The suit that the clock names (R10.3)."""
    return {"suit": SUITS[default_trump(mask(read_cards(given.get("hand"), "hand", 32)))]}


def clock_card(given: With) -> dict[str, Any]:
    """The card that the clock plays (R10.4)."""
    rules, trump, trick, hand = _situation(given)
    if not hand:
        raise bad("hand", "must hold a card")
    return {"card": CODES[default_card(play.legal(rules, trump, trick, hand), trump)]}


def pbn_deal(given: With) -> dict[str, Any]:
    """The deal as PBN text (R13.1)."""
    return {"pbn": pbn.deal_text(read_hands(given.get("hands")), read_int(given.get("first"), "first", 0, 3))}


def pbn_hands(given: With) -> dict[str, Any]:
    """PBN text read back (R13.1)."""
    text = given.get("pbn")
    if not isinstance(text, str):
        raise bad("pbn", "must be text")
    return {"hands": [codes(hand) for hand in pbn.read_deal(text)[0]]}


QUERIES: dict[str, Callable[[With], Any]] = {
    "legal_cards": legal_cards,
    "why_illegal": why_illegal,
    "trick_winner": trick_winner,
    "card_points": card_points,
    "roem": roem,
    "roem_items": roem_items,
    "score_boompje": score_boompje,
    "deal": deal_deck,
    "default_trump": clock_trump,
    "default_card": clock_card,
    "pbn_deal": pbn_deal,
    "pbn_hands": pbn_hands,
}
