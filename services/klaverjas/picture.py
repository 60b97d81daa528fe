"""The table as a picture: SVG of the trick, the hands, the sheet and the score. A pure function of the view.

Who looks sits below with open cards (spectators: South, and every hand face down).
"""

from collections.abc import Iterable

from google.protobuf.message import Message

from libs.table.pictures import IVORY, document, tag, text
from services.klaverjas.cards import CARD, STRENGTH, SUIT
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb

_WIDTH, _HEIGHT = 1000, 700
_X, _Y = 330, 300
"""The middle of the trick."""
_CARD_W, _CARD_H = 70, 98
_SHEET_X, _ROWS = 672, 16
_NAMES = ("South", "West", "North", "East")
_RED, _BLACK = "#c0272d", "#1f2328"
_SUITS = {
    "S": "M12 2C5 8 2 11.5 2 15c0 2.8 2 4.7 4.6 4.7 1.9 0 3.5-1 4.4-2.6-.2 2-1 3.6-2.5 4.9h7c-1.5-1.3-2.3-2.9-2.5-4.9"
    ".9 1.6 2.5 2.6 4.4 2.6 2.6 0 4.6-1.9 4.6-4.7C22 11.5 19 8 12 2z",
    "H": "M12 22C5 15.5 2 12 2 8c0-3 2.2-5.3 5-5.3 2 0 3.9 1.1 5 3.1 1.1-2 3-3.1 5-3.1 2.8 0 5 2.3 5 5.3"
    " 0 4-3 7.5-10 14z",
    "D": "M12 1.5L20.5 12 12 22.5 3.5 12z",
    "C": "M12 2a4.6 4.6 0 0 1 3.3 7.8A4.6 4.6 0 1 1 13 15.8c.2 2.7 1 4.7 2.5 6.2h-7c1.5-1.5"
    " 2.3-3.5 2.5-6.2a4.6 4.6 0 1 1-2.3-6A4.6 4.6 0 0 1 12 2z",
}
"""Outlines in a square of 24: not every font has these signs."""
_PLACES = ((_X, _Y + 74), (_X - 96, _Y), (_X, _Y - 74), (_X + 96, _Y))
"""The middle of the card that was laid below, at the left, above and at the right."""
_HANDS = ((_X, 612), (84, _Y), (_X, 64), (576, _Y))


def svg(view: Message) -> str:
    """An SVG document of 1000 x 700 pixels."""
    assert isinstance(view, pb.View)
    bottom = view.my_seat if view.HasField("my_seat") else 0
    felt = tag("rect", x=16, y=16, width=628, height=668, rx=28, fill="#2f6b4a", stroke="#1d4531", stroke_width=6)
    parts = [felt, *_hands(view, bottom), *_trick(view, bottom), *_trump(view), *_sheet(view)]
    return document(_WIDTH, _HEIGHT, "#efe9dd", parts)


def _suit(letter: str, x: float, y: float, size: float) -> str:
    """The sign of a suit in a square whose upper left corner is at (x, y)."""
    fill = _RED if letter in "HD" else _BLACK
    return tag("path", d=_SUITS[letter], transform=f"translate({x:g} {y:g}) scale({size / 24:g})", fill=fill)


def _card(code: str, x: float, y: float, *, won: bool = False, dimmed: bool = False) -> str:
    """A card with its middle at (x, y)."""
    left, top = x - _CARD_W / 2, y - _CARD_H / 2
    edge, width = ("#f2b631", 4) if won else ("#8d8371", 1)
    rank = "10" if code[1] == "T" else code[1]
    face = [
        tag("rect", x=left, y=top, width=_CARD_W, height=_CARD_H, rx=7, fill=IVORY, stroke=edge, stroke_width=width),
        text(left + 7, top + 24, rank, font_size=22, font_weight="bold", fill=_RED if code[0] in "HD" else _BLACK),
        _suit(code[0], left + 7, top + 31, 16),
        _suit(code[0], x - 12, y - 4, 38),
    ]
    if dimmed:
        face.append(tag("rect", x=left, y=top, width=_CARD_W, height=_CARD_H, rx=7, fill="#2f6b4a", fill_opacity=0.5))
    return tag("g", *face)


# ---------------------------------------------------------------------------------------------------------- hands


def _hands(view: pb.View, bottom: int) -> Iterable[str]:
    for place, (x, y) in enumerate(_HANDS):
        seat = (bottom + place) & 3
        open_hand = place == 0 and view.HasField("my_seat")
        yield from _open(view, x, y) if open_hand else _backs(view.hand_sizes[seat], x, y)
        does = view.HasField("turn") and view.turn.seat == seat
        marks = [word for word, on in (("deals", seat == view.dealer), ("trump", _made(view, seat))) if on]
        told = f"{_NAMES[seat]} ({', '.join(marks)})" if marks else _NAMES[seat]
        fill, weight = ("#f6d87a", "bold") if does else ("#e8f0e4", "normal")
        yield text(x, y + (-64 if place == 0 else 57), told, text_anchor="middle", fill=fill, font_weight=weight)


def _made(view: pb.View, seat: int) -> bool:
    return view.HasField("maker") and view.maker == seat


def _open(view: pb.View, x: float, y: float) -> Iterable[str]:
    """The looker's own cards, trump first, high cards first; what may not be played now is dimmed."""
    trump = SUIT[view.trump] if view.HasField("trump") else None
    suits = sorted(range(4), key=lambda suit: (suit != trump, (0, 1, 3, 2)[suit]))
    strength = STRENGTH[trump or 0]

    def place(code: str) -> tuple[int, int]:
        card = CARD[code]
        return suits.index(card >> 3), -(strength[card] if trump is not None else card & 7)

    greyed = {one.card for one in view.my_greyed}
    hand = sorted(view.my_hand, key=place)
    left = x - (len(hand) - 1) * 37
    for number, code in enumerate(hand):
        yield _card(code, left + number * 74, y, dimmed=code in greyed)


def _backs(count: int, x: float, y: float) -> Iterable[str]:
    """That many cards face down."""
    left = x - (count - 1) * 6 - 22
    for number in range(count):
        back = {"x": left + 12 * number, "y": y - 31, "width": 44, "height": 62}
        yield tag("rect", **back, rx=5, fill="#8a2f3b", stroke=IVORY, stroke_width=2)


# ---------------------------------------------------------------------------------------------------------- trick


def _trick(view: pb.View, bottom: int) -> Iterable[str]:
    for one in view.table:
        x, y = _PLACES[(one.seat - bottom) & 3]
        yield _card(one.card, x, y, won=view.HasField("winning_seat") and view.winning_seat == one.seat)
    if view.HasField("last_trick") and not view.table:
        last = view.last_trick
        for number, code in enumerate(last.cards):
            x, y = _PLACES[(last.leader + number - bottom) & 3]
            yield tag("g", _card(code, x, y), opacity=0.3)
        roem = f" + {last.roem} roem" if last.roem else ""
        told = f"last trick: {_NAMES[last.winner]}, {last.card_points}{roem}"
        yield text(_X, 472, told, text_anchor="middle", fill="#cfe0d2")


def _trump(view: pb.View) -> Iterable[str]:
    """Trump, or the suit that was turned, in the corner of the table."""
    letter, word = ("", "no trump yet")
    if view.HasField("trump"):
        letter, word = view.trump, "trump"
    elif view.HasField("turned"):
        letter, word = view.turned, "turned"
    yield tag("rect", x=36, y=36, width=132, height=44, rx=8, fill=IVORY)
    yield text(48, 64, word, font_size=16 if letter else 14)
    if letter:
        yield _suit(letter, 128, 44, 28)


# ---------------------------------------------------------------------------------------------------------- sheet


def _sheet(view: pb.View) -> Iterable[str]:
    x, right = _SHEET_X, _WIDTH - 20
    yield tag("rect", x=x, y=16, width=right - x, height=668, rx=6, fill="#fffdf4", stroke="#c9bfa8")
    head = f"Boompje {view.boompje} of {view.boompjes}, trick {view.trick_no}"
    yield text(x + 18, 48, head, font_size=18, font_weight="bold")
    yield from _line(88, "", "N-S", "E-W", bold=True)
    yield tag("path", d=f"M{x + 14} 98H{right - 14}", stroke="#c9bfa8")
    y = 122
    rows = view.sheet[-_ROWS:]
    for row in rows:
        what = "nat" if row.result == "nat" else "pit" if row.HasField("pit_side") else ""
        yield _suit(row.trump, x + 46, y - 14, 16)
        yield from _line(y, f"{row.boompje:>2}", str(row.ns), str(row.ew))
        yield text(x + 70, y, f"{_NAMES[row.maker]} {what}".rstrip(), font_size=14, fill="#6b6355")
        y += 25
    if rows:
        yield tag("path", d=f"M{x + 14} {y - 14}H{right - 14}", stroke="#c9bfa8")
    yield from _line(y + 8, "Score", str(view.score.ns), str(view.score.ew), bold=True)
    this = view.this_boompje
    for number, (name, pair) in enumerate((("tricks", this.tricks), ("cards", this.card_points), ("roem", this.roem))):
        yield from _line(y + 40 + 24 * number, f"now: {name}", str(pair.ns), str(pair.ew))
    yield text(x + 18, 662, _standing(view), font_weight="bold")


def _line(y: float, name: str, first: str, second: str, *, bold: bool = False) -> Iterable[str]:
    """A row of the sheet: what it tells, and the two columns."""
    weight = "bold" if bold else "normal"
    yield text(_SHEET_X + 18, y, name, font_weight=weight)
    for at, told in ((222, first), (290, second)):
        yield text(_SHEET_X + at, y, told, font_weight=weight, text_anchor="end")


def _standing(view: pb.View) -> str:
    if view.phase == "finished":
        won = {"ns": "North and South win", "ew": "East and West win"}
        return won[view.winner] if view.HasField("winner") else "a draw"
    does = {"choose_trump": "names trump", "play": "to play", "collect": "takes the trick"}
    return f"{_NAMES[view.turn.seat]} {does.get(view.turn.action, '')}" if view.HasField("turn") else ""
