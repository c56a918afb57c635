"""SanQi's options, and how they are packed for the kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tercet.boards import Board, hexagon
from tercet.definition import Option, Rules
from tercet.games.sanqi.kernels import layout

__all__ = ["MAX_SIDE", "MIN_SIDE", "OPTIONS", "PLAYERS", "pack", "patterns"]

MIN_SIDE, MAX_SIDE = 4, 30  # a line of the largest board (59 cells) and its margin fit in one 63-bit word

PLAYERS = ("First", "Second")
REASONS = ("", "circle", "line", "triangle", "stalemate", "stalemate")
PLANES = (
    "red",
    "yellow",
    "blue",
    "vacant",
    "ko",
    "replaceable by red",
    "replaceable by yellow",
    "replaceable by blue",
    "player moves",
    "player is First",
    "one",
)

OPTIONS = (
    Option(
        "side",
        "int",
        10,
        "Cells to each side of the hexagon. 4 to 6 are for learning; the designer recommends 10.",
        title="Side",
        low=MIN_SIDE,
        high=MAX_SIDE,
    ),
    Option(
        "stalemate",
        "choice",
        "draw",
        "What it means when the player to move can neither place nor replace (our decision; the designer is silent).",
        title="No move left",
        choices=("draw", "loss"),
        words={"draw": "a draw", "loss": "a loss for the player who cannot move"},
    ),
)


def pack(options: Mapping[str, Any]) -> Rules:
    """The rules of one board size for the kernels. Layout: see ``kernels``."""
    side = int(options["side"])
    board = hexagon(side)
    size = len(board)
    edges = 9 * side * side - 15 * side + 6
    rows = layout.PLACES + 3 * size
    data = np.zeros(rows + 3 * len(board.rows), np.int32)
    data[layout.SIDE] = side
    data[layout.SIZE] = size
    data[layout.SPAN] = 2 * side + 3
    data[layout.STALEMATE_LOSES] = options["stalemate"] == "loss"
    data[layout.ROWS] = rows
    data[layout.PLACES : rows] = [
        value for q, r in board.coordinates for value in (q + side + 1, r + side + 1, q + r + side + 1)
    ]
    data[rows:] = [
        value for cells in board.rows for value in (cells[0], board.coordinates[cells[0]][0] + side + 1, len(cells))
    ]
    return Rules(
        data=data,
        board=board,
        players=PLAYERS,
        row_size=layout.WORDS + 9 * (2 * side + 3),
        actions=3 * size,
        max_legal=3 * size,
        max_events=2,
        reasons=REASONS,
        planes=PLANES,
        max_plies=size + edges // 2,
    )


def patterns(board: Board) -> dict[str, list[tuple[int, ...]]]:
    """All places of each pattern on ``board``: ``"circle"``, ``"line"`` (six cells) and ``"triangle"``."""
    found: dict[str, list[tuple[int, ...]]] = {"circle": [], "line": [], "triangle": []}
    off = len(board)

    def step(cell: int, direction: int) -> int:
        return off if cell == off else board.neighbours[cell][direction % 6]

    def take(name: str, cells: list[int]) -> None:
        if off not in cells:
            found[name].append(tuple(sorted(cells)))

    for cell in range(off):
        take("circle", list(board.neighbours[cell]))
        for direction in range(3):
            line = [cell]
            for _ in range(5):
                line.append(step(line[-1], direction))
            take("line", line)
        for direction in (
            0,
            1,
        ):  # the third side of an up or down triangle follows from two directions 60 degrees apart
            a, b = step(cell, direction), step(cell, direction + 1)
            take("triangle", [cell, a, b, step(a, direction), step(a, direction + 1), step(b, direction + 1)])
    return found
