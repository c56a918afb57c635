"""An engine for games that open with more than turns: it sets up positions and chooses sides as the game's own engine
parts say, and leaves the turns to another engine."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from typing import Any

from tercet.core.abilities.engine import Plan
from tercet.core.game import Action, Game, Position
from tercet.engines.base import Engine, Limits, Line, OnInfo, Thought
from tercet.engines.planned import PlannedTurn, report

__all__ = ["OpeningEngine", "opens"]


def _numbers(position: Position, texts: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of actions that are played one after the other."""
    found = []
    for text in texts:
        found.append(position.action(text).id)
        position = position.play(found[-1])
    return tuple(found)


def opens(game: Game) -> bool:
    """Return whether games with these options begin with something that ``EngineParts.openings`` plans."""
    openings = game.definition.engine.openings
    return openings is not None and openings.opens(game)


class OpeningEngine(Engine):
    """Plays what the game's ``openings`` plan, judged by ``engine``, and the moves of ``engine`` everywhere else."""

    def __init__(self, engine: Engine, seed: int | None = None) -> None:
        self.name = engine.name
        self.options: dict[str, Any] = engine.options
        self._engine = engine
        self._chance = random.Random(seed)
        self._planned = PlannedTurn()

    def _begin(self, seed: int | None) -> None:
        """Forget the plan and earlier positions. Random numbers begin again from ``seed``."""
        self._engine.new_game(seed)
        self._planned = PlannedTurn()
        if seed is not None:
            self._chance = random.Random(seed)

    def visits(self) -> dict[int, int]:
        """Return the visits of the engine's last search; none where an opening was planned."""
        return {} if self._planned else self._engine.visits()

    def policy(self) -> dict[int, float]:
        """Return the preferences of the engine's last search; none where an opening was planned."""
        return {} if self._planned else self._engine.policy()

    def pruned_visits(self) -> dict[int, int]:
        """Return the engine's pruned visits; none where an opening was planned."""
        return {} if self._planned else self._engine.pruned_visits()

    def close(self) -> None:
        """End what the engine has started."""
        self._engine.close()

    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        known = self._planned.go_on(position, limits, on_info)
        if known is not None:
            return known
        self._planned = PlannedTurn()
        plans, seconds, nodes = self._plans(position, limits, stop)
        if not plans:
            return self._engine._choose(position, limits, stop, on_info)
        info = report(position, plans[: max(1, limits.multipv)], 1, nodes, seconds)
        if on_info:
            on_info(info)
        return self._planned.begin(position, plans[0].actions, info, repeat=True)

    def _look_at(self, position: Position, actions: list[Action], limits: Limits, stop: threading.Event) -> list[Line]:
        return self._engine._look_at(position, actions, limits, stop)

    def _plans(self, position: Position, limits: Limits, stop: threading.Event) -> tuple[Sequence[Plan], float, int]:
        """Return what the game's openings plan at ``position``, the seconds that took and the nodes searched."""
        openings = position.game.definition.engine.openings
        if openings is None or position.is_over or not openings.asks(position):
            return (), 0.0, 0
        began, searched = time.perf_counter(), 0

        def judge(other: Position, nodes: int | None) -> Plan:
            nonlocal searched
            within = limits
            if nodes is not None:
                within = Limits(nodes=min(nodes, limits.nodes or nodes))
            elif limits.infinite:
                within = Limits()
            thought = self._engine.think(other, within, stop=stop)
            searched += thought.info.nodes
            line = thought.info.lines[0]
            return Plan((thought.action.id,), line.scores, line.note, _numbers(other, line.pv) if nodes is None else ())

        def halted() -> bool:
            late = limits.movetime is not None and time.perf_counter() - began >= limits.movetime
            return late or stop.is_set()

        plans = openings.plan(position, judge, self._chance, halted)
        return plans, time.perf_counter() - began, searched
