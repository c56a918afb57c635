"""Endings to begin games with: a king and one man, or two kings, against a king, nobody with tokens."""

from __future__ import annotations

import random

from tercet.game import Game, Position
from tercet.games import game_definition
from tercet.games.triplicity.engine.tablebase import endings
from tercet.games.triplicity.kernels import layout

__all__ = ["ending"]

KINDS = (layout.KING, layout.QUEEN, layout.ROOK)


def ending(seed: int) -> Position:
    """A random ending that somebody wins, in which the third player is vanquished."""
    chance = random.Random(seed)
    tables = endings()
    while True:
        position = _random(chance)
        known = tables.probe(position, build=True)
        if known is not None and known.value != 0:
            return position


def _random(chance: random.Random) -> Position:
    game = Game(game_definition("triplicity"), {})
    row = game.new_row()
    game.kernels.setup(game.data, row, 0)
    strong, weak, out = chance.sample(range(3), 3)
    for cell in range(layout.SIZE):
        row[layout.CELLS + cell] = 0
    men = (8 * strong + layout.KING, 8 * strong + chance.choice(KINDS), 8 * weak + layout.KING)
    for cell, man in zip(chance.sample(range(layout.SIZE), 3), men, strict=True):
        row[layout.CELLS + cell] = man
    for player in range(3):
        row[layout.TOKENS + player] = 0
    row[layout.STATE + out] = layout.VANQUISHED
    row[layout.TURN] = chance.choice((strong, weak))
    game.kernels.refresh(game.data, row)
    return Position(game, row)
