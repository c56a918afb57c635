"""How many styles of play a game supports, from games of a population of players, each pair of them against each other.

A style's *score* against another is the mean over their games of (1 + own points a seat - the other's points a seat) /
2; against the population it is the mean of those. Two numbers are counted, after Lin and others, "Identifying and
Clustering Counter Relationships of Team Compositions in PvP Games for Efficient Balance Analysis" (2024, arXiv
2408.17180):

- *playable* styles (there Top-D diversity): those whose score is less than that of the best by at most the arm's
  ``gap``;
- *undominated* styles (there Top-B balance): a style is dominated if another has the higher score against each third
  one, and beats it. So a style that loses on the mean counts if it is the answer to something.

The interval of a number goes from the styles that certainly count to those that may. Its ends take all comparisons
together (Bonferroni, with the normal distribution), so that it holds the true number in at least 95 of 100 studies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from statistics import NormalDist, fmean, pvariance

from tercet.core.figures import ALPHA, Estimate, Z
from tercet.laboratory.playing import Arm, GameRow


def score(row: GameRow, one: int, other: int) -> float:
    """Return what entrant ``one`` scored against entrant ``other`` in a game of both: 0 to 1, 1/2 if they are equal."""
    own, its = (
        fmean(points for points, who in zip(row.scores, row.entrants, strict=True) if who == entrant)
        for entrant in (one, other)
    )
    return (1 + own - its) / 2


@dataclass(frozen=True)
class Scores:
    """The scores of a population of ``count`` styles in so many ``games``: the mean of each pair's games, and the
    variance of that mean. It is never 0: a pair whose games all went alike is not taken for certain."""

    count: int
    games: int
    means: dict[tuple[int, int], float]
    variances: dict[tuple[int, int], float]

    def against_all(self, style: int) -> float:
        """Return a style's score against the population."""
        return fmean(self.means[style, other] for other in range(self.count) if other != style)

    def estimate(self, style: int) -> Estimate:
        """Return a style's score against the population, with the interval of the normal distribution."""
        value, rivals = self.against_all(style), [other for other in range(self.count) if other != style]
        half = Z * math.sqrt(sum(self.variances[style, other] for other in rivals)) / len(rivals)
        return Estimate(round(value, 4), round(max(0.0, value - half), 4), round(min(1.0, value + half), 4), self.games)

    def lead(self, one: int, other: int) -> tuple[float, float]:
        """Return by how much ``one`` scores more against the population than ``other``, and the variance of that."""
        value = self.against_all(one) - self.against_all(other)
        third = [style for style in range(self.count) if style not in (one, other)]
        parts = [
            4 * self.variances[one, other],
            *(self.variances[who, style] for who in (one, other) for style in third),
        ]
        return value, sum(parts) / (self.count - 1) ** 2

    def edges(self, one: int, other: int) -> list[tuple[float, float]]:
        """Return what must be above 0 for ``one`` to dominate ``other``, each with its variance."""
        edges = [(self.means[one, other] - 0.5, self.variances[one, other])]
        for style in range(self.count):
            if style not in (one, other):
                edge = self.means[one, style] - self.means[other, style]
                edges.append((edge, self.variances[one, style] + self.variances[other, style]))
        return edges


def scores_of(rows: Sequence[GameRow], arm: Arm) -> Scores | None:
    """Return the scores of a population; None before each pair has played twice."""
    count = len(arm.players)
    games: dict[tuple[int, int], list[float]] = {pair: [] for pair in combinations(range(count), 2)}
    for row in rows:
        one, other = sorted(set(row.entrants))
        games[one, other].append(score(row, one, other))
    means, variances = {}, {}
    for (one, other), values in games.items():
        if len(values) < 2:
            return None
        means[one, other], means[other, one] = fmean(values), 1 - fmean(values)
        # Two games more, one of each result, as Agresti and Coull add them: few games that went alike prove little.
        variances[one, other] = variances[other, one] = pvariance([*values, 0.0, 1.0]) / len(values)
    return Scores(count, len(rows), means, variances)


def playable(scores: Scores, gap: float) -> Estimate:
    """Return how many styles are playable, with the interval."""
    styles, comparisons = range(scores.count), scores.count * (scores.count - 1)
    best = max(scores.against_all(style) for style in styles)

    def certainly(style: int, sign: int) -> bool:
        """Return whether the style surely is playable (``sign`` 1), or surely is not (-1)."""
        ends = []
        for other in styles:
            if other != style:
                value, variance = scores.lead(other, style)
                ends.append(value + sign * _margin(variance, comparisons))
        return all(end <= gap for end in ends) if sign > 0 else any(end > gap for end in ends)

    return _counted(
        sum(best - scores.against_all(style) <= gap for style in styles),
        sum(certainly(style, 1) for style in styles),
        scores.count - sum(certainly(style, -1) for style in styles),
        scores.games,
    )


def undominated(scores: Scores) -> Estimate:
    """Return how many styles no other dominates, with the interval."""
    comparisons = scores.count * (scores.count - 1) * (scores.count - 1)

    def dominated(by: Callable[[float, float], bool]) -> int:
        pairs = permutations(range(scores.count), 2)
        return len({other for one, other in pairs if all(by(*edge) for edge in scores.edges(one, other))})

    return _counted(
        scores.count - dominated(lambda value, _: value > 0),
        scores.count - dominated(lambda value, variance: value + _margin(variance, comparisons) > 0),
        scores.count - dominated(lambda value, variance: value - _margin(variance, comparisons) > 0),
        scores.games,
    )


def _margin(variance: float, comparisons: int) -> float:
    return NormalDist().inv_cdf(1 - ALPHA / (2 * comparisons)) * math.sqrt(variance)


def _counted(number: int, low: int, high: int, games: int) -> Estimate:
    """Return a number of styles: never 0, since the best is playable and not dominated."""
    return Estimate(float(number), float(min(max(low, 1), number)), float(max(high, number)), games)


def style_figures(rows: Sequence[GameRow], arm: Arm) -> list[tuple[str, str, Estimate]]:
    """Return the figures of a population, each with its label and its unit: the two numbers, then each style's score
    against the population."""
    scores = scores_of(rows, arm)
    if scores is None:
        return []
    figures = [("playable", "styles", playable(scores, arm.gap)), ("undominated", "styles", undominated(scores))]
    return figures + [(player.name, "%", scores.estimate(number)) for number, player in enumerate(arm.players)]
