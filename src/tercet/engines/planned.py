"""The engine of games with a planner of their own: it plans a whole turn and plays it action by action."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from tercet.core.abilities.engine import Plan, Planner
from tercet.core.game import Action, Game, Position
from tercet.engines.base import Engine, EngineError, Info, Limits, Line, OnInfo, Thought

PV_LENGTH = 60  # actions of a line
QUICK_NODES = 300  # for what follows an action that no plan begins with


def report(position: Position, plans: Sequence[Plan], depth: int, nodes: int, seconds: float) -> Info:
    """Return ``plans`` for ``position``, the best first, as a report."""
    lines = tuple(
        Line(tuple(plan.scores), tuple(position.notate((plan.line or plan.actions)[:PV_LENGTH])), plan.note)
        for plan in plans
    )
    return Info(depth, nodes, int(nodes / max(seconds, 1e-6)), seconds, lines)


class PlannedTurn:
    """A turn that was planned: what it goes on with at each position on its way."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[int, Info]] = {}

    def __bool__(self) -> bool:
        return bool(self._known)

    def at(self, position: Position) -> tuple[Action, Info] | None:
        """Return what follows at ``position``, or None where the turn does not lead there."""
        known = self._known.get(position.key())
        return None if known is None else (Action(known[0], position), known[1])

    def go_on(self, position: Position, limits: Limits, on_info: OnInfo | None) -> Thought | None:
        """Return what follows, unless ``limits`` ask for more than one line, for other actions or for thinking without
        an end."""
        known = None if limits.infinite or limits.multipv > 1 or limits.barred else self.at(position)
        if known is None:
            return None
        if on_info:
            on_info(known[1])
        return Thought(*known)

    def begin(self, position: Position, actions: Sequence[int], info: Info, *, repeat: bool = False) -> Thought:
        """Remember the turn that ``actions`` are, and return its first action. ``repeat``: answer alike when asked
        about ``position`` again, instead of planning once more."""
        self._known = {}
        best, following = info.lines[0], position
        for number, action in enumerate(actions):
            left = Info(info.depth, 0, 0, 0.0, (Line(best.scores, best.pv[number:], best.note),))
            if number or repeat:
                self._known[following.key()] = (action, left if number else info)
            following = following.play(action)
        return Thought(Action(actions[0], position), info)


class PlannedEngine(Engine):
    """Thinks at the first action of a turn and answers the others from its plan at once.

    The game's planner of strength ``level`` (1 to 10) plans, made again for another game; EngineError where
    there is none.
    """

    def __init__(self, game: Game, level: int, seed: int | None = None) -> None:
        self.name = f"level:{level}"
        self.options: dict[str, Any] = {"seed": seed}
        self._level = level
        self._seed = random.SystemRandom().getrandbits(60) if seed is None else seed
        self._game = game
        self._planner = self._made(game)
        self._turn = PlannedTurn()
        self._lock = threading.Lock()

    def _made(self, game: Game) -> Planner:
        planning = game.definition.engine.planning
        if planning is None or not planning.plans(game):
            raise EngineError(f"The engine {self.name} does not play {game.name} with these options.")
        return planning.make_planner(game, self._level, self._seed)

    def _begin(self, seed: int | None) -> None:
        """Forget the plan; random numbers begin again from the seed."""
        self._turn = PlannedTurn()
        if seed is None:
            self._planner.reset()
        else:
            self._seed = seed
            self._planner = self._made(self._game)

    def planned(self, position: Position) -> tuple[Action, Info] | None:
        """Return what the turn that was planned last goes on with at ``position``; None where it does not lead
        there."""
        return self._turn.at(position) if position.game == self._game else None

    def rest(self, position: Position) -> Iterator[tuple[Position, Action, Info]]:
        """Yield each position from ``position`` to the end of the turn planned last, and what follows there."""
        while (planned := self.planned(position)) is not None:
            yield position, *planned
            position = position.play(planned[0])

    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        with self._lock:
            if position.game != self._game:
                self._game = position.game
                self._planner = self._made(position.game)
                self._turn = PlannedTurn()
            known = self._turn.go_on(position, limits, on_info)
            return known or self._think(position, limits, stop, on_info)

    def _look_at(self, position: Position, actions: list[Action], limits: Limits, stop: threading.Event) -> list[Line]:
        """Plan without the actions known, then turns that begin with what even such plans leave out."""
        with self._lock:
            planner, left = self._planner, {action.id: action for action in actions}
            planner.lines = limits.multipv
            planner.barred = frozenset(int(number) for number in position.legal_actions.ids) - left.keys()
            plans = self._plan(position, limits, stop)
            quick = Limits(nodes=min(limits.nodes or QUICK_NODES, QUICK_NODES))
            plans = [plan for plan in plans if left.pop(plan.actions[0], None) is not None][: limits.multipv]
            planner.lines, planner.barred = 1, frozenset()
            for action in list(left.values())[: limits.multipv - len(plans)]:
                after, mover = position.play(action), position.mover or 0
                if after.scores is not None:
                    share = after.scores[mover]
                    best = Plan((), after.scores, "wins" if share == 1 else "draws" if share else "loses")
                else:
                    best = self._plan(after, quick, stop)[0]
                note = best.note if after.mover in (None, mover) else ""
                plans.append(Plan((action.id, *(best.line or best.actions)), best.scores, note))
            return list(report(position, plans, 1, 0, 0.0).lines)

    def _plan(self, position: Position, limits: Limits, stop: threading.Event) -> Sequence[Plan]:
        return self._planner.plan(position, limits.movetime, limits.nodes, limits.depth, stop.is_set, lambda *_: None)

    def _think(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        began = time.perf_counter()
        most, deepest = max(1, limits.multipv), 0

        def look(turns: int, nodes: int, plans: Sequence[Plan]) -> None:
            nonlocal deepest
            deepest = turns
            if on_info and plans:
                on_info(report(position, plans[:most], turns, nodes, time.perf_counter() - began))

        seconds, nodes = limits.movetime, limits.nodes
        if limits.infinite:
            seconds, nodes = float("inf"), None
        self._planner.lines, self._planner.barred = most, limits.barred
        plans = self._planner.plan(position, seconds, nodes, limits.depth, stop.is_set, look)
        final = report(position, plans[:most], deepest, self._planner.nodes, time.perf_counter() - began)
        return self._turn.begin(position, plans[0].actions, final)
