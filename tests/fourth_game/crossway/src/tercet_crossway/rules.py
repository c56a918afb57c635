"""Crossway's options, and how they are packed for the kernels."""

from collections.abc import Mapping
from typing import Any

from tercet.core.boards import rectangle
from tercet.core.rules import Option, Rules, packed
from tercet_crossway import kernels

MIN_SIZE, MAX_SIZE = 3, 19
PLAYERS = ("Black", "White")
PLANES = ("own stones", "the other's stones", "barred for the mover", "player moves")
AROUND = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))

SIZES = "Cells to each side of the square. The designer's board has 19; 9 and 13 are quicker."
OPTIONS = (
    Option("size", "int", 9, SIZES, title="Size", low=MIN_SIZE, high=MAX_SIZE),
    Option("pie", "bool", True, "Whether White may take over Black's first stone.", title="Pie rule"),
)


def pack(options: Mapping[str, Any]) -> Rules:
    """The rules of one board size for the kernels. Layout: see ``kernels``."""
    size = int(options["size"])
    board = rectangle(size, size)
    cells = len(board)
    data = [cells, int(options["pie"])]
    for x, y in board.coordinates:
        data += [board.at.get((x + a, y + b), cells) for a, b in AROUND]
        data.append(board.at[y, x])
        for place in (y, x):  # Black joins bottom and top, White left and right
            data.append((place == 0) + 2 * (place == size - 1))
    return Rules(
        data=packed(data),
        board=board,
        players=PLAYERS,
        row_size=kernels.GROUPS + 2 * cells + 1,
        actions=cells + 1,
        max_legal=cells + 1,
        max_events=2,
        reasons=("", "connected"),
        planes=PLANES,
        max_plies=cells + 1,
    )
