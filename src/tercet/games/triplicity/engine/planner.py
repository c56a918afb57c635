"""Triplicity for engines: a search for three players at eight strengths, and what the general tree search may ask."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import SimpleNamespace
from typing import Any

from tercet import kernel
from tercet.definition import Rules
from tercet.game import Game, Position
from tercet.games.triplicity import kernels as board
from tercet.games.triplicity.engine import kernels
from tercet.games.triplicity.engine.kernels import alphabeta, evaluation
from tercet.games.triplicity.engine.tablebase import Ending, best_actions, class_of, endings

__all__ = [
    "LEVELS",
    "WEIGHTS",
    "Plan",
    "Sight",
    "Thinker",
    "make_planner",
    "plans",
    "scratch",
    "spare",
    "weights",
]

CHUNK = 1000  # nodes between looks at the clock
PV_LENGTH, PV_DEPTH, PV_NODES = 5, 2, 5_000  # the actions of a line, and how hard each after the first is looked for
ENOUGH = 0.6  # of the time: no deeper search is begun after that

# Points (see ``kernels.evaluation``); lists go by kind, from pawn to king, or by a token's worth with 1 to 3 players.
WEIGHTS: dict[str, Any] = {
    "value": (100, 320, 300, 450, 900, 400),
    "mobility": (0, 5, 4, 4, 3, 2),
    "advance": tuple(2 * (12 - way) ** 2 for way in range(13)),  # by a pawn's way to promotion
    "token": (60, 60, 45),
    "scale": 400,
    "zone": 8,
    "exposed": 4,
    "doomed": 36,
    "checked": 40,
    "loose_soon": 32,
    "loose_later": 16,
    "hit": 10,
}


def weights(points: dict[str, Any]) -> list[int]:
    """``points``, named as in WEIGHTS, as the kernels take them."""
    packed = [0] * evaluation.WEIGHTS
    packed[evaluation.VALUE + 1 : evaluation.VALUE + 7] = points["value"]
    packed[evaluation.MOBILITY + 1 : evaluation.MOBILITY + 7] = points["mobility"]
    packed[evaluation.ADVANCE : evaluation.ADVANCE + 13] = points["advance"]
    packed[evaluation.TOKEN : evaluation.TOKEN + 3] = points["token"]
    for name in ("scale", "zone", "exposed", "doomed", "checked", "loose_soon", "loose_later", "hit"):
        packed[getattr(evaluation, name.upper())] = points[name]
    return packed


@dataclass(frozen=True)
class Sight:
    """How much an engine sees. ``depth`` actions ahead and ``nodes`` at most (None: as far as time allows), then up to
    ``calm`` captures; of the first action only a ``share`` of the choices; positions worth the same give or take
    ``noise`` are the same to it. ``mode`` is how it thinks of its enemies, ``wide`` how many quiet actions it looks at
    for each one left, ``late`` from which one on less deeply, ``margin`` how many points a quiet action is trusted to
    bring, ``drawn`` how many points less than its share a draw is worth to it, ``table`` the logarithm of how many
    positions it remembers; ``endings`` whether it knows the solved ones."""

    depth: int | None = None
    nodes: int | None = None
    calm: int = 6
    share: float = 1.0
    noise: int = 7
    mode: int = alphabeta.BEST_REPLY
    wide: int = 40
    late: int = 24
    margin: int = 150
    drawn: int = 300
    table: int = 18
    endings: bool = False


# Wanting more than a draw was measured to win for who looks ahead little, and not for who looks ahead far.
LEVELS: dict[int, Sight] = {
    1: Sight(depth=1, calm=0, share=0.25, noise=255, table=8),
    2: Sight(depth=1, calm=0, share=0.6, noise=127, table=8),
    3: Sight(depth=1, calm=1, share=0.85, noise=127, table=8),
    4: Sight(depth=1, calm=1, noise=63, table=8),
    5: Sight(depth=2, calm=2, noise=31, table=12),
    6: Sight(depth=3, nodes=2_500, calm=4, noise=15, table=14, endings=True),
    7: Sight(nodes=120_000, drawn=0, table=17, endings=True),
    8: Sight(drawn=0, endings=True),
}


@dataclass(frozen=True)
class Plan:
    """An action, how the game would go on from it, each player's share of the chances, and what is known for sure."""

    actions: tuple[int, ...]
    scores: tuple[float, ...]
    note: str
    line: tuple[int, ...]


def scratch(rules: Rules) -> int:
    """Entries of scratch memory that ``kernels`` need."""
    return rules.max_legal + 1


def spare(rules: Rules) -> int:  # noqa: ARG001  (all games' engines share this signature)
    """Words of ``spare`` memory: none."""
    return 1


@cache
def _search_kernels(mode: str) -> SimpleNamespace:
    return kernel.build(kernels, mode, "triplicity")


class Thinker:
    """A searcher with its memory. Not for two threads at once. With a seed and a limit of nodes or depth, the same
    questions since `reset` get the same answers."""

    def __init__(self, game: Game, sight: Sight, seed: int, points: dict[str, Any] | None = None) -> None:
        self.game = game
        self.sight = sight
        self.lines = 1
        self.nodes = 0
        self.depth = 0
        self.value = 0  # of the best action found last, to the mover
        self._seed = seed
        self._compiled = game.execution == "compiled"
        self.kernels = _search_kernels(game.execution)
        levels, width = alphabeta.LEVELS + 1, 2 * game.rules.max_legal + 2
        self._mask = (1 << sight.table) - 1
        self.weights = self._array(evaluation.WEIGHTS, "int32")
        self.weights[:] = weights(points or WEIGHTS)
        self.weights[evaluation.DRAWN] = sight.drawn
        self._rows = self._matrix(levels, board.ROW_SIZE, "int64")
        self._codes = self._matrix(levels, width, "int32")
        self._ranks = self._matrix(levels, width, "int32")
        self._frames = self._matrix(levels, alphabeta.FRAME, "int64")
        self._spare = self._array(width, "int32")
        self._work = self._array(evaluation.WORK, "int64")
        self._history = self._array(3 * board.ACTIONS, "int32")
        self._table = self._array(4 << sight.table, "int64")
        self._meta = self._array(alphabeta.META + game.rules.max_legal + 1, "int64")
        self._events = game.new_events()
        self.reset()

    def _array(self, length: int, kind: str) -> Any:
        if self._compiled:
            import numpy as np

            return np.zeros(length, kind)
        return [0] * length

    def _matrix(self, rows: int, length: int, kind: str) -> Any:
        if self._compiled:
            import numpy as np

            return np.zeros((rows, length), kind)
        return [[0] * length for _ in range(rows)]

    def reset(self) -> None:
        """Forget everything; random numbers begin again from the seed."""
        for memory in (self._table, self._history):
            for start in range(0, len(memory), 1 << 16):
                memory[start : start + (1 << 16)] = self._array(len(memory[start : start + (1 << 16)]), "int64")
        self._age = 0
        self._chance = random.Random(self._seed)

    def standing(self, position: Position, me: int) -> int:
        """The position's worth to ``me`` at a look (see ``kernels.evaluation``)."""
        return int(self.kernels.worth(position.game.data, position.row, self.weights, self._work, me, 0))

    def strengths(self, position: Position) -> tuple[int, int, int]:
        """Each player's strength at a look; 0 for who is no longer in the game."""
        self.kernels.strengths(position.game.data, position.row, self.weights, self._work)
        first = evaluation.STRENGTHS
        return int(self._work[first]), int(self._work[first + 1]), int(self._work[first + 2])

    def shares(self, position: Position, value: int) -> tuple[float, ...]:
        """Each player's share of the chances if the position is worth ``value`` to the mover: his by that, the others'
        as their strengths compare at a look."""
        me = position.mover or 0
        scale = float(self.weights[evaluation.SCALE])
        mine = float(value > 0) if abs(value) > evaluation.NEARLY else 1 / (1 + 2 ** (-value / scale))
        strong = self.strengths(position)
        odds = [2 ** ((s - max(strong)) / scale) if s and p != me else 0.0 for p, s in enumerate(strong)]
        rest = sum(odds)
        return tuple(mine if player == me else (1 - mine) * odds[player] / rest for player in range(3))

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
        sight = self.sight
        most = min(nodes or sight.nodes or 1 << 60, sight.nodes or 1 << 60)
        deepest = min(depth or alphabeta.LEVELS // 2, sight.depth or alphabeta.LEVELS // 2)
        if seconds is None and most == 1 << 60 and (depth or sight.depth) is None:
            seconds = 1.0
        until = None if seconds is None else began + seconds
        legal = [int(action) for action in position.legal_actions.ids]
        barred = self._overlooked(legal)
        solved = self._solved(position, seconds is None)
        if solved is not None:
            ending, right = solved
            if ending.value:
                self.depth = abs(ending.value)
                sure = [self._sure(position, ending, action) for action in right[: max(1, self.lines)]]
                report(self.depth, 0, sure)
                return sure
            barred = [action for action in legal if action not in right]
        lines = max(1, min(self.lines, len(legal) - len(barred)))
        if len(legal) == 1 and lines == 1 and seconds != float("inf"):
            deepest = 1
        self._begin(position)
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
        return [self._expected(position, plan) for plan in found]

    def _solved(self, position: Position, patient: bool) -> tuple[Ending, list[int]] | None:
        """What the solved endings know of ``position``, and the actions that keep it. A table that is not there is
        built, in the background unless ``patient``."""
        found = class_of(position) if self.sight.endings and self._compiled else None
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

    def _overlooked(self, legal: list[int]) -> list[int]:
        """The first actions that a weak player does not even consider."""
        if self.sight.share >= 1:
            return []
        kept = max(1, round(self.sight.share * len(legal)))
        return self._chance.sample(legal, len(legal) - kept)

    def _begin(self, position: Position) -> None:
        meta, sight = self._meta, self.sight
        self._settled = self._complete = False
        self._age = self._age % 63 + 1
        for place in range(len(self._history)) if not self._compiled else ():
            self._history[place] >>= 2
        if self._compiled:
            self._history >>= 2
        meta[alphabeta.ME] = position.mover
        meta[alphabeta.MODE] = sight.mode
        meta[alphabeta.NODES] = 0
        meta[alphabeta.SALT] = self._chance.getrandbits(40)
        meta[alphabeta.NOISE] = sight.noise
        meta[alphabeta.AGE] = self._age
        meta[alphabeta.DEEPEST] = 0
        meta[alphabeta.CALM] = sight.calm
        meta[alphabeta.WIDE] = sight.wide
        meta[alphabeta.LATE] = sight.late
        meta[alphabeta.MARGIN] = sight.margin

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
        frame = self._frames[0]
        for _ in range(lines):
            taken = [plan.actions[0] for plan in plans]
            done = self._search(position, ahead, barred + taken, until, most, halted)
            choice, value = int(frame[alphabeta.CHOICE]), int(frame[alphabeta.BEST])
            if choice < 0:
                break
            plan = Plan((choice,), self.shares(position, value), self._note(position, choice), (choice,))
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
        meta = self._meta
        meta[alphabeta.BARRED] = len(barred)
        for place, action in enumerate(barred):
            meta[alphabeta.BARS + place] = action
        data = position.game.data
        limit = alphabeta.LIMIT
        self.kernels.begin(data, position.row, self._rows, self._frames, meta, ahead, -limit, limit)
        while True:
            # The first depth is always finished, so that there is something to choose from.
            budget = min(CHUNK, max(1, most - self.nodes)) if ahead > 1 else CHUNK
            done = self._run(data, budget)
            self.nodes = int(meta[alphabeta.NODES])
            if done:
                return True
            if ahead > 1 and (halted() or self.nodes >= most or (until is not None and time.perf_counter() >= until)):
                return False

    def _expected(self, position: Position, plan: Plan) -> Plan:
        """``plan`` with the actions that are expected to follow, each mover looking a little ahead for himself."""
        meta, frame = self._meta, self._frames[0]
        following = position.play(plan.actions[0])
        line = [plan.actions[0]]
        meta[alphabeta.BARRED] = 0
        while not following.is_over and len(line) < PV_LENGTH:
            meta[alphabeta.ME] = following.mover
            data, limit = following.game.data, alphabeta.LIMIT
            self.kernels.begin(data, following.row, self._rows, self._frames, meta, PV_DEPTH, -limit, limit)
            self._run(data, PV_NODES)
            choice = int(frame[alphabeta.CHOICE])
            if choice < 0:
                break
            line.append(choice)
            following = following.play(choice)
        return replace(plan, line=tuple(line))

    def _run(self, data: Any, budget: int) -> bool:
        """Go on searching for up to ``budget`` nodes; whether it is finished."""
        search = self.kernels.search_each if self.sight.mode == alphabeta.MAXN else self.kernels.search
        return bool(
            search(
                data, self._rows, self._codes, self._ranks, self._spare, self._frames, self.weights, self._work,
                self._history, self._table, self._mask, self._events, self._meta, budget,
            )
        )  # fmt: skip

    def _note(self, position: Position, choice: int) -> str:
        outcome = position.play(choice).outcome
        return "win in 1" if outcome is not None and outcome.scores[position.mover or 0] == 1 else ""


def plans(game: Game) -> bool:  # noqa: ARG001  (all games' engines share this signature)
    """Whether `make_planner` plays the game with its options: always."""
    return True


def make_planner(game: Game, level: int, seed: int) -> Thinker:
    """A searcher of strength ``level`` (1 to 8)."""
    return Thinker(game, LEVELS[level], seed)
