"""By how much a game was won."""

from __future__ import annotations

from tercet.game import Position

__all__ = ["margins"]


def margins(position: Position) -> tuple[float, ...] | None:
    """By how much each player is ahead of the best other one (negative: behind), in what the game calls its standing;
    None where it has none."""
    standing = getattr(position.game.definition.view, "standing", None)
    if standing is None:
        return None
    held = [float(value) for value in standing(position)]
    return tuple(mine - max(held[:seat] + held[seat + 1 :]) for seat, mine in enumerate(held))
