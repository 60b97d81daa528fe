"""The table as text for a terminal, and what a person types as a command. Pure functions; English or Dutch words."""

from collections.abc import Iterable

from google.protobuf.message import Message

from libs.table.rules import Refused
from stamtafel.trictrac.v1 import trictrac_pb2 as pb

FACES = " ⚀⚁⚂⚃⚄⚅"

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "round": "Round",
        "price": "price",
        "throws": "throws of this round",
        "free": "the starter is choosing",
        "lies": "on the table",
        "lowest": "lowest",
        "left": "throws left",
        "nothing": "nothing",
        "seat": "seat",
        "you": "you",
        "out": "out",
        "stands": "stands",
        "vast": "Vast! One die each",
        "may_take": "may hand in a point",
        "lost": "lost round {round} with {score} and paid {penalty}",
        "took": "took a point in round {round}",
        "won": "wins",
        "throw": "throw",
        "roll": "roll [0..359]",
        "stand": "ok (stand)",
        "take_point": "point (hand one in)",
        "type": "You may type",
        "wait": "Nothing to do for you now.",
        "help": "Type t (throw), r or r 90 (roll, from that side), ok (stand) or p (take a point).",
    },
    "nl": {
        "round": "Ronde",
        "price": "straf",
        "throws": "worpen deze ronde",
        "free": "de starter kiest nog",
        "lies": "op tafel",
        "lowest": "laagste",
        "left": "worpen over",
        "nothing": "niets",
        "seat": "plaats",
        "you": "jij",
        "out": "uit",
        "stands": "staat",
        "vast": "Vast! Ieder één steen",
        "may_take": "mag een punt pakken",
        "lost": "verloor ronde {round} met {score} en betaalde {penalty}",
        "took": "pakte een punt in ronde {round}",
        "won": "wint",
        "throw": "gooi",
        "roll": "rol [0..359]",
        "stand": "ok (blijven staan)",
        "take_point": "punt (punt pakken)",
        "type": "Je kunt typen",
        "wait": "Je hoeft nu niets te doen.",
        "help": "Typ g (gooien), r of r 90 (rollen, van die kant), ok (staan) of p (punt pakken).",
    },
}
_THROW = ("", "t", "throw", "g", "gooi", "gooien")
_ROLL = ("r", "roll", "rol", "rollen")
_STAND = ("ok", "o", "s", "stand", "staan")
_POINT = ("p", "point", "punt", "take", "take_point")


def draw(view: Message, you: int | None, words: str = "en") -> str:
    """The table with its three boxes and all seats. `you` None looks on. `words`: `en` or `nl`, anything else `en`."""
    assert isinstance(view, pb.View)
    say = WORDS.get(words, WORDS["en"])
    limit = f"{view.limit} {say['throws']}" if view.HasField("limit") else say["free"]
    lines = [f"{say['round']} {view.round} · {limit} · {say['price']} {view.penalty}", "", _boxes(view, say), ""]
    lines += [_seat(view, seat, you, say) for seat in view.seats]
    lines += ["", *_notes(view, you, say)]
    return "\n".join(lines)


def _boxes(view: pb.View, say: dict[str, str]) -> str:
    table = view.table
    lies = f"{_dice(table.dice.items)} {_score(table.score)}" if table.HasField("dice") else say["nothing"]
    lowest = _score(view.lowest.score) if view.HasField("lowest") else say["nothing"]
    left = str(view.turn.throws_left) if view.HasField("turn") else "-"
    return f"  {say['lies']}: {lies}   {say['lowest']}: {lowest}   {say['left']}: {left}"


def _seat(view: pb.View, seat: pb.Seat, you: int | None, say: dict[str, str]) -> str:
    name = say["you"] if seat.seat == you else f"{say['seat']} {seat.seat}"
    points = say["out"] if seat.out else "●" * seat.points
    marks = ("♛" if seat.crown else " ") + ("♈" if seat.bok else " ")
    throws = "  ".join(f"{_dice(one.items)}" for one in seat.throws)
    stands = f"  {say['stands']} {_score(seat.standing.score)}" if seat.HasField("standing") else ""
    off = "".join(f"  {FACES[one.die]}" for one in view.throw_off.thrown if one.seat == seat.seat)
    return f"{'▶' if seat.on_turn else ' '} {name:8} {marks} {points:12} {throws}{stands}{off}".rstrip()


def _notes(view: pb.View, you: int | None, say: dict[str, str]) -> list[str]:
    def name(seat: int) -> str:
        return say["you"] if seat == you else f"{say['seat']} {seat}"

    notes: list[str] = []
    if view.HasField("last_round"):
        last = view.last_round
        told = say["took"] if last.reason == "point_taken" else say["lost"]
        said = told.format(round=last.round, score=_score(last.score), penalty=last.penalty)
        notes.append(f"{name(last.loser)} {said}.")
    if view.HasField("throw_off"):
        notes.append(f"{say['vast']}: {', '.join(name(seat) for seat in view.throw_off.seats)}.")
    if view.HasField("take_point_seat"):
        notes.append(f"{name(view.take_point_seat)} {say['may_take']}.")
    if view.HasField("winner"):
        notes.append(f"{name(view.winner)} {say['won']}: {' > '.join(name(seat) for seat in view.ranking)}.")
    elif you is not None:
        named: list[str] = []
        for action in view.seats[you].actions:
            named += [say["throw"], say["roll"]] if action == "throw" else [say[action]]
        notes.append(f"{say['type']}: {', '.join(named)}." if named else say["wait"])
    return notes


def _dice(faces: Iterable[int]) -> str:
    return " ".join(FACES[face] for face in faces)


def _score(score: int) -> str:
    return "trictrac" if score == 1000 else str(score)


def parse(text: str, view: Message) -> Message:
    """The command that a person typed; an empty line throws. Raises Refused `bad_argument`, telling what is allowed."""
    first, *rest = text.strip().lower().split() or [""]
    if first in _ROLL and len(rest) <= 1:
        if not rest:
            return pb.Throw(style="roll")
        if rest[0].isascii() and rest[0].isdigit() and int(rest[0]) <= 359:
            return pb.Throw(style="roll", direction=int(rest[0]))
        raise Refused("bad_argument", f"a direction is a number 0..359, not {rest[0]!r}. {help()}", "direction")
    if not rest and first in _THROW:
        return pb.Throw()
    if not rest and first in _STAND:
        return pb.Stand()
    if not rest and first in _POINT:
        return pb.TakePoint()
    raise Refused("bad_argument", f"{text.strip()!r} is no command here. {help()}")


def help(words: str = "en") -> str:
    """What one may type."""
    return WORDS.get(words, WORDS["en"])["help"]
