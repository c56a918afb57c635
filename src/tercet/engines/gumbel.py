"""Choosing at the root of a search with few simulations, after Danihelka, Guez, Schrittwieser and Silver, "Policy
improvement by planning with Gumbel" (2022).

Some actions are drawn without replacement, by a network's logits with Gumbel noise. Sequential halving divides the
simulations among them. The values of the actions that were searched, completed for the others, then give an improved
policy: softmax(logits + (c_visit + most visits) * c_scale * values).

Values are shares of the point, 0 to 1. A *place* is an action's in the list that the search was begun with.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tercet.core.game import Game, Position
from tercet.core.rules import whole
from tercet.engines.base import EngineError, Limits, OnInfo
from tercet.engines.kernels.tree import EVEN
from tercet.engines.mcts import PROOF_EFFORT, REPORT_SECONDS, MctsEngine, networked
from tercet.engines.nets import Net
from tercet.engines.tree import Child, Settings, Tree

# Searches an action, given by its place, by up to so many simulations: how many were made, and whether to go on.
Simulate = Callable[[int, int], tuple[int, bool]]


@dataclass(frozen=True)
class Gumbel:
    """How to choose at the root: at most ``considered`` actions are searched; ``c_visit`` and ``c_scale`` say how much
    values count beside logits; ``noise`` scales the Gumbel noise (1 to draw actions, as for self-play; 0 to take the
    likeliest, as for matches)."""

    considered: int = 16
    c_visit: float = 50.0
    c_scale: float = 1.0
    noise: float = 0.0


def gumbel_noise(chance: random.Random) -> float:
    """Return a number of the standard Gumbel distribution."""
    return -math.log(-math.log((chance.getrandbits(52) + 0.5) / (1 << 52)))


def softmax(logits: Sequence[float]) -> list[float]:
    """Return the probabilities that ``logits`` mean."""
    most = max(logits)
    weights = [math.exp(logit - most) for logit in logits]
    total = sum(weights)
    return [weight / total for weight in weights]


def completed_values(
    logits: Sequence[float], visits: Sequence[int], values: Sequence[float], value: float
) -> list[float]:
    """Return each action's value: its own of ``values`` if it has visits, else the mixed value of the paper:
    (v + N * sum(p * q) / sum(p)) / (1 + N), with sums over the actions with visits, where v is ``value``, N the sum of
    ``visits``, and p the probabilities of ``logits``."""
    total = sum(visits)
    probabilities = softmax(logits)
    known = sum(probability for probability, count in zip(probabilities, visits, strict=True) if count)
    mixed = value
    if known > 0:
        expected = sum(
            probability * mean
            for probability, count, mean in zip(probabilities, visits, values, strict=True) if count
        )  # fmt: skip
        mixed = (value + total * expected / known) / (1 + total)
    return [mean if count else mixed for count, mean in zip(visits, values, strict=True)]


def phase_visits(left: int, phases: int, actions: int) -> list[int]:
    """Return how often each of so many ``actions``, the best first, is searched in the next of ``phases``, where so
    many simulations are ``left``. All are searched equally often, at least once while any are left. The last phase uses
    them up."""
    each = max(1, left // phases // actions)
    counts = [min(each, max(0, left - each * index)) for index in range(actions)]
    if phases == 1:
        rest = left - sum(counts)
        counts = [count + (index < rest) for index, count in enumerate(counts)]
    return counts


class Root:
    """The actions at the root while it is searched. By place: ``logits``, ``noise``, ``visits``, ``values``, and which
    are known to have ``lost`` (they are searched no further). ``value`` is what the network says of the position."""

    def __init__(self, gumbel: Gumbel, logits: Sequence[float], value: float, chance: random.Random) -> None:
        self.gumbel = gumbel
        self.logits = list(logits)
        self.value = value
        self.noise = [gumbel.noise * gumbel_noise(chance) if gumbel.noise else 0.0 for _ in logits]
        self.visits = [0] * len(self.logits)
        self.values = [0.0] * len(self.logits)
        self.lost = [False] * len(self.logits)

    def run(self, simulations: int, simulate: Simulate) -> bool:
        """Divide so many simulations among the actions by sequential halving; False where ``simulate`` ended it."""
        left = simulations
        while left > 0 and not all(self.lost):
            left, going_on = self._halve(left, simulate)
            if not going_on:
                return False
        return True

    def policy(self) -> list[float]:
        """Return the improved policy: how likely each action should be."""
        return softmax(self._improved())

    def preferences(self) -> list[float]:
        """Return the values by which the best action is chosen, among those that were searched most often."""
        return [logit + noise for logit, noise in zip(self._improved(), self.noise, strict=True)]

    def _improved(self) -> list[float]:
        values = completed_values(self.logits, self.visits, self.values, self.value)
        scale = (self.gumbel.c_visit + max(self.visits)) * self.gumbel.c_scale
        return [logit + scale * value for logit, value in zip(self.logits, values, strict=True)]

    def _best_first(self, places: Sequence[int]) -> list[int]:
        preferences = self.preferences()
        return sorted((place for place in places if not self.lost[place]), key=lambda place: -preferences[place])

    def _halve(self, left: int, simulate: Simulate) -> tuple[int, bool]:
        """Sequential halving once: how many simulations are left over, and whether to go on. In its first phase, an
        action that turns out to be lost makes room for the next."""
        waiting = self._best_first(range(len(self.logits)))
        count = min(self.gumbel.considered, left, len(waiting))
        taken, waiting = waiting[:count], waiting[count:]
        phases = max(1, (count - 1).bit_length())
        while taken and left > 0:
            queue = list(zip(taken, phase_visits(left, phases, len(taken)), strict=True))
            while queue and left > 0:
                place, planned = queue.pop(0)
                made, going_on = simulate(place, min(planned, left))
                left -= made
                if not going_on:
                    return left, False
                if self.lost[place] and waiting:
                    taken.append(waiting[0])
                    queue.append((waiting.pop(0), planned))
            waiting = []
            taken = self._best_first(taken)[: max(2, count // 2)]
            count, phases = len(taken), max(1, phases - 1)
        return left, True


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
