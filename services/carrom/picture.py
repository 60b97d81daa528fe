"""The table as a picture: SVG with the ways of all discs in the last shot. A pure function of the view."""

from html import escape

from google.protobuf.message import Message

from services.carrom.board import HOLE_AT_UM, HOLE_UM, PALET, PALET_UM, PION_UM, RAIL_UM, RED
from stamtafel.carrom.v1 import carrom_pb2 as pb

_FRAME_MM = 30
_FILL = {"w": "#f4efe0", "b": "#2b2622", "r": "#c62828", "p": "#3b6ea5"}
_WAY = {"w": "#a89b72", "b": "#555", "r": "#c62828", "p": "#3b6ea5"}


def svg(view: Message) -> str:
    """An SVG document, 800 mm wide in its own units, north up: board, lines, discs, pile, and the last shot's ways."""
    assert isinstance(view, pb.View)
    half = RAIL_UM / 1000
    size = 2 * (half + _FRAME_MM)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-size / 2} {-size / 2} {size} {size + 40}" '
        f'width="800" height="{800 * (size + 40) / size:.0f}" font-family="sans-serif">',
        f'<rect x="{-size / 2}" y="{-size / 2}" width="{size}" height="{size}" fill="#5b3a1e"/>',
        f'<rect x="{-half}" y="{-half}" width="{2 * half}" height="{2 * half}" fill="#e3c48d"/>',
        '<g fill="none" stroke="#6b4a22">',
        f'<circle r="85"/><circle r="{PION_UM / 1000}"/>',
        *(_line(turn) for turn in (0, 90, 180, 270)),
        "</g>",
    ]
    at = HOLE_AT_UM / 1000
    parts += [f'<circle cx="{x}" cy="{y}" r="{HOLE_UM / 1000}" fill="#111"/>' for x in (-at, at) for y in (-at, at)]
    if view.HasField("last_shot"):
        parts += [_way(track) for track in view.last_shot.shot.keyframes]
        rest = [one for one in view.last_shot.shot.rest if one.piece == PALET]
        parts += [_disc(PALET, one.x_um / 1000, one.y_um / 1000, PALET_UM / 1000) for one in rest]
    for piece in sorted(view.board):
        x, y = view.board[piece].items
        parts.append(_disc(piece, x * 1000, y * 1000, PION_UM / 1000))
    parts.append(f'<text x="{-half}" y="{size / 2 + 25}" font-size="16">{escape(_caption(view))}</text></svg>')
    return "\n".join(parts) + "\n"


def _line(turn: int) -> str:
    """A firing line with its end circles (R10.3)."""
    front, rear = 370 - 101.5 - 31.8, 370 - 101.5
    ends = "".join(f'<circle cx="{x}" cy="{(front + rear) / 2}" r="15.9"/>' for x in (-219.1, 219.1))
    strokes = f"M-219.1 {front}H219.1M-219.1 {rear}H219.1"
    return f'<g transform="rotate({turn})"><path d="{strokes}"/>{ends}</g>'


def _way(track: pb.Track) -> str:
    points = " ".join(f"{frame.x / 10},{-frame.y / 10}" for frame in track.frames)
    colour = _WAY[track.piece[0]]
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" stroke-opacity="0.6"/>'


def _disc(piece: str, x: float, y: float, radius: float) -> str:
    edge = ' stroke="#333"' if piece != PALET else ' stroke="#1c3d63" fill-opacity="0.5"'
    disc = f'<circle cx="{x:g}" cy="{-y:g}" r="{radius}" fill="{_FILL[piece[0]]}"{edge}/>'
    if piece in (RED, PALET):
        return disc
    ink = "#333" if piece[0] == "w" else "#ddd"
    return f'{disc}<text x="{x:g}" y="{-y + 4:g}" font-size="12" text-anchor="middle" fill="{ink}">{piece}</text>'


def _caption(view: pb.View) -> str:
    left = " ".join(f"{team.colour} {team.left} left" for team in view.teams)
    pile = f", above the centre: {' '.join(view.pile)}" if view.pile else ""
    turn = f"team {view.result.winner} has won" if view.HasField("result") else f"seat {view.turn.seat} to shoot"
    return f"Set {view.set.number}: {left}{pile}; {turn}"
