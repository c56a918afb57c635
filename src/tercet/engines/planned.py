"""Engines of games whose turns are made of several actions: a game's definition plans a whole turn, this plays it."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tercet.engines.base import Engine, EngineError, Info, Limits, Line, OnInfo, Thought
from tercet.game import Action, Game, Position

__all__ = ["PlannedEngine", "Planner"]

PV_LENGTH = 60


class Planned(Protocol):
    """A way to play a turn: its actions, each player's expected share of the point, what is known for sure."""

    @property
    def actions(self) -> Sequence[int]: ...
    @property
    def scores(self) -> Sequence[float]: ...
    @property
    def note(self) -> str: ...


class Planner(Protocol):
    """What a game's ``engine.planner(game, level, seed)`` makes; None where it has nothing better than MCTS.

    ``plan`` returns ways to play the turn that begins (or goes on) here, the best first, within so many seconds
    and nodes (None: its own measure), calling ``report(turns ahead, nodes, plans)`` as it comes to know more.
    ``nodes`` holds how many were searched; ``reset`` forgets everything, so that the same questions get the same
    answers. A planner that searches each further line at a price has ``lines``, how many are wanted; a plan may
    have a ``line``: its actions and those expected to follow them.
    """

    nodes: int

    def plan(
        self,
        position: Position,
        seconds: float | None,
        nodes: int | None,
        depth: int | None,
        halted: Callable[[], bool],
        report: Callable[[int, int, Sequence[Planned]], None],
    ) -> Sequence[Planned]: ...

    def reset(self) -> None: ...


class PlannedEngine(Engine):
    """Thinks at the first action of a turn and answers the others from its plan at once.

    ``make(game, seed)`` makes the planner, anew when asked about another game; EngineError where it makes none.
    """

    def __init__(
        self, game: Game, make: Callable[[Game, int], Planner | None], name: str, seed: int | None = None
    ) -> None:
        self.name = name
        self.options: dict[str, Any] = {"seed": seed}
        self._make = make
        self._seed = random.SystemRandom().getrandbits(60) if seed is None else seed
        self._game = game
        self._planner = self._made(game)
        self._plan: dict[bytes, tuple[int, Info]] = {}
        self._lock = threading.Lock()

    def _made(self, game: Game) -> Planner:
        planner = self._make(game, self._seed)
        if planner is None:
            raise EngineError(f"{self.name} does not play {game.name} with these options")
        return planner

    def new_game(self) -> None:
        """Forget the plan; random numbers begin again from the seed."""
        self._plan = {}
        self._planner.reset()

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

        def info(turns: int, nodes: int, plans: Sequence[Planned]) -> Info:
            seconds = time.perf_counter() - began
            lines = tuple(
                Line(
                    tuple(plan.scores),
                    tuple(position.notate(getattr(plan, "line", plan.actions)[:PV_LENGTH])),
                    plan.note,
                )
                for plan in plans[:most]
            )
            return Info(turns, nodes, int(nodes / max(seconds, 1e-6)), seconds, lines)

        deepest = 0

        def report(turns: int, nodes: int, plans: Sequence[Planned]) -> None:
            nonlocal deepest
            deepest = turns
            if on_info and plans:
                on_info(info(turns, nodes, plans))

        halted = stop.is_set
        seconds, nodes = limits.movetime, limits.nodes
        if limits.infinite:
            seconds, nodes = float("inf"), None
        if hasattr(self._planner, "lines"):
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
