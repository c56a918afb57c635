"""Positions that are set up by hand: what is on each cell, and the other fields of a position string. The game's
:class:`~tercet.core.abilities.play.Editor` says what both may hold, and its own reader judges the result."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tercet.core.boards import Board
from tercet.core.game import Game, Position
from tercet.errors import NotOffered


class Draft(NamedTuple):
    """A position by its parts: the contents of each cell, one of each layer, and the values of the fields."""

    cells: list[list[str]]
    values: dict[str, Any]


def draft_of(position: Position) -> Draft:
    """Return the parts of ``position``. NotOffered where its game has no editor."""
    game = position.game
    editor = _editor(game)
    _, rows, *words = str(position).split(" ")
    fields = editor.fields(game)
    texts = dict(zip([field.name for field in fields], words, strict=False)) if editor.split is None else None
    values = editor.split(game, words) if texts is None else texts
    return Draft(_contents(game, rows), {field.name: field.read(values[field.name]) for field in fields})


def draft_text(game: Game, cells: Sequence[Sequence[str]], values: Mapping[str, Any]) -> str:
    """Return the position string with these ``cells`` and ``values`` (others are usual ones). It may be none that the
    game's reader takes. OptionError where a field cannot have its value, NotOffered where the game has no editor."""
    editor = _editor(game)
    texts = ["".join(contents) for contents in cells]
    rows = counted_rows(game.board, texts) if editor.rows is None else editor.rows(game, texts)
    fields = editor.fields(game)
    known = {field.name: field.read(values.get(field.name, field.default)) for field in fields}
    if editor.join is None:
        words: Sequence[str] = [field.write(known[field.name]) for field in fields]
    else:
        words = editor.join(game, known)
    return " ".join([str(game.start()).partition(" ")[0], rows, *words])


def counted_rows(board: Board, texts: Sequence[str]) -> str:
    """Return the ``texts`` of all cells by rows, from the top down, with numbers for runs of empty ones."""
    lines = ["".join(texts[cell] or "." for cell in row) for row in board.rows]
    return re.sub(r"\.+", lambda run: str(len(run[0])), "/".join(lines))


def _editor(game: Game) -> Any:
    if game.definition.editor is None:
        raise NotOffered(game.name, "an editor")
    return game.definition.editor


def _contents(game: Game, rows: str) -> list[list[str]]:
    """Return the contents of each cell, read from the second word of a legal position's string."""
    layers = [[content.text for content in layer] for layer in _editor(game).layers(game)]
    known = [sorted(map(re.escape, texts), key=len, reverse=True) for texts in layers]
    cell = re.compile("".join(f"({'|'.join(texts)})" for texts in known))
    empty = [texts[0] for texts in layers]
    held: list[list[str]] = []
    at = 0
    while at < len(rows):
        run = re.compile("[0-9]+").match(rows, at)
        match = cell.match(rows, at)
        if match and match[0]:
            held.append(list(match.groups()))
            at = match.end()
        elif run:
            held += [list(empty) for _ in range(int(run[0]))]
            at = run.end()
        else:  # between two rows, or where the board has no cell
            at += 1
    by_cell = sorted(zip((cell for row in game.board.rows for cell in row), held, strict=True))
    return [contents for _, contents in by_cell]
