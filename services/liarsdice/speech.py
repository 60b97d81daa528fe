"""How bids are said and written (R11, R12.1)."""

import re

from services.liarsdice.counting import ANY

NICKNAMES = {4: "lujer", 5: "møller", 6: "af de store"}
ONE = ("af en slags", "etter", "toer", "treer", "firer", "femmer", "sekser")
WORDS = (
    *("nul", "en", "to", "tre", "fire", "fem", "seks", "syv", "otte", "ni", "ti", "elleve", "tolv", "tretten"),
    *("fjorten", "femten", "seksten", "sytten", "atten", "nitten", "tyve"),
)
_BID = re.compile(r"([1-9][0-9]{0,8})-([1-6*])")


def nickname(quantity: int, face: int) -> str | None:
    """The regulars' word for the face, from two dice on (R11.1)."""
    return NICKNAMES.get(face) if quantity >= 2 else None


def number(quantity: int) -> str:
    """The number as a word; above twenty as digits."""
    return WORDS[quantity] if 0 < quantity < len(WORDS) else str(quantity)


def plain(quantity: int, face: int) -> str:
    """`fem femmere`, `en femmer`, `syv af en slags`."""
    plural = "e" if face != ANY and quantity >= 2 else ""
    return f"{number(quantity)} {ONE[face]}{plural}"


def slang(quantity: int, face: int) -> str | None:
    """`fem møller`, or None where the regulars have no word of their own."""
    word = nickname(quantity, face)
    return None if word is None else f"{number(quantity)} {word}"


def write_bid(quantity: int, face: int) -> str:
    """`5-5`, `7-*`."""
    return f"{quantity}-{face or '*'}"


def read_bid(text: str) -> tuple[int, int] | None:
    """Quantity and face; (0, 0) is the lift; None: neither."""
    if text in ("L", "Liar"):
        return 0, 0
    found = _BID.fullmatch(text)
    if found is None:
        return None
    return int(found[1]), 0 if found[2] == "*" else int(found[2])
