"""The table as a picture: SVG with the ways of all discs in the last shot. A pure function of the view."""

from collections.abc import Iterable

from google.protobuf.message import Message

from libs.table.pictures import document, tag, text
from services.carrom.board import HOLE_AT_UM, HOLE_UM, PALET, PALET_UM, PION_UM, RAIL_UM, RED
from stamtafel.carrom.v1 import carrom_pb2 as pb

_FRAME_MM = 30
_HALF = RAIL_UM / 1000
_SIZE = 2 * (_HALF + _FRAME_MM)
_FOOT = 70
_FILL = {"w": "#f7f2e4", "b": "#2b2622", "r": "#c62828", "p": "#3b6ea5"}
_EDGE = {"w": "#8d8371", "b": "#0f0e0d", "r": "#7d1414", "p": "#1c3d63"}
_WAY = {"w": "#fffaf0", "b": "#4a423a", "r": "#c62828", "p": "#2f5f96"}


def svg(view: Message) -> str:
    """An SVG document, a pixel for a millimetre, north up: board, lines, ways of the last shot, discs, what goes on."""
    assert isinstance(view, pb.View)
    middle = f"translate({_SIZE / 2:g} {_SIZE / 2:g})"
    board = tag("g", *_board(), *_ways(view), *_discs(view), transform=middle)
    words = (text(_FRAME_MM, _SIZE + 28 + 26 * row, line) for row, line in enumerate(_words(view)))
    return document(_SIZE, _SIZE + _FOOT, "#efe9dd", [board, *words])


def _board() -> Iterable[str]:
    """The frame, the holes, the circles and the four firing lines (R10.1, R10.3)."""
    yield tag("rect", x=-_SIZE / 2, y=-_SIZE / 2, width=_SIZE, height=_SIZE, fill="#5b3a1e")
    yield tag("rect", x=-_HALF, y=-_HALF, width=2 * _HALF, height=2 * _HALF, fill="#e3c48d")
    front, rear = 370 - 101.5 - 31.8, 370 - 101.5
    strokes = tag("path", d=f"M-219.1 {front}H219.1M-219.1 {rear}H219.1")
    ends = [tag("circle", cx=x, cy=(front + rear) / 2, r=15.9, fill="#d9ad6c") for x in (-219.1, 219.1)]
    circles = [tag("circle", r=radius) for radius in (85, PION_UM / 1000)]
    lines = [tag("g", strokes, *ends, transform=f"rotate({turn})") for turn in (0, 90, 180, 270)]
    yield tag("g", *circles, *lines, fill="none", stroke="#6b4a22")
    at = HOLE_AT_UM / 1000
    for x, y in ((x, y) for x in (-at, at) for y in (-at, at)):
        yield tag("circle", cx=x, cy=y, r=HOLE_UM / 1000, fill="#161311")


def _ways(view: pb.View) -> Iterable[str]:
    """The way of every disc that moved, the palet's last, and the palet where it came to rest."""
    if not view.HasField("last_shot"):
        return
    shot = view.last_shot.shot
    for track in sorted(shot.keyframes, key=lambda one: one.piece == PALET):
        points = " ".join(f"{frame.x / 10:g},{-frame.y / 10:g}" for frame in track.frames)
        colour, wide = _WAY[track.piece[0]], 3 if track.piece == PALET else 2
        line = {"stroke": colour, "stroke_width": wide, "stroke_linejoin": "round", "stroke_opacity": 0.8}
        yield tag("polyline", points=points, fill="none", **line)
    for one in shot.rest:
        if one.piece == PALET:
            yield tag("g", *_disc(PALET, one.x_um / 1000, one.y_um / 1000, PALET_UM / 1000), opacity=0.6)


def _discs(view: pb.View) -> Iterable[str]:
    for piece in sorted(view.board):
        x, y = view.board[piece].items
        yield from _disc(piece, x * 1000, y * 1000, PION_UM / 1000)


def _disc(piece: str, x: float, y: float, radius: float) -> Iterable[str]:
    """A disc with its middle at (x, y) in millimetres, y to the north."""
    kind = piece[0]
    yield tag("circle", cx=x, cy=-y, r=radius, fill=_FILL[kind], stroke=_EDGE[kind], stroke_width=1.5)
    if piece not in (RED, PALET):
        ink = "#4a423a" if kind == "w" else "#ded6c8"
        yield text(x, -y + 4, piece, font_size=12, text_anchor="middle", fill=ink)


def _words(view: pb.View) -> Iterable[str]:
    sides = ";  ".join(
        f"team {number}, {team.colour}: {team.left} left, {team.sets} sets"
        + f", {team.points} points" * bool(team.points)
        for number, team in enumerate(view.teams)
    )
    yield f"Set {view.set.number}.  {sides}"
    pile = f".  Above the centre: {' '.join(view.pile)}" if view.pile else ""
    if view.HasField("result"):
        yield f"Team {view.result.winner} has won{pile}"
    else:
        yield f"Seat {view.turn.seat} ({view.turn.colour}) to shoot{_last(view)}{pile}"


def _last(view: pb.View) -> str:
    """What the last shot did, in a few words."""
    if not view.HasField("last_shot"):
        return ""
    last = view.last_shot
    did = f"pocketed {' '.join(last.shot.pocketed)}" if last.shot.pocketed else "pocketed nothing"
    return f"; before: seat {last.seat} {did}"
