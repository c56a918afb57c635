"""Positions of Crossway beyond the rules' kernels: what decided one, its symmetries, how it is set up by hand."""

from itertools import product
from typing import Any

from tercet.core.abilities.play import Content, Editor
from tercet.core.game import Game
from tercet.core.rules import Option
from tercet_crossway import kernels
from tercet_crossway.notation import LETTERS
from tercet_crossway.rules import PLAYERS

STONES = tuple(
    Content(letter, f"{name} stone", letter, seat)
    for seat, (letter, name) in enumerate(zip(LETTERS, PLAYERS, strict=True))
)
CELLS = ((Content("", "vacant", clears=True), *STONES),)
PLAYER = Option("player", "choice", "B", "", title="To move", words=dict(zip(LETTERS, PLAYERS, strict=True)))
SWAPPED = Option("swapped", "choice", "-", "", title="Pie rule", words={"-": "not used", "swapped": "used"})
EDITOR = Editor(lambda _: CELLS, lambda _: (PLAYER, SWAPPED))


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
    last = len(game.board.rows) - 1
    for flip_x, flip_y in product((False, True), repeat=2):
        image = game.new_row()
        game.kernels.setup(game.data, image, 0)
        image[kernels.MOVER], image[kernels.SWAPPED] = row[kernels.MOVER], row[kernels.SWAPPED]
        for cell, (x, y) in enumerate(game.board.coordinates):
            target = game.board.at[last - x if flip_x else x, last - y if flip_y else y]
            stone = int(game.kernels.owner(game.data, row, cell))
            image[kernels.GROUPS + target] = 0 if stone == kernels.NOBODY else 1 + stone
        game.kernels.refresh(game.data, image)
        found.append(image)
    return found
