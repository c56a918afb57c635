"""What is true of a position of SanQi beyond the rules' kernels: what decided it, and its symmetries."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from tercet.core.game import Game
from tercet.errors import OptionError
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.notation import types
from tercet.games.sanqi.rules import patterns


def seat_of(row: Any, side: int) -> int:
    """The player who has First's ``side`` (0) or Second's (1) as things stand, and the side that a player has."""
    return side ^ int(row[layout.SWAPPED])


def decisive(game: Game, row: Any) -> tuple[str | None, tuple[int, ...]]:
    """Name and cells of the pattern that won, all places of it together if there are several."""
    reason = game.rules.reasons[int(row[layout.STATUS])]
    if reason not in ("circle", "line", "triangle"):
        return None, ()
    kinds = types(game, row)
    cells: set[int] = set()
    for place in patterns(game.board, game.options["line"])[reason]:
        first = kinds[place[0]]
        if first and all(kinds[cell] == first for cell in place):
            cells.update(place)
    return reason, tuple(sorted(cells))


def move_again(game: Game, row: Any, player: int) -> Any:
    """The row in which ``player`` has the move, and ko protects no piece."""
    if int(row[layout.STAGE]) not in (layout.PLAYED, layout.BEGUN):
        raise OptionError("opening", "A head start needs the opening “free” or “book”.")
    after = row.copy()
    after[layout.MOVER], after[layout.KO] = seat_of(row, player), 0
    game.kernels.refresh(game.data, after)
    return after


def images(game: Game, row: Any) -> list[Any]:
    """Rows of all positions that are the same as ``row`` but for the board's symmetries and the names of the types."""
    kinds = types(game, row)
    found = []
    for symmetry in game.board.symmetries:
        for naming in permutations((1, 2, 3)):
            image = game.new_row()
            game.kernels.clear(game.data, image)
            for field in (layout.MOVER, layout.STAGE, layout.SWAPPED):
                image[field] = row[field]
            ko = int(row[layout.KO])
            image[layout.KO] = symmetry[ko - 1] + 1 if ko else 0
            for cell, kind in enumerate(kinds):
                if kind:
                    game.kernels.flip(game.data, image, symmetry[cell], naming[kind - 1])
            game.kernels.refresh(game.data, image)
            found.append(image)
    return found
