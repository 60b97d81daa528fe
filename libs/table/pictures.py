"""Elements of SVG that the pictures of games are made of. Knows no game; pure functions."""

from collections.abc import Iterable
from html import escape

FONT = "DejaVu Sans, Verdana, Liberation Sans, Noto Sans, Arial, Helvetica, sans-serif"
"""Names of what is commonly there: who draws without a browser may not know what `sans-serif` is."""
IVORY, INK = "#fbf8ef", "#26221e"
_PIPS = {1: (4,), 2: (2, 6), 3: (2, 4, 6), 4: (0, 2, 6, 8), 5: (0, 2, 4, 6, 8), 6: (0, 2, 3, 5, 6, 8)}
"""Places of the pips by eyes, in three rows of three."""


def tag(name: str, *inside: str, **attributes: str | float) -> str:
    """An element around markup. Attributes by their names with `_` for `-`; numbers are shortened, text is escaped."""
    told = "".join(f' {key.replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{told}>{''.join(inside)}</{name}>" if inside else f"<{name}{told}/>"


def _value(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else f"{value:g}"


def text(x: float, y: float, words: str, **attributes: str | float) -> str:
    """Words with their base line at (x, y)."""
    return tag("text", escape(words, quote=False), x=x, y=y, **attributes)


def document(width: float, height: float, ground: str, parts: Iterable[str]) -> str:
    """A whole SVG document of that size in pixels on a ground of one colour."""
    ground_of_all = tag("rect", width=width, height=height, fill=ground)
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" font-size="16" fill="{INK}">'
    return "\n".join([head, ground_of_all, *parts, "</svg>"]) + "\n"


def die(x: float, y: float, size: float, eyes: int, **attributes: str | float) -> str:
    """A die of 1..6 eyes with its upper left corner at (x, y); `attributes` for the whole, like its opacity."""
    inner = size * 0.25
    face = tag("rect", x=x, y=y, width=size, height=size, rx=size / 6, fill=IVORY, stroke="#5b5347")
    pips = [
        tag("circle", cx=x + size / 2 + (at % 3 - 1) * inner, cy=y + size / 2 + (at // 3 - 1) * inner, r=size / 10)
        for at in _PIPS[eyes]
    ]
    return tag("g", face, *pips, **attributes)
