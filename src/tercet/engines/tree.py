"""A search tree of one game in arrays, and the kernels that work on it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

from tercet import kernel
from tercet.core.definition import GameDefinition
from tercet.core.game import EVENT_SIZE, Game, Position
from tercet.engines.kernels import defaults, mcts, rollout_leaf
from tercet.engines.kernels import tree as layout
from tercet.engines.kernels.net import WHOLE_POINT
from tercet.engines.nets import Net, net_modules

MAX_DEPTH = 512  # nodes from the root
MAX_PLIES = 4000  # of a random game


@dataclass(frozen=True)
class Settings:
    """The settings of a tree search; ``kernels.mcts.search`` explains ``exploration``, ``first_play_urgency``,
    ``effort``, ``second_look`` and ``proof_effort``.

    ``root_effort`` is how hard to look for a forced win before searching, ``capacity`` the most nodes held,
    ``max_depth`` the longest path; ``informed`` whether the game's own engine kernels are used.
    """

    exploration: float = 0.4
    first_play_urgency: float = 0.15
    capacity: int = 1 << 20
    informed: bool = True
    max_depth: int = MAX_DEPTH - 2
    effort: int = 8
    second_look: int = 20
    proof_effort: int = 0
    root_effort: int = 2000


@dataclass(frozen=True)
class Child:
    """A tried action at the root: its visits, each player's mean share, and what is proven (see ``kernels.tree``)."""

    node: int
    action: int
    visits: int
    scores: tuple[float, ...]
    proof: int


@dataclass(frozen=True)
class Prior:
    """A network's view of the root before the search: its ``actions``, best first, with their ``logits``, and each
    player's expected share. No actions if the root is proved."""

    actions: tuple[int, ...]
    logits: tuple[float, ...]
    scores: tuple[float, ...]


def search_kernels(
    definition: GameDefinition, execution: str, informed: bool, networked: bool = False
) -> tuple[SimpleNamespace, SimpleNamespace]:
    """Return the kernels of the search, and the engine kernels that they call: the game's own if ``informed`` and it
    has any, else those of ``kernels.defaults``. A network evaluates if ``networked``, else rollouts."""
    search = definition.engine.search if informed else None
    asked = (defaults,) if search is None else (defaults, search.kernels)
    leaf = net_modules(definition) if networked else (rollout_leaf,)
    return definition.bundle(execution, *asked, *leaf, mcts), definition.bundle(execution, *asked)


class Tree:
    """The tree below one position. Not for two threads at once. ``net`` evaluates positions; rollouts if None."""

    def __init__(self, game: Game, settings: Settings, seed: int, net: Net | None = None) -> None:
        self.game = game
        self.settings = settings
        self.seed = seed
        # Interpreted trees are lists, a hundred times slower: they need not be large.
        self.capacity = min(settings.capacity, 1 << 15) if game.execution == "interpreted" else settings.capacity
        self.players = len(game.players)
        self.kernels, self.own = search_kernels(game.definition, game.execution, settings.informed, net is not None)
        rules = game.rules
        search = game.definition.engine.search if settings.informed else None
        self._work = layout.Workspace(
            row=game.new_row(),
            actions=self._array(rules.max_legal + 8, "int32"),
            scratch=self._array(search.scratch(rules) if search else 1, "int32"),
            spare=self._array(search.spare(rules) if search else 1, "int64"),
            events=self._array(EVENT_SIZE * rules.max_events, "int32"),
            points=self._array(self.players, "float64"),
            path=self._array(MAX_DEPTH, "int64"),
            movers=self._array(MAX_DEPTH, "int64"),
            memory=search.memory(game) if search and search.memory else self._array(1, "int64"),
            net=net.memory(game) if net else self._array(1, "int64"),
        )
        self._memory = self._new_memory()
        self._other: layout.TreeMemory | None = None
        self.position: Position | None = None
        self.reset(None)
        self._compile(game.start())
        self.reset(None)

    def _compile(self, start: Position) -> None:
        game, memory = self.game, self._memory
        memory = self._memory
        self.begin(start)
        self.certain(start, 1)
        self.worth_trying(start)
        self.search(1)
        self.kernels.find_position(game.data, start.row, start.row, game.rules.row_size, memory, self._work, 0, 0)
        self.kernels.proven_result(memory, 0, start.mover, self.players)
        self.kernels.copy_subtree(memory, 0, memory, self.players, 0)

    def _array(self, length: int, kind: str) -> Any:
        return kernel.zeros(self.game.execution, length, kind)

    def _new_memory(self) -> layout.TreeMemory:
        capacity = self.capacity
        return layout.TreeMemory(
            nodes=self._array(layout.NODE * capacity, "int32"),
            bounds=self._array(layout.BOUND * capacity, "float32"),
            points=self._array(self.players * capacity, "float64"),
            header=self._array(layout.HEADER, "int64"),
        )

    def _parameters(self) -> layout.Parameters:
        rules, settings = self.game.rules, self.settings
        return layout.Parameters(
            rules.row_size, self.players, self.capacity, float(settings.exploration),
            float(settings.first_play_urgency), settings.max_depth, rules.max_plies or MAX_PLIES, settings.effort,
            settings.second_look, settings.proof_effort,
        )  # fmt: skip

    def reset(self, position: Position | None) -> None:
        """Forget everything and begin at ``position``, with the random numbers from the seed again."""
        self.kernels.new_tree(self._memory, self.players, kernel.start_seed(self.seed))
        self.position = position

    def move_to(self, position: Position, deepest: int = 4) -> bool:
        """Begin at ``position``, keeping what is known of it if it lies at most ``deepest`` actions below the root."""
        if self.position is not None and self.position.game == position.game:
            if self.position.key() == position.key():
                return True
            game, memory = self.game, self._memory
            node = self.kernels.find_position(
                game.data, self.position.row, position.row, game.rules.row_size, memory, self._work, deepest, 20_000
            )
            if node > 0 and memory.nodes[layout.NODE * node + layout.VISITS] > 0:
                if self._other is None:
                    self._other = self._new_memory()
                target = self._other
                self.kernels.copy_subtree(memory, node, target, self.players, int(memory.header[layout.SEED]))
                self._memory, self._other = target, memory
                self.position = position
                # What was proven at a look has no action to show for it.
                if target.nodes[layout.TRIED] == 0:
                    self.begin(position)
                else:
                    target.nodes[layout.PROOF] = self.kernels.proven_result(target, 0, position.mover, self.players)
                return True
        self.begin(position)
        return False

    def begin(self, position: Position) -> None:
        """Begin at ``position`` with an empty tree; the random numbers run on."""
        self.kernels.new_tree(self._memory, self.players, int(self._memory.header[layout.SEED]))
        self.position = position

    @contextlib.contextmanager
    def aside(self, position: Position, actions: Sequence[int]) -> Iterator[None]:
        """Search ``position``, with ``actions`` for the root's only children, in other memory: the tree stays."""
        own, known, actions = self._memory, self.position, actions[: self.capacity // 4]
        memory = self._memory = self._other or self._new_memory()
        memory.header[layout.SEED] = own.header[layout.SEED]
        self.begin(position)
        room = 4
        while room < len(actions):
            room *= 2
        for field in range(layout.NODE, layout.NODE * (1 + room)):
            memory.nodes[field] = 0
        for field in range(layout.BOUND, layout.BOUND * (1 + room)):
            memory.bounds[field] = 0.0
        for field in range(self.players, self.players * (1 + room)):
            memory.points[field] = 0.0
        for place, action in enumerate(actions, 1):
            memory.nodes[layout.NODE * place + layout.ACTION] = action
        memory.header[layout.USED] = 1 + room
        for field, value in ((layout.FIRST, 1), (layout.ROOM, room), (layout.TOTAL, len(actions))):
            memory.nodes[field] = value
        try:
            yield
        finally:
            self._memory, self._other, self.position = own, memory, known

    def unprove(self, player: int) -> int:
        """Forget what is proved of the root, and search no child of it that wins for ``player``; return how many other
        children are not proved."""
        nodes, proved = self._memory.nodes, 0
        nodes[layout.PROOF] = 0
        for child in self.children():
            proved += child.proof != 0
            if child.proof == 1 + player:
                self._memory.bounds[layout.BOUND * child.node + layout.MEAN] = layout.HOPELESS
        return int(nodes[layout.TOTAL]) - proved

    def certain(self, position: Position, effort: int) -> tuple[int, int]:
        """Return the number of own turns in which the mover wins by force, as far as the game's engine kernels see with
        ``effort``, and the first action; (0, -1) if they see no win."""
        work = self._load(position)
        turns = int(self.own.quick_win(self.game.data, work.row, work.scratch, work.spare, effort))
        return (turns, int(work.scratch[0])) if turns else (0, -1)

    def worth_trying(self, position: Position) -> list[int]:
        """Return the actions that do not lose at once, as far as the game's engine kernels see; empty where all do."""
        work = self._load(position)
        most = self.game.rules.max_legal
        count = int(self.own.candidates(self.game.data, work.row, work.actions, work.scratch, work.spare, 0, most))
        return [int(work.actions[index]) for index in range(abs(count))]

    def _load(self, position: Position) -> layout.Workspace:
        for index, value in enumerate(position.row):
            self._work.row[index] = value
        return self._work

    def search(self, simulations: int, only: int = -1) -> int:
        """Make up to so many simulations; fewer only when the root is proven. With ``only``, all of them go through
        this tried child of the root."""
        assert self.position is not None
        made = self.kernels.search(
            self.game.data, self.position.row, self._memory, self._work, self._parameters(), simulations, only
        )
        return cast(int, made)

    def open_root(self) -> Prior:
        """List all actions at the root of a tree that was just begun and has a network; none of them is tried yet."""
        assert self.position is not None
        work = self._work
        count = int(
            self.kernels.open_root(
                self.game.data, self.position.row, self._memory, work, self._parameters(), self.game.rules.max_legal
            )
        )
        nodes = self._memory.nodes
        count = min(count, int(nodes[layout.ROOM]))
        first = int(nodes[layout.FIRST])
        return Prior(
            tuple(int(nodes[layout.NODE * (first + index) + layout.ACTION]) for index in range(count)),
            tuple(int(work.net.ranks[index]) / WHOLE_POINT for index in range(count)),
            tuple(float(work.points[player]) for player in range(self.players)),
        )

    def search_action(self, action: int, simulations: int) -> tuple[int, Child]:
        """Make up to so many simulations that begin with ``action``, one that `open_root` has listed: how many were
        made, and what is known of it then."""
        nodes = self._memory.nodes
        first, tried = int(nodes[layout.FIRST]), int(nodes[layout.TRIED])
        child = next(
            node for node in range(first, first + int(nodes[layout.ROOM]))
            if nodes[layout.NODE * node + layout.ACTION] == action
        )  # fmt: skip
        if child >= first + tried:  # the tried ones come first
            untried = layout.NODE * (first + tried) + layout.ACTION
            nodes[layout.NODE * child + layout.ACTION] = nodes[untried]
            nodes[untried] = action
            nodes[layout.TRIED] = tried + 1
            child = first + tried
        made = self.search(simulations, child)
        return made, self._child(child)

    @property
    def visits(self) -> int:
        """Return the number of simulations through the root, with those kept from earlier positions."""
        return int(self._memory.nodes[layout.VISITS])

    @property
    def proof(self) -> int:
        """Return what is proven of the root (see ``kernels.tree``)."""
        return int(self._memory.nodes[layout.PROOF])

    @property
    def used(self) -> int:
        """Return the number of nodes in use."""
        return int(self._memory.header[layout.USED])

    @property
    def deepest(self) -> int:
        """Return the number of actions on the longest path searched."""
        return int(self._memory.header[layout.DEEPEST])

    def children(self, node: int = 0) -> Iterator[Child]:
        """Yield the tried children of ``node``."""
        nodes = self._memory.nodes
        first = int(nodes[layout.NODE * node + layout.FIRST])
        for child in range(first, first + int(nodes[layout.NODE * node + layout.TRIED])):
            yield self._child(child)

    def _child(self, node: int) -> Child:
        nodes, points = self._memory.nodes, self._memory.points
        at = layout.NODE * node
        visits = int(nodes[at + layout.VISITS])
        proof = int(nodes[at + layout.PROOF])
        if 0 < proof < layout.EVEN:
            scores = tuple(1.0 if proof == 1 + player else 0.0 for player in range(self.players))
        else:
            most = max(visits, 1)
            scores = tuple(float(points[self.players * node + player]) / most for player in range(self.players))
        return Child(node, int(nodes[at + layout.ACTION]), visits, scores, proof)
