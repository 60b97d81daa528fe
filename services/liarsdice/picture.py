"""The table as a picture: SVG of the mats with their cups, the bids and the cups that lay open last. Pure.

Who looks sits below (spectators: seat 0); the others follow clockwise. Where the count is hidden a cup is fogged.
"""

from collections.abc import Iterable
from math import cos, pi, sin

from google.protobuf.message import Message

from libs.table.pictures import INK, IVORY, die, document, tag, text
from services.liarsdice.counting import NUMBERS
from services.liarsdice.options import HOUSE
from services.liarsdice.words import EN, english
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb

_WIDTH, _HEIGHT = 980, 830
_X, _Y = _WIDTH / 2, 428
_MAT_W, _MAT_H = 218, 126
_GOLD, _PALE = "#e7b33c", "#cfe0d2"
_MATS = {"green": ("#2f6b4a", "#9cb8a4"), "black": ("#221f1d", "#6b6355")}
_CHIPS = 12
"""So many bids, the newest, are listed."""


def svg(view: Message) -> str:
    """An SVG document of 980 x 830 pixels."""
    assert isinstance(view, pb.View)
    return document(_WIDTH, _HEIGHT, "#efe9dd", [*_head(view), *_table(view), *_seats(view), *_foot(view)])


def _head(view: pb.View) -> Iterable[str]:
    title = f"Game {view.game}" + ", the final in Viborg" * view.finale
    yield text(24, 36, title, font_size=20, font_weight="bold")
    dice = f", {view.total_dice} dice" if view.HasField("total_dice") else ""
    most = f", at most {view.max_quantity} may be bid" if view.HasField("max_quantity") else ""
    yield text(24, 62, f"Round {view.round}{dice}{most}")
    for y, line in zip((36, 62), _notes(view), strict=False):
        yield text(_WIDTH - 24, y, line, text_anchor="end")


def _notes(view: pb.View) -> list[str]:
    """What goes on, and how the last lift ended."""
    notes: list[str] = []
    if view.HasField("result"):
        notes.append(f"seat {view.result.loser} lost the game")
    elif view.HasField("turn"):
        notes.append(f"seat {view.turn.seat} {'opens' if view.turn.opening else 'bids or lifts'}")
    if view.HasField("last_reveal"):
        last = view.last_reveal
        truth = "it held" if last.holds else "a lie"
        if last.HasField("present") and not last.present:
            truth = "the face did not show"
        bid = english(last.quantity, NUMBERS[last.face])
        notes.append(f"round {last.round}: seat {last.lifter} lifted {bid} of seat {last.bidder}, {truth}")
    return notes


# ---------------------------------------------------------------------------------------------------------- table


def _table(view: pb.View) -> Iterable[str]:
    yield tag("ellipse", cx=_X, cy=_Y, rx=330, ry=252, fill="#5a3a22")
    yield tag("ellipse", cx=_X, cy=_Y, rx=312, ry=234, fill="#8a5f38")
    yield tag("ellipse", cx=_X, cy=_Y, rx=250, ry=150, fill="none", stroke="#a2744a", stroke_width=1.5)
    if view.HasField("current_bid"):
        yield from _bid(view.current_bid)
        yield from _chips(view.bids[-_CHIPS:])
    elif view.HasField("last_reveal"):
        yield from _verdict(view.last_reveal)


def _bid(bid: pb.CurrentBid) -> Iterable[str]:
    """The bid to beat, large."""
    said = f"{bid.quantity} {bid.slang}" if bid.slang else english(bid.quantity, NUMBERS[bid.face])
    clock = " by the clock" * bid.auto
    yield _middle(-78, f"seat {bid.seat} bids{clock}", 16)
    yield text(_X - 14, _Y + 8, f"{bid.quantity} ×", font_size=56, font_weight="bold", text_anchor="end", fill=IVORY)
    yield _face(_X + 6, _Y - 44, 64, bid.face)
    yield _middle(50, said, 17)


def _face(x: float, y: float, size: float, face: str) -> str:
    """A die of the face; of a kind is a die with a star."""
    if face != "any":
        return die(x, y, size, int(face))
    blank = tag("rect", x=x, y=y, width=size, height=size, rx=size / 6, fill=IVORY, stroke="#5b5347")
    points = " ".join(
        f"{x + size / 2 + r * size * sin(at * pi / 5):.1f},{y + size / 2 - r * size * cos(at * pi / 5):.1f}"
        for at, r in zip(range(10), (0.38, 0.16) * 5, strict=True)
    )
    return tag("g", blank, tag("polygon", points=points, fill="#a5523a"))


def _middle(dy: float, words: str, size: float) -> str:
    return text(_X, _Y + dy, words, font_size=size, text_anchor="middle", fill=IVORY)


def _chips(bids: Iterable[pb.PastBid]) -> Iterable[str]:
    """The bids of this round in order, six in a row."""
    laid = list(bids)
    for number, bid in enumerate(laid):
        row, column = divmod(number, 6)
        many = min(6, len(laid) - 6 * row)
        x = _X + (column - (many - 1) / 2) * 76 - 34
        y = _Y + 68 + 30 * row
        edge = _GOLD if number == len(laid) - 1 else "#a2744a"
        yield tag("rect", x=x, y=y, width=70, height=25, rx=6, fill="#6d4729", stroke=edge)
        told = f"{bid.seat}: {bid.quantity} ×" + "!" * bid.auto
        yield text(x + 45, y + 17, told, font_size=12, text_anchor="end", fill=IVORY)
        yield _face(x + 48, y + 4, 17, bid.face)


def _verdict(last: pb.Reveal) -> Iterable[str]:
    """What lay under the cups for the bid that was lifted."""
    yield _middle(-78, f"seat {last.bidder} bid {english(last.quantity, NUMBERS[last.face])}", 16)
    yield text(_X - 14, _Y + 8, f"{last.count} ×", font_size=56, font_weight="bold", text_anchor="end", fill=_GOLD)
    yield _ring(_X + 6, _Y - 44, 64)
    yield _face(_X + 6, _Y - 44, 64, str(last.kind))
    yield _middle(54, f"seat {last.loser} lost round {last.round}", 17)


def _ring(x: float, y: float, size: float) -> str:
    """The golden ring of a die that counts."""
    edge = size / 7
    return tag("rect", x=x - edge, y=y - edge, width=size + 2 * edge, height=size + 2 * edge, rx=size / 3.2, fill=_GOLD)


# ----------------------------------------------------------------------------------------------------------- mats


def _seats(view: pb.View) -> Iterable[str]:
    count = len(view.mats)
    side = view.my_seat if view.HasField("my_seat") else 0
    for seat in range(count):
        turn = 2 * pi * ((seat - side) % count) / count
        x, y = _X - 370 * sin(turn), _Y + 290 * cos(turn)
        yield tag("g", *_mat(view, seat), transform=f"translate({x - _MAT_W / 2:.1f} {y - _MAT_H / 2:.1f})")


def _mat(view: pb.View, seat: int) -> Iterable[str]:
    """One seat's mat in its own square: who, strokes, the cup and what is known of it, the dice it showed last."""
    ground, edge = _MATS[view.mats[seat]]
    wide = 2.0
    if view.HasField("turn") and view.turn.seat == seat:
        edge, wide = _GOLD, 4.0
    yield tag("rect", width=_MAT_W, height=_MAT_H, rx=12, fill=ground, stroke=edge, stroke_width=wide)
    yield text(12, 24, f"seat {seat}", font_weight="bold", fill=IVORY)
    yield from _tally(view.strokes[seat])
    for x, words in ((12, _standing(view, seat)), (_MAT_W - 12, _given(view, seat))):
        yield text(x, 43, words, font_size=12, fill=_PALE, text_anchor="end" if x > 12 else "start")
    yield from _cup(view, seat)
    if view.HasField("last_reveal"):
        yield from _shown(view.last_reveal, seat, faded=view.HasField("current_bid"))


def _standing(view: pb.View, seat: int) -> str:
    marks = ["in Viborg"] if view.mats[seat] == "black" else []
    if view.HasField("result") and view.result.loser == seat:
        marks.append("lost")
    elif view.places[seat]:
        marks.append(f"safe, place {view.places[seat]}")
    elif seat not in view.participants:
        marks.append("watches")
    return ", ".join(marks)


def _given(view: pb.View, seat: int) -> str:
    given, selv = view.rounds_given[seat], view.selvbinders[seat]
    told = [f"gave {given}"] if given else []
    return ", ".join([*told, *([f"selvbinder {selv}"] if selv else [])])


def _tally(strokes: int) -> Iterable[str]:
    """Strokes in chalk, the fifth across the four before it; above fifteen as a number."""
    if not strokes:
        return
    if strokes > 15:
        yield text(_MAT_W - 12, 25, f"{strokes} strokes", text_anchor="end", fill=IVORY)
        return
    left = _MAT_W - 14 - (strokes - strokes // 5) * 7 - strokes // 5 * 4
    path: list[str] = []
    for number in range(strokes):
        fives, one = divmod(number, 5)
        x = left + fives * 32 + one * 7
        path.append(f"M{x} 12l-1 16" if one < 4 else f"M{x - 33} 25l30 -10")
    yield tag("path", d="".join(path), fill="none", stroke=IVORY, stroke_width=2.2, stroke_linecap="round")


def _cup(view: pb.View, seat: int) -> Iterable[str]:
    """The cup upside down on the mat with the dice that are known to lie there; fog where their number is hidden."""
    own = view.HasField("my_seat") and seat == view.my_seat and view.HasField("my_dice")
    if not view.in_game[seat]:
        return
    yield tag(
        "path", d="M16 94L22 54Q36 48 50 54L56 94Q36 102 16 94Z", fill="#6b3f22", stroke="#3d2413", stroke_width=1.5
    )
    yield tag("path", d="M19 74Q36 80 53 74", fill="none", stroke="#a2744a", stroke_width=3)
    if view.locked[seat]:
        yield tag("path", d="M31 64v-4a5 5 0 0 1 10 0v4", fill="none", stroke=_GOLD, stroke_width=2.5)
        yield tag("rect", x=28, y=63, width=16, height=12, rx=2, fill=_GOLD)
    if own:
        size = 30 if len(view.my_dice.items) <= 4 else 21
        for number, eyes in enumerate(view.my_dice.items):
            yield die(66 + (size + 4) * number, 58, size, eyes)
    elif view.HasField("dice_counts"):
        for number in range(view.dice_counts.items[seat]):
            yield tag("rect", x=66 + 23 * number, y=64, width=18, height=18, rx=3, fill="#5b5347", stroke="#b9ad95")
    else:
        for cx, cy, r in ((84, 74, 13), (102, 68, 16), (122, 72, 15), (138, 77, 10)):
            yield tag("circle", cx=cx, cy=cy, r=r, fill="#e9ece8", fill_opacity=0.35)
        yield text(109, 79, "?", font_size=18, text_anchor="middle", fill=IVORY)


def _shown(last: pb.Reveal, seat: int, faded: bool) -> Iterable[str]:
    """The cup of the last lift: its dice, golden rings round those that counted, and what they counted."""
    dice = last.dice[seat].items
    if not dice:
        return
    rings, parts, x = set(last.rings[seat].items), list[str](), 16
    for at, eyes in enumerate(dice):
        if at in rings:
            parts.append(_ring(x, 101, 18))
        parts.append(die(x, 101, 18, eyes))
        x += 26
    parts.append(text(_MAT_W - 12, 117, f"= {last.counts[seat]}", font_size=14, text_anchor="end", fill=IVORY))
    yield tag("g", *parts, opacity=0.55 if faded else 1)


def _foot(view: pb.View) -> Iterable[str]:
    """The house rules that are on."""
    options = view.options
    on = [EN[name] for name in HOUSE if name not in ("viborg", "turn_seconds") and getattr(options, name)]
    on += [EN["turn_seconds"].format(seconds=options.turn_seconds)] * bool(options.turn_seconds)
    on += [EN["no_viborg"]] * (not options.viborg)
    if on:
        yield text(_X, _HEIGHT - 22, f"House rules: {', '.join(on)}", font_size=14, text_anchor="middle", fill=INK)
