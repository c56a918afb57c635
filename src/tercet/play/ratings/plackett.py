"""Plackett-Luce for three players (the family of Weng and Lin, "A Bayesian approximation method for online ranking",
2011), a game at a time, with an effect of the seats.

The chance to come first is proportional to ``exp((strength + seat's effect) / scale)``; who comes second is drawn
likewise among those left, and so on. Where only the winner is known, nothing is learnt about the order of the
others; winners who share the game are as if each of their orders had happened a little, as a draw of two counts half a
win and half a loss. Instead of Weng and Lin's one step from the prior the posterior's mode is found (Laplace's
approximation: their intervals came out too narrow), and what is found is shared between a player's strength and the
effect of the seat, each by how little it is known: so seats are learnt from all games.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any

SCALE = 173.7178  # 400 / ln 10: the same numbers as in Glicko-2
CENTRE = 1500.0
MAX_DEVIATION = 350.0
DRIFT = 4.83  # standard deviation by which strength changes in a day, as much as in Glicko-2
PROVISIONAL_DEVIATION = 110.0  # above it a rating is provisional
SEAT_DEVIATION = 60.0  # by which the effects of seats are expected to differ, before any game
STEPS = 20  # of Newton's method; 4 to 6 are enough
TOLERANCE = 1e-6  # points of rating


@dataclass(frozen=True)
class PlayerStrength:
    """A player's strength: ``mu`` and its standard deviation ``sigma``."""

    mu: float = CENTRE
    sigma: float = MAX_DEVIATION

    @property
    def rating(self) -> float:
        """Return the number that is shown."""
        return self.mu

    @property
    def low(self) -> float:
        """Return the lower end of the interval in which the strength lies with a probability of 95 %."""
        return self.mu - 1.96 * self.sigma

    @property
    def high(self) -> float:
        """Return the upper end of that interval."""
        return self.mu + 1.96 * self.sigma

    @property
    def is_provisional(self) -> bool:
        """Return whether the rating is too uncertain yet to be ranked."""
        return self.sigma > PROVISIONAL_DEVIATION

    def data(self) -> dict[str, float]:
        """Return JSON-able data, which :meth:`read` reads."""
        return {"mu": self.mu, "sigma": self.sigma}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> PlayerStrength:
        """Return the rating that :meth:`data` wrote."""
        return cls(float(data["mu"]), float(data["sigma"]))

    def idle(self, days: float) -> PlayerStrength:
        """After so many days without a game."""
        return PlayerStrength(self.mu, min(MAX_DEVIATION, math.hypot(self.sigma, DRIFT * math.sqrt(max(0.0, days)))))


@dataclass(frozen=True)
class Effect:
    """The advantage of a seat over the others: ``mean``, in points of rating, and its standard deviation ``sigma``."""

    mean: float = 0.0
    sigma: float = SEAT_DEVIATION

    @property
    def low(self) -> float:
        """Return the lower end of the interval of 95 %."""
        return self.mean - 1.96 * self.sigma

    @property
    def high(self) -> float:
        """Return the upper end of that interval."""
        return self.mean + 1.96 * self.sigma


def chances(strengths: Sequence[float]) -> list[float]:
    """Return the probability of each to come first, from the players' ``strengths`` in points of rating; they add up to
    1."""
    most = max(strengths)
    weights = [math.exp((strength - most) / SCALE) for strength in strengths]
    return [weight / sum(weights) for weight in weights]


def rate_many(
    players: Sequence[PlayerStrength], effects: Sequence[Effect], scores: Sequence[float], days: Sequence[float]
) -> tuple[list[PlayerStrength], list[Effect]]:
    """Players and effects, both by seat, after a game in which the seats had these ``scores`` (more is better, the same
    is a tie), so many ``days`` after each player's last game."""
    now = [player.idle(idle) for player, idle in zip(players, days, strict=True)]
    start = [player.mu + effect.mean for player, effect in zip(now, effects, strict=True)]
    spread = [player.sigma**2 + effect.sigma**2 for player, effect in zip(now, effects, strict=True)]
    draws = list(_draws(scores))
    found = start
    for _ in range(STEPS):
        slope, curve = _derivatives(found, draws)
        step = _solved(
            [[curve[i][j] + (i == j) / spread[i] for j in range(len(found))] for i in range(len(found))],
            [slope[i] - (found[i] - start[i]) / spread[i] for i in range(len(found))],
        )
        found = [value + change for value, change in zip(found, step, strict=True)]
        if max(abs(change) for change in step) < TOLERANCE:
            break
    _, curve = _derivatives(found, draws)
    precision = [[curve[i][j] + (i == j) / spread[i] for j in range(len(found))] for i in range(len(found))]
    rated, learnt = [], []
    for seat, (player, effect) in enumerate(zip(now, effects, strict=True)):
        left = _solved(precision, [float(seat == other) for other in range(len(found))])[seat]
        moved, narrowed = (found[seat] - start[seat]) / spread[seat], (spread[seat] - left) / spread[seat] ** 2
        rated.append(
            PlayerStrength(player.mu + player.sigma**2 * moved, math.sqrt(player.sigma**2 - player.sigma**4 * narrowed))
        )
        learnt.append(
            Effect(effect.mean + effect.sigma**2 * moved, math.sqrt(effect.sigma**2 - effect.sigma**4 * narrowed))
        )
    middle = sum(effect.mean for effect in learnt) / len(learnt)  # only differences mean anything
    return rated, [Effect(effect.mean - middle, effect.sigma) for effect in learnt]


def _draws(scores: Sequence[float]) -> Iterator[tuple[float, int, tuple[int, ...]]]:
    """Yield the result of a game with these scores as Plackett-Luce draws: (weight, the seat drawn, the seats it was
    drawn from)."""
    ranks = [[seat for seat, its in enumerate(scores) if its == score] for score in sorted(set(scores), reverse=True)]
    ordered = [list(permutations(rank)) for rank in (ranks[:-1] or ranks)]
    last = tuple(ranks[-1]) if len(ranks) > 1 else ()
    for order in product(*ordered):
        line = [seat for rank in order for seat in rank]
        for place, seat in enumerate(line):
            yield 1 / math.prod(map(len, ordered)), seat, (*line[place:], *last)


def _derivatives(
    values: Sequence[float], draws: Sequence[tuple[float, int, tuple[int, ...]]]
) -> tuple[list[float], list[list[float]]]:
    """Return the slope of the logarithm of the likelihood at these ``values``, and how it curves (minus its
    Hessian)."""
    slope = [0.0] * len(values)
    curve = [[0.0] * len(values) for _ in values]
    for weight, drawn, among in draws:
        share = dict(zip(among, chances([values[seat] for seat in among]), strict=True))
        slope[drawn] += weight / SCALE
        for seat in among:
            slope[seat] -= weight * share[seat] / SCALE
            for other in among:
                curve[seat][other] += weight * share[seat] * ((seat == other) - share[other]) / SCALE**2
    return slope, curve


def _solved(matrix: Sequence[Sequence[float]], values: Sequence[float]) -> list[float]:
    """Return the solution of a small positive definite system, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, values, strict=True)]
    for pivot, row in enumerate(rows):
        for other in rows[pivot + 1 :]:
            factor = other[pivot] / row[pivot]
            for column in range(pivot, len(row)):
                other[column] -= factor * row[column]
    found = [0.0] * len(rows)
    for pivot in reversed(range(len(rows))):
        known = sum(rows[pivot][column] * found[column] for column in range(pivot + 1, len(rows)))
        found[pivot] = (rows[pivot][-1] - known) / rows[pivot][pivot]
    return found
