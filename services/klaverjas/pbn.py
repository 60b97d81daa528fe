"""The PBN text of a deal (R13.1): `S:AJ97.AT.7.7 KT.987.A8.8 Q.K.KQT.AT9 8.QJ.J9.KQJ`."""

from libs.table.rules import Refused
from services.klaverjas.cards import CARD, RANKS, SUITS
from services.klaverjas.state import Four

SEATS = "SWNE"
"""Letters of seats 0..3: Zuid, West, Noord, Oost."""
_ORDER = RANKS[::-1]


def deal_text(hands: Four, first: int) -> str:
    """Four hands clockwise from seat `first`."""
    told = (hands[(first + step) & 3] for step in range(4))
    return f"{SEATS[first]}:" + " ".join(".".join(_ranks(hand, suit) for suit in range(4)) for hand in told)


def read_deal(text: str) -> tuple[Four, int]:
    """Hands by seat, and the seat named first. Refused `bad_argument` when the text is no deal."""
    letter, colon, rest = text.partition(":")
    told = rest.split(" ")
    if len(letter) != 1 or letter not in SEATS or not colon or len(told) != 4:
        raise _bad("needs a letter S, W, N or E, a colon and four hands")
    first, seen = SEATS.index(letter), 0
    hands = [0, 0, 0, 0]
    for step, hand in enumerate(told):
        suits = hand.split(".")
        if len(suits) != 4:
            raise _bad(f"hand {hand!r} needs four suits")
        for suit, ranks in zip(SUITS, suits, strict=True):
            for rank in ranks:
                card = CARD.get(suit + rank)
                if card is None or seen >> card & 1:
                    raise _bad(f"{suit + rank!r} is no card, or there twice")
                seen |= 1 << card
                hands[(first + step) & 3] |= 1 << card
    a, b, c, d = hands
    return (a, b, c, d), first


def _ranks(hand: int, suit: int) -> str:
    return "".join(rank for rank in _ORDER if hand >> CARD[SUITS[suit] + rank] & 1)


def _bad(what: str) -> Refused:
    return Refused("bad_argument", f"PBN deal: {what}", "pbn")
