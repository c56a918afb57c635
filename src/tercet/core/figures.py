"""Figures of many games with 95 % intervals: shares of points, means, and means over the turns of games.

>>> from tercet.core.figures import share
>>> share([1, 0, 0.5, 1] * 25)
Estimate(mean=0.625, low=0.5414, high=0.7018, count=100)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, pvariance, stdev
from typing import Any

Z = 1.959964  # the normal distribution lies within so many standard deviations in 95 of 100 cases


@dataclass(frozen=True)
class Estimate:
    """A ``mean`` of ``count`` values with its 95 % interval from ``low`` to ``high``. One value alone has no interval:
    both are NaN."""

    mean: float
    low: float
    high: float
    count: int

    def as_dict(self) -> dict[str, float]:
        """Return the mean and, where there is one, its interval, as JSON has them."""
        found = {"mean": self.mean, "low": self.low, "high": self.high}
        return {name: value for name, value in found.items() if math.isfinite(value)}


def wilson(share: float, games: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a ``share`` of so many ``games``, each won or lost."""
    middle = (share + Z * Z / (2 * games)) / (1 + Z * Z / games)
    half = Z * math.sqrt(share * (1 - share) / games + Z * Z / (4 * games * games)) / (1 + Z * Z / games)
    return max(0.0, middle - half), min(1.0, middle + half)


def share(points: Sequence[float]) -> Estimate:
    """Return the mean of ``points``, each from 0 to 1, with Wilson's interval.

    Where games are drawn, their points vary less than those of games that are won or lost, so that each game tells
    more. Wilson's interval is then that of the larger number of games whose points would vary as much.
    """
    count, centre = len(points), fmean(points)
    varied, most = pvariance(points, centre), centre * (1 - centre)
    low, high = wilson(centre, count * most / varied if varied > 0 and most > varied else count)
    return Estimate(round(centre, 4), round(low, 4), round(high, 4), count)


def mean(values: Sequence[float]) -> Estimate:
    """Return the mean of independent ``values`` with an interval as wide as Student's, which stays within what values
    like these can be: see `_ends`."""
    count, centre = len(values), fmean(values)
    half = _student(count - 1) * stdev(values) / math.sqrt(count) if count > 1 else math.nan
    low, high = _ends(centre, half, min(values), max(values), count)
    return Estimate(round(centre, 4), round(low, 4), round(high, 4), count)


def _ends(centre: float, half: float, least: float, most: float, count: int) -> tuple[float, float]:
    """Return the interval of a mean whose Student interval has this ``half`` width.

    Values of which the ``least`` is not negative vary less the nearer their mean is to 0, and to 1 where the ``most``
    is not more. The score interval takes that into account (Wilson's for shares, the one of Poisson's distribution for
    counts, both with the variance that was found), so it never has a negative end. Where all ``count`` values are at
    such an end, and nothing tells how they vary, they are taken for such shares or counts.
    """
    if least < 0 or math.isnan(half):
        return centre - half, centre + half
    bent = float(most <= 1)
    varied = centre - bent * centre * centre
    scale = half * half / varied if varied > 0 and (half > 0 or not bent) else Z * Z / count
    middle, root = centre + scale / 2, math.sqrt(scale * varied + scale * scale / 4)
    return max(0.0, middle - root) / (1 + bent * scale), (middle + root) / (1 + bent * scale)


def per_turn(games: Sequence[Sequence[float]]) -> Estimate:
    """Return the mean over all turns of all ``games``, each a list of values, one for each turn.

    Turns of one game resemble each other. The interval therefore treats games as the independent units, not turns
    (the ratio estimator for clusters). An interval with an impossible end is the one of `mean` instead."""
    count, turns = len(games), sum(len(game) for game in games)
    centre = sum(sum(game) for game in games) / turns
    half = math.nan
    if count > 1:
        squares = sum((sum(game) - centre * len(game)) ** 2 for game in games)
        half = _student(count - 1) * math.sqrt(squares * count / (count - 1)) / turns
    low, high = centre - half, centre + half
    least, most = min(map(min, filter(None, games))), max(map(max, filter(None, games)))
    if low <= 0 <= least or high >= 1 >= most:  # impossible ends; elsewhere lengths and values vary together
        low, high = _ends(centre, half, least, most, count)
    return Estimate(round(centre, 4), round(low, 4), round(high, 4), turns)


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return the mean of ``values``, one for each game, with its interval, their median and the most, for JSON."""
    return mean(values).as_dict() | {"median": float(median(values)), "most": float(max(values))}


def turns_spread(games: Sequence[Sequence[float]]) -> dict[str, float]:
    """Return the mean of ``games``, each a list of values, one for each turn, with its interval, median and most."""
    values = [value for game in games for value in game]
    return per_turn(games).as_dict() | {"median": float(median(values)), "most": float(max(values))}


def words(found: Mapping[str, Any]) -> str:
    """Return a spread as words."""
    return f"mean {found['mean']:.2f}{_between(found, 1, 2)}, median {found['median']:g}, most {found['most']:g}"


def points(found: Mapping[str, Any]) -> str:
    """Return a share of the points, as `Estimate.as_dict` gives it, as words."""
    return f"{100 * found['mean']:.1f} % of the points{_between(found, 100, 1)}"


def percent(found: Mapping[str, Any]) -> str:
    """Return a part from 0 to 1, as `Estimate.as_dict` gives it, as words."""
    return f"{100 * found['mean']:.0f} %{_between(found, 100, 0)}"


def _between(found: Mapping[str, Any], factor: int, digits: int) -> str:
    if "low" not in found:
        return ""
    return f" ({factor * found['low']:.{digits}f} to {factor * found['high']:.{digits}f})"


def _student(freedom: int) -> float:
    """Return the 97.5 % point of Student's distribution: known for one and two degrees of ``freedom``, else by the
    first terms of its expansion about the normal one, right to 1 in 100."""
    if freedom < 3:
        return (math.inf, 12.7062, 4.3027)[freedom]
    third, fifth, seventh = Z**3 + Z, 5 * Z**5 + 16 * Z**3 + 3 * Z, 3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z
    return Z + third / (4 * freedom) + fifth / (96 * freedom**2) + seventh / (384 * freedom**3)
