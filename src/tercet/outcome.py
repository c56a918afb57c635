"""How a game ended, and what an action caused, as values: :class:`Outcome`, :class:`Event`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Event", "Outcome"]


@dataclass(frozen=True)
class Outcome:
    """How a game ended. ``scores`` are the players' shares of one point; ``winners`` the players with the most (all
    who share it in a draw); ``reason`` a word of the game's; ``cells`` the decisive cells, ``pattern`` their name."""

    scores: tuple[float, ...]
    winners: tuple[int, ...]
    reason: str
    cells: tuple[str, ...] = ()
    pattern: str | None = None

    @property
    def is_draw(self) -> bool:
        """Return whether several players share the point."""
        return len(self.winners) != 1


@dataclass(frozen=True)
class Event:
    """Something that an action caused. ``kind`` and ``data`` are the game's own words, ``says`` a sentence for a
    person, ``cells`` where it happened."""

    kind: str
    cells: tuple[str, ...]
    says: str
    data: Mapping[str, Any] = field(default_factory=dict)
