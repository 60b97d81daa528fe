"""What a shot did, by the rules (R4.5). Pure: the state before the shot and its outcome in, a ruling out."""

from collections.abc import Sequence
from typing import NamedTuple

from services.carrom.board import PALET, RED
from services.carrom.line import on_line
from services.carrom.state import NINE, OWNED, PENDING, State, owner_of, side, team_of
from stamtafel.carrom.v1 import carrom_pb2 as pb

Fate = tuple[str, str]
"""What becomes of the red: (`pocketed` or `validated` or `stays`, empty), or (`returns`, the reason)."""


class Ruling(NamedTuple):
    """A ruling. `acquired`: (pion, team) in pocketing order; `returning`: (piece, reason) in the order of R5.3.

    `palet`: how it was lost, or None; `penalty`: the pion given back, None when there is none to give.
    """

    acquired: list[tuple[str, int]]
    red: str
    palet: str | None
    penalty: str | None
    returning: list[tuple[str, str]]
    reasons: list[str]


def rule(state: State, shot: pb.ShotResolved) -> Ruling:
    """Rules on a shot; `state` stands before it (R4.2-R6)."""
    seat = shot.seat
    team = team_of(seat)
    first = shot.first_contact if shot.HasField("first_contact") else None
    direct = first is not None and shot.rails_before == 0 and _on_own_line(state, seat, first)
    acquired: list[tuple[str, int]] = []
    annulled: list[str] = []
    for piece in shot.pocketed:
        if piece in (PALET, RED):
            continue
        owner = owner_of(state, piece)
        if direct and owner == team:
            annulled.append(piece)
        else:
            acquired.append((piece, owner))
    own = sum(owner == team for _, owner in acquired)
    theirs = len(acquired) - own
    out = [piece for piece in shot.out if piece not in (PALET, RED)]
    palet = "hole" if PALET in shot.pocketed else "out" if PALET in shot.out else None

    reasons: list[str] = []
    if first is None:
        reasons.append("no_contact")
    if direct:
        reasons.append("line_direct")
    if theirs:
        reasons.append("mixed_pocketed" if own else "opponent_pocketed")
    if out or RED in shot.out:
        reasons.append("piece_out")
    if palet is not None:
        reasons.append("palet_lost")

    has = (*state.acquired[team], *(piece for piece, owner in acquired if owner == team))
    red, why = _red(state, shot, own, theirs, reasons, len(has))
    if why == "not_validated":
        reasons.append("not_validated")
    if not reasons and not own and red != "pocketed":
        reasons.append("nothing_pocketed")
    returning = [(RED, why)] if red == "returns" else []
    returning += [(piece, "out") for piece in out]
    returning += [(piece, "line_direct") for piece in annulled]
    penalty = has[-1] if palet is not None and has else None
    if penalty is not None:
        returning.append((penalty, "penalty"))
    return Ruling(acquired, red, palet, penalty, returning, reasons)


def _on_own_line(state: State, seat: int, piece: str) -> bool:
    """R4.3, on the positions before the shot; what was in the pile stood on no line."""
    return any(one == piece and on_line(side(state, seat), x, y) for one, x, y in state.board)


def _red(state: State, shot: pb.ShotResolved, own: int, theirs: int, reasons: Sequence[str], has: int) -> Fate:
    """R5. `own` and `theirs`: pions acquired by the shot; `reasons`: 1-5 of R4.2; `has`: the team's pions now."""
    if state.red == OWNED:
        return "stays", ""
    if state.red == PENDING:
        faults = [reason for reason in reasons if reason != "no_contact"]
        return ("validated", "") if own and not faults else ("returns", "not_validated")
    if RED in shot.out:
        return "returns", "out"
    if RED not in shot.pocketed:
        return "stays", ""
    if not state.acquired[team_of(shot.seat)]:
        return "returns", "too_early"
    if theirs:
        return "returns", "with_opponent"
    if reasons:
        return "returns", "fault"
    return ("returns", "too_late") if has == NINE else ("pocketed", "")
