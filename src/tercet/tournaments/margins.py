"""By how much a game was won."""

from __future__ import annotations

from tercet.game import Position

__all__ = ["margins"]


def margins(position: Position) -> tuple[float, ...] | None:
    """By how much each player is ahead of the best other one (negative: behind); None where the game has no tally."""
    return position.margins
