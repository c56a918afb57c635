"""The engine of games with a planner of their own: it plans a whole turn and plays it action by action."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from typing import Any

from tercet.definition import Plan, Planner
from tercet.engines.base import Engine, EngineError, Info, Limits, Line, OnInfo, Thought
from tercet.game import Action, Game, Position

__all__ = ["PlannedEngine"]

PV_LENGTH = 60


class PlannedEngine(Engine):
    """Thinks at the first action of a turn and answers the others from its plan at once.

    The game's planner of strength ``level`` (1 to 10) plans, made anew when asked about another game; EngineError where
    there is none.
    """

    def __init__(self, game: Game, level: int, seed: int | None = None) -> None:
        self.name = f"level:{level}"
        self.options: dict[str, Any] = {"seed": seed}
        self._level = level
        self._seed = random.SystemRandom().getrandbits(60) if seed is None else seed
        self._game = game
        self._planner = self._made(game)
        self._plan: dict[bytes, tuple[int, Info]] = {}
        self._lock = threading.Lock()

    def _made(self, game: Game) -> Planner:
        planning = game.definition.engine.planning
        if planning is None or not planning.plans(game):
            raise EngineError(f"{self.name} does not play {game.name} with these options")
        return planning.make_planner(game, self._level, self._seed)

    def new_game(self, seed: int | None = None) -> None:
        """Forget the plan; random numbers begin again from the seed."""
        self._plan = {}
        if seed is None:
            self._planner.reset()
        else:
            self._seed = seed
            self._planner = self._made(self._game)

    def planned(self, position: Position) -> tuple[Action, Info] | None:
        """What the turn that was planned last goes on with at ``position``; None where it does not lead there."""
        known = self._plan.get(position.key()) if position.game == self._game else None
        return None if known is None else (Action(known[0], position), known[1])

    def think(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: threading.Event | None = None,
        on_info: OnInfo | None = None,
    ) -> Thought:
        """Plan the turn within ``limits``, or go on with it as planned."""
        if position.is_over:
            raise EngineError("the game is over")
        with self._lock:
            if position.game != self._game:
                self._game = position.game
                self._planner = self._made(position.game)
                self._plan = {}
            known = self._plan.get(position.key())
            if known is not None and not limits.infinite and limits.multipv == 1:
                action, info = known
                if on_info:
                    on_info(info)
                return Thought(Action(action, position), info)
            return self._think(position, limits, stop or threading.Event(), on_info)

    def _think(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        began = time.perf_counter()
        most = max(1, limits.multipv)

        def info(turns: int, nodes: int, plans: Sequence[Plan]) -> Info:
            seconds = time.perf_counter() - began
            lines = tuple(
                Line(
                    tuple(plan.scores),
                    tuple(position.notate(plan.line[:PV_LENGTH])),
                    plan.note,
                )
                for plan in plans[:most]
            )
            return Info(turns, nodes, int(nodes / max(seconds, 1e-6)), seconds, lines)

        deepest = 0

        def report(turns: int, nodes: int, plans: Sequence[Plan]) -> None:
            nonlocal deepest
            deepest = turns
            if on_info and plans:
                on_info(info(turns, nodes, plans))

        halted = stop.is_set
        seconds, nodes = limits.movetime, limits.nodes
        if limits.infinite:
            seconds, nodes = float("inf"), None
        self._planner.lines = most
        plans = self._planner.plan(position, seconds, nodes, limits.depth, halted, report)
        final = info(deepest, self._planner.nodes, plans)
        best = plans[0].actions
        self._plan = {}
        following = position
        for number, action in enumerate(best):
            if number:
                left = Line(final.lines[0].scores, final.lines[0].pv[number:], final.lines[0].note)
                self._plan[following.key()] = (action, Info(final.depth, 0, 0, 0.0, (left,)))
            following = following.play(action)
        return Thought(Action(best[0], position), final)
