"""What is true of a position of Crossway beyond the rules' kernels: what decided it, and its symmetries."""

from typing import Any

from tercet.core.game import Game
from tercet_crossway import kernels

__all__ = ["decisive", "images"]


def decisive(game: Game, row: Any) -> tuple[str | None, tuple[int, ...]]:
    """The group that connects the winner's sides."""
    if row[kernels.STATUS] == kernels.PLAYING:
        return None, ()
    cells = range(len(game.board))
    sides = kernels.GROUPS + len(game.board) + 1
    group = next(1 + 2 * cell + row[kernels.WINNER] for cell in cells if row[sides + cell] == 3)
    return "connection", tuple(cell for cell in cells if row[kernels.GROUPS + cell] == group)


def images(game: Game, row: Any) -> list[Any]:
    """The rows that are the same as ``row`` but for the symmetries of the square that leave each player his sides."""
    found = []
    size = len(game.board.rows)
    for flip_x in (False, True):
        for flip_y in (False, True):
            image = game.new_row()
            game.kernels.setup(game.data, image, 0)
            image[kernels.MOVER] = row[kernels.MOVER]
            image[kernels.SWAPPED] = row[kernels.SWAPPED]
            for cell, (x, y) in enumerate(game.board.coordinates):
                target = game.board.at[size - 1 - x if flip_x else x, size - 1 - y if flip_y else y]
                stone = int(game.kernels.owner(game.data, row, cell))
                image[kernels.GROUPS + target] = 0 if stone == kernels.NOBODY else 1 + stone
            game.kernels.refresh(game.data, image)
            found.append(image)
    return found
