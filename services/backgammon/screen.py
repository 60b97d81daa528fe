"""The table as text for a terminal, and what a person types as a command. Pure functions; English or Dutch words."""

import re

from google.protobuf.message import Message

from libs.table.rules import Refused
from services.backgammon import notation
from services.backgammon.board import throw
from services.backgammon.state import KINDS
from stamtafel.backgammon.v1 import backgammon_pb2 as pb

MEN = ("●", "○")
FACES = " ⚀⚁⚂⚃⚄⚅"
ROWS = 5
LISTED = 20
WIDTH = 96

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "game": "Game", "to": "match to", "money": "money", "crawford": "Crawford game", "score": "score",
        "black": "black", "white": "white", "you": "you", "pips": "pips", "off": "off", "cube": "Cube",
        "middle": "in the middle", "owned": "owned by", "offers": "offers the cube at", "beavers": "beavers to",
        "resigns": "offers to lose a", "points": "points", "left": "to play", "last": "Last turn", "passed": "no move",
        "wins": "wins", "level": "The session ends level.", "over": "The match is over:", "time": "on time",
        "type": "You may type", "wait": "Nothing to do for you now.", "ready": "has thrown for the opening",
        "turns": "Turns", "more": "and {n} more",
        "roll": "r (roll)", "double": "d (double)", "take": "t (take)", "drop": "p (pass)", "beaver": "b (beaver)",
        "move": "13 or 13/8 (one step)", "play": "8/5 6/5 (whole turn) or #1", "undo": "u, u all (undo)",
        "confirm": "ok (confirm)", "accept_resign": "a (accept)", "reject_resign": "n (refuse)",
        "resign": "resign " + "|".join(KINDS),
        "help": (
            "Type r (roll), d (double), t (take), p (pass), b (beaver);\n"
            "a whole turn like 8/5 6/5, bar/20 or 13/7(2), or #3 from the list (# tells all of it);\n"
            "one step by its point (13) or with its end (13/8); u (undo), u all, ok (confirm);\n"
            "resign single|gammon|backgammon, a (accept), n (refuse)."
        ),
    },
    "nl": {
        "game": "Partij", "to": "match tot", "money": "om geld", "crawford": "Crawfordpartij", "score": "stand",
        "black": "zwart", "white": "wit", "you": "jij", "pips": "pips", "off": "uit", "cube": "Kubus",
        "middle": "in het midden", "owned": "van", "offers": "biedt de kubus aan op", "beavers": "bevert naar",
        "resigns": "biedt verlies aan:", "points": "punten", "left": "te spelen", "last": "Vorige beurt",
        "passed": "geen zet", "wins": "wint", "level": "De sessie eindigt gelijk.", "over": "De match is uit:",
        "time": "op tijd", "type": "Je kunt typen", "wait": "Je hoeft nu niets te doen.",
        "ready": "heeft voor de opening gegooid", "turns": "Zetten", "more": "en nog {n}",
        "roll": "g (gooien)", "double": "d (dubbelen)", "take": "t (aannemen)", "drop": "p (passen)",
        "beaver": "b (beveren)", "move": "13 of 13/8 (een stap)", "play": "8/5 6/5 (hele beurt) of #1",
        "undo": "u, u all (terug)", "confirm": "ok (bevestigen)", "accept_resign": "a (accepteren)",
        "reject_resign": "n (weigeren)", "resign": "resign " + "|".join(KINDS),
        "help": (
            "Typ g (gooien), d (dubbelen), t (aannemen), p (passen), b (beveren);\n"
            "een hele beurt als 8/5 6/5, bar/20 of 13/7(2), of #3 uit de lijst (# toont die helemaal);\n"
            "een stap met zijn punt (13) of met einde (13/8); u (terug), u all, ok (bevestigen);\n"
            "resign single|gammon|backgammon, a (accepteren), n (weigeren)."
        ),
    },
}  # fmt: skip
_WORDS: dict[str, type[Message]] = {
    "": pb.Roll, "r": pb.Roll, "roll": pb.Roll, "g": pb.Roll, "gooi": pb.Roll,
    "d": pb.Double, "double": pb.Double, "dubbel": pb.Double,
    "t": pb.Take, "take": pb.Take,
    "p": pb.Drop, "pass": pb.Drop, "drop": pb.Drop, "pas": pb.Drop,
    "b": pb.Beaver, "beaver": pb.Beaver,
    "ok": pb.Confirm, "c": pb.Confirm, "confirm": pb.Confirm,
    "a": pb.AcceptResign, "accept": pb.AcceptResign,
    "n": pb.RejectResign, "refuse": pb.RejectResign, "reject": pb.RejectResign,
}  # fmt: skip
_STEP = re.compile(r"(bar|\d{1,2})(?:/(off|\d{1,2}))?", re.IGNORECASE)


def draw(view: Message, you: int | None, words: str = "en") -> str:
    """The board from that seat's side (None: from seat 0's), cube, pips, score and what may be typed."""
    assert isinstance(view, pb.View)
    say = WORDS.get(words, WORDS["en"])
    return "\n".join((_head(view, say), "", *_board(view, you or 0), "", *_notes(view, you, say)))


def _name(view: pb.View, seat: int, you: int | None, say: dict[str, str]) -> str:
    color = f"{MEN[seat]} {say[view.colors[seat]]}"
    return f"{color} ({say['you']})" if seat == you else color


def _head(view: pb.View, say: dict[str, str]) -> str:
    match = view.match
    kind = f"{say['to']} {match.length}" if match.length else say["money"]
    parts = [f"{say['game']} {view.game}", kind, f"{say['score']} {view.score[0]}-{view.score[1]}"]
    if match.crawford_game:
        parts.append(say["crawford"])
    return " · ".join(parts)


# ---------------------------------------------------------------------------------------------------------- board


def _board(view: pb.View, side: int) -> list[str]:
    """Points 13..24 above, 12..1 below, home at the right."""
    top, bottom = range(13, 25), range(12, 0, -1)
    lines = [_numbers(top)]
    lines += [_row(view, side, top, level) for level in range(ROWS)]
    lines.append(" │" + " " * 24 + "│BAR│" + " " * 24 + "│" + _cube_note(view))
    lines += [_row(view, side, bottom, level) for level in reversed(range(ROWS))]
    lines.append(_numbers(bottom))
    return lines


def _numbers(points: range) -> str:
    cells = [f"{point:>3} " for point in points]
    return " ┼" + "".join(cells[:6]) + "┼───┼" + "".join(cells[6:]) + "┼"


def _row(view: pb.View, side: int, points: range, level: int) -> str:
    cells = [_cell(view, side, point, level) for point in points]
    above = points[0] == 13
    seat = 1 - side if above else side  # the other's bar and tray are above
    bar = _stack(view.board[seat].items[25], MEN[seat], level)
    tray = _tray(view.board[seat].items[0], seat, level)
    return " │" + "".join(cells[:6]) + f"│{bar:^3}│" + "".join(cells[6:]) + "│" + tray


def _cell(view: pb.View, side: int, point: int, level: int) -> str:
    mine, other = view.board[side].items[point], view.board[1 - side].items[25 - point]
    mark = _stack(mine, MEN[side], level) if mine else _stack(other, MEN[1 - side], level)
    return f"{mark if mark != ' ' else ('·' if level == 0 else ' '):>3} "


def _stack(count: int, man: str, level: int) -> str:
    """What stands at that level of a stack; the topmost one says how many there are when they are too many."""
    if count > ROWS and level == ROWS - 1:
        return str(count)
    return man if count > level else " "


def _tray(off: int, seat: int, level: int) -> str:
    men = min(3, max(0, off - 3 * level))
    return "  " + MEN[seat] * men if men else ""


def _cube_note(view: pb.View) -> str:
    return f"  [{view.cube.value}]" if view.cube.enabled and not view.cube.HasField("owner") else ""


# ---------------------------------------------------------------------------------------------------------- notes


def _notes(view: pb.View, you: int | None, say: dict[str, str]) -> list[str]:
    notes = [
        "   ".join(
            f"{_name(view, seat, you, say)}: {view.pips[seat]} {say['pips']}, {view.board[seat].items[0]} {say['off']}"
            for seat in (0, 1)
        )
    ]
    if view.cube.enabled:
        notes.append(_cube(view, you, say))
    if view.HasField("last_turn"):
        last = view.last_turn
        text = last.notation or say["passed"]
        notes.append(f"{say['last']}: {_name(view, last.seat, you, say)} {last.dice[0]}-{last.dice[1]}: {text}")
    if view.HasField("dice"):
        thrown = " ".join(FACES[die] for die in view.dice.items)
        left = " ".join(str(die) for die in view.dice_left)
        made = " ".join(f"{step.from_point}/{step.to or 'off'}" for step in view.moved)
        notes.append(f"{_name(view, view.turn, you, say)}: {thrown}  {say['left']}: {left or '-'}  {made}".rstrip())
    if view.HasField("ready"):
        notes += [f"{_name(view, s, you, say)} {say['ready']}." for s in (0, 1) if view.ready.items[s]]
    if view.HasField("resign"):
        resign = view.resign
        notes.append(f"{_name(view, resign.seat, you, say)} {say['resigns']} {resign.kind} ({resign.points}).")
    notes += _ended(view, you, say)
    if you is not None and view.HasField("me"):
        notes += _allowed(view, say)
    return notes


def _cube(view: pb.View, you: int | None, say: dict[str, str]) -> str:
    cube = view.cube
    where = f"{say['owned']} {_name(view, cube.owner, you, say)}" if cube.HasField("owner") else say["middle"]
    note = f"{say['cube']}: {cube.value} {where}"
    if cube.HasField("offer"):
        word = say["beavers"] if cube.beaver else say["offers"]
        note += f"; {_name(view, cube.offer.seat, you, say)} {word} {cube.offer.value}"
    return note


def _ended(view: pb.View, you: int | None, say: dict[str, str]) -> list[str]:
    notes: list[str] = []
    if view.HasField("result"):
        game = view.result
        winner = _name(view, game.winner, you, say)
        notes.append(f"{winner} {say['wins']}: {game.kind}, {game.points} {say['points']} ({game.reason}).")
    if view.HasField("match_result"):
        ended = view.match_result
        if ended.HasField("winner"):
            late = f" ({say['time']})" if ended.reason == "timeout" else ""
            notes.append(f"{say['over']} {_name(view, ended.winner, you, say)} {say['wins']}{late}.")
        else:
            notes.append(say["level"])
    return notes


def _allowed(view: pb.View, say: dict[str, str]) -> list[str]:
    notes: list[str] = []
    if listed := turns(view):
        notes += _numbered(f"{say['turns']}:", listed[:LISTED])
        if len(listed) > LISTED:
            notes[-1] += "  " + say["more"].format(n=len(listed) - LISTED)
    if can := _typed(view, say):
        notes.append(f"{say['type']}: {can}.")
    elif not view.HasField("match_result"):
        notes.append(say["wait"])
    return notes


def _typed(view: pb.View, say: dict[str, str]) -> str:
    return ", ".join(say[name] for name in view.me.can)


def _numbered(head: str, listed: list[str]) -> list[str]:
    """The turns with their numbers, in lines that break between two of them."""
    lines = [head]
    for number, text in enumerate(listed, 1):
        word = f"#{number} {text}"
        if len(lines[-1]) + len(word) + 2 > WIDTH:
            lines.append(" " * len(head))
        lines[-1] += f"{' ' if lines[-1].endswith(':') or lines[-1].isspace() else '  '}{word}"
    return lines


def turns(view: pb.View) -> list[str]:
    """The whole turns that `#n` picks from, in ASCII order; empty when none can be played whole."""
    if "play" not in view.me.can:
        return []
    seat = view.me.seat
    mine, other = bytes(view.board[seat].items), bytes(view.board[1 - seat].items)
    thrown = throw(mine, other, (view.dice.items[0], view.dice.items[1]))
    return sorted(notation.canonical(thrown, final) for final in thrown.finals)


# ---------------------------------------------------------------------------------------------------------- input


def parse(text: str, view: Message) -> Message:
    """The command that a person typed; an empty line throws. Raises Refused `bad_argument`, telling what is allowed."""
    assert isinstance(view, pb.View)
    bare = text.strip()
    first, *rest = bare.lower().split() or [""]
    if first == "" and not view.me.can[:1] == ["roll"]:  # an answer to a double is never a habit of pressing return
        raise Refused("bad_argument", _can(view))
    if not rest and first in _WORDS:
        return _WORDS[first]()
    if first in ("u", "undo") and rest in ([], ["all"]):
        return pb.Undo(all=True) if rest else pb.Undo()
    if first == "resign" and len(rest) <= 1:
        return pb.Resign(kind=rest[0] if rest else "single")
    if first.startswith("#"):
        return _picked(first[1:], view)
    return _moves(bare, view)


def _picked(number: str, view: pb.View) -> Message:
    listed = turns(view)
    if not number and listed:
        raise Refused("bad_argument", "\n".join(_numbered("", listed)).lstrip(), "moves")
    if not number.isascii() or not number.isdigit() or not 1 <= int(number) <= len(listed):
        allowed = f"#1..#{len(listed)}" if listed else "no turn can be picked now"
        raise Refused("bad_argument", f"{allowed}. {_can(view)}", "moves")
    return pb.Play(moves=listed[int(number) - 1])


def _moves(text: str, view: pb.View) -> Message:
    """One step, if a single step is typed and a whole turn cannot be meant; else a whole turn."""
    step = _STEP.fullmatch(text)
    if step is not None and (step[2] is None or text.lower() not in turns(view)):
        start = 25 if step[1].lower() == "bar" else int(step[1])
        move = pb.Move(from_point=start)
        if step[2] is None or any(s.from_point == start and s.to == _to(step[2]) for s in view.me.legal_moves):
            if step[2] is not None:
                move.to = _to(step[2])
            return move
    try:
        notation.read(text)
    except notation.NotNotation:
        raise Refused("bad_argument", f"{text!r} is no command here. {_can(view)}", "moves") from None
    return pb.Play(moves=text)


def _can(view: pb.View) -> str:
    """What may be typed now."""
    can = _typed(view, WORDS["en"])
    return f"{WORDS['en']['type']}: {can}." if can else WORDS["en"]["wait"]


def _to(word: str) -> int:
    return 0 if word.lower() == "off" else int(word)


def help(words: str = "en") -> str:
    """What one may type."""
    return WORDS.get(words, WORDS["en"])["help"]
