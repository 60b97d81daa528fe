"""The table as text for a terminal, and what a person types as a command. Pure functions; English or Danish words."""

import re
from collections.abc import Iterable

from google.protobuf.message import Message

from libs.table.rules import Refused
from services.liarsdice import speech
from services.liarsdice.counting import ANY, FACES, NUMBERS
from services.liarsdice.options import HOUSE
from services.liarsdice.words import FACES_EN, WORDS, english
from stamtafel.liarsdice.v1 import liarsdice_pb2 as pb

DICE = " ⚀⚁⚂⚃⚄⚅"
_Words = dict[str, str]
_BID = re.compile(r"(\d{1,6})\s*[ x*-]\s*(\S+(?: \S+)*)")
_NAMES: dict[str, int] = {
    **NUMBERS,
    **{f"{one}{end}": face for face, one in enumerate(speech.ONE) if face for end in ("", "e")},
    **{name: face for face, name in enumerate(FACES_EN) if face},
    **{name: face for face, name in speech.NICKNAMES.items()},
    **dict.fromkeys(("*", "slags", "kind", "of a kind", "af en slags"), ANY),
}
_LIFT, _PEEK, _NEXT = (
    ("l", "lift", "løft", "liar"),
    ("p", "k", "peek", "kig"),
    ("n", "next", "næste", "naeste", "a", "again", "igen"),
)
_YES, _NO = ("on", "true", "yes", "til", "ja"), ("off", "false", "no", "fra", "nej")


def draw(view: Message, you: int | None, words: str = "en") -> str:
    """The table, the bids and one's own cup. `you` None looks on. `words`: `en` or `da`, anything else `en`."""
    assert isinstance(view, pb.View)
    say = WORDS.get(words, WORDS["en"])
    danish = say is WORDS["da"]
    lines = [
        _head(view, say),
        *_house(view, say),
        "",
        *(_seat(view, seat, you, say) for seat in range(len(view.mats))),
        "",
    ]
    if view.HasField("last_reveal"):
        lines += [*_reveal(view.last_reveal, you, say, danish), ""]
    if view.HasField("result"):
        lines += [say["over"].format(loser=_name(view.result.loser, you, say)) + ".", say["next"]]
    else:
        lines += list(_foot(view, you, say, danish))
    return "\n".join(lines)


def _head(view: pb.View, say: _Words) -> str:
    parts = [f"[bold]{say['game']} {view.game}[/bold]", f"{say['round']} {view.round}"]
    if view.finale:
        parts.append(say["final"])
    if view.HasField("total_dice"):
        parts.append(f"{view.total_dice} {say['dice']}")
    if view.HasField("max_quantity"):
        parts.append(f"{say['most']} {view.max_quantity}")
    return " · ".join(parts)


def _house(view: pb.View, say: _Words) -> Iterable[str]:
    """The house rules that are on, by the names that the host types too."""
    on = [say[name] for name in HOUSE if name not in ("viborg", "turn_seconds") and getattr(view.options, name)]
    if view.options.turn_seconds:
        on.append(say["turn_seconds"].format(seconds=view.options.turn_seconds))
    if not view.options.viborg:
        on.append(say["no_viborg"])
    if on:
        yield f"{say['house']}: {', '.join(on)}"


def _name(seat: int, you: int | None, say: _Words) -> str:
    return say["you"] if seat == you else f"{say['seat']} {seat}"


def _seat(view: pb.View, seat: int, you: int | None, say: _Words) -> str:
    turn = view.HasField("turn") and view.turn.seat == seat
    if view.in_game[seat]:
        cup = "■ " * view.dice_counts.items[seat] if view.HasField("dice_counts") else "▤ ?"
    elif view.HasField("result") and seat == view.result.loser:
        cup = say["lost"].format(place=view.places[seat])
    elif view.places[seat]:
        cup = say["out"].format(place=view.places[seat])
    else:
        cup = say["watches"] if seat not in view.participants else ""
    marks = [f"[bold]{say['viborg']}[/bold]"] if view.mats[seat] == "black" else []
    if view.strokes[seat]:
        marks.append(f"{say['strokes']} {'|' * view.strokes[seat]}")
    marks += [
        f"{say[name]} {count}" for name in ("rounds_given", "selvbinders") if (count := getattr(view, name)[seat])
    ]
    if view.locked[seat]:
        marks.append(say["locked"])
    line = f"{'▶' if turn else ' '} {_name(seat, you, say):8} {cup:18} {', '.join(marks)}".rstrip()
    return f"[bold]{line}[/bold]" if turn else line


def _called(quantity: int, face: str, danish: bool, slang: str = "") -> str:
    number = NUMBERS[face]
    if danish:
        return f"{speech.number(quantity)} {slang}" if slang else speech.plain(quantity, number)
    return english(quantity, number)


def _reveal(last: pb.Reveal, you: int | None, say: _Words, danish: bool) -> Iterable[str]:
    for seat, cup in enumerate(last.dice):
        if cup.items:
            rings = set(last.rings[seat].items)
            dice = " ".join(f"[yellow]{DICE[d]}[/yellow]" if at in rings else DICE[d] for at, d in enumerate(cup.items))
            yield f"    {_name(seat, you, say):8} {dice}  = {last.counts[seat]}"
    verdict = "holds" if last.holds else "lie"
    if last.HasField("present") and not last.present:
        verdict = "not_shown"
    yield (
        "    "
        + say["lifted"].format(
            lifter=_name(last.lifter, you, say),
            bidder=_name(last.bidder, you, say),
            bid=_called(last.quantity, last.face, danish),
            count=last.count,
            verdict=say[verdict],
            loser=_name(last.loser, you, say),
            round=last.round,
        )
        + "."
    )


def _foot(view: pb.View, you: int | None, say: _Words, danish: bool) -> Iterable[str]:
    said = [(_name(b.seat, you, say), b.quantity, "*" if b.face == "any" else DICE[int(b.face)]) for b in view.bids]
    bids = " → ".join(f"{who} {quantity}×{die}" for who, quantity, die in said)
    yield f"  {say['bids']}: {bids or say['nothing']}"
    if view.HasField("current_bid"):
        now = view.current_bid
        clock = f" ({say['auto']})" if now.auto else ""
        called = _called(now.quantity, now.face, danish, now.slang)
        yield f"  [bold]{_name(now.seat, you, say)}: {called}[/bold]{clock}"
    if view.HasField("my_dice"):
        yield f"  {say['cup']}: [bold]{' '.join(DICE[die] for die in view.my_dice.items)}[/bold]"
    elif view.HasField("my_seat") and view.locked[view.my_seat]:
        yield f"  {say['locked_cup']}"
    if view.HasField("turn"):
        yield "  " + say["turn"].format(who=_name(view.turn.seat, you, say))
    if view.legal.bids:
        faces = ", ".join(
            f"{_called(2, one.face, danish).partition(' ')[2]} {say['from'].format(low=one.from_quantity)}"
            for one in view.legal.bids
        )
        yield f"  {say['may']}: {faces}{', ' + say['lift'] if view.legal.lift else ''}"
    if view.HasField("help"):
        yield from _odds(view.help, say, danish)


def _odds(help: pb.Help, say: _Words, danish: bool) -> Iterable[str]:
    if help.HasField("current"):
        yield f"  {say['current']}: {help.current.percent} %"
    if help.bids:
        rows = ", ".join(f"{_called(b.quantity, b.face, danish)} {b.percent} %" for b in help.bids)
        yield f"  {say['odds']}: {rows}"
    if help.HasField("suggest"):
        said = help.suggest
        what = _called(said.bid.quantity, said.bid.face, danish) if said.HasField("bid") else say["do_lift"]
        yield f"  {say['suggests']}: {what} ({said.percent} %)"


def parse(text: str, view: Message) -> Message:
    """The command that a person typed. Raises Refused `bad_argument`, telling what is allowed."""
    assert isinstance(view, pb.View)
    typed = " ".join(text.strip().lower().split())
    first, _, rest = typed.partition(" ")
    if typed in _LIFT:
        return pb.Lift(round=view.round)
    if typed in _PEEK:
        return pb.Peek()
    if typed in _NEXT:
        return pb.NextGame()
    if first in ("help", "hjælp") and rest in (*_YES, *_NO):
        return pb.SetHelp(on=rest in _YES)
    if first in ("rules", "regler") and rest:
        return _rules(rest.split())
    found = _BID.fullmatch(typed.removeprefix("bid ").removeprefix("byd "))
    if found is not None and found[2] in _NAMES:
        return pb.Bid(quantity=int(found[1]), face=FACES[_NAMES[found[2]]], round=view.round)
    raise Refused("bad_argument", f"{text.strip()!r} is no command here. {help()}")


def _rules(pairs: list[str]) -> pb.SetRules:
    command = pb.SetRules()
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name == "preset":
            command.preset = value
        elif name == "turn_seconds" and value.isascii() and value.isdigit() and len(value) < 5:
            command.turn_seconds = int(value)
        elif name in HOUSE and name != "turn_seconds" and value in (*_YES, *_NO):
            setattr(command, name, value in _YES)
        else:
            allowed = ", ".join(("preset", *HOUSE))
            raise Refused("bad_argument", f"{pair!r} is no house rule; write name=on or name=off of {allowed}", name)
    return command


def help(words: str = "en") -> str:
    """What one may type."""
    return WORDS.get(words, WORDS["en"])["help"]
