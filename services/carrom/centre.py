"""The centre spot and the pile above it (R12). Lengths in whole micrometres."""

from collections.abc import Iterable, Sequence

from services.carrom.board import PION_UM, TOLERANCE_UM, Lying

_CLEAR = (2 * PION_UM - TOLERANCE_UM) ** 2


def spot_free(board: Iterable[Lying]) -> bool:
    """Whether a pion fits on the centre spot (R12.1)."""
    return all(x * x + y * y >= _CLEAR for _, x, y in board)


def returned(free: bool, pile: Sequence[str], returning: Sequence[str]) -> tuple[list[str], list[int]]:
    """Pieces that come down from the pile first, and the level of each piece that returns, in order (R12.2)."""
    down = [pile[0]] if free and pile else []
    free, height = free and not pile, len(pile) - len(down)
    levels: list[int] = []
    for _ in returning:
        height += not free
        levels.append(0 if free else height)
        free = False
    return down, levels
