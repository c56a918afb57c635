"""Choosing at the root of a search with few simulations, after Danihelka, Guez, Schrittwieser and Silver, "Policy
improvement by planning with Gumbel" (2022).

Some actions are drawn without replacement, by a network's logits with Gumbel noise; sequential halving divides the
simulations among them; what is known then of the actions' values, completed where nothing is known, gives an improved
policy: softmax(logits + (c_visit + most visits) * c_scale * values).

Values are shares of the point, 0 to 1. A *place* is an action's in the list that the search was begun with.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Gumbel", "Root", "Simulate", "completed_values", "gumbel_noise", "phase_visits", "softmax"]

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
    """Return ``values`` of the actions with ``visits``; for all others what the position is worth: the network's
    ``value`` as one visit, and the values known, weighted by the probabilities of ``logits``, as so many as there
    were."""
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
    many simulations are ``left``: all equally often, at least once while any are left; the last phase uses them up."""
    each = max(1, left // phases // actions)
    counts = [min(each, max(0, left - each * place)) for place in range(actions)]
    if phases == 1:
        rest = left - sum(counts)
        counts = [count + (place < rest) for place, count in enumerate(counts)]
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
