"""The table as a picture: SVG of the dice on the table, the three boxes and all seats. A pure function of the view.

Who looks sits below (spectators: seat 0); the others follow clockwise.
"""

from collections.abc import Iterable
from math import cos, pi, sin

from google.protobuf.message import Message

from libs.table.pictures import IVORY, die, document, tag, text
from stamtafel.trictrac.v1 import trictrac_pb2 as pb

_WIDTH, _HEIGHT = 980, 800
_X, _Y = _WIDTH / 2, 430
_PLACE_W, _PLACE_H = 196, 104
_GOLD = "#e7b33c"


def svg(view: Message) -> str:
    """An SVG document of 980 x 800 pixels."""
    assert isinstance(view, pb.View)
    side = view.you.seat if view.HasField("you") else 0
    return document(_WIDTH, _HEIGHT, "#efe9dd", [*_head(view), *_table(view), *_seats(view, side)])


def _score(score: int) -> str:
    return "trictrac" if score == 1000 else str(score)


def _head(view: pb.View) -> Iterable[str]:
    limit = f"{view.limit} throw{'s' * (view.limit > 1)}" if view.HasField("limit") else "the starter is choosing"
    yield text(24, 36, f"Round {view.round}", font_size=20, font_weight="bold")
    yield text(24, 62, f"{limit}, the loser pays {view.penalty}")
    for y, line in zip((36, 62), _notes(view), strict=False):
        yield text(_WIDTH - 24, y, line, text_anchor="end")


def _notes(view: pb.View) -> list[str]:
    """The two lines that matter most: what goes on, and what was before."""
    notes: list[str] = []
    if view.HasField("winner"):
        notes.append(f"seat {view.winner} has won: {' > '.join(str(seat) for seat in view.ranking)}")
    elif view.HasField("throw_off"):
        notes.append(f"Vast! One die each: seats {', '.join(str(seat) for seat in view.throw_off.seats)}")
    elif view.HasField("take_point_seat"):
        notes.append(f"seat {view.take_point_seat} may hand in a point")
    elif view.HasField("turn"):
        notes.append(f"seat {view.turn.seat} is on turn")
    if view.HasField("last_round"):
        last = view.last_round
        did = "handed in a point" if last.reason == "point_taken" else f"paid {last.penalty}"
        notes.append(f"round {last.round}: seat {last.loser} {did} with {_score(last.score)}")
    return notes


# ---------------------------------------------------------------------------------------------------------- table


def _table(view: pb.View) -> Iterable[str]:
    yield tag("ellipse", cx=_X, cy=_Y, rx=330, ry=252, fill="#5a3a22")
    yield tag("ellipse", cx=_X, cy=_Y, rx=312, ry=234, fill="#2f6b4a")
    lies = _score(view.table.score) if view.table.HasField("dice") else ""
    lowest = _score(view.lowest.score) if view.HasField("lowest") else ""
    left = str(view.turn.throws_left) if view.HasField("turn") else ""
    for number, (name, told) in enumerate((("on the table", lies), ("lowest", lowest), ("throws left", left))):
        x = _X + (number - 1) * 116
        yield tag("rect", x=x - 52, y=_Y - 122, width=104, height=58, rx=6, fill="#244f38", stroke="#9cb8a4")
        yield text(x, _Y - 102, name, font_size=13, text_anchor="middle", fill="#cfe0d2")
        yield text(x, _Y - 76, told or "–", font_size=21, font_weight="bold", text_anchor="middle", fill=IVORY)
    dice = view.table.dice.items
    for number, eyes in enumerate(dice):
        x = _X + (number - (len(dice) - 1) / 2) * 88
        # Dice lie as they fell, but the same picture comes of the same view.
        yield tag("g", die(-34, -34, 68, eyes), transform=f"translate({x:g} {_Y + 16}) rotate({number * 23 - 9})")
    if view.table.HasField("seat"):
        yield text(_X, _Y + 92, f"seat {view.table.seat}", text_anchor="middle", fill="#cfe0d2")


# ---------------------------------------------------------------------------------------------------------- seats


def _seats(view: pb.View, side: int) -> Iterable[str]:
    count = len(view.seats)
    for seat in view.seats:
        turn = 2 * pi * ((seat.seat - side) % count) / count
        x, y = _X - 372 * sin(turn), _Y + 292 * cos(turn)
        yield tag("g", *_place(view, seat), transform=f"translate({x - _PLACE_W / 2:.1f} {y - _PLACE_H / 2:.1f})")


def _place(view: pb.View, seat: pb.Seat) -> Iterable[str]:
    """One seat in its own square: who, the points, the marks, the throws of this round."""
    edge, width = (_GOLD, 4) if seat.on_turn else ("#b9ad95", 1)
    ground = "#d8d2c6" if seat.out else "#fffdf4"
    yield tag("rect", width=_PLACE_W, height=_PLACE_H, rx=10, fill=ground, stroke=edge, stroke_width=width)
    yield text(12, 24, f"seat {seat.seat}", font_weight="bold")
    if seat.out:
        yield text(_PLACE_W - 12, 24, "out", text_anchor="end", fill="#6b6355")
    elif seat.HasField("standing"):
        yield text(_PLACE_W - 12, 24, f"stands {_score(seat.standing.score)}", font_size=14, text_anchor="end")
    if seat.crown:
        yield tag("path", d="M20 0l-4-17 9 6 6-10 6 10 9-6-4 17z", fill=_GOLD, stroke="#8a6a1c")
    for number in range(seat.points):
        yield tag("circle", cx=18 + 14.5 * number, cy=42, r=5.5, fill="#a5523a")
    if seat.bok:
        yield text(_PLACE_W - 12, 47, "bok", font_size=14, font_weight="bold", text_anchor="end", fill="#a5523a")
    off = [one.die for one in view.throw_off.thrown if one.seat == seat.seat]
    thrown = [list(one.items) for one in seat.throws] + [[eyes] for eyes in off]
    x = 12
    for number, dice in enumerate(thrown[-3:]):
        last = number == len(thrown[-3:]) - 1
        for eyes in dice:
            yield die(x, 60, 25, eyes, opacity=1 if last else 0.45)
            x += 27
        x += 6
