"""The table as a picture: SVG of board, checkers, cube, dice and score. A pure function of the view.

Who looks sits below (spectators: seat 0) and bears off at the lower right; points are numbered from that side.
"""

from collections.abc import Iterable

from google.protobuf.message import Message

from libs.table.pictures import INK, IVORY, die, document, tag, text
from stamtafel.backgammon.v1 import backgammon_pb2 as pb

_WIDTH, _HEIGHT = 960, 730
_LEFT, _TOP, _TALL = 116, 84, 530
"""The playing field: its left edge, upper edge and height."""
_POINT, _BAR = 56, 56
_RIGHT = _LEFT + 12 * _POINT + _BAR
_MIDDLE, _FOOT = _TOP + _TALL / 2, _TOP + _TALL
_MAN = 24
_STACK = 5
_WOOD, _FELT, _LIGHT, _DARK = "#5a3a22", "#dcc9a3", "#f0e4c8", "#a5523a"
_MEN = {"white": (IVORY, "#8d8371", INK), "black": ("#33302e", "#0f0e0d", IVORY)}


def svg(view: Message) -> str:
    """An SVG document of 960 x 730 pixels."""
    assert isinstance(view, pb.View)
    side = view.me.seat if view.HasField("me") else 0
    parts = [*_board(), *_numbers(), *_men(view, side), *_cube(view, side), *_dice(view, side), *_words(view, side)]
    return document(_WIDTH, _HEIGHT, "#efe9dd", parts)


# ---------------------------------------------------------------------------------------------------------- board


def _board() -> Iterable[str]:
    yield tag("rect", x=24, y=_TOP - 26, width=_WIDTH - 48, height=_TALL + 52, rx=10, fill=_WOOD)
    for left in (_LEFT, _LEFT + 6 * _POINT + _BAR):
        yield tag("rect", x=left, y=_TOP, width=6 * _POINT, height=_TALL, fill=_FELT)
    for top in (_TOP, _MIDDLE + 30):
        yield tag("rect", x=_RIGHT + 14, y=top, width=62, height=_TALL / 2 - 30, rx=4, fill="#3e2715")
    for point in range(1, 25):
        x, edge, way = _x(point), *_edge(point)
        corners = f"{x - _POINT / 2:g},{edge:g} {x + _POINT / 2:g},{edge:g} {x:g},{edge + way * 215:g}"
        yield tag("polygon", points=corners, fill=_DARK if point % 2 else _LIGHT)


def _x(point: int) -> float:
    """The middle of a point, 1..24 as who looks counts them; 25 is the bar."""
    if point == 25:
        return _LEFT + 6 * _POINT + _BAR / 2
    column = point - 13 if point > 12 else 12 - point
    return _LEFT + column * _POINT + _POINT / 2 + (_BAR if column > 5 else 0)


def _edge(point: int) -> tuple[float, int]:
    """Where the stack of a point begins, and whether it grows down (1) or up (-1)."""
    return (_TOP, 1) if point > 12 else (_FOOT, -1)


def _numbers() -> Iterable[str]:
    for point in range(1, 25):
        y = _TOP - 8 if point > 12 else _FOOT + 19
        yield text(_x(point), y, str(point), font_size=14, text_anchor="middle", fill="#e6d5b5")


# ------------------------------------------------------------------------------------------------------- checkers


def _men(view: pb.View, side: int) -> Iterable[str]:
    for seat in (0, 1):
        colour, own = view.colors[seat], seat == side
        men = view.board[seat].items
        for point in range(1, 25):
            shown = point if own else 25 - point
            yield from _stack(colour, men[point], _x(shown), *_edge(shown))
        way = -1 if own else 1  # who comes in from the bar starts on the far side of it
        yield from _stack(colour, men[25], _x(25), _MIDDLE + way * -40, -way)
        yield from _off(colour, men[0], own)


def _stack(colour: str, count: int, x: float, edge: float, way: int) -> Iterable[str]:
    """Checkers one on the other from an edge; a stack too high tells its height on the last one."""
    fill, line, ink = _MEN[colour]
    for level in range(min(count, _STACK)):
        y = edge + way * (_MAN + 2 * _MAN * level)
        yield tag("circle", cx=x, cy=y, r=_MAN - 1, fill=fill, stroke=line, stroke_width=2)
        yield tag("circle", cx=x, cy=y, r=_MAN - 8, fill="none", stroke=line, stroke_opacity=0.5)
    if count > _STACK:
        y = edge + way * _MAN * (2 * _STACK - 1)
        yield text(x, y + 6, str(count), font_size=17, font_weight="bold", text_anchor="middle", fill=ink)


def _off(colour: str, count: int, own: bool) -> Iterable[str]:
    fill, line, _ = _MEN[colour]
    for level in range(count):
        y = _FOOT - 15 * (level + 1) if own else _TOP + 15 * level + 2
        yield tag("rect", x=_RIGHT + 19, y=y, width=52, height=13, rx=3, fill=fill, stroke=line)


# --------------------------------------------------------------------------------------------------- cube and dice


def _cube(view: pb.View, side: int) -> Iterable[str]:
    cube = view.cube
    if not cube.enabled:
        return
    x, y, value = 70.0, _MIDDLE, cube.value
    if cube.HasField("offer"):
        x, y, value = _half(side, 1 - cube.offer.seat), _MIDDLE, cube.offer.value
    elif cube.HasField("owner"):
        y = _FOOT - 34 if cube.owner == side else _TOP + 34
    yield tag("rect", x=x - 28, y=y - 28, width=56, height=56, rx=8, fill=IVORY, stroke="#7a6f5d", stroke_width=2)
    # A cube in the middle that was never turned shows 64 on the board, but who looks wants its value.
    size = 26 if value < 100 else 20
    yield text(x, y + size * 0.36, str(value), font_size=size, font_weight="bold", text_anchor="middle")


def _half(side: int, seat: int) -> float:
    """The middle of the half where a seat throws: its right, seen from below."""
    return _LEFT + 3 * _POINT + (6 * _POINT + _BAR if seat == side else 0)


def _dice(view: pb.View, side: int) -> Iterable[str]:
    if not view.HasField("dice"):
        return
    seat = view.turn if view.HasField("turn") else side
    thrown, left = list(view.dice.items), list(view.dice_left)
    if thrown[0] == thrown[-1] and len(thrown) == 2:
        thrown *= 2
    x = _half(side, seat) - len(thrown) * 27 + 4
    for eyes in thrown:
        played = eyes not in left
        if not played:
            left.remove(eyes)
        yield die(x, _MIDDLE - 23, 46, eyes, opacity=0.4 if played else 1)
        x += 54


# ---------------------------------------------------------------------------------------------------------- words


def _words(view: pb.View, side: int) -> Iterable[str]:
    match = view.match
    kind = f"match to {match.length}" if match.length else "money"
    crawford = ", Crawford game" if match.crawford_game else ""
    yield text(28, 40, f"Game {view.game}, {kind}{crawford}", font_size=20, font_weight="bold")
    for seat, y in ((1 - side, 40), (side, 672)):
        fill, line, _ = _MEN[view.colors[seat]]
        told = f"seat {seat} ({view.colors[seat]})   score {view.score[seat]}   {view.pips[seat]} pips"
        yield tag("circle", cx=_WIDTH - 40, cy=y - 6, r=10, fill=fill, stroke=line, stroke_width=2)
        waits = seat in view.to_act
        yield text(_WIDTH - 60, y, told, text_anchor="end", font_weight="bold" if waits else "normal")
    for y, line in zip((672, 698), _notes(view), strict=False):
        yield text(28, y, line)


def _notes(view: pb.View) -> list[str]:
    """The two lines that matter most: what goes on, and what was before."""
    notes: list[str] = []
    if view.HasField("match_result"):
        ended = view.match_result
        notes.append(f"seat {ended.winner} has won it all" if ended.HasField("winner") else "it ends level")
    elif view.cube.HasField("offer"):
        notes.append(f"seat {view.cube.offer.seat} offers the cube at {view.cube.offer.value}")
    elif view.HasField("resign"):
        notes.append(f"seat {view.resign.seat} offers to lose a {view.resign.kind}")
    elif view.to_act:
        notes.append(f"seat {' and seat '.join(str(seat) for seat in view.to_act)} to {_DOES.get(view.phase, 'act')}")
    if view.HasField("result") and (view.phase == "finished" or not view.HasField("last_turn")):
        game = view.result
        notes.append(f"game won by seat {game.winner}: {game.kind}, {game.points} ({game.reason})")
    elif view.HasField("last_turn"):
        last = view.last_turn
        notes.append(f"before: seat {last.seat}  {last.dice[0]}-{last.dice[1]}: {last.notation or 'no move'}")
    return notes


_DOES = {"opening": "throw for the opening", "roll": "roll", "move": "move"}
