"""Endings to begin games with: a king and one man, or two kings, against a king, without tokens; and of three
players, of whom one is stronger than both others."""

from __future__ import annotations

import random
from typing import Any

from tercet.core.game import Game, Position
from tercet.games import game_definition
from tercet.games.triplicity.engine.tablebase import endings
from tercet.games.triplicity.kernels import layout

KINDS = (layout.KING, layout.QUEEN, layout.ROOK)
STRONG = (layout.QUEEN, layout.ROOK)
WEAK = (layout.ROOK, layout.BISHOP, layout.KNIGHT)


def ending(seed: int) -> Position:
    """Return a random ending with a winner, in which the third player is vanquished."""
    chance = random.Random(seed)
    tables = endings()
    while True:
        position = _random(chance)
        known = tables.probe(position, build=True)
        if known is not None and known.value != 0:
            return position


def _random(chance: random.Random) -> Position:
    strong, weak, out = chance.sample(range(3), 3)
    men = [8 * strong + layout.KING, 8 * strong + chance.choice(KINDS), 8 * weak + layout.KING]
    game, row = _board(men, chance)
    row[layout.STATE + out] = layout.VANQUISHED
    row[layout.TURN] = chance.choice((strong, weak))
    game.kernels.refresh(game.data, row)
    return Position(game, row)


def ending_of_three(seed: int) -> Position:
    """A random position of three kings, one of them with queens and rooks, the others with a man at most."""
    chance = random.Random(seed)
    strong = chance.randrange(3)
    men = []
    for player in range(3):
        kinds, most = (STRONG, chance.randint(2, 4)) if player == strong else (WEAK, chance.randint(0, 1))
        men += [8 * player + layout.KING, *(8 * player + chance.choice(kinds) for _ in range(most))]
    game, row = _board(men, chance)
    row[layout.TOKENS + strong] = chance.randint(0, 3)
    row[layout.TURN] = chance.randrange(3)
    game.kernels.refresh(game.data, row)
    return Position(game, row)


def _board(men: list[int], chance: random.Random) -> tuple[Game, Any]:
    """The game and a row with ``men`` on random cells and no tokens; the row is to be refreshed."""
    game = Game(game_definition("triplicity"), {})
    row = game.new_row()
    game.kernels.setup(game.data, row, 0)
    for cell in range(layout.SIZE):
        row[layout.CELLS + cell] = 0
    for cell, man in zip(chance.sample(range(layout.SIZE), len(men)), men, strict=True):
        row[layout.CELLS + cell] = man
    for player in range(3):
        row[layout.TOKENS + player] = 0
    return game, row
