"""Searches of one game of Triplicity: their memory, their kernels, what a position is worth at a look."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from tercet import kernel
from tercet.core.execution import bundle
from tercet.core.game import Game, Position
from tercet.games.triplicity.engine.evaluation import WEIGHTS, weights
from tercet.games.triplicity.engine.kernels import alphabeta, evaluation, maxn
from tercet.games.triplicity.engine.kernels import memory as layout
from tercet.games.triplicity.engine.kernels import search as loop
from tercet.games.triplicity.engine.levels import SearchSettings
from tercet.games.triplicity.kernels import layout as board


def search_kernels(execution: str, mode: int) -> SimpleNamespace:
    """The kernels of a search that thinks of enemies as ``mode`` says, and those that begin it and judge positions."""
    return bundle("triplicity", (evaluation, layout, maxn if mode == layout.MAXN else alphabeta, loop), execution)


class Search:
    """The memory of searches by one ``strength`` and with ``points`` as in ``evaluation.WEIGHTS``. Not for two threads
    at once. ``nodes`` counts the positions that the search begun last has looked at."""

    def __init__(self, game: Game, strength: SearchSettings, points: dict[str, Any] | None = None) -> None:
        self._execution = game.execution
        self.kernels = search_kernels(game.execution, strength.mode)
        levels, width = layout.LEVELS + 1, 2 * game.rules.max_legal + 2
        self.weights = kernel.array(game.execution, weights(points or WEIGHTS), "int32")
        self.weights[evaluation.DRAWN] = strength.drawn
        self.memory = layout.SearchMemory(
            rows=self._matrix(levels, board.ROW_SIZE, "int64"),
            codes=self._matrix(levels, width, "int32"),
            ranks=self._matrix(levels, width, "int32"),
            frames=self._matrix(levels, layout.FRAME, "int64"),
            header=self._array(layout.HEADER + game.rules.max_legal + 1, "int64"),
            spare=self._array(width, "int32"),
            weights=self.weights,
            work=self._array(evaluation.WORK, "int64"),
            history=self._array(3 * board.ACTIONS, "int32"),
            table=self._array(4 << strength.table, "int64"),
            events=game.new_events(),
        )
        self.reset()
        self._compile(game.start())

    def _compile(self, start: Position) -> None:
        """Compile the kernels, or load what was compiled: that is not thinking time."""
        self.strengths(start)
        self.standing(start, 0)
        self.begin(start, 1)
        self.run(start, 0)

    def _array(self, length: int, kind: str) -> Any:
        return kernel.zeros(self._execution, length, kind)

    def _matrix(self, rows: int, length: int, kind: str) -> Any:
        return kernel.zeros(self._execution, (rows, length), kind)

    def reset(self) -> None:
        """Forget everything."""
        for memory in (self.memory.table, self.memory.history):
            kernel.clear(memory)
        self._age = 0

    def standing(self, position: Position, me: int) -> int:
        """The position's worth to ``me`` at a look (see ``kernels.evaluation``)."""
        return int(self.kernels.worth(position.game.data, position.row, self.weights, self.memory.work, me, 0))

    def strengths(self, position: Position) -> tuple[int, int, int]:
        """Each player's strength at a look; 0 for who is no longer in the game."""
        work = self.memory.work
        self.kernels.strengths(position.game.data, position.row, self.weights, work)
        first = evaluation.STRENGTHS
        return int(work[first]), int(work[first + 1]), int(work[first + 2])

    def shares(self, position: Position, me: int, value: int) -> tuple[float, ...]:
        """Each player's share of the chances if the position is worth ``value`` to ``me``: that player's by that, the
        others' as their strengths compare at a look."""
        scale = float(self.weights[evaluation.SCALE])
        mine = float(value > 0) if abs(value) > evaluation.NEARLY else 1 / (1 + 2 ** (-value / scale))
        strong = self.strengths(position)
        odds = [2 ** ((s - max(strong)) / scale) if s and p != me else 0.0 for p, s in enumerate(strong)]
        rest = sum(odds) or 1.0
        return tuple(mine if player == me else (1 - mine) * odds[player] / rest for player in range(3))

    def prepare(self, me: int, strength: SearchSettings, salt: int) -> None:
        """Get ready to think for ``me`` about another position; what was learnt stays, but counts for less."""
        memory, header = self.memory, self.memory.header
        self._age = self._age % 63 + 1
        if self._execution == "compiled":
            history = memory.history
            history >>= 2
        else:
            for place in range(len(memory.history)):
                memory.history[place] >>= 2
        for name, value in (
            (layout.ME, me), (layout.MODE, strength.mode), (layout.NODES, 0), (layout.SALT, salt),
            (layout.NOISE, strength.noise), (layout.AGE, self._age), (layout.DEEPEST, 0), (layout.CALM, strength.calm),
            (layout.WIDE, strength.wide), (layout.LATE, strength.late), (layout.MARGIN, strength.margin),
            (layout.WARY, int(strength.wary)),
        ):  # fmt: skip
            header[name] = value

    def begin(self, position: Position, depth: int, barred: Iterable[int] = (), me: int | None = None) -> None:
        """Begin to search ``position`` so many actions deep, without the actions ``barred``, for ``me`` (default: for
        whom `prepare` said)."""
        header = self.memory.header
        count = 0
        for action in barred:
            header[layout.BARS + count] = action
            count += 1
        header[layout.BARRED] = count
        if me is not None:
            header[layout.ME] = me
        limit = layout.LIMIT
        self.kernels.begin(position.game.data, position.row, self.memory, depth, -limit, limit)

    def run(self, position: Position, budget: int) -> bool:
        """Go on searching for up to ``budget`` nodes; whether it is finished."""
        return bool(self.kernels.search(position.game.data, self.memory, budget))

    @property
    def nodes(self) -> int:
        """Positions looked at since `prepare`."""
        return int(self.memory.header[layout.NODES])

    @property
    def choice(self) -> int:
        """The best action found so far, -1 for none."""
        return int(self.memory.frames[0][layout.CHOICE])

    @property
    def best(self) -> int:
        """What it is worth to who moves."""
        return int(self.memory.frames[0][layout.BEST])
