"""How a board is grouped: whether neighbours are alike more often than by chance, and where its centre is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from tercet.boards import Board

__all__ = ["centre", "grouping"]

CENTRE = 9  # a ninth of the board is its centre


def grouping(board: Board, kinds: Sequence[int]) -> tuple[float, float]:
    """The share of pairs of neighbours of one kind (``kinds`` by cell), and what it would be if the same kinds were
    dealt out by chance."""
    pairs = [(cell, near) for cell, row in enumerate(board.neighbours) for near in row if cell < near < len(board)]
    alike = sum(kinds[cell] == kinds[near] for cell, near in pairs)
    cells = len(kinds)
    chance = sum(count * (count - 1) for count in Counter(kinds).values()) / max(1, cells * (cells - 1))
    return alike / max(1, len(pairs)), chance


def centre(board: Board) -> tuple[int, ...]:
    """The ninth of the cells that are nearest to the middle, and those as near as the last of them."""
    middle = [sum(place[axis] for place in board.centres) / len(board) for axis in (0, 1)]
    distances = [round(math.dist(place, middle), 6) for place in board.centres]
    bound = sorted(distances)[-(-len(board) // CENTRE) - 1]
    return tuple(cell for cell, distance in enumerate(distances) if distance <= bound)
