"""Identifiers of positions: GNU position ID, GNU match ID, XGID (R16.1-R16.3). Pure; a text that is none raises
ValueError."""

import base64
import binascii
from functools import lru_cache
from typing import NamedTuple

from services.backgammon.board import BAR, OFF, START, Half

MIDDLE = 3


@lru_cache(maxsize=4096)
def position_id(on_roll: Half, other: Half) -> str:
    """GNU position ID; `on_roll` is the seat whose throw it is."""
    bits = shift = 0
    for row in (other, on_roll):
        for count in row[1:]:
            bits |= ((1 << count) - 1) << shift
            shift += count + 1
    return base64.b64encode(bits.to_bytes(10, "little")).decode()[:14]


def from_position_id(text: str) -> tuple[Half, Half]:
    """(half on roll, other half)."""
    bits = int.from_bytes(_bytes(text, 14), "little")
    halves: list[Half] = []
    shift = 0
    for _ in range(2):
        row = bytearray(26)
        for point in range(1, 26):
            while bits >> shift & 1:
                row[point] += 1
                shift += 1
            shift += 1
        if sum(row) > 15 or shift > 80:
            raise ValueError("more than 15 checkers on a side")
        row[OFF] = 15 - sum(row)
        halves.append(bytes(row))
    if bits >> shift:
        raise ValueError("bits are left over")
    other, on_roll = halves
    return on_roll, other


def _bytes(text: str, length: int) -> bytes:
    if len(text) != length:
        raise ValueError(f"an ID of {length} characters is needed, not {len(text)}")
    if "=" in text:  # the decoder takes it for padding
        raise ValueError("a character that no ID has")
    try:
        return base64.b64decode(text + "=" * (-length % 4), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("a character that no ID has") from None


class MatchState(NamedTuple):
    """What a match ID tells (R16.2). `dice` None: not thrown. `length` 0: money. `turn`: who must decide. `jacoby`
    is of money only; in a match it says nothing."""

    cube: int = 1
    owner: int | None = None
    roller: int = 0
    turn: int = 0
    crawford: bool = False
    doubled: bool = False
    resign: int = 0
    dice: tuple[int, int] | None = None
    length: int = 0
    score: tuple[int, int] = (0, 0)
    jacoby: bool = False
    state: int = 1


def match_id(match: MatchState) -> str:
    """GNU match ID."""
    high, low = (max(match.dice), min(match.dice)) if match.dice else (0, 0)
    bits = shift = 0
    for value, width in (
        (match.cube.bit_length() - 1, 4),
        (MIDDLE if match.owner is None else match.owner, 2),
        (match.roller, 1),
        (match.crawford, 1),
        (match.state, 3),
        (match.turn, 1),
        (match.doubled, 1),
        (match.resign, 2),
        (high, 3),
        (low, 3),
        (match.length, 15),
        (match.score[0], 15),
        (match.score[1], 15),
        (not match.jacoby or bool(match.length), 1),
    ):
        bits |= int(value) << shift
        shift += width
    return base64.b64encode(bits.to_bytes(9, "little")).decode()


def from_match_id(text: str) -> MatchState:
    """The match that an ID tells."""
    bits = int.from_bytes(_bytes(text, 12), "little")

    def take(width: int) -> int:
        nonlocal bits
        value = bits & ((1 << width) - 1)
        bits >>= width
        return value

    cube, owner, roller, crawford, state = 1 << take(4), take(2), take(1), bool(take(1)), take(3)
    turn, doubled, resign, high, low = take(1), bool(take(1)), take(2), take(3), take(3)
    length, score = take(15), (take(15), take(15))
    jacoby = not take(1) and not length
    if owner == 2 or high > 6 or low > 6 or (high == 0) != (low == 0):
        raise ValueError("an owner or a die that cannot be")
    return MatchState(
        cube=cube,
        owner=None if owner == MIDDLE else owner,
        roller=roller,
        turn=turn,
        crawford=crawford,
        doubled=doubled,
        resign=resign,
        dice=(high, low) if high else None,
        length=length,
        score=score,
        jacoby=jacoby,
        state=state,
    )


class XgPosition(NamedTuple):
    """What an XGID tells (R16.3). `dice` None: not thrown."""

    board: tuple[Half, Half] = (START, START)
    cube: int = 1
    owner: int | None = None
    turn: int = 0
    dice: tuple[int, int] | None = None
    doubled: bool = False
    score: tuple[int, int] = (0, 0)
    crawford: bool = False
    jacoby: bool = False
    beavers: bool = False
    length: int = 0
    cube_limit: int = 64


@lru_cache(maxsize=4096)
def _xg_board(first: Half, second: Half) -> str:
    letters: list[str] = []
    for point in range(26):
        theirs = second[25 - point] if point < 25 else 0
        ours = first[point] if point else 0
        letters.append(chr(64 + ours) if ours else chr(96 + theirs) if theirs else "-")
    return "".join(letters)


def xgid(position: XgPosition, beavered: bool = False) -> str:
    """The XGID; `beavered`: the open offer is a beaver."""
    if beavered:
        dice = "B"
    elif position.doubled:
        dice = "D"
    else:
        dice = f"{position.dice[0]}{position.dice[1]}" if position.dice else "00"
    flag = int(position.crawford) if position.length else position.jacoby + 2 * position.beavers
    return "XGID=" + ":".join(
        (
            _xg_board(*position.board),
            str(position.cube.bit_length() - 1),
            _sign(position.owner),
            _sign(position.turn),
            dice,
            str(position.score[0]),
            str(position.score[1]),
            str(flag),
            str(position.length),
            str(position.cube_limit.bit_length() - 1),
        )
    )


def _sign(seat: int | None) -> str:
    return "0" if seat is None else "-1" if seat else "1"


def from_xgid(text: str) -> XgPosition:
    """The position that an XGID tells. `B` and `R` for the dice are not read."""
    fields = text.strip().removeprefix("XGID=").split(":")
    if len(fields) == 9:
        fields.append("6")
    if len(fields) != 10 or len(fields[0]) != 26:
        raise ValueError("an XGID has 26 characters and 8 or 9 numbers")
    cube, owner, turn = (_number(fields[i], *limits) for i, limits in ((1, (0, 12)), (2, (-1, 1)), (3, (-1, 1))))
    if turn == 0:
        raise ValueError("nobody is on turn")
    dice = fields[4]
    thrown: tuple[int, int] | None = None
    if dice not in ("00", "D"):
        if len(dice) != 2 or any(die not in "123456" for die in dice):
            raise ValueError("dice are two digits 1..6, 00 or D")
        thrown = (int(dice[0]), int(dice[1]))
    length = _number(fields[8], 0, 32767)
    flag = _number(fields[7], 0, 1 if length else 3)
    return XgPosition(
        board=_read_board(fields[0]),
        cube=1 << cube,
        owner=_seat(owner),
        turn=0 if turn > 0 else 1,
        dice=thrown,
        doubled=dice == "D",
        score=(_number(fields[5], 0, 32767), _number(fields[6], 0, 32767)),
        crawford=bool(length and flag),
        jacoby=not length and bool(flag & 1),
        beavers=not length and bool(flag & 2),
        length=length,
        cube_limit=1 << _number(fields[9], 0, 12),
    )


def _seat(sign: int) -> int | None:
    return None if sign == 0 else 0 if sign > 0 else 1


def _number(text: str, low: int, high: int) -> int:
    if not text.lstrip("-").isascii() or not text.lstrip("-").isdigit() or not low <= int(text) <= high:
        raise ValueError(f"a number {low}..{high} is needed, not {text!r}")
    return int(text)


def _read_board(text: str) -> tuple[Half, Half]:
    rows = (bytearray(26), bytearray(26))
    for point, letter in enumerate(text):
        if letter == "-":
            continue
        if "A" <= letter <= "O" and point > 0:
            rows[0][point] = ord(letter) - 64
        elif "a" <= letter <= "o" and point < BAR:
            rows[1][25 - point] = ord(letter) - 96
        else:
            raise ValueError(f"{letter!r} cannot stand at place {point}")
    for row in rows:
        if sum(row) > 15:
            raise ValueError("more than 15 checkers on a side")
        row[OFF] = 15 - sum(row)
    return bytes(rows[0]), bytes(rows[1])
