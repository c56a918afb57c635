"""Triplicity's lessons: the files beside this one, and what their goals say in words of the game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tercet.definition import LessonParts
from tercet.game import Position
from tercet.games.triplicity.findings import attackers
from tercet.games.triplicity.kernels import layout

__all__ = ["PARTS"]


def attacks(position: Position, player: int, value: Any) -> bool:
    """``attacks = "l11"``: the player could capture the man on that cell, were it his turn."""
    cell = position.game.board.index.get(value)
    if cell is None:
        raise ValueError(f"attacks: there is no cell {value}")
    man = int(position.row[layout.CELLS + cell])
    return man > 0 and player in attackers(position.game, position.row, man >> 3, cell)


def tokens(position: Position, player: int, value: Any) -> bool:
    """``tokens = 6``: the player has so many, or more."""
    if type(value) is not int:
        raise ValueError("tokens: is a number")
    return int(position.row[layout.TOKENS + player]) >= value


PARTS = LessonParts(Path(__file__).parent, {"attacks": attacks, "tokens": tokens})
