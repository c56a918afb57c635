"""What an engine is: something that thinks about a position within limits and chooses an action."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tercet.errors import TercetError
from tercet.game import Action, Position

__all__ = ["Engine", "EngineError", "Info", "Limits", "Line", "OnInfo", "Thought"]


class EngineError(TercetError, ValueError):
    """An engine that does not exist, an option it does not have, or an outside engine that misbehaves."""


@dataclass(frozen=True)
class Limits:
    """How long to think: whichever comes first of ``movetime`` (seconds), ``nodes`` (simulations) and ``depth``
    (actions). ``infinite`` ends only when stopped or when the result is proven. ``multipv`` is how many lines to
    report. With none given the engine uses its own."""

    movetime: float | None = None
    nodes: int | None = None
    depth: int | None = None
    multipv: int = 1
    infinite: bool = False


@dataclass(frozen=True)
class Line:
    """One line of play: each player's expected share of the point (0 to 1), the actions in notation, and a ``note`` on
    what is certain (``"win in 3"``: three turns of the winner's own)."""

    scores: tuple[float, ...]
    pv: tuple[str, ...]
    note: str = ""

    @property
    def is_proved(self) -> bool:
        """Whether how the game ends is certain, not expected: there is a note."""
        return bool(self.note)


@dataclass(frozen=True)
class Info:
    """How far a search has come. ``lines`` are the best first; a node is one simulation, ``nps`` nodes a second."""

    depth: int = 0
    nodes: int = 0
    nps: int = 0
    seconds: float = 0.0
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Thought:
    """The action that an engine chose, and the last report of its search."""

    action: Action
    info: Info = field(default_factory=Info)


OnInfo = Callable[[Info], None]


class Engine(ABC):
    """A player. ``options`` are the settings it was made with."""

    name: str
    options: dict[str, Any]

    @abstractmethod
    def think(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: threading.Event | None = None,
        on_info: OnInfo | None = None,
    ) -> Thought:
        """Choose an action; EngineError where the game is over. ``stop`` ends thinking early."""

    def visits(self) -> dict[int, int]:
        """Visits of each action (by its number) in the last search; empty where the engine does not count visits, or
        needed no search."""
        return {}

    def policy(self) -> dict[int, float]:
        """The share of its preference that the last search gives each action (by its number): what a network should
        learn. Shares of `visits`, unless the engine knows better; empty where it needed no search."""
        visits = self.visits()
        total = sum(visits.values())
        return {action: count / total for action, count in sorted(visits.items())} if total else {}

    def pruned_visits(self) -> dict[int, int]:
        """`visits` without those that an action got for being untried rather than good; all where the engine does not
        tell them apart."""
        return self.visits()

    def new_game(self, seed: int | None = None) -> None:  # noqa: B027  (an engine may have neither memory nor chance)
        """Forget what was learnt from earlier positions. Random numbers begin again from ``seed``; None: from the
        seed that the engine was made with, if it was."""

    def close(self) -> None:  # noqa: B027  (only outside engines hold anything)
        """End the processes that it has started."""
