"""Enumerate whole turns by trying every action."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tercet.core.game import Position
from tercet.core.proofs.search import TooMuch

__all__ = ["Turn", "whole_turns"]


@dataclass(frozen=True)
class Turn:
    """A way to play a turn: its ``actions`` in notation, and the position ``after`` it."""

    actions: tuple[str, ...]
    after: Position


def whole_turns(position: Position, budget: int, longest: int | None = None) -> Iterator[Turn]:
    """Yield every way to play the mover's turn from ``position``, those with its first legal action first; none where
    the game is over. A turn of more than ``longest`` actions is cut there. TooMuch where more than ``budget`` actions
    have to be tried."""
    stack: list[tuple[Position, tuple[str, ...]]] = [(position, ())]
    while stack:
        place, before = stack.pop()
        if before and (place.is_over or not place.turn_is_open or len(before) == longest):
            yield Turn(before, place)
            continue
        actions = list(place.legal_actions)
        budget -= len(actions)
        if budget < 0:
            raise TooMuch
        stack += [(place.play(action), (*before, str(action))) for action in reversed(actions)]
