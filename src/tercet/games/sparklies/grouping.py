"""How a board is grouped: whether neighbours are alike more often than by chance, and where its centre is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from tercet.core.boards import Board

CENTRE = 9  # a ninth of the board is its centre


def grouping(board: Board, kinds: Sequence[int]) -> tuple[float, float]:
    """The share of pairs of neighbours of one kind (``kinds`` by cell), and what it would be if the same kinds were
    dealt out by chance."""
    pairs = [(cell, near) for cell, row in enumerate(board.neighbours) for near in row if cell < near < len(board)]
    alike = sum(kinds[cell] == kinds[near] for cell, near in pairs)
    cells = len(kinds)
    chance = sum(count * (count - 1) for count in Counter(kinds).values()) / max(1, cells * (cells - 1))
    return alike / max(1, len(pairs)), chance


def runs(board: Board, kinds: Sequence[int]) -> float:
    """The mean length of straight runs of one kind, along all of the board's lines."""
    lines = len(board) * (board.degree // 2)  # a cell lies on so many, and begins a run unless one goes on there
    alike = sum(kinds[near] == kinds[cell] for cell, near, _ in _pairs(board))
    return lines / max(1, lines - alike)


def border(board: Board, holders: Sequence[int]) -> float | None:
    """The share of the borders between cells of two players (``holders`` by cell, 0 for none) that lie in the direction
    which most of them have: 1 where one straight line splits the board. None where no two players meet."""
    found = Counter(line for cell, near, line in _pairs(board) if 0 != holders[cell] != holders[near] != 0)
    return max(found.values()) / found.total() if found else None


def _pairs(board: Board) -> list[tuple[int, int, int]]:
    """Each pair of neighbours once, with the number of the line that they lie on."""
    return [
        (cell, row[line], line)
        for cell, row in enumerate(board.neighbours)
        for line in range(board.degree // 2)
        if row[line] < len(board)
    ]


def centre(board: Board) -> tuple[int, ...]:
    """The ninth of the cells that are nearest to the middle, and those as near as the last of them."""
    middle = [sum(place[axis] for place in board.centres) / len(board) for axis in (0, 1)]
    distances = [round(math.dist(place, middle), 6) for place in board.centres]
    bound = sorted(distances)[-(-len(board) // CENTRE) - 1]
    return tuple(cell for cell, distance in enumerate(distances) if distance <= bound)


def groups(board: Board, kinds: Sequence[int]) -> list[list[int]]:
    """The sets of cells of one kind that hang together, each in the order in which it was walked through."""
    found, seen = [], set()
    for first in range(len(board)):
        if first in seen:
            continue
        group = [first]
        seen.add(first)
        for cell in group:
            for near in board.neighbours[cell]:
                if near < len(board) and near not in seen and kinds[near] == kinds[first]:
                    seen.add(near)
                    group.append(near)
        found.append(group)
    return found
