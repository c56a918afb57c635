"""Figures of many games with 95 % intervals, and verdicts on the differences between kinds of games.

The intervals of shares and means hold for a number of games fixed beforehand. A :class:`ConfidenceSequence` holds at
every moment, so that one may look after each game and stop at any time. It bounds the mean of values from 0 to 1 by
betting against each possible mean (the hedged capital process of Waudby-Smith and Ramdas, "Estimating means of bounded
random variables by betting", 2024). A mean is ruled out when the bets against it have made 2 / alpha of the stake in
one direction. For the true mean the chance that this ever happens is at most alpha (Ville's inequality).

>>> from tercet.core.figures import share
>>> share([1, 0, 0.5, 1] * 25)
Estimate(mean=0.625, low=0.5414, high=0.7018, count=100)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median, pvariance, stdev
from typing import Any

Z = 1.959964  # the normal distribution lies within so many standard deviations in 95 of 100 cases


@dataclass(frozen=True)
class Estimate:
    """A ``mean`` of ``count`` values with its 95 % interval from ``low`` to ``high``, NaN for a single value."""

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


ALPHA = 0.05  # the chance that a sequence ever misses the truth
STEPS = 1000  # between the means that are bet against, from 0 to 1
MAX_STAKE_SHARE = 0.5  # the part of the stake that a bet may lose at most


class ConfidenceSequence:
    """An interval for the mean of values from ``low`` to ``high``, which holds it at all times with a chance of at
    least 1 - ``alpha``.

    The lower a mean, the more a bet on a higher one makes. So the means that are ruled out lie at the two ends, and
    only the bets at the ends of the rest are followed; those at a new end are made up from the values before.
    """

    def __init__(self, alpha: float = ALPHA, low: float = 0.0, high: float = 1.0) -> None:
        self.alpha, self.count = alpha, 0
        self._from, self._range = low, high - low
        self._limit = math.log(2 / alpha)
        self._bets: list[tuple[float, float]] = []  # each value, and the bet on it
        self._ruled_out = [0, 0]  # means at the lower and at the upper end
        self._made = [0.0, 0.0]  # logarithms of what bets on a higher and on a lower mean have made at the ends
        self._sum, self._squares = 0.5, 0.25

    def add(self, value: float) -> None:
        """Take one more value."""
        x = (value - self._from) / self._range
        if not -1e-9 <= x <= 1 + 1e-9:
            raise ValueError(f"{value} is not between {self._from} and {self._from + self._range}")
        t = self.count + 1
        spread = self._squares / t  # of the values before, so that the bet does not know this one
        bet = math.sqrt(2 * math.log(2 / self.alpha) / (spread * t * math.log(t + 1)))
        self._bets.append((x, bet))
        self.count = t
        self._sum += x
        self._squares += (x - self._sum / (t + 1)) ** 2
        for side, value in enumerate((x, 1 - x)):
            self._made[side] += _gain(value, bet, self._ruled_out[side] / STEPS)
            while self._made[side] >= self._limit and self._ruled_out[side] <= STEPS:
                self._ruled_out[side] += 1
                self._made[side] = self._all_made(self._ruled_out[side] / STEPS, side, self._limit)

    def _all_made(self, mean: float, side: int, limit: float = math.inf) -> float:
        """Return the logarithm of what all bets against ``mean`` have made, or that on the way which is at least
        ``limit``. Bets on a lower mean (``side`` 1) are those on a higher one of 1 - value."""
        made = 0.0
        for x, bet in self._bets:
            made += _gain(1 - x if side else x, bet, mean)
            if made >= limit:
                break
        return made

    @property
    def interval(self) -> tuple[float, float]:
        """Return the interval now: never wider than before."""
        below, above = self._ruled_out
        if below + above > STEPS:  # the values are no sample of one mean
            return math.nan, math.nan
        least, most = max(0, below - 1), min(STEPS, STEPS - above + 1)
        return self._from + self._range * least / STEPS, self._from + self._range * most / STEPS

    def evidence(self, mean: float) -> float:
        """Return the e-value against ``mean``: what a stake of 1 has become. Its expectation is at most 1 if the
        mean is true."""
        at = round((mean - self._from) / self._range * STEPS) / STEPS
        return sum(math.exp(min(700.0, made)) for made in (self._all_made(at, 0), self._all_made(1 - at, 1))) / 2


def _gain(x: float, bet: float, mean: float) -> float:
    """Return the logarithm of what a bet that values are higher than ``mean`` makes of the stake."""
    return math.log1p((min(bet, MAX_STAKE_SHARE / mean) if mean > 0 else bet) * (x - mean))


def e_bh(evidence: Mapping[str, float], alpha: float = 0.05) -> set[str]:
    """Return which of several hypotheses are rejected, so that at most a part ``alpha`` of the rejected is true on the
    mean, however they depend on each other (Wang and Ramdas, 2022)."""
    ranked = sorted(evidence, key=lambda name: -evidence[name])
    enough = (rank for rank, name in enumerate(ranked, 1) if evidence[name] >= len(ranked) / (alpha * rank))
    return set(ranked[: max(enough, default=0)])


@dataclass(frozen=True)
class Verdict:
    """What comparing one figure found: ``"higher"``, ``"lower"``, ``"equivalent"`` or ``"inconclusive"``, after so many
    ``games`` of each arm, with the difference and the interval that holds it at all times with a chance of 95 % at
    least. ``evidence`` is the e-value against equality."""

    figure: str
    verdict: str
    games: int
    difference: float
    low: float
    high: float
    evidence: float


def judge_differences(
    name: str, differences: Sequence[float], margin: float, alpha: float = ALPHA, step: int = 1, whole: bool = False
) -> Verdict:
    """Return the verdict on the mean of ``differences``, each from -1 to 1, looking after every ``step`` of them. It is
    final at the first look at which the interval lies within the margin, or without 0; the interval is that of this
    moment, or of the ``whole``."""
    sequence = ConfidenceSequence(alpha, -1.0, 1.0)
    total = 0.0
    verdict, low, high = "inconclusive", -1.0, 1.0
    for count, difference in enumerate(differences, 1):
        sequence.add(difference)
        total += difference
        if count % step:
            continue
        low, high = sequence.interval
        if verdict != "inconclusive":
            continue
        if -margin < low and high < margin:
            verdict = "equivalent"
        elif low > 0:
            verdict = "higher"
        elif high < 0:
            verdict = "lower"
        if verdict != "inconclusive" and not whole:
            break
    seen = sequence.count
    return Verdict(name, verdict, seen, total / seen if seen else math.nan, low, high, sequence.evidence(0.0))


def judge_all(
    differences: Mapping[str, Sequence[float]], margin: float, step: int = 1, whole: bool = False
) -> list[Verdict]:
    """Return the verdicts on several figures at once (see `judge_differences`). "Higher" and "lower" stand only where
    the e-BH procedure rejects equality, and "equivalent" is asked of an interval that allows for their number."""
    alpha = ALPHA / len(differences)
    found = [judge_differences(name, values, margin, alpha, step, whole=whole) for name, values in differences.items()]
    if len(found) > 1:
        rejected = e_bh({one.figure: one.evidence for one in found}, ALPHA)
        for number, one in enumerate(found):
            if one.verdict in ("higher", "lower") and one.figure not in rejected:
                found[number] = replace(one, verdict="inconclusive")
    return found
