"""A player who may not use a rule: what each rule is worth (Jaffe and others, 2012)."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tercet.engines import Engine, Limits, OnInfo, Thought
from tercet.game import Action, Position

__all__ = ["RestrictedEngine"]

MAX_LINES = 64  # of the best, in which an allowed action is looked for


class RestrictedEngine(Engine):
    """Plays the best of ``engine``'s lines whose first action causes no event of the kinds in ``never``. Where none of
    them is allowed, it plays any allowed action with equal chance; where no legal action is, the best."""

    def __init__(self, engine: Engine, never: Sequence[str], seed: int | None = None) -> None:
        self.name = f"{engine.name} never {', '.join(never)}"
        self.options: dict[str, Any] = engine.options | {"never": tuple(never)}
        self._engine = engine
        self._never = frozenset(never)
        self._chance = random.Random(seed)

    def new_game(self, seed: int | None = None) -> None:
        """Random numbers begin again from ``seed``."""
        self._engine.new_game(seed)
        if seed is not None:
            self._chance = random.Random(seed)

    def close(self) -> None:
        """Close the engine."""
        self._engine.close()

    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        thought = self._engine.think(position, replace(limits, multipv=max(limits.multipv, MAX_LINES)), stop=stop)
        lines = thought.info.lines
        allowed = next((line for line in lines if self._allows(position, position.action(line.pv[0]))), None)
        if allowed is not None:
            lines = (allowed, *(line for line in lines if line.pv[0] != allowed.pv[0]))
            action = position.action(allowed.pv[0])
        else:
            others = [action for action in position.legal_actions if self._allows(position, action)]
            action = self._chance.choice(others) if others else thought.action
        info = replace(thought.info, lines=lines[: max(1, limits.multipv)])
        if on_info:
            on_info(info)
        return Thought(action, info)

    def _allows(self, position: Position, action: Action) -> bool:
        return not any(event.kind in self._never for event in position.transition(action).events)
