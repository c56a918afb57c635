"""Tree search that chooses at its root as ``gumbel`` says."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tercet.core.game import Game, Position
from tercet.core.rules import whole
from tercet.engines.base import EngineError, Limits, OnInfo
from tercet.engines.gumbel import Gumbel, Root
from tercet.engines.kernels.tree import EVEN
from tercet.engines.mcts import PROOF_EFFORT, REPORT_SECONDS, MctsEngine, networked
from tercet.engines.nets import Net
from tercet.engines.tree import Child, Settings, Tree

__all__ = ["GumbelEngine", "halving"]

CHUNK_SIMULATIONS = 32  # simulations between looks at the clock and at `stop`
# Few actions get many simulations: their values should be those of good replies, not the mean over all of them.
URGENCY = 0.15
FIRST_ROUND_SIMULATIONS = 64  # of the first halving where only a time is given; each further one has twice as many


def halving(settings: Settings) -> Settings:
    """Return ``settings`` for a search with a network that gives few actions of the root many simulations."""
    return replace(networked(settings), first_play_urgency=URGENCY)


class GumbelEngine(MctsEngine):
    """Monte-Carlo tree search with a network that looks at few actions at the root (see ``engines.gumbel``); below it
    as `MctsEngine`. It begins each search from nothing, with one thread.

    ``considered``, ``c_visit``, ``c_scale`` and ``noise`` as in :class:`Gumbel`; other ``options`` as `MctsEngine`
    has them. With a seed and a limit of nodes, the same sequence of positions gives the same actions.
    """

    def __init__(
        self,
        game: Game,
        *,
        net: Net,
        name: str = "gumbel",
        seed: int | None = None,
        considered: int = Gumbel.considered,
        c_visit: float = Gumbel.c_visit,
        c_scale: float = Gumbel.c_scale,
        noise: float = Gumbel.noise,
        proving: bool = True,
        settings: Settings | None = None,
        **options: Any,
    ) -> None:
        if (count := whole(considered, 1)) is None:
            raise EngineError(f"considered must be a whole number, at least 1, not {considered!r:.40}.")
        if options.pop("reuse", False) or options.get("threads", 1) != 1:
            raise EngineError(
                f"{name} searches with one thread and does not reuse its tree. Leave out threads and reuse."
            )
        self.gumbel = Gumbel(count, c_visit, c_scale, noise)
        self._actions: tuple[int, ...] = ()
        self._root: Root | None = None
        if settings is None:
            settings = halving(Settings(proof_effort=PROOF_EFFORT if proving else 0))
        super().__init__(
            game, name=name, seed=seed, reuse=False, net=net, proving=proving, settings=settings, **options
        )  # fmt: skip
        self._chance = random.Random(self._seed)
        self.options |= {"considered": count, "c_visit": c_visit, "c_scale": c_scale, "noise": noise}

    def _begin(self, seed: int | None) -> None:
        """Begin the random numbers again from the seed."""
        super()._begin(seed)
        self._chance = random.Random(self._seed)

    def policy(self) -> dict[int, float]:
        """Return the improved policy, over all actions that do not lose at once; empty where no search was needed."""
        with self._lock:
            root = self._root
            if root is None or self._trees[0].proof:
                return {}
            return dict(sorted(zip(self._actions, root.policy(), strict=True)))

    def pruned_visits(self) -> dict[int, int]:
        """Return `visits`: none of them is for exploration alone."""
        return self.visits()

    def _make_ready(self) -> None:
        super()._make_ready()
        tree = self._trees[0]
        tree.begin(self.game.start())
        tree.open_root()  # compiles, or loads what was compiled
        tree.reset(None)

    def _move_to(self, position: Position) -> list[Tree]:
        self._root = None
        return super()._move_to(position)

    def _search(
        self,
        position: Position,
        trees: Sequence[Tree],
        limits: Limits,
        budget: tuple[float | None, int | None],
        began: float,
        stop: threading.Event,
        on_info: OnInfo | None,
    ) -> int:
        seconds, nodes = budget
        (tree,) = trees
        prior = tree.open_root()
        if not prior.actions:
            return 0
        root = Root(self.gumbel, prior.logits, prior.scores[self._mover], self._chance)
        self._actions, self._root = prior.actions, root
        done, reported = 0, began

        def simulate(place: int, count: int) -> tuple[int, bool]:
            nonlocal done, reported
            total, going_on = 0, True
            while total < count and going_on and not root.lost[place]:
                # An action is often refuted at its first look: see that before more is spent on it.
                chunk = min(CHUNK_SIMULATIONS, count - total) if root.visits[place] else 1
                made, child = tree.search_action(prior.actions[place], chunk)
                total, done = total + made, done + made
                root.visits[place], root.values[place] = child.visits, child.scores[self._mover]
                root.lost[place] = child.proof not in (0, EVEN, 1 + self._mover)
                now = time.perf_counter()
                timed_out = seconds is not None and now - began >= seconds
                going_on = not (tree.proof or timed_out or stop.is_set())
                if on_info and now - reported >= REPORT_SECONDS:
                    reported = now
                    on_info(self._info(position, trees, done, began, limits.multipv))
            return total, going_on

        if nodes is not None:
            root.run(nodes, simulate)
            return done
        simulations = FIRST_ROUND_SIMULATIONS
        while root.run(simulations, simulate) and not all(root.lost):
            simulations *= 2
        return done

    def _preference(self, child: Child, player: int) -> float:
        if self._root is None or child.action not in self._actions:
            return super()._preference(child, player)
        return self._root.preferences()[self._actions.index(child.action)]
