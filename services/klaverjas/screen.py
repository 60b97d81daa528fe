"""The table as text for a terminal, and what a person types as a command. Pure functions; English or Dutch words."""

import re
from collections.abc import Sequence

from google.protobuf.message import Message

from libs.table.rules import Refused
from services.klaverjas.cards import CARD, RANKS, STRENGTH, SUIT, SUITS
from services.klaverjas.words import WORDS
from stamtafel.klaverjas.v1 import klaverjas_pb2 as pb

SYMBOLS: dict[str, str] = dict(zip(SUITS, "♠♥♦♣", strict=True))
_MARKUP = re.compile(r"\[/?[a-z ]+\]")
_LEFT = 44
_Words = dict[str, str]


def draw(view: Message, you: int | None, words: str = "en") -> str:
    """The table, trick in the middle and the sheet beside it, as rich markup. `you` None looks on from Zuid.

    The hand is sorted, trump first; cards that may not be played are dimmed. `words`: `en` or `nl`, else `en`.
    """
    assert isinstance(view, pb.View)
    say = WORDS.get(words, WORDS["en"])
    left, right = _cross(view, you, say), _sheet(view, you, say)
    height = max(len(left), len(right))
    left += [""] * (height - len(left))
    right += [""] * (height - len(right))
    beside = [f"{_pad(a, _LEFT)}{b}".rstrip() for a, b in zip(left, right, strict=True)]
    return "\n".join([_head(view, say), "", *beside, "", *_foot(view, you, say)])


def _head(view: pb.View, say: _Words) -> str:
    parts = [f"{say['boompje']} {view.boompje}/{view.boompjes}"]
    if view.HasField("trump"):
        parts.append(f"{say['trump']} {_suit(view.trump)} ({_seat(view.maker, say)})")
    elif view.HasField("turned"):
        parts.append(f"{say['turned']} {_suit(view.turned)}")
    else:
        parts.append(say["no_trump"])
    return " · ".join([*parts, f"{say['trick']} {view.trick_no}/8", f"{say['dealer']} {_seat(view.dealer, say)}"])


def _cross(view: pb.View, you: int | None, say: _Words) -> list[str]:
    """The four seats with the cards they laid; who looks sits at the bottom."""
    bottom = you or 0
    laid = {one.seat: _card(one.card, say) for one in view.table}
    if view.HasField("winning_seat"):
        laid[view.winning_seat] = f"[bold]{laid[view.winning_seat]}[/bold]"

    def name(seat: int) -> str:
        mark = "▶ " if view.HasField("turn") and view.turn.seat == seat else ""
        part = say["you"] if seat == you else say["partner"] if you is not None and seat == you ^ 2 else ""
        told = f"{_seat(seat, say)}{f' ({part})' if part else ''} {view.hand_sizes[seat]}"
        return f"[bold]{mark}{told}[/bold]" if mark else told

    west, north, east = (bottom + 1) & 3, (bottom + 2) & 3, (bottom + 3) & 3
    empty = "·"
    middle = f"{_pad(laid.get(west, empty), 12, right=True)}      {laid.get(east, empty)}"
    return [
        _centre(name(north)),
        _centre(laid.get(north, empty)),
        f"{_pad(name(west), 12)}{' ' * 14}{name(east)}",
        f"  {middle}",
        _centre(laid.get(bottom, empty)),
        _centre(name(bottom)),
    ]


def _sheet(view: pb.View, you: int | None, say: _Words) -> list[str]:
    """The sheet, newest rows last, the sums and this boompje so far; the own side first."""
    swap = you is not None and you & 1 == 1
    first, second = (say["ns"], say["ew"]) if you is None else (say["us"], say["them"])

    def two(pair: pb.Pair) -> tuple[int, int]:
        return (pair.ew, pair.ns) if swap else (pair.ns, pair.ew)

    def line(name: str, pair: pb.Pair) -> str:
        return f"{name:12}{two(pair)[0]:>6}{two(pair)[1]:>6}"

    rows = [f"[bold]{'':12}{first:>6}{second:>6}[/bold]"]
    for row in view.sheet[-8:]:
        a, b = (row.ew, row.ns) if swap else (row.ns, row.ew)
        what = "nat" if row.result == "nat" else "pit" if row.HasField("pit_side") else ""
        letter = _seat(row.maker, say)[0]
        rows.append(f"{row.boompje:>2} {_suit(row.trump)} {letter} {what:5}{a:>6}{b:>6}")
    if not view.sheet:
        rows.append(f"[dim]{say['empty']}[/dim]")
    rows.append(f"[bold]{line(say['sum'], view.score)}[/bold]")
    this, totals = view.this_boompje, view.totals
    rows += [line(f"{say['now']}: {say[name]}", pair) for name, pair in _parts(this)]
    rows += [line(name, pair) for name, pair in ((say["pits"], totals.pits), (say["nats"], totals.nats))]
    return rows


def _parts(this: pb.ThisBoompje) -> Sequence[tuple[str, pb.Pair]]:
    return ("tricks", this.tricks), ("cards", this.card_points), ("roem", this.roem)


def _foot(view: pb.View, you: int | None, say: _Words) -> list[str]:
    lines: list[str] = []
    if view.HasField("last_trick") and view.phase != "collect":
        last = view.last_trick
        told = " ".join(_card(code, say) for code in last.cards)
        roem = f" + {last.roem} {say['roem']}" if last.roem else ""
        lines.append(f"[dim]{say['last']}:[/dim] {told} [dim]{say['to']} {_seat(last.winner, say)}[/dim]{roem}")
    if you is not None and view.HasField("my_seat"):
        lines.append(f"{say['hand']}: {_hand(view, say)}")
    if view.phase == "finished":
        score = f"{view.score.ns}-{view.score.ew}"
        if not view.HasField("winner"):
            return [*lines, say["draw"].format(score=score)]
        return [*lines, say["won"].format(side=say[view.winner], score=score)]
    if view.HasField("turn") and view.turn.seat != you:
        does = say.get(view.turn.action, "")
        lines.append(say["wait"].format(seat=_seat(view.turn.seat, say), does=does))
    asks = _asks(view, you, say)
    return [*lines, f"{'; '.join(asks)}."] if asks else lines


def _asks(view: pb.View, you: int | None, say: _Words) -> list[str]:
    """What the looker may do now."""
    asks: list[str] = []
    if view.my_can_claim:
        asks.append(say["you_claim"])
    if you is None or not view.HasField("turn") or view.turn.seat != you:
        return asks
    if view.phase == "choose_trump":
        asks.append(f"{say['you_choose']} {say['or_pass']}" if view.turn.may_pass else say["you_choose"])
    elif view.phase == "play":
        example = view.my_legal[0] if view.my_legal else "SJ"
        letter = _DUTCH[SUIT[example[0]]] if say is WORDS["nl"] else example[0]
        asks.append(say["you_play"].format(card=letter + _rank(example[1], say)))
    else:
        asks.append(say["you_collect"])
    return asks


def _hand(view: pb.View, say: _Words) -> str:
    """Trump first, then the suits in turn of colour, high cards first; what may not be played is dimmed."""
    trump = SUIT[view.trump] if view.HasField("trump") else None
    order = sorted(range(4), key=lambda suit: (suit != trump, (0, 1, 3, 2)[suit]))

    def place(code: str) -> tuple[int, int]:
        suit = CARD[code] >> 3
        # Before there is a trump every suit lies as a plain one: under another suit's trump.
        return order.index(suit), -STRENGTH[suit ^ 1 if trump is None else trump][CARD[code]]

    greyed = {one.card for one in view.my_greyed}
    return " ".join(
        f"[dim]{_plain(code, say)}[/dim]" if code in greyed else _card(code, say)
        for code in sorted(view.my_hand, key=place)
    )


def _plain(code: str, say: _Words) -> str:
    return SYMBOLS[code[0]] + _rank(code[1], say)


def _rank(letter: str, say: _Words) -> str:
    return "10" if letter == "T" else say["ranks"][RANKS.index(letter)]


def _card(code: str, say: _Words) -> str:
    told = _plain(code, say)
    return f"[red]{told}[/red]" if code[0] in "HD" else told


def _suit(letter: str) -> str:
    return f"[red]{SYMBOLS[letter]}[/red]" if letter in "HD" else SYMBOLS[letter]


def _seat(seat: int, say: _Words) -> str:
    return say["seats"].split(",")[seat]


def _width(text: str) -> int:
    return len(_MARKUP.sub("", text))


def _pad(text: str, width: int, right: bool = False) -> str:
    gap = " " * max(0, width - _width(text))
    return gap + text if right else text + gap


def _centre(text: str) -> str:
    return " " * max(0, (38 - _width(text)) // 2) + text


# ------------------------------------------------------------------------------------------------------- typing

_DUTCH = "SHRK"
_SUIT_NAMES = {
    **{letter.lower(): letter for letter in SUITS},
    **{symbol: letter for letter, symbol in SYMBOLS.items()},
    **dict(zip("rk", "DC", strict=True)),
    **dict(zip(("spades", "hearts", "diamonds", "clubs"), SUITS, strict=True)),
    **dict(zip(("schoppen", "harten", "ruiten", "klaveren"), SUITS, strict=True)),
}
_RANK_NAMES = {
    **{rank.lower(): rank for rank in RANKS},
    "10": "T",
    "b": "J",
    "v": "Q",
    "h": "K",
}
_PASS = ("pass", "pas", "p")
_COLLECT = ("", "collect", "c", "ophalen", "pak")
_CLAIM = ("roem", "r", "claim")
_PREFIX = ("play", "speel", "trump", "troef", "choose_trump")


def parse(text: str, view: Message) -> Message:
    """The command that a person typed. Raises Refused `bad_argument`, telling what is allowed."""
    assert isinstance(view, pb.View)
    typed = text.strip().lower().split()
    if view.phase == "collect":
        return _parse_collect(typed)
    if len(typed) > 1 and typed[0] in _PREFIX:
        typed = typed[1:]
    said = "".join(word for word in typed if word not in ("of", "van"))
    if view.phase == "choose_trump":
        if said in _PASS:
            return pb.Pass()
        if said in _SUIT_NAMES:
            return pb.ChooseTrump(suit=_SUIT_NAMES[said])
        raise _not_here(text, "S, H, D (R) or C (K) names trump, pass passes")
    found = _cards(said)
    if len(found) == 1:
        return pb.Play(card=found[0])
    if found:
        raise _not_here(text, f"it may be {' or '.join(found)}; type one of these")
    raise _not_here(text, "cards are suit and rank, like " + (" ".join(view.my_legal) or "SJ"))


def _parse_collect(typed: list[str]) -> Message:
    if len(typed) == 2 and typed[0] in _CLAIM:
        typed = typed[1:]
    if len(typed) == 1 and typed[0].isascii() and typed[0].isdecimal():
        return pb.ClaimRoem(points=min(int(typed[0]), 10_000))
    if len(typed) <= 1 and "".join(typed) in _COLLECT:
        return pb.Collect()
    raise _not_here(" ".join(typed), "an empty line takes the trick; roem 20, 40, 50, 70, 100 or 200 claims")


def _cards(said: str) -> list[str]:
    """The cards that this may mean: a code as it stands; else suit and rank in either order, English or Dutch."""
    if said.upper() in CARD:
        return [said.upper()]
    found: set[str] = set()
    for at in range(1, len(said)):
        before, after = said[:at], said[at:]
        for suit, rank in ((before, after), (after, before)):
            if suit in _SUIT_NAMES and rank in _RANK_NAMES:
                found.add(_SUIT_NAMES[suit] + _RANK_NAMES[rank])
    return sorted(found, key=CARD.__getitem__)


def _not_here(text: str, allowed: str) -> Refused:
    return Refused("bad_argument", f"{text.strip()!r} is no command here: {allowed}")


def help(words: str = "en") -> str:
    """What one may type."""
    return WORDS.get(words, WORDS["en"])["help"]
