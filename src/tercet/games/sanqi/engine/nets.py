"""What networks of SanQi see: the board as ``kernels.features`` wants it."""

from __future__ import annotations

from pathlib import Path

from tercet.core.abilities.engine import NetParts
from tercet.core.boards import Board
from tercet.core.game import Game
from tercet.core.rules import Rules
from tercet.games.sanqi.engine.kernels import features
from tercet.games.sanqi.kernels.layout import SIZE
from tercet.games.sanqi.rules import has_designers_goals, patterns


def sites(rules: Rules) -> int:
    """One for each action."""
    return rules.actions


def scratch(rules: Rules) -> int:
    """One entry for each cell."""
    return int(rules.data[SIZE])


def places(game: Game) -> list[int]:
    """The windows and borders of a board: see ``kernels.features``. Where Second needs seven in a row, the windows of
    lines are still of six: a network learns what two of them together are worth."""
    board = game.board
    windows = [(*cells, *_sorts(board, name, cells)) for name, found in patterns(board).items() for cells in found]
    borders = [min(distance, features.BORDERS - 1) for distance in _from_border(board)]
    return [len(windows), *borders, *(entry for window in windows for entry in window)]


def _sorts(board: Board, name: str, cells: tuple[int, ...]) -> list[int]:
    """Return which sort of cell of the pattern each of its ``cells``, in rising order, is: a line's along it."""
    if name == "circle":
        return [features.CIRCLE_CELL] * 6
    if name == "line":
        half = [features.LINE_END, features.LINE_INNER, features.LINE_MIDDLE]
        return [*half, *half[::-1]]
    inside = [sum(other in board.neighbours[cell] for other in cells) for cell in cells]
    return [features.CORNER if count == 2 else features.EDGE for count in inside]


def suits(game: Game) -> bool:
    """Return whether the shipped network has learnt from games with the goals of ``game``: the designer's."""
    return has_designers_goals(game.options)


def _from_border(board: Board) -> list[int]:
    """Return how many steps each cell is from the nearest one at the border."""
    side = 1 + max(q for q, _ in board.coordinates)
    return [side - 1 - max(abs(q), abs(r), abs(q + r)) for q, r in board.coordinates]


NETS = NetParts(
    kernels=features,
    sites=sites,
    scratch=scratch,
    places=places,
    variants=({"side": 5}, {"side": 6}, {"side": 7}, {"side": 8}),
    suits=suits,
    shipped=(Path(__file__).with_name("sanqi.net"), "a9a111afda4023f867e3c79fdb4ad4a4bd16a7cd2dd2b1774cc0efe6a7ab25fd"),
)
