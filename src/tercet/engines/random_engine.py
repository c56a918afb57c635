"""The engine that plays at random."""

from __future__ import annotations

import random
import threading

from tercet.core.game import Position
from tercet.engines.base import Engine, Info, Limits, Line, OnInfo, Thought, read_seed

__all__ = ["RandomEngine"]


class RandomEngine(Engine):
    """Plays any legal action with equal chance."""

    def __init__(self, seed: int | None = None) -> None:
        self.name = "random"
        self.options = {"seed": read_seed(seed)}
        self._random = random.Random(self.options["seed"])

    def _begin(self, seed: int | None) -> None:
        """Begin the sequence of random numbers again, if a seed was given."""
        seed = self.options["seed"] if seed is None else seed
        if seed is not None:
            self._random = random.Random(seed)

    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:  # noqa: ARG002
        actions = position.legal_actions
        action = actions[self._random.randrange(len(actions))]
        others = [other for other in actions if other != action] if limits.multipv > 1 else []
        chosen = [action, *self._random.sample(others, min(limits.multipv - 1, len(others)))]
        players = len(position.game.players)
        info = Info(1, 1, 0, 0.0, tuple(Line((1 / players,) * players, (str(one),)) for one in chosen))
        if on_info:
            on_info(info)
        return Thought(action, info)
