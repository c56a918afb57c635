"""What is true of a position of Triplicity beyond the rules' kernels: who is in the game and with what, what
decided it, and its symmetries."""

from __future__ import annotations

import array
import functools
from typing import Any

from tercet.core.game import Game, Position
from tercet.games.triplicity.kernels import layout


def men(row: Any) -> tuple[tuple[int, int], ...]:
    """Cells and men of all men on the board."""
    cells = row[layout.CELLS : layout.CELLS + layout.SIZE]
    return _men_on(cells) if isinstance(cells, list) else _men_in(cells.tobytes())


def _men_on(cells: list[int]) -> tuple[tuple[int, int], ...]:
    return tuple((cell, man) for cell, man in enumerate(cells) if man)


@functools.lru_cache(maxsize=64)
def _men_in(cells: bytes) -> tuple[tuple[int, int], ...]:
    """Return what `_men_on` returns for the bytes of a compiled row's cells, kept: one position is asked often."""
    return _men_on(array.array("q", cells).tolist())


def still_playing(row: Any) -> list[int]:
    """The players in the game."""
    return [player for player in range(3) if row[layout.STATE + player] == layout.ACTIVE]


@functools.lru_cache(maxsize=8)
def _values(game: Game) -> tuple[int, ...]:
    """Return what a man is worth, by its kind."""
    return tuple(int(game.kernels.value(kind)) for kind in range(layout.KING + 1))


def answers(_game: Game, row: Any) -> bool:
    """Return whether a sacrifice is owed: it belongs to the turn of the captor."""
    return bool(row[layout.PENDING])


def values(position: Position) -> tuple[float, ...]:
    """The value of each player's men and tokens; nothing of a player who is out of the game."""
    row, of_kind = position.row, _values(position.game)
    worth = [int(row[layout.TOKENS + player]) for player in range(3)]
    for _, man in men(row):
        worth[man >> 3] += of_kind[man & 7]
    playing = still_playing(row)
    return tuple([float(value) if player in playing else 0.0 for player, value in enumerate(worth)])


def decisive(_game: Game, row: Any) -> tuple[str | None, tuple[int, ...]]:
    """The kings of the last player left."""
    if row[layout.STATUS] != layout.LAST_PLAYER:
        return None, ()
    king = 8 * int(row[layout.WINNER]) + layout.KING
    return "last king", tuple(cell for cell, man in men(row) if man == king)


def images(game: Game, row: Any) -> list[Any]:
    """Rows of the three positions that are the same as ``row`` but for a rotation of board and players."""
    found = []
    for turn, symmetry in enumerate(game.board.symmetries):
        image = game.new_row()
        game.kernels.setup(game.data, image, 0)
        for cell in range(layout.SIZE):
            image[layout.CELLS + cell] = 0
        for cell in range(layout.SIZE):
            man = int(row[layout.CELLS + cell])
            if man:
                image[layout.CELLS + symmetry[cell]] = 8 * (((man >> 3) + turn) % 3) + (man & 7)
        for player in range(3):
            for field in (layout.TOKENS, layout.STATE):
                image[field + (player + turn) % 3] = row[field + player]
        image[layout.TURN] = (int(row[layout.TURN]) + turn) % 3
        pending = int(row[layout.PENDING])
        image[layout.PENDING] = (pending - 1 + turn) % 3 + 1 if pending else 0
        image[layout.STATUS] = row[layout.STATUS]
        image[layout.QUIET] = row[layout.QUIET]
        image[layout.FELLED] = row[layout.FELLED]
        game.kernels.refresh(game.data, image)
        found.append(image)
    return found
