"""Triplicity's planner: iterative deepening, with what each level overlooks and what the solved endings know."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tercet.core.abilities.engine import Plan
from tercet.core.game import Game, Position
from tercet.core.view import Glance, overlooked
from tercet.games.triplicity.engine.kernels import evaluation, memory
from tercet.games.triplicity.engine.search import LEVELS, Search, SearchSettings
from tercet.games.triplicity.engine.tablebase import Ending, best_actions, class_of, endings
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.kernels import layout as board

KING, OTHERS, SAVING, QUIET = 1.0, 0.7, 0.55, 0.2  # taking a king, another man; moving one who could be taken; others


def attention(position: Position) -> list[Glance]:
    """Each legal action. What takes the same man is one topic; what the same man does besides is another."""
    game, row = position.game, position.row
    mover = position.mover or 0
    others = [player for player in range(3) if player != mover and row[layout.STATE + player] == layout.ACTIVE]
    afraid: dict[int, bool] = {}
    found = []
    for number in position.legal_actions.ids:
        action = int(number)
        goal = int(game.kernels.target(game.data, action))
        if action >= layout.PURCHASES:
            found.append(Glance(-1, QUIET))
            continue
        source = int(game.kernels.source(game.data, action))
        man = int(row[layout.CELLS + goal])
        if man:
            found.append(Glance(goal, KING if man & 7 == layout.KING else OTHERS))
            continue
        if source not in afraid:
            afraid[source] = any(game.kernels.attacked(game.data, row, source, other, -1) for other in others)
        found.append(Glance(layout.SIZE + source, SAVING if afraid[source] else QUIET))
    return found


CHUNK = 1000  # nodes between looks at the clock
PV_LENGTH, PV_DEPTH = 5, 2  # the actions of a line, and how far each after the first is looked for
LEAST_PV_NODES, MOST_PV_NODES = 300, 5_000  # nodes for each: no more in all than for the first, the least if it is late
ENOUGH = 0.6  # of the time: no deeper search is begun after that


class SearchPlanner:
    """A searcher with its memory. Not for two threads at once. With a seed and a limit of nodes or depth, the same
    questions since `reset` get the same answers."""

    def __init__(self, game: Game, strength: SearchSettings, seed: int, points: dict[str, Any] | None = None) -> None:
        self.game = game
        self.strength = strength
        self.search = Search(game, strength, points)
        self.lines = 1
        self.barred: frozenset[int] = frozenset()
        self.nodes = 0
        self.depth = 0
        self.value = 0  # of the best action found last, to the mover
        self._seed = seed
        self.reset()

    def reset(self) -> None:
        """Forget everything; random numbers begin again from the seed."""
        self.search.reset()
        self._chance = random.Random(self._seed)

    def plan(
        self,
        position: Position,
        seconds: float | None,
        nodes: int | None,
        depth: int | None,
        halted: Callable[[], bool],
        report: Callable[[int, int, Sequence[Plan]], None],
    ) -> list[Plan]:
        """The best actions, as many as ``lines`` says, best first, within so many seconds, nodes and actions ahead, and
        what the engine sees. ``report(depth, nodes, plans)`` is called after each depth."""
        began = time.perf_counter()
        self.nodes = self.depth = 0
        strength = self.strength
        most = min(nodes or strength.nodes or 1 << 60, strength.nodes or 1 << 60)
        deepest = min(depth or memory.LEVELS // 2, strength.depth or memory.LEVELS // 2)
        if seconds is None and most == 1 << 60 and (depth or strength.depth) is None:
            seconds = 1.0
        until = None if seconds is None else began + seconds
        legal = [int(action) for action in position.legal_actions.ids]
        barred = self._overlooked(position, legal)
        if self.barred:
            allowed = [action for action in legal if action not in self.barred]
            seen = [action for action in allowed if action not in barred]
            barred = [action for action in legal if action not in (seen or allowed)]
        solved = self._solved(position, seconds is None)
        if solved is not None and (right := [action for action in solved[1] if action not in self.barred]):
            ending = solved[0]
            if ending.value:
                self.depth = abs(ending.value)
                sure = [self._sure(position, ending, action) for action in right[: max(1, self.lines)]]
                report(self.depth, 0, sure)
                return sure
            barred = [action for action in legal if action not in right]
        lines = max(1, min(self.lines, len(legal) - len(barred)))
        if len(legal) == 1 and lines == 1 and seconds != float("inf"):
            deepest = 1
        self._settled = self._complete = False
        self.search.prepare(position.mover or 0, strength, self._chance.getrandbits(40))
        found: list[Plan] = []
        for ahead in range(1, deepest + 1):
            plans = self._look(position, ahead, lines, barred, until, most, halted)
            finished = len(plans) == lines and self._complete
            if finished or (plans and lines == 1):
                found = sorted(plans, key=lambda plan: -plan.scores[position.mover or 0])
            if finished:
                self.depth = ahead
                report(ahead, self.nodes, found)
            if not finished or halted() or self.nodes >= most or self._settled:
                break
            if until is not None and time.perf_counter() - began > ENOUGH * (until - began):
                break
        return [self._expected(position, plan, until) for plan in found]

    def _solved(self, position: Position, patient: bool) -> tuple[Ending, list[int]] | None:
        """Return what the solved endings know of ``position``, and the actions that keep it. A table that is not there
        is built, in the background unless ``patient``."""
        found = class_of(position) if self.strength.endings and self.game.execution == "compiled" else None
        if found is None:
            return None
        tables = endings()
        if patient:
            tables.build(found[0])
        elif not tables.ready(found[0]):
            tables.prepare(found[0])
            return None
        known = best_actions(tables, position)
        limit = int(position.game.rules.data[board.RULE_QUIET_LIMIT])
        if known is None or int(position.row[board.QUIET]) + abs(known[0].value) > limit:
            return None
        return known

    def _sure(self, position: Position, ending: Ending, action: int) -> Plan:
        """A plan whose end is known."""
        mover = position.mover or 0
        others = [p for p in range(3) if p != mover and position.row[board.STATE + p] == board.ACTIVE]
        winner = mover if ending.value > 0 else others[0]
        scores = tuple(float(player == winner) for player in range(3))
        return Plan((action,), scores, f"{'win' if ending.value > 0 else 'loss'} in {ending.turns}", (action,))

    def _overlooked(self, position: Position, legal: list[int]) -> list[int]:
        """The first actions that a weak player does not think of."""
        if not self.strength.overlooks:
            return []
        return [legal[place] for place in overlooked(attention(position), self.strength.overlooks, self._chance)]

    def _look(
        self,
        position: Position,
        ahead: int,
        lines: int,
        barred: list[int],
        until: float | None,
        most: int,
        halted: Callable[[], bool],
    ) -> list[Plan]:
        """The best actions ``ahead`` deep, as many of ``lines`` as the limits allow; what was found so far is last."""
        plans: list[Plan] = []
        for _ in range(lines):
            taken = [plan.actions[0] for plan in plans]
            done = self._search(position, ahead, barred + taken, until, most, halted)
            choice, value = self.search.choice, self.search.best
            if choice < 0:
                break
            after = position.play(choice)
            scores = self.search.shares(after, position.mover or 0, value)
            plan = Plan((choice,), scores, self._note(after, position.mover or 0), (choice,))
            plans.append(plan)
            if not plans[1:]:
                self.value = value
                self._settled = abs(value) > evaluation.NEARLY and evaluation.WON - abs(value) <= ahead
            self._complete = done
            if not done:
                break
        return plans

    def _search(
        self,
        position: Position,
        ahead: int,
        barred: list[int],
        until: float | None,
        most: int,
        halted: Callable[[], bool],
    ) -> bool:
        self.search.begin(position, ahead, barred)
        while True:
            # The first depth is always finished, so that there is something to choose from.
            budget = min(CHUNK, max(1, most - self.nodes)) if ahead > 1 else CHUNK
            done = self.search.run(position, budget)
            self.nodes = self.search.nodes
            if done:
                return True
            if ahead > 1 and (halted() or self.nodes >= most or (until is not None and time.perf_counter() >= until)):
                return False

    def _expected(self, position: Position, plan: Plan, until: float | None) -> Plan:
        """``plan`` with the actions that are expected to follow, each mover looking a little ahead for themselves, and
        less far when the clock shows ``until``."""
        following = position.play(plan.actions[0])
        line = [plan.actions[0]]
        while not following.is_over and len(line) < PV_LENGTH:
            self.search.begin(following, PV_DEPTH, me=following.mover)
            late = until is not None and time.perf_counter() >= until
            nodes = 0 if late else min(self.nodes // PV_LENGTH, MOST_PV_NODES)
            self.search.run(following, max(nodes, LEAST_PV_NODES))
            choice = self.search.choice
            if choice < 0:
                break
            line.append(choice)
            following = following.play(choice)
        return replace(plan, line=tuple(line))

    @staticmethod
    def _note(after: Position, mover: int) -> str:
        return "win in 1" if after.outcome is not None and after.outcome.scores[mover] == 1 else ""


def plans(game: Game) -> bool:  # noqa: ARG001  (all games' engines share this signature)
    """Return whether `make_planner` plays the game with its options: always."""
    return True


def make_planner(game: Game, level: int, seed: int) -> SearchPlanner:
    """A searcher of strength ``level`` (1 to 10)."""
    return SearchPlanner(game, LEVELS[level], seed)
