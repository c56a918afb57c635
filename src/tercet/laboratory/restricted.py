"""A player who may not use a rule: what each rule is worth (Jaffe and others, 2012)."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tercet.core.game import Action, Position
from tercet.engines import Engine, Limits, OnInfo, Thought

__all__ = ["RestrictedEngine"]

MAX_LINES = 64  # of the best, in which an allowed action is looked for


class RestrictedEngine(Engine):
    """Plays what ``engine`` plays where that is allowed, else the best of its lines whose first action is, else any
    allowed action with equal chance; where no legal action is allowed, what ``engine`` plays.

    Allowed is an action that causes no event of the kinds in ``never``; where legal actions cause one of the kinds in
    ``always``, only these are."""

    def __init__(
        self, engine: Engine, never: Sequence[str], seed: int | None = None, always: Sequence[str] = ()
    ) -> None:
        words = [f"{name} {', '.join(kinds)}" for name, kinds in (("never", never), ("always", always)) if kinds]
        self.name = " ".join([engine.name, *words])
        self.options: dict[str, Any] = engine.options | {"never": tuple(never), "always": tuple(always)}
        self._engine = engine
        self._never = frozenset(never)
        self._always = frozenset(always)
        self._chance = random.Random(seed)

    def _begin(self, seed: int | None) -> None:
        """Random numbers begin again from ``seed``."""
        self._engine.new_game(seed)
        if seed is not None:
            self._chance = random.Random(seed)

    def close(self) -> None:
        """Close the engine."""
        self._engine.close()

    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        wanted = self._wanted(position)
        thought = self._engine.think(position, limits, stop=stop)
        if not self._allows(position, thought.action, wanted):
            thought = self._other(
                position, thought, replace(limits, multipv=max(limits.multipv, MAX_LINES)), stop, wanted
            )
            thought = replace(thought, info=replace(thought.info, lines=thought.info.lines[: max(1, limits.multipv)]))
        if on_info:
            on_info(thought.info)
        return thought

    def _other(
        self, position: Position, thought: Thought, limits: Limits, stop: threading.Event, wanted: frozenset[int]
    ) -> Thought:
        """Return an allowed action with what the engine thinks of ``position``; ``thought`` where there is none."""
        others = [action for action in position.legal_actions if self._allows(position, action, wanted)]
        if not others:
            return thought
        ids = {action.id for action in others}
        barred = frozenset(action.id for action in position.legal_actions if action.id not in ids)
        again = self._engine._choose(position, replace(limits, barred=barred), stop, None)
        if again.action.id in ids:
            return again
        info = self._engine.think(position, replace(limits, multipv=max(limits.multipv, MAX_LINES)), stop=stop).info
        best = next((line for line in info.lines if position.action(line.pv[0]).id in ids), None)
        if best is None:
            return Thought(self._chance.choice(others), info)
        lines = (best, *(line for line in info.lines if line.pv[0] != best.pv[0]))
        return Thought(position.action(best.pv[0]), replace(info, lines=lines))

    def _wanted(self, position: Position) -> frozenset[int]:
        """Return the legal actions that cause an event of the kinds in ``always``."""
        if not self._always:
            return frozenset()
        return frozenset(action.id for action in position.legal_actions if self._causes(position, action, self._always))

    def _allows(self, position: Position, action: Action, wanted: frozenset[int]) -> bool:
        if wanted:
            return action.id in wanted
        return not self._causes(position, action, self._never)

    @staticmethod
    def _causes(position: Position, action: Action, kinds: frozenset[str]) -> bool:
        return bool(kinds) and any(event.kind in kinds for event in position.transition(action).events)
