"""A search tree of one game in arrays, and the kernels that work on it."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

from tercet import kernel
from tercet.definition import GameDefinition
from tercet.engines.kernels import defaults, mcts
from tercet.game import EVENT_SIZE, Game, Position

__all__ = ["Child", "Settings", "Tree", "hooks"]

DEPTH = 512
ROLLOUT_LIMIT = 4000


@dataclass(frozen=True)
class Settings:
    """How a tree is searched: see ``kernels.mcts.search`` for ``explore``, ``urgency``, ``effort`` and ``again``.

    ``root_effort`` is how hard to look for a forced win before searching, ``capacity`` the most nodes held,
    ``max_depth`` the longest path; ``informed`` whether the game's own engine kernels are used.
    """

    explore: float = 0.4
    urgency: float = 0.15
    capacity: int = 1 << 20
    informed: bool = True
    max_depth: int = DEPTH - 2
    effort: int = 8
    again: int = 20
    root_effort: int = 2000


@dataclass(frozen=True)
class Child:
    """A tried action at the root: its visits, each player's mean share, and what is proven (see ``kernels.mcts``)."""

    node: int
    action: int
    visits: int
    scores: tuple[float, ...]
    proof: int


@functools.cache
def hooks(definition: GameDefinition, execution: str, informed: bool) -> tuple[SimpleNamespace, SimpleNamespace]:
    """The search kernels and the engine kernels that fill them: the game's own if ``informed`` and it has any."""
    from tercet.game import _bundle

    kernels, _ = _bundle(definition, execution)
    own = kernel.build(defaults, execution, definition.name, vars(kernels))
    search = definition.engine.search
    if informed and search is not None:
        own = SimpleNamespace(**{**vars(own), **vars(kernel.build(search.kernels, execution, definition.name))})
    fill = {**vars(kernels), "candidates": own.candidates, "quick_win": own.quick_win, "rollout": own.rollout}
    return kernel.build(mcts, execution, definition.name, fill), own


class Tree:
    """The tree below one position. Not for two threads at once."""

    def __init__(self, game: Game, settings: Settings, seed: int) -> None:
        self.game = game
        self.settings = settings
        self.seed = seed
        # Interpreted trees are lists, a hundred times slower: they need not be large.
        self.capacity = settings.capacity if game.execution == "compiled" else min(settings.capacity, 1 << 15)
        self.players = len(game.players)
        self.kernels, self.own = hooks(game.definition, game.execution, settings.informed)
        rules = game.rules
        search = game.definition.engine.search if settings.informed else None
        self._out = self._array(rules.max_legal + 8, "int32")
        self._scratch = self._array(search.scratch(rules) if search else 1, "int32")
        self._spare = self._array(search.spare(rules) if search else 1, "int64")
        self._events = self._array(EVENT_SIZE * rules.max_events, "int32")
        self._points = self._array(self.players, "float64")
        self._path = self._array(DEPTH, "int64")
        self._movers = self._array(DEPTH, "int64")
        self._row = game.new_row()
        self._limit = rules.max_plies or ROLLOUT_LIMIT
        self._arrays = self._arena()
        self._other: tuple[Any, ...] | None = None
        self.position: Position | None = None
        self.reset(None)
        # Compiling, or loading what was compiled, is not thinking time.
        self.begin(game.start())
        self.certain(game.start(), 1)
        self.search(1)
        self.reset(None)

    def _array(self, length: int, kind: str) -> Any:
        if self.game.execution == "compiled":
            import numpy as np

            return np.zeros(length, kind)
        return [0.0 if kind.startswith("float") else 0] * length

    def _arena(self) -> tuple[Any, ...]:
        capacity = self.capacity
        return (
            self._array(mcts.NODE * capacity, "int32"),
            self._array(2 * capacity, "float32"),
            self._array(self.players * capacity, "float64"),
            self._array(mcts.META, "int64"),
        )

    def reset(self, position: Position | None) -> None:
        """Forget everything and begin at ``position``, with the random numbers from the seed again."""
        nodes, lure, sums, meta = self._arrays
        self.kernels.plant(nodes, lure, sums, self.players, meta, kernel.start_seed(self.seed))
        self.position = position

    def move_to(self, position: Position, deepest: int = 4) -> bool:
        """Begin at ``position``, keeping what is known of it if it lies at most ``deepest`` actions below the root."""
        if self.position is not None and self.position.game == position.game:
            if self.position.key() == position.key():
                return True
            nodes, lure, sums, meta = self._arrays
            game = self.game
            size = game.rules.row_size
            node = self.kernels.locate(
                game.data, self.position.row, self._row, position.row, size, nodes, self._events, self._path,
                self._movers, deepest, 20_000,
            )  # fmt: skip
            if node > 0 and nodes[mcts.NODE * node + mcts.VISITS] > 0:
                if self._other is None:
                    self._other = self._arena()
                target = self._other
                self.kernels.transplant(
                    nodes, lure, sums, self.players, node, *target, self.capacity, int(meta[mcts.SEED])
                )
                self._arrays, self._other = target, self._arrays
                self.position = position
                # What was proven at a look has no action to show for it.
                root = self._arrays[0]
                if root[mcts.TRIED] == 0:
                    self.begin(position)
                else:
                    root[mcts.PROOF] = self.kernels.resolve(root, 0, position.mover, self.players)
                return True
        self.begin(position)
        return False

    def begin(self, position: Position) -> None:
        """Begin at ``position`` with an empty tree; the random numbers run on."""
        nodes, lure, sums, meta = self._arrays
        self.kernels.plant(nodes, lure, sums, self.players, meta, int(meta[mcts.SEED]))
        self.position = position

    def certain(self, position: Position, effort: int) -> tuple[int, int]:
        """In how many turns of his own the mover wins for certain, as the game's engine kernels see with ``effort``,
        and how he begins; (0, -1) if they don't."""
        row = self._row
        for place, value in enumerate(position.row):
            row[place] = value
        turns = int(self.own.quick_win(self.game.data, row, self._scratch, self._spare, effort))
        return (turns, int(self._scratch[0])) if turns else (0, -1)

    def worth_trying(self, position: Position) -> list[int]:
        """The actions that don't lose at once, as far as the game's engine kernels see; none if all do."""
        row = self._row
        for place, value in enumerate(position.row):
            row[place] = value
        most = self.game.rules.max_legal
        count = int(self.own.candidates(self.game.data, row, self._out, self._scratch, self._spare, 0, most))
        return [int(self._out[place]) for place in range(abs(count))]

    def search(self, rounds: int) -> int:
        """Make up to ``rounds`` simulations; fewer only when the root is proven."""
        assert self.position is not None
        nodes, lure, sums, meta = self._arrays
        game, settings = self.game, self.settings
        return cast(
            int,
            self.kernels.search(
                game.data, self.position.row, self._row, game.rules.row_size, self.players, nodes, lure, sums, meta,
                self.capacity, self._out, self._scratch, self._spare, self._events, self._points, self._path,
                self._movers, rounds, settings.explore, settings.urgency, settings.max_depth, self._limit,
                settings.effort, settings.again,
            ),
        )  # fmt: skip

    @property
    def visits(self) -> int:
        """Simulations that went through the root, those kept from earlier positions included."""
        return int(self._arrays[0][mcts.VISITS])

    @property
    def proof(self) -> int:
        """What is proven of the root (see ``kernels.mcts``)."""
        return int(self._arrays[0][mcts.PROOF])

    @property
    def used(self) -> int:
        """Nodes in use."""
        return int(self._arrays[3][mcts.USED])

    @property
    def deepest(self) -> int:
        """Actions on the longest path searched."""
        return int(self._arrays[3][mcts.DEEPEST])

    def children(self, node: int = 0) -> Iterator[Child]:
        """The tried children of ``node``."""
        nodes, _, sums, _ = self._arrays
        first = int(nodes[mcts.NODE * node + mcts.FIRST])
        for child in range(first, first + int(nodes[mcts.NODE * node + mcts.TRIED])):
            at = mcts.NODE * child
            visits = int(nodes[at + mcts.VISITS])
            proof = int(nodes[at + mcts.PROOF])
            if 0 < proof < mcts.EVEN:
                scores = tuple(1.0 if proof == 1 + player else 0.0 for player in range(self.players))
            else:
                most = max(visits, 1)
                scores = tuple(float(sums[self.players * child + player]) / most for player in range(self.players))
            yield Child(child, int(nodes[at + mcts.ACTION]), visits, scores, proof)
