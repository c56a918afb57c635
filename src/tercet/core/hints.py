"""Hints at a move, weaker or stronger: where to look, with what, or the move itself. All that is said and marked comes
from the game's own view of the move, so this knows no game."""

from __future__ import annotations

from typing import Literal

from tercet.core.boards import Board
from tercet.core.game import Action, Position
from tercet.core.view import Mark, Pick

Strength = Literal["place", "piece", "move"]
LOOK_BESIDE = "Look at the choices beside the board."


def hint(position: Position, action: Action | str, strength: Strength) -> tuple[str, tuple[Mark, ...]]:
    """Return a sentence about the legal ``action`` and marks that show it on the board: with ``place`` the part of the
    board where it is made, with ``piece`` what it is made with, with ``move`` all of it. ValueError where the game's
    view does not tell how the action is entered."""
    text = str(action)
    view = position.game.definition.view
    path = next((path for path in view.paths(position) if path.action == text), None)
    if path is None:
        raise ValueError(text)
    cells = tuple(step for step in path.steps if not step.startswith("#"))
    picks = {f"#{pick.id}": pick for pick in view.picks(position.game)}
    around = _around(position.game.board, cells[-1]) if cells else ()
    if strength == "place":
        return _said("Look at this part of the board." if cells else LOOK_BESIDE, around)
    if strength == "move":
        return _said(f"{path.says[:1].upper()}{path.says[1:]}.", cells)
    chosen = [picks[step] for step in path.steps if step in picks]
    return _with_what(position, cells, chosen, around)


def _with_what(
    position: Position, cells: tuple[str, ...], chosen: list[Pick], around: tuple[str, ...]
) -> tuple[str, tuple[Mark, ...]]:
    """Return the mover's own piece that the move begins with, else what is picked for it, else the cell."""
    pieces = {piece.cell: piece for piece in position.game.definition.view.scene(position).pieces}
    piece = pieces.get(cells[0]) if cells else None
    if piece is not None and piece.owner is not None and piece.owner == position.mover:
        return _said(f"Think about {cells[0]}: {piece.says.rstrip('.')}.", cells[:1])
    if chosen:
        return _said(f"Think about this: {' and '.join(pick.label for pick in chosen)}.", around)
    return _said(f"Think about {cells[0]}.", cells[:1]) if cells else _said(LOOK_BESIDE, ())


def _said(says: str, cells: tuple[str, ...]) -> tuple[str, tuple[Mark, ...]]:
    return says, (Mark("hint", cells, says),) if cells else ()


def _around(board: Board, cell: str) -> tuple[str, ...]:
    """Return ``cell`` and its neighbours, in the board's order."""
    index = board.index[cell]
    near = {index, *(other for other in board.neighbours[index] if other < len(board))}
    return tuple(board.names[other] for other in sorted(near))
