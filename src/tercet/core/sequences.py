"""Intervals that hold at every moment, so that one may look after each game and stop when one likes; and what the
difference between two kinds of games is found to be.

A :class:`ConfidenceSequence` bounds the mean of values from 0 to 1 by betting against each possible mean (the hedged
capital process of Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", 2024). A mean is
ruled out when the bets against it have made 2 / alpha of the stake in one direction. For the true mean the chance that
this ever happens is at most alpha (Ville's inequality).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

ALPHA = 0.05  # the chance that a sequence ever misses the truth
TESTED_MEANS = 1001  # means that are bet against
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
        self._least, self._most = 0, TESTED_MEANS - 1  # the ends of what is not ruled out
        self._up = self._down = 0.0  # logarithms of what bets on a higher and on a lower mean have made there
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
        self._up += _gain(x, bet, self._least / (TESTED_MEANS - 1))
        self._down += _gain(1 - x, bet, 1 - self._most / (TESTED_MEANS - 1))
        while self._up >= self._limit and self._least < TESTED_MEANS:
            self._least += 1
            self._up = self._made(self._least / (TESTED_MEANS - 1), False, self._limit)
        while self._down >= self._limit and self._most >= 0:
            self._most -= 1
            self._down = self._made(1 - self._most / (TESTED_MEANS - 1), True, self._limit)

    def _made(self, mean: float, lower: bool, limit: float = math.inf) -> float:
        """Return the logarithm of what all bets against ``mean`` have made, or that on the way which is at least
        ``limit``. Bets on a ``lower`` mean are those on a higher one of 1 - value."""
        made = 0.0
        for x, bet in self._bets:
            made += _gain(1 - x if lower else x, bet, mean)
            if made >= limit:
                break
        return made

    @property
    def interval(self) -> tuple[float, float]:
        """Return the interval now: never wider than before."""
        if self._least > self._most:  # the values are no sample of one mean
            return math.nan, math.nan
        least, most = max(0, self._least - 1), min(TESTED_MEANS - 1, self._most + 1)
        return tuple(self._from + self._range * at / (TESTED_MEANS - 1) for at in (least, most))  # type: ignore[return-value]

    def evidence(self, mean: float) -> float:
        """Return the e-value against ``mean``: what a stake of 1 has become. Its expectation is at most 1 if the
        mean is true."""
        at = round((mean - self._from) / self._range * (TESTED_MEANS - 1)) / (TESTED_MEANS - 1)
        return sum(math.exp(min(700.0, made)) for made in (self._made(at, False), self._made(1 - at, True))) / 2


def _gain(x: float, bet: float, mean: float) -> float:
    """Return the logarithm of what a bet that values are higher than ``mean`` makes of the stake."""
    return math.log1p((min(bet, MAX_STAKE_SHARE / mean) if mean > 0 else bet) * (x - mean))


def e_bh(evidence: Mapping[str, float], alpha: float = 0.05) -> set[str]:
    """Return which of several hypotheses are rejected, so that at most a part ``alpha`` of the rejected is true on the
    mean, however they depend on each other (Wang and Ramdas, 2022)."""
    ranked: Sequence[tuple[str, float]] = sorted(evidence.items(), key=lambda one: -one[1])
    most = 0
    for rank, (_, value) in enumerate(ranked, 1):
        if value >= len(ranked) / (alpha * rank):
            most = rank
    return {name for name, _ in ranked[:most]}


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
    name: str,
    differences: Sequence[float],
    margin: float,
    alpha: float = ALPHA,
    step: int = 1,
    span: float = 1.0,
    whole: bool = False,
) -> Verdict:
    """Return the verdict on the mean of ``differences``, each from ``-span`` to ``span``, looking after every ``step``
    of them. It is final at the first look at which the interval lies within the margin, or without 0; the interval is
    that of this moment, or of the ``whole``."""
    sequence = ConfidenceSequence(alpha, -span, span)
    total = 0.0
    verdict, low, high = "inconclusive", -span, span
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
        found = [
            replace(one, verdict="inconclusive")
            if one.verdict in ("higher", "lower") and one.figure not in rejected
            else one
            for one in found
        ]
    return found
