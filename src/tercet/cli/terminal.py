"""A board in the terminal: letters, colour where there is some, and signs that do without it.

Draws the data of :mod:`tercet.core.view`. ``[R]`` stands out (a win, the last action), ``<R>`` is marked otherwise; a
small letter behind a piece is its owner, a star before it its halo: ``[Bb]`` is Black's, and stands out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rich.text import Text

from tercet.core.game import Position
from tercet.core.presentation import board_view
from tercet.pictures.drawing import DAY, PAINT

__all__ = ["board_text"]

WIDTH = 4  # characters from one cell to its neighbour in a row


def board_text(position: Position, flipped: bool = False, last: Sequence[str] = ()) -> Text:
    """Return the board with its pieces and coordinates. ``flipped`` turns it by half; ``last`` are cells to point
    out."""
    game = position.game
    board = board_view(game.board)
    scene = game.definition.view.scene(position)
    art = game.definition.view.art(game)
    letters = {
        symbol.id: symbol.forms.get("letter", {}).get("text") or symbol.key.upper() or symbol.id[:1]
        for symbol in art.symbols
    }
    tones = {symbol.id: symbol.tone for symbol in art.symbols}
    pieces = {piece.cell: piece for piece in scene.pieces}
    brackets = dict.fromkeys(last, "[]")
    for mark in scene.marks:
        for cell in mark.cells:
            if mark.kind in ("win", "last") or cell not in brackets:
                brackets[cell] = "[]" if mark.kind in ("win", "last") else "<>"

    turn = -1 if flipped else 1
    heights = sorted({round(cell["y"], 3) for cell in board["cells"]})
    pitch = min((b - a for a, b in pairwise(heights)), default=1.0)
    shown: dict[tuple[int, int], tuple[str, str]] = {}  # (line, column of the middle) -> three characters and style

    def place(x: float, y: float) -> tuple[int, int]:
        return round(turn * y / pitch), round(turn * x * WIDTH)

    for cell in board["cells"]:
        name = cell["name"]
        left, right = tuple(brackets.get(name, "  "))
        piece = pieces.get(name)
        text, style = "·", DAY["label"]
        if piece is not None:
            text = letters[piece.symbol]
            paint, writing = PAINT[tones[piece.symbol]]
            if piece.owner is not None:
                right = str(art.players[piece.owner]["short"])[:1].lower() + right.strip()
                writing, paint = (
                    PAINT[art.players[piece.owner]["tone"]]
                    if tones[piece.symbol] == "ink"
                    else (
                        writing,
                        paint,
                    )
                )
            style = f"bold {writing} on {paint}"
            if any(art.badges.get(flag) == "halo" for flag in piece.flags):
                left = "*"
        shown[place(cell["x"], cell["y"])] = (f"{left}{text[:1]}{right}", style)
    for label in board["labels"]:
        shown.setdefault(place(label["x"], label["y"]), (f"{label['text']:^3}", "dim"))

    first = min(line for line, _ in shown)
    edge = min(column for _, column in shown)
    drawing = Text()
    for line in range(first, max(line for line, _ in shown) + 1):
        at = edge - 1
        for column in sorted(c for row, c in shown if row == line):
            characters, style = shown[line, column]
            drawing.append(" " * max(0, column - 1 - at))
            drawing.append(characters, style)
            at = max(at, column - 1) + len(characters)
        drawing.append("\n")
    return drawing
