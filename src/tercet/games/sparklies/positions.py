"""What is true of a position of Sparklies beyond the rules' kernels: whether a turn is open, who holds how much,
what decided it, and its symmetries."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tercet.core.boards import Board
from tercet.core.game import Game, Position
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.notation import cell_words


def turn_is_open(_game: Game, row: Any) -> bool:
    """Return whether the mover has claimed a cell and not pinged yet, or is in the middle of a chain. Each action of a
    duel or of a handicap is a turn of its own."""
    return int(row[layout.STEP]) in (layout.FIRST, layout.PROPAGATE)


def held(row: Any, seat: int) -> int:
    """Return how many cells the player in ``seat`` controls."""
    return int(row[layout.HELD + 1 + seat])


def occurrences(game: Game, row: Any) -> int:
    """Return how often the position before a resolution has occurred in this round of a duel, now included; 0
    elsewhere."""
    entries = int(row[layout.REPEATS])
    if not entries or row[layout.STEP] != layout.RESOLVE:
        return 0
    start = int(game.data[layout.HISTORY])
    history = [int(row[start + entry]) for entry in range(entries)]
    return history.count(history[-1])


def cells_held(position: Position) -> tuple[float, ...]:
    """Return how many cells each player controls."""
    return tuple(float(held(position.row, seat)) for seat in range(len(position.game.players)))


def decisive(game: Game, row: Any) -> tuple[str | None, tuple[int, ...]]:
    """The flags in the hand of the player who won by them."""
    if row[layout.STATUS] != layout.FLAG:
        return None, ()
    cells = (
        cell
        for cell in range(len(game.board))
        if game.kernels.is_flag(row, cell) and game.kernels.holder_at(row, cell) == row[layout.WINNER]
    )
    return "flag", tuple(cells)


@lru_cache(maxsize=64)
def _moves(board: Board) -> tuple[tuple[int, ...], ...]:
    """The board's symmetries, translations of wrapped boards included, as permutations of its cells."""
    if not board.wrapped:
        return board.symmetries
    width = 1 + max(round(x) for x, _ in (*board.centres, *board.removed))
    height = 1 + max(round(y) for _, y in (*board.centres, *board.removed))
    found = []
    for dx in range(width):
        for dy in range(height):
            shifted = [board.at.get(((x + dx) % width, (y + dy) % height)) for x, y in board.coordinates]
            whole = [cell for cell in shifted if cell is not None]
            if len(whole) == len(board):
                found += [tuple(whole[cell] for cell in symmetry) for symmetry in board.symmetries]
    return tuple(dict.fromkeys(found))


def images(game: Game, row: Any) -> list[Any]:
    """Rows of all positions that are the same as ``row`` but for the board's symmetries and a turn of the three
    colours; the history of a duel's round is left out of them."""
    found = []
    start = row.copy()
    game.kernels.forget(game.data, start)
    words = cell_words(row, len(game.board))
    for symmetry in _moves(game.board):
        for turn in range(3):
            image = start.copy()
            for cell, word in enumerate(words):
                colour = word & 3
                if colour != layout.NO_COLOUR:
                    colour = (colour + turn) % 3
                image[layout.PLACES + symmetry[cell]] = (word & ~3) | colour
            game.kernels.refresh(game.data, image)
            found.append(image)
    return found
